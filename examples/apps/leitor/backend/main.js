/** Leitor: serves its page, which asks the dictionary itself; `GET /api/sentido?palavra=` asks it from the backend. */
import http from 'node:http';
import { createRequire } from 'node:module';

const { apps, ErroSvc, escutar, servidor, web } = createRequire(import.meta.url)('svc');
const log = servidor.criarLog();
const pagina = web.spa(new URL('../frontend/', import.meta.url), { ui: true, scripts: ['leitor.js'], aoAvisar: log });

/** The dictionary's own answer; what the portal refused with its code. */
async function sentido(palavra) {
  try {
    const resposta = await apps.pedir('dicionario/v1', `/palavras/${encodeURIComponent(palavra)}`);
    return { status: resposta.status, corpo: await resposta.json() };
  } catch (problema) {
    if (!(problema instanceof ErroSvc)) throw problema;
    return { status: problema.status ?? 503, corpo: { error: problema.mensagem, codigo: problema.codigo } };
  }
}

const server = http.createServer(
  servidor.portao(async (req, res) => {
    const { pathname, searchParams } = new URL(req.url, 'http://leitor');
    if (req.method !== 'GET' || pathname !== '/api/sentido') {
      return pagina(req, res) || servidor.responderJson(res, 404, { error: 'rota desconhecida' });
    }
    const { status, corpo } = await sentido(searchParams.get('palavra') ?? '');
    return servidor.responderJson(res, status, corpo);
  }),
);

escutar(server);
