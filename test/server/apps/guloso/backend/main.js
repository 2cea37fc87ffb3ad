'use strict';
/**
 * Does what a file in its data folder asks for: `comer` takes memory without end, `filhos` starts more processes than it may and
 * writes how many it got, `cair` ends it with code 3.
 */
const http = require('node:http');
const fs = require('node:fs');
const { spawn } = require('node:child_process');
const { escutar, servidor } = require('svc');

const dir = process.env.SVC_APP_DATA_DIR;
const comido = [];
const pedidos = {
  comer: () => {
    for (;;) comido.push(Buffer.alloc(4 << 20, 1));
  },
  cair: () => process.exit(3),
  filhos: async () => {
    let recusados = 0;
    const filhos = Array.from({ length: 100 }, () => spawn('sleep', ['300'], { stdio: 'ignore' }));
    for (const filho of filhos) filho.on('error', () => (recusados += 1));
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    fs.writeFileSync(`${dir}/contados`, JSON.stringify({ recusados }));
    for (const filho of filhos) filho.kill();
  },
};
fs.mkdirSync(dir, { recursive: true });
setInterval(() => {
  for (const [nome, fazer] of Object.entries(pedidos)) {
    if (!fs.existsSync(`${dir}/${nome}`)) continue;
    fs.unlinkSync(`${dir}/${nome}`);
    void fazer();
  }
}, 200);
escutar(http.createServer(servidor.portao((_req, res) => servidor.responderJson(res, 200, { ok: true }))));
