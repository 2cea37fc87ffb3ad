'use strict';
/** Answers 401 to everything that passed the gate, also to the health probe: not ready (rules 3.2), yet not the gate's own 403. */
const http = require('node:http');
const { escutar, servidor } = require('svc');

escutar(http.createServer(servidor.portao((_req, res) => servidor.responderJson(res, 401, { error: 'defeito de propósito' }))));
