'use strict';
/** Eco: an engine that gives back what it gets, to whoever calls the capability eco/v1 (rules 2.1 `capacidades`, 4.2). */
const http = require('node:http');
const { escutar, servidor } = require('svc');

const log = servidor.criarLog();

const server = http.createServer(
  servidor.portao(async (req, res) => {
    const caminho = req.url.split('?', 1)[0];
    if (req.method === 'GET' && caminho === '/eco/v1/pronto') return servidor.responderJson(res, 200, { pronto: true });
    if (req.method === 'POST' && caminho === '/eco/v1/eco') {
      const corpo = await servidor.lerCorpo(req);
      const de = req.headers['x-svc-chamador'] ?? null;
      log('eco', { de, bytes: corpo.length });
      return servidor.responderJson(res, 200, { de, texto: corpo.toString('utf8') });
    }
    return servidor.responderJson(res, 404, { error: 'rota desconhecida' });
  }),
);

escutar(server);
