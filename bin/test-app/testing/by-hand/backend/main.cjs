'use strict';
/**
 * An app that does by hand, without the library, all that `svc test-app` asks for, but for the one thing that the file `fault` beside
 * svc-app.json names: so each check is seen to fail.
 */
const { spawn } = require('node:child_process');
const fs = require('node:fs');
const http = require('node:http');
const net = require('node:net');
const path = require('node:path');

const root = path.join(__dirname, '..');
const fault = fs.existsSync(path.join(root, 'fault')) ? fs.readFileSync(path.join(root, 'fault'), 'utf8').trim() : '';
const { SVC_APP_SOCKET: socket, SVC_APP_TOKEN: token, SVC_APP_BASE_PATH: base = '/' } = process.env;
const { version } = JSON.parse(fs.readFileSync(path.join(root, 'svc-app.json'), 'utf8'));
const tcp = process.argv[2] === '--tcp' ? /^(.+):(\d+)$/.exec(process.argv[3]) : null;

const json = (res, status, value, headers = {}) =>
  res.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(value));

function refused(req) {
  if (token === undefined) return fault === 'closed-without-token';
  if (fault === 'open-gate' || (fault === 'open-saude' && req.url === '/saude') || (fault === 'open-upgrade' && req.headers.upgrade))
    return false;
  return req.headers['x-svc-app-token'] !== token;
}

function index(res) {
  const file = path.join(root, 'frontend/index.html');
  if (!fs.existsSync(file)) {
    json(res, 404, {});
    return;
  }
  const href = fault === 'fixed-base' ? '/' : base;
  const page = fs.readFileSync(file, 'utf8').replace('<head>', `<head><base href="${href}">`);
  res.writeHead(200, { 'Content-Type': 'text/html' }).end(page);
}

function capability(res, rest) {
  if (fault === 'capability-page') return index(res);
  if (fault === 'capability-fails') return json(res, 500, {});
  if (fault === 'capability-leaves') return json(res, 302, {}, { Location: '/api/ping' });
  return rest === '' ? json(res, 200, { eco: 1 }) : json(res, 404, { error: 'rota desconhecida' });
}

function answer(req, res) {
  const { pathname } = new URL(req.url, 'http://app');
  if (refused(req)) return json(res, 403, {}, fault === 'unmarked-gate' ? {} : { 'X-Svc-Token': 'recusado' });
  if (pathname === '/saude') return json(res, 200, { ok: true, versao: version, pid: process.pid + (fault === 'other-pid' ? 1 : 0) });
  if (fault === 'warms-slowly' && process.uptime() < 1.5) return json(res, 503, {});
  if (fault === 'leads-on' && pathname === '/') return res.writeHead(302, { Location: 'inicio' }).end();
  if (fault === 'leads-out' && pathname === '/') return res.writeHead(302, { Location: '/inicio' }).end();
  if (pathname === '/inicio') return index(res);
  if (pathname === '/') return fault === 'warms-up' ? json(res, 503, {}) : index(res);
  if (pathname === '/gerado.js') return res.writeHead(200).end('');
  if (pathname === '/close-tabs' && fault === 'close-tabs-fails') return json(res, 500, {});
  if (pathname.startsWith('/eco/v1')) return capability(res, pathname.slice('/eco/v1'.length));
  const file = path.join(root, 'frontend', pathname);
  if (!pathname.startsWith('/_sdk/') && fs.existsSync(file)) return res.writeHead(200).end(fs.readFileSync(file));
  return fault === 'page-for-all' ? index(res) : json(res, 404, { error: 'rota desconhecida' });
}

/** Answered only once the whole request is here. */
const server = http.createServer((req, res) => req.resume().on('end', () => answer(req, res)));
if (fault === 'open-upgrade')
  server.on('upgrade', (req, taken) => taken.end('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'));

function listen() {
  if (tcp) return fault === 'no-bench' ? undefined : server.listen(Number(tcp[2]), tcp[1]);
  if (socket === undefined) return process.exit(fault === 'nowhere-is-one' ? 1 : 2);
  if (fault === 'port-only') return server.listen(0, '127.0.0.1');
  const before = process.umask(fault === 'wide-socket' ? 0 : 0o177);
  server.listen(socket);
  process.umask(before);
  if (fault === 'port-too') net.createServer().listen(0, '127.0.0.1');
  if (fault === 'writes-here') fs.writeFileSync(path.join(root, 'guardado'), '1');
  return undefined;
}

server.on('error', () => {
  const probe = net.connect(socket);
  probe.on('connect', () => {
    if (fault !== 'takes-over') process.exit(fault === 'second-fails' ? 1 : 0);
    fs.unlinkSync(socket);
    listen();
  });
  probe.on('error', () => {
    if (fault === 'keeps-orphan') process.exit(1);
    fs.unlinkSync(socket);
    listen();
  });
});

process.on('SIGTERM', () => {
  if (fault === 'deaf') return;
  if (fault === 'drops-requests') process.exit(0);
  server.close(() => process.exit(fault === 'ends-with-three' ? 3 : 0));
  server.closeIdleConnections();
});

// A process in a session of its own that keeps this one's output open, and outlives it.
if (fault === 'leaves-a-daemon') spawn('sleep', ['600.25'], { detached: true, stdio: 'inherit' }).unref();
if (fault === 'ends-at-once') process.exit(1);
if (fault === 'never-listens') setInterval(() => {}, 1_000);
else listen();
