/** Relógio: pushes the server's time over a WebSocket, once a second on the second, and echoes what the page sends. */
import http from 'node:http';
import { createRequire } from 'node:module';
import { aceitar } from './websocket.js';

const { escutar, servidor, web } = createRequire(import.meta.url)('svc');
const log = servidor.criarLog();
const pagina = web.spa(new URL('../frontend/', import.meta.url), { ui: true, scripts: ['relogio.js'], aoAvisar: log });
const abertas = new Set();

const hora = () => JSON.stringify({ tipo: 'hora', agora: Date.now(), fuso: -new Date().getTimezoneOffset(), pid: process.pid });

const server = http.createServer(
  servidor.portao((req, res) => {
    if (req.method === 'GET' && req.url === '/api/hora') return servidor.responderJson(res, 200, JSON.parse(hora()));
    return pagina(req, res) || servidor.responderJson(res, 404, { error: 'rota desconhecida' });
  }),
);

server.on('upgrade', (req, socket, head) => {
  if (req.url.split('?', 1)[0] !== '/ws') {
    socket.end('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
    return;
  }
  const conexao = aceitar(req, socket, head, {
    aoTexto: (texto) => conexao.enviar(JSON.stringify({ tipo: 'eco', texto })),
    aoFechar: () => abertas.delete(conexao),
  });
  if (!conexao) return;
  abertas.add(conexao);
  conexao.enviar(hora());
});

function bater() {
  for (const conexao of abertas) conexao.enviar(hora());
  setTimeout(bater, 1_000 - (Date.now() % 1_000));
}
bater();

escutar(server, {
  aoEncerrar: () => {
    for (const conexao of abertas) conexao.fechar(1001);
    log('relogio.fim', { abertas: abertas.size });
  },
});
