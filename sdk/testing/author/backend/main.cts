/** The same of a CommonJS backend. */
import http = require('node:http');
import svc = require('svc');

const server = http.createServer(svc.servidor.portao((_req, res) => svc.servidor.responderJson(res, 200, { pong: true })));
void svc.escutar(server);

// @ts-expect-error no such function
svc.servidor.portaria();
