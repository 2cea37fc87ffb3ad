'use strict';
/** In plain JavaScript, checked: `require('svc')` has the types. */
const { escutar, servidor } = require('svc');
const http = require('node:http');

const server = http.createServer(servidor.portao((_req, res) => servidor.responderJson(res, 200, { pong: true })));
void escutar(server, { aoEncerrar: () => undefined });

// @ts-expect-error a number where a list is needed
module.exports = () => escutar(server, { argv: 1 });
