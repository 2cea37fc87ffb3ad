/** The smallest Node backend, and each group of the runtime once, as an author writes them; only compiled and run in an author's project. */
import http from 'node:http';
import { createRequire } from 'node:module';
import type { Sala, Trabalho } from 'svc';
const { apps, ErroSvc, escutar, fila, gpu, metricas, salas, servidor, web } = createRequire(import.meta.url)('svc');

const log = servidor.criarLog();
const pagina = web.spa(new URL('../frontend/', import.meta.url), { ui: true, scripts: [], aoAvisar: log });
const server = http.createServer(
  servidor.portao((req, res) => {
    if (req.url === '/api/ping') return servidor.responderJson(res, 200, { pong: true });
    if (!pagina(req, res)) servidor.responderJson(res, 404, { error: 'rota desconhecida' });
  }),
);
void escutar(server);

export async function usar(): Promise<string> {
  const { disponivel, motivo } = salas.disponivel();
  if (!disponivel) return motivo ?? '';
  const sala: Sala = await salas.criar('Ata');
  const trabalho: Trabalho = await fila.submeter({ comando: ['true'], limites: { cpus: 1 } });
  for await (const { estado, linhas } of fila.acompanhar(trabalho.id)) log(estado, { linhas });
  metricas.contar('feito', 1, { formato: 'pdf' });
  const resposta: Response = await apps.pedir('texto/v1', '/maiusculas', { method: 'POST', body: 'a' });
  try {
    return `${sala.id} ${gpu.concedida().motivo} ${resposta.status}`;
  } catch (erro) {
    return erro instanceof ErroSvc ? `${erro.codigo} ${erro.status ?? ''}` : '';
  }
}

// @ts-expect-error no such group: a misspelt one is found
createRequire(import.meta.url)('svc').sala;
// @ts-expect-error a role that does not exist
void salas.darAcesso('s', 'bia', 'dono');
// @ts-expect-error the body is unknown until it is looked at
void servidor.lerJson(new http.IncomingMessage(null as never)).then((corpo) => corpo.nome);
