/** Sentences on what an app does that passes a check, for the reader of the verdict. */
import type { Words } from '../../schema/texts/reasons.ts';
import type { CheckId } from './check.ts';

export const promises: Readonly<Record<CheckId, Words>> = {
  manifest: { pt: 'svc-app.json não tem erros', en: 'svc-app.json has no mistakes' },
  files: { pt: 'cada arquivo que svc-app.json nomeia está no pacote', en: 'each file that svc-app.json names is in the package' },
  'install-command': { pt: 'pode rodar de novo', en: 'can run again' },
  start: { pt: 'abre seu socket e responde', en: 'opens its socket and answers' },
  socket: { pt: 'só a própria conta pode usá-lo', en: 'only its own account can use it' },
  ports: { pt: 'não escuta onde outra conta o alcança', en: 'listens nowhere that another account reaches' },
  gate: { pt: 'recusa pedidos sem o token', en: 'refuses requests without the token' },
  health: { pt: 'responde ao caminho que o portal sonda', en: 'answers at the path that the portal probes' },
  saude: { pt: 'diz sua versão e seu pid', en: 'says its version and its pid' },
  'close-tabs': { pt: 'responde quando se fecham suas abas', en: 'answers when its tabs are closed' },
  capabilities: { pt: 'responde ao que oferece a outros aplicativos', en: 'answers what it offers to other apps' },
  'page-root': { pt: 'a página e o que ela carrega chegam', en: 'the page arrives, and what it loads' },
  'page-path': { pt: 'também abaixo de um caminho', en: 'below a path as well' },
  sdk: { pt: 'deixa os caminhos _sdk/ ao portal', en: 'leaves the paths below _sdk/ to the portal' },
  'second-instance': {
    pt: 'iniciado duas vezes, o segundo sai e o primeiro atende',
    en: 'started twice, the second one leaves and the first one serves',
  },
  orphan: { pt: 'inicia por cima do socket que um processo morto deixou', en: 'starts over the socket that a dead process left' },
  'sigterm-busy': { pt: 'o pedido em curso ainda é respondido', en: 'the request under way is still answered' },
  nowhere: { pt: 'sem socket e sem --tcp termina com 2', en: 'without a socket and --tcp it ends with 2' },
  bench: { pt: 'atende em --tcp, para testes sem o svc', en: 'serves at --tcp, for tests without svc' },
  'gate-open': { pt: 'numa bancada não há token, e ninguém é recusado', en: 'a bench has no token, and nobody is refused' },
  sigterm: { pt: 'termina em ordem', en: 'ends in order' },
  package: { pt: 'não escreve na própria pasta', en: 'writes nothing into its own folder' },
};
