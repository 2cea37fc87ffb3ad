/** Caderno's backend: joins a room as its person does, and gives its text as a file. The page itself needs no backend for writing. */
import http from 'node:http';
import { createRequire } from 'node:module';
import { Y } from './yjs.mjs';

const { escutar, servidor, web, salas } = createRequire(import.meta.url)('svc');
const log = servidor.criarLog();
const pagina = web.spa(new URL('../frontend/', import.meta.url), { ui: true, scripts: ['caderno.js'], aoAvisar: log });
const ESPERA_MS_MAX = 15_000;

/** The text of the room as it is now; null when the person is not in it. */
async function textOf(sala) {
  const conexao = salas.entrar(sala, { Y });
  try {
    const estado = await Promise.race([
      conexao.sincronizado.then(() => 'sincronizado'),
      new Promise((fim) => conexao.aoMudar(({ estado: novo }) => (novo === 'sem-acesso' || novo === 'apagada') && fim(novo))),
      new Promise((fim) => setTimeout(fim, ESPERA_MS_MAX, 'fora').unref()),
    ]);
    return { estado, texto: conexao.doc.getText('texto').toString() };
  } finally {
    await conexao.sair();
  }
}

async function exportar(res, sala) {
  const disponivel = salas.disponivel();
  if (!disponivel.disponivel) return servidor.responderJson(res, 503, { error: disponivel.motivo });
  const { estado, texto } = await textOf(sala);
  if (estado === 'fora') return servidor.responderJson(res, 504, { error: 'o portal não respondeu a tempo' });
  if (estado !== 'sincronizado') return servidor.responderJson(res, 404, { error: 'não há esta sala' });
  log('exportar', { caracteres: texto.length });
  const corpo = Buffer.from(texto, 'utf8');
  res.writeHead(200, {
    'Content-Type': 'text/markdown; charset=utf-8',
    'Content-Disposition': `attachment; filename="caderno-${sala}.md"`,
    'Content-Length': corpo.length,
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'no-store',
  });
  return res.end(corpo);
}

const server = http.createServer(
  servidor.portao((req, res) => {
    const sala = /^\/api\/exportar\/([0-9A-Za-z]{1,64})$/.exec((req.url ?? '').split('?', 1)[0])?.[1];
    if (sala !== undefined && req.method === 'GET') {
      exportar(res, sala).catch((problema) => {
        log.erro('exportar.falhou', { erro: problema.message });
        if (!res.headersSent) servidor.responderJson(res, 502, { error: problema.message });
      });
      return true;
    }
    return pagina(req, res) || servidor.responderJson(res, 404, { error: 'rota desconhecida' });
  }),
);

escutar(server);
