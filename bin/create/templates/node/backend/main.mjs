/** The backend: one process for each person, as their own account. */
import { open, readFile, rename } from 'node:fs/promises';
import http from 'node:http';
import { createRequire } from 'node:module';
import path from 'node:path';

const { escutar, servidor, web } = createRequire(import.meta.url)('svc');
const log = servidor.criarLog();
const pagina = web.spa(new URL('../frontend/', import.meta.url), { ui: true, scripts: ['app.js'], aoAvisar: log });
const arquivo = path.join(servidor.pastaDeDados(), 'contagem');

async function ler() {
  try {
    return Number(await readFile(arquivo, 'utf8'));
  } catch (problema) {
    if (problema instanceof Error && 'code' in problema && problema.code === 'ENOENT') return 0;
    throw problema;
  }
}

/**
 * A backend may be ended at any time: the file is written whole or not at all.
 * @param {number} contagem
 */
async function guardar(contagem) {
  const novo = await open(`${arquivo}.novo`, 'w');
  try {
    await novo.writeFile(String(contagem));
    await novo.sync();
  } finally {
    await novo.close();
  }
  await rename(`${arquivo}.novo`, arquivo);
}

/** @type {Promise<unknown>} */
let vez = Promise.resolve();
/** Counts in turn, also when two requests come at once. */
function contar() {
  const minha = vez.then(async () => {
    const contagem = (await ler()) + 1;
    await guardar(contagem);
    log('{{contou}}', { contagem });
    return contagem;
  });
  vez = minha.catch(() => {});
  return minha;
}

const server = http.createServer(
  servidor.portao(async (req, res) => {
    if (req.url === '/api/contagem' && req.method === 'GET') return servidor.responderJson(res, 200, { contagem: await ler() });
    if (req.url === '/api/contagem' && req.method === 'POST') return servidor.responderJson(res, 200, { contagem: await contar() });
    return pagina(req, res) || servidor.responderJson(res, 404, { error: 'rota desconhecida' });
  }),
);
void escutar(server);
