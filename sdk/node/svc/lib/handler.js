'use strict';
/** Serves a request: gate, `/saude`, then the app's handler, whose failure is an answer and a log line. Source: rules 4.2, 5, 7. */
const gate = require('./gate.js');
const { version } = require('./app.js');
const { ownLog } = require('./log.js');
const { Recusado } = require('./body.js');

const admitted = Symbol('svc.admitted');

/** A whole JSON answer. HEAD gets the same headers and no body. */
function responderJson(res, status, objeto, cabecalhos = {}) {
  const body = Buffer.from(JSON.stringify(objeto) ?? 'null');
  res.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Cache-Control': 'no-store',
    ...cabecalhos,
    ...(status === 204 || status === 304 ? {} : { 'Content-Length': body.length }),
  });
  res.end(res.req.method === 'HEAD' ? undefined : body);
}

function refuse(res, status, error, headers = {}) {
  responderJson(res, status, { error }, { ...headers, Connection: 'close' });
}

const plainTarget = (req) => req.url.startsWith('/') || (req.url === '*' && req.method === 'OPTIONS');

/** True when the app may see the request; otherwise it was answered here. A request is judged once. */
function admit(req, res) {
  if (req[admitted]) return true;
  if (!gate.admits(req.rawHeaders)) {
    refuse(res, 403, 'token do app recusado', { 'X-Svc-Token': 'recusado' });
    return false;
  }
  if (!plainTarget(req)) {
    refuse(res, 400, 'o alvo do pedido precisa ser um caminho');
    return false;
  }
  if ((req.method === 'GET' || req.method === 'HEAD') && req.url.split('?', 1)[0] === '/saude') {
    responderJson(res, 200, { ok: true, versao: version(), pid: process.pid });
    return false;
  }
  req[admitted] = true;
  return true;
}

/** The same for an upgrade, whose refusal is written on the bare socket. */
function admitUpgrade(req, socket) {
  const refused = !gate.admits(req.rawHeaders);
  if (!refused && plainTarget(req)) return true;
  const body = JSON.stringify({ error: refused ? 'token do app recusado' : 'o alvo do pedido precisa ser um caminho' });
  socket.on('error', () => {});
  socket.end(
    `HTTP/1.1 ${refused ? '403 Forbidden\r\nX-Svc-Token: recusado' : '400 Bad Request'}\r\n` +
      `Content-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
  return false;
}

function failed(req, res, problem) {
  if (problem instanceof Recusado) {
    if (!res.headersSent) return refuse(res, problem.status, problem.message);
    return res.destroy();
  }
  if (req.destroyed && !req.complete) return res.destroy(); // the peer left
  ownLog().erro('pedido.erro', { metodo: req.method, caminho: req.url.split('?', 1)[0], erro: problem });
  if (res.headersSent) return res.destroy();
  for (const name of res.getHeaderNames()) res.removeHeader(name);
  return refuse(res, 500, 'erro interno do app');
}

/** A handler that answers false served nothing, as `web.spa` does: 404, or the client would wait for ever. Source: rules 7. */
function served(res, result) {
  if (result === false && !res.headersSent && !res.writableEnded) responderJson(res, 404, { error: 'rota desconhecida' });
}

/** Calls a handler, also an async one; answers for it where it fails or serves nothing. */
function handle(server, handler, req, res) {
  const fail = (problem) => failed(req, res, problem);
  try {
    const result = handler.call(server, req, res);
    if (typeof result?.then === 'function') result.then((value) => served(res, value)).then(undefined, fail);
    else served(res, result);
  } catch (problem) {
    fail(problem);
  }
}

/** Wraps any (req, res) handler, also an async one. A handler that answers false leads to 404. */
function portao(handler) {
  return function gated(req, res) {
    if (admit(req, res)) handle(this, handler, req, res);
  };
}

module.exports = { portao, responderJson, admit, admitUpgrade, handle };
