/** Texts of `svc dev` in the terminal. */
import type { TextLanguage } from '../../schema/texts/reasons.ts';

const pt = {
  page: 'página recarregada',
  styles: 'folhas de estilo trocadas',
  restarted: 'backend pronto em {ms} ms',
  restartedAndPage: 'backend pronto em {ms} ms, página recarregada',
  installed: 'instalado em {ms} ms',
  built: 'build.sh terminou em {ms} ms',
  buildFailed: 'build.sh não deu certo ({motivo}); segue o último programa bom',
  firstBuildFailed: 'build.sh não deu certo ({motivo}), e ainda não há programa',
  waiting: 'salve qualquer arquivo da pasta para tentar de novo; Ctrl-C encerra',
  folderGone: 'a pasta {pasta} não está mais lá (renomeada, apagada?): ponha-a de volta, ou encerre e inicie o svc dev onde ela está',
  stillEnds: 'o backend de antes ainda não terminou; {s} s depois do SIGTERM ele é morto',
  stillStarts: 'o backend ainda não responde; espera-se por ele',
  slow: 'ainda não responde: {motivo}; segue tentando',
  notStarted: 'o backend não pode iniciar: {motivo}',
  crashed: 'o backend caiu: {motivo}',
  tail: 'últimas linhas:',
  nextTry: 'a próxima alteração tenta de novo, sem espera',
  manifestBad: 'svc-app.json tem erros; vale o último bom',
  manifestGood: 'svc-app.json em ordem',
  idChanged: 'o "id" mudou de {antes} para {depois}, que é outro aplicativo: termine e inicie o svc dev',
  rule: 'frontend/ recarrega a página (.css troca as folhas de estilo); os demais arquivos reiniciam o backend, e a página recarrega quando ele responde',
  ruleNoPage: 'cada alteração reinicia o backend',
  ruleBuild: 'arquivos que não vão no pacote rodam sh build.sh',
  leftOut:
    'não vão no pacote (.svcignore) e nada os constrói, então alterá-los não faz nada: {arquivos}; conserto: {linha}  e inicie o svc dev de novo',
  stillDown: 'o backend continua parado',
  rulePacked: 'cada alteração é empacotada como na publicação e instalada; a página recarrega quando o backend responde',
  ruleFrontend: 'as páginas vêm de {url}, que as recarrega; /api e o que --backend-prefix nomeia vai ao backend',
  end: 'Ctrl-C encerra tudo',
  ending: 'encerrando; Ctrl-C outra vez mata os backends',
  endingNow: 'os backends são mortos; Ctrl-C outra vez encerra só o svc dev, e pode deixar processos',
  again: 'parou: {motivo}',
  watchFailed: 'a pasta não pode ser vigiada: {motivo}',
  polling: 'o sistema não tem mais vigias para esta conta ({codigo}): os arquivos são olhados a cada {ms} ms; conserto: {linha}',
  links: 'cada link entra uma vez; todos cabem no mesmo navegador',
  link: 'o link entra uma vez',
  linksEnter: 'cada link entra uma vez; Enter mostra novos',
  noPage: 'sem página, não há janela: outros aplicativos pedem {nomes}; svc test-app a chama',
  alreadyRuns: 'o svc dev desta pasta já roda {pid}: encerre-o antes, ou dê outra pasta por --state',
  failed: 'não deu certo: {motivo}',
} as const;

type WordKey = keyof typeof pt;

const en: Readonly<Record<WordKey, string>> = {
  page: 'page reloaded',
  styles: 'style sheets swapped',
  restarted: 'backend ready in {ms} ms',
  restartedAndPage: 'backend ready in {ms} ms, page reloaded',
  installed: 'installed in {ms} ms',
  built: 'build.sh done in {ms} ms',
  buildFailed: 'build.sh failed ({motivo}); the last good program goes on',
  firstBuildFailed: 'build.sh failed ({motivo}), and there is no program yet',
  waiting: 'save any file of the folder to try again; Ctrl-C ends it',
  folderGone: 'the folder {pasta} is gone (renamed, deleted?): put it back, or end svc dev and start it where the folder is now',
  stillEnds: 'the backend before has not ended yet; {s} s after SIGTERM it is killed',
  stillStarts: 'the backend does not answer yet; it is waited for',
  slow: 'does not answer yet: {motivo}; it goes on trying',
  notStarted: 'the backend can not start: {motivo}',
  crashed: 'the backend crashed: {motivo}',
  tail: 'last lines:',
  nextTry: 'the next change tries again at once',
  manifestBad: 'svc-app.json has errors; the last good one is in force',
  manifestGood: 'svc-app.json is in order',
  idChanged: 'the "id" changed from {antes} to {depois}, which is another app: end svc dev and start it again',
  rule: 'frontend/ reloads the page (.css swaps the style sheets); any other file restarts the backend, and the page reloads once it answers',
  ruleNoPage: 'each change restarts the backend',
  ruleBuild: 'files that are not in the package run sh build.sh',
  leftOut:
    'not in the package (.svcignore) and built by nothing, so a change of them does nothing: {arquivos}; mend: {linha}  and start svc dev again',
  stillDown: 'the backend is still not up',
  rulePacked: 'each change is packed as for publishing and installed; the page reloads once the backend answers',
  ruleFrontend: 'pages come from {url}, which reloads them; /api and what --backend-prefix names goes to the backend',
  end: 'Ctrl-C ends everything',
  ending: 'ending; Ctrl-C once more kills the backends',
  endingNow: 'the backends are killed; Ctrl-C once more ends svc dev alone, and may leave processes',
  again: 'stopped: {motivo}',
  watchFailed: 'the folder can not be watched: {motivo}',
  polling: 'the kernel has no watches left for this account ({codigo}): files are looked at every {ms} ms; mend: {linha}',
  links: 'each link signs in once; all of them work in one browser',
  link: 'the link signs in once',
  linksEnter: 'each link signs in once; Enter prints new ones',
  noPage: 'without a page there is no window: other apps ask for {nomes}; svc test-app calls it',
  alreadyRuns: 'svc dev of this folder already runs {pid}: end it first, or give --state another folder',
  failed: 'it failed: {motivo}',
};

const tables: Readonly<Record<TextLanguage, Readonly<Record<WordKey, string>>>> = { pt, en };

export type Say = (key: WordKey, values?: Readonly<Record<string, string | number>>) => string;

export const wordsIn =
  (language: TextLanguage): Say =>
  (key, values = {}) =>
    tables[language][key].replaceAll(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
