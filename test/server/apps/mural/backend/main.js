'use strict';
/** A server-scope app for the tests: who it is, and a counter that outlives it. */
const http = require('node:http');
const fs = require('node:fs');
const { escutar, servidor } = require('svc');

const file = `${process.env.SVC_APP_DATA_DIR}/n`;
const mais = () => {
  const n = fs.existsSync(file) ? Number(fs.readFileSync(file, 'utf8')) + 1 : 1;
  fs.writeFileSync(file, String(n));
  return { n };
};
const ficha = () => ({ pid: process.pid, uid: process.getuid(), home: process.env.HOME, socket: process.env.SVC_APP_SOCKET });
const rotas = { '/api/mais': mais, '/api/ficha': ficha };
const server = http.createServer(
  servidor.portao((req, res) => {
    const rota = rotas[req.url];
    if (rota) servidor.responderJson(res, 200, rota());
    else servidor.responderJson(res, 404, { error: 'rota desconhecida' });
  }),
);
escutar(server);
