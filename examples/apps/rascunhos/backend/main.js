/**
 * Rascunhos: drafts, one in each tab of the window.
 *   GET  /api/rascunhos       the drafts in order, and which was in front
 *   PUT  /api/rascunhos/:id   { texto }
 *   POST /close-tabs          the last window closed: { abas: [{ id, titulo, ativa, janela }] }. Tabs that the person closed go now.
 */
import http from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { criarGuarda, ler } from './guarda.js';

const { escutar, servidor, web } = createRequire(import.meta.url)('svc');
const log = servidor.criarLog();
const pagina = web.spa(new URL('../frontend/', import.meta.url), { ui: true, scripts: ['rascunhos.js'], aoAvisar: log });

const RASCUNHOS_MAX = 50;
const TEXTO_MAX = 100_000;
const arquivo = join(servidor.pastaDeDados(), 'rascunhos.json');
const guardar = criarGuarda(arquivo);
/** { ativa, rascunhos: [{ id, texto, fechado }] }. `fechado`: its tab was closed, and a window of the app is open still. */
let estado = await ler(arquivo, { ativa: null, rascunhos: [] });

async function mudar(res, novo) {
  estado = novo;
  await guardar(estado);
  servidor.responderJson(res, 200, { rascunhos: estado.rascunhos.length });
}

async function escrever(req, res, id) {
  const { texto, fechado = false } = (await servidor.lerJson(req)) ?? {};
  if (typeof texto !== 'string' || texto.length > TEXTO_MAX) return servidor.responderJson(res, 400, { error: 'texto inválido' });
  const outros = estado.rascunhos.filter((um) => um.id !== id);
  if (outros.length >= RASCUNHOS_MAX) return servidor.responderJson(res, 409, { error: `no máximo ${RASCUNHOS_MAX} rascunhos` });
  const lugar = estado.rascunhos.findIndex((um) => um.id === id);
  return await mudar(res, {
    ...estado,
    rascunhos: outros.toSpliced(lugar === -1 ? outros.length : lugar, 0, { id, texto, fechado: fechado === true }),
  });
}

/** Rejects a body that is not the desktop's list of tabs. */
async function fecharAbas(req, res) {
  const abas = (await servidor.lerJson(req))?.abas;
  const certa = (aba) => typeof aba?.id === 'string' && typeof aba.ativa === 'boolean';
  if (!Array.isArray(abas) || !abas.every(certa)) return servidor.responderJson(res, 400, { error: 'abas inválidas' });
  log('abas_fechadas', { abas: abas.length });
  // A window that closed before its page was there is not in the list: only what the person closed goes.
  const lugar = ({ id }) => abas.findIndex((aba) => aba.id === id) + 1 || abas.length + 1;
  const rascunhos = estado.rascunhos.filter((um) => !um.fechado).toSorted((um, outro) => lugar(um) - lugar(outro));
  return await mudar(res, { ativa: abas.find(({ ativa }) => ativa)?.id ?? estado.ativa, rascunhos });
}

const server = http.createServer(
  servidor.portao(async (req, res) => {
    const { pathname } = new URL(req.url, 'http://rascunhos');
    const [, id] = /^\/api\/rascunhos\/([a-z0-9-]{1,64})$/.exec(pathname) ?? [];
    if (req.method === 'GET' && pathname === '/api/rascunhos') return servidor.responderJson(res, 200, estado);
    if (req.method === 'PUT' && id !== undefined) return await escrever(req, res, id);
    if (req.method === 'POST' && pathname === '/close-tabs') return await fecharAbas(req, res);
    return pagina(req, res) || servidor.responderJson(res, 404, { error: 'rota desconhecida' });
  }),
);

escutar(server);
