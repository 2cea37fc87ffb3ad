'use strict';
/** Needs a card, and says that it is there. */
const http = require('node:http');
const { escutar, servidor } = require('svc');

escutar(http.createServer(servidor.portao((_req, res) => servidor.responderJson(res, 200, { ok: true }))));
