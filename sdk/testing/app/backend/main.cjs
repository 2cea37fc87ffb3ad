'use strict';
/** The app that the contract table drives, Node side. main.py beside it is the same app. */
const http = require('node:http');
const { ErroSvc, escutar, fila, gpu, metricas, salas, servidor, web } = require('svc');

const [raiz] = process.argv.splice(2, 1);
const log = servidor.criarLog();
const pagina = web.spa(raiz, { ui: true, scripts: ['extra.js', 'ausente.js'], aoAvisar: log });
const vistos = [];
const correntes = new Set();

async function erroDe(verbo) {
  try {
    await verbo();
  } catch (erro) {
    if (erro instanceof ErroSvc) return { codigo: erro.codigo };
  }
  return null;
}

async function recursos(res) {
  return servidor.responderJson(res, 200, {
    fila: await fila.disponivel(),
    salas: salas.disponivel(),
    metricas: metricas.disponivel(),
    gpu: gpu.concedida(),
    estado: gpu.estado(),
    submeter: await erroDe(() => fila.submeter({ comando: ['true'], pacienciaMs: 0 })),
    bilhete: await erroDe(() => salas.bilhete('s0')),
    contar: await erroDe(() => metricas.contar('x')),
    duracao: await erroDe(() => metricas.duracao('x', 1.5)),
    relatar: await erroDe(() => metricas.relatarErro(new Error('x'))),
  });
}

function tudo() {
  log('tudo', { texto: 'a\nb\u001b[0m\u009b31m\u2028\u202e\u007f', ts: 'meu', n: 1, lista: [1, null, true], nada: null });
  log.info('info');
  log.erro('erro', { erro: new TypeError('ruim') });
}

async function atender(req, res) {
  const caminho = req.url.split('?', 1)[0];
  if (caminho === '/api/vistos') return servidor.responderJson(res, 200, { vistos });
  vistos.push(`${req.method} ${req.url}`);
  if (caminho === '/api/ping') return servidor.responderJson(res, 200, { pong: true, acentuação: 'ção' });
  if (caminho === '/api/erro') throw new Error('quebrou\nde propósito \u001b[31m');
  if (caminho === '/api/eco') return servidor.responderJson(res, 200, { eco: await servidor.lerJson(req, 1000) });
  if (caminho === '/api/tamanho') {
    return servidor.responderJson(res, 200, { bytes: (await servidor.lerCorpo(req, 64 * 1024 * 1024)).length });
  }
  if (caminho === '/api/recursos') return recursos(res);
  if (caminho === '/api/corrente') {
    correntes.add(res);
    return res.write('inicio ');
  }
  if (caminho === '/api/encerrar') {
    servidor.encerrar();
    return servidor.responderJson(res, 200, { ok: true });
  }
  if (caminho === '/api/log') {
    tudo();
    return servidor.responderJson(res, 200, { ok: true });
  }
  if (caminho === '/api/log-grande') {
    for (let numero = 0; numero < 1200; numero += 1) log('grande', { numero, texto: 'x'.repeat(8000) });
    return servidor.responderJson(res, 200, { ok: true });
  }
  return pagina(req, res);
}

const server = http.createServer(servidor.portao(atender));
server.on('upgrade', (req, socket) => {
  vistos.push(`UPGRADE ${req.url}`);
  socket.end('HTTP/1.1 101 Switching Protocols\r\nUpgrade: nada\r\nConnection: Upgrade\r\n\r\nalcancou');
});
escutar(server, { argv: process.argv, aoEncerrar: () => correntes.forEach((res) => res.end('fim')) });
