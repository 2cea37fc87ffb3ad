'use strict';
/**
 * Cai: serves, and ends with code 3 some milliseconds after it began to serve. `queda.json` in the data folder says when and how:
 * { "aposMs": 300, "codigo": 3, "sinal": "SIGKILL", "quedas": 2 } — `quedas` is how many runs fall (absent: every one); a run that
 * does not fall stays. The runs are counted in `quedas.txt`.
 */
const fs = require('node:fs');
const http = require('node:http');
const path = require('node:path');
const { escutar, servidor, web } = require('svc');

const dados = servidor.pastaDeDados();
const log = servidor.criarLog();
const pagina = web.spa(path.join(__dirname, '..', 'frontend'), { aoAvisar: log });

function lido(arquivo, outro) {
  try {
    return JSON.parse(fs.readFileSync(path.join(dados, arquivo), 'utf8'));
  } catch {
    return outro;
  }
}

const { aposMs = 300, codigo = 3, sinal = null, quedas = Number.POSITIVE_INFINITY } = lido('queda.json', {});
const vez = lido('quedas.txt', 0) + 1;

const server = http.createServer(
  servidor.portao((req, res) => {
    if (req.url === '/api/vez') return servidor.responderJson(res, 200, { vez, pid: process.pid });
    return pagina(req, res) || servidor.responderJson(res, 404, { error: 'rota desconhecida' });
  }),
);

server.on('listening', () => {
  fs.writeFileSync(path.join(dados, 'quedas.txt'), String(vez));
  if (vez > quedas) return;
  setTimeout(() => {
    log.erro('queda', { vez, codigo, sinal });
    console.error(`cai: caindo de propósito (vez ${vez})`);
    if (sinal) process.kill(process.pid, sinal);
    else process.exit(codigo);
  }, aposMs);
});
escutar(server);
