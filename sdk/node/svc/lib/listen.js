'use strict';
/** The socket of a backend: where it listens and how it ends. Source: rules 3.1 step 3, 4.4, 5, 7 (exit codes). */
const fs = require('node:fs');
const net = require('node:net');
const path = require('node:path');
const { appId, version, serverScope } = require('./app.js');
const { isOpen } = require('./gate.js');
const { admit, admitUpgrade, handle } = require('./handler.js');
const metricas = require('./metricas.js');

const EXIT_OK = 0;
const EXIT_NOWHERE = 2;
const SOCKET_PATH_BYTES_MAX = 107;
const HEAD_BYTES_MAX = 32 * 1024;
const END_GRACE_MS = 5_000;
const IDLE_SWEEP_MS = 20;
const CONNECT_TEST_MS = 5_000;
const BACKLOG = 512;
// The portal's proxy keeps an idle connection for up to 10 minutes (rules 8); we never close first, or it would lose a request.
const IDLE_MS = 11 * 60_000;
const HEAD_MS = 15_000;

/** There is nowhere to listen: the process ends with code 2. */
class Nowhere extends Error {}
/** Another instance already serves: the process ends with code 0. */
class Occupied extends Error {}

/** { tcp: { host, port } } for `--tcp host:port`, else { socket } from SVC_APP_SOCKET. */
function where(argv) {
  let tcp;
  for (let at = 0; at < argv.length; at += 1) {
    if (argv[at] === '--tcp') tcp = argv[(at += 1)] ?? '';
    else if (argv[at].startsWith('--tcp=')) tcp = argv[at].slice('--tcp='.length);
    else throw new Nowhere(`argumento desconhecido ${JSON.stringify(argv[at])}; uso: [--tcp host:porta]`);
  }
  if (tcp !== undefined) {
    const found = /^(\[[0-9A-Fa-f:.]+\]|[^[\]:\s]+):([0-9]{1,5})$/.exec(tcp);
    if (!found || Number(found[2]) > 65_535) throw new Nowhere(`--tcp espera host:porta, veio ${JSON.stringify(tcp)}`);
    return { tcp: { host: found[1].replaceAll(/[[\]]/g, ''), port: Number(found[2]) } };
  }
  const socket = process.env.SVC_APP_SOCKET;
  if (!socket) throw new Nowhere('sem onde escutar: falta SVC_APP_SOCKET (ou --tcp host:porta na bancada)');
  if (!path.isAbsolute(socket)) throw new Nowhere('SVC_APP_SOCKET precisa ser um caminho absoluto');
  if (Buffer.byteLength(socket) > SOCKET_PATH_BYTES_MAX) throw new Nowhere(`SVC_APP_SOCKET passa de ${SOCKET_PATH_BYTES_MAX} bytes`);
  return { socket };
}

/** The folder of the socket belongs to this account alone (rules 5). A shared one such as /tmp is refused, never changed. */
function privateFolder(folder) {
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  const found = fs.statSync(folder);
  if (found.uid !== process.geteuid() || found.mode & 0o1000) throw new Nowhere(`a pasta do socket não é só desta conta: ${folder}`);
  if (found.mode & 0o077) fs.chmodSync(folder, 0o700);
}

/** '' when the socket accepts a connection, else the code of the error. */
function connectTest(socket) {
  return new Promise((resolve) => {
    const probe = net.connect(socket);
    const done = (code) => {
      probe.destroy();
      resolve(code);
    };
    probe.setTimeout(CONNECT_TEST_MS, () => done(''));
    probe.once('connect', () => done(''));
    probe.once('error', (problem) => done(problem.code));
  });
}

/** A connect test distinguishes an orphan from a live socket. Source: rules 3.1 step 3 (never a plain file-type test alone). */
async function clearOrphan(socket) {
  const code = await connectTest(socket);
  if (code === 'ENOENT') return;
  if (code === '' || code === 'EAGAIN') throw new Occupied(socket); // EAGAIN: its queue is full, so somebody does listen
  // Connecting to a plain file is refused too: never delete one.
  if (code !== 'ECONNREFUSED' || !fs.lstatSync(socket).isSocket()) throw new Nowhere(`há algo que não é um socket em ${socket}`);
  fs.unlinkSync(socket);
}

function listening(server, start) {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.once('listening', () => {
      server.off('error', reject);
      resolve();
    });
    start();
  });
}

async function open(server, argv) {
  const target = where(argv);
  if (target.tcp) {
    await listening(server, () => server.listen({ ...target.tcp, backlog: BACKLOG }));
    const { address, port, family } = server.address();
    if (isOpen() && !address.startsWith('127.') && address !== '::1') {
      console.error('svc: atenção: sem SVC_APP_TOKEN e fora de 127.0.0.1, qualquer um na rede alcança este app');
    }
    return family === 'IPv6' ? `[${address}]:${port}` : `${address}:${port}`;
  }
  const shared = serverScope(); // rules 5: a server-scope app accepts every account of the server
  if (!shared) privateFolder(path.dirname(target.socket));
  await clearOrphan(target.socket);
  const before = process.umask(shared ? 0o111 : 0o177); // before bind: never wider than 0600, not for an instant
  try {
    await listening(server, () => {
      server.listen({ path: target.socket, backlog: BACKLOG }); // binds before it returns
      process.umask(before);
    });
  } catch (problem) {
    if (problem.code === 'EADDRINUSE') throw new Occupied(target.socket);
    throw problem;
  } finally {
    process.umask(before);
  }
  return target.socket;
}

/**
 * Every way into the app passes the gate, also one that the author added without `portao` and also upgrades. Returns the function
 * that closes the connections on which nothing is being answered.
 */
function gateEverything(server) {
  /** Requests under way of each connection; absent once it was upgraded, for then it is the app's. */
  const active = new Map();
  const count = (socket, change) => active.has(socket) && active.set(socket, active.get(socket) + change);
  const { emit } = server;
  server.emit = function gatedEmit(event, ...args) {
    if (event === 'connection') {
      active.set(args[0], 0);
      args[0].once('close', () => active.delete(args[0]));
    } else if (event === 'request' || event === 'checkContinue' || event === 'checkExpectation') {
      const [req, res] = args;
      count(req.socket, 1);
      res.once('close', () => count(req.socket, -1));
      if (!admit(req, res)) return true;
      const [only, ...others] = this.rawListeners(event);
      if (event === 'request' && only !== undefined && others.length === 0) {
        handle(this, only, req, res);
        return true;
      }
    } else if (event === 'upgrade') {
      active.delete(args[1]);
      if (!admitUpgrade(args[0], args[1])) return true;
    } else if (event === 'connect') {
      args[1].on('error', () => {});
      args[1].end('HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
      return true;
    }
    return emit.call(this, event, ...args);
  };
  // Without a listener Node would cut a CONNECT off without an answer.
  server.on('connect', () => {});
  return () => {
    for (const [socket, requests] of active) if (requests === 0) socket.destroySoon();
  };
}

/** Ends the app that listens; null before `escutar`. */
let endNow = null;

/**
 * As on SIGTERM, and the app stays stopped: without its env file nobody starts it again (rules 2.6). The other file says that it was the app
 * itself. Nothing to do on a bench, and for an app of everybody's, which the server keeps.
 */
function encerrar() {
  if (endNow === null) throw new Error('servidor.encerrar: só depois de escutar');
  endNow();
}

function leaveStopped(socket) {
  const folder = path.dirname(socket);
  const { O_WRONLY, O_CREAT, O_NOFOLLOW } = fs.constants;
  try {
    fs.closeSync(fs.openSync(path.join(folder, 'encerrado'), O_WRONLY | O_CREAT | O_NOFOLLOW, 0o600));
  } catch {
    // It is a stop all the same.
  }
  fs.rmSync(path.join(folder, 'env'), { force: true });
}

function endOnSignal(server, closeIdle, aoEncerrar) {
  let ending = false;
  const end = async () => {
    if (ending) return;
    ending = true;
    const closed = new Promise((resolve) => {
      server.close(resolve);
    });
    closeIdle();
    setInterval(() => closeIdle(), IDLE_SWEEP_MS); // one whose answer ends now is idle a moment later
    const grace = new Promise((resolve) => {
      setTimeout(resolve, END_GRACE_MS);
    });
    try {
      await Promise.race([Promise.all([closed, aoEncerrar?.()]), grace]);
    } catch (problem) {
      console.error(problem);
    }
    await metricas.encerrar();
    process.exit(EXIT_OK);
  };
  endNow = () => {
    const address = server.address();
    if (typeof address === 'string' && !serverScope()) leaveStopped(address);
    void end();
  };
  process.on('SIGTERM', () => void end());
  process.on('SIGINT', () => void end());
}

/**
 * Listens where SVC_APP_SOCKET or `--tcp host:port` says. Ends the process with 0 when another instance already serves and with 2
 * with nowhere to listen (rules 7). On SIGTERM the answers under way end, `aoEncerrar` is awaited, and the process ends with 0.
 */
async function escutar(server, { argv = process.argv, aoEncerrar } = {}) {
  const options = argv[0] === process.argv[0] ? argv.slice(2) : argv;
  const closeIdle = gateEverything(server);
  server.keepAliveTimeout = IDLE_MS;
  server.headersTimeout = HEAD_MS;
  server.requestTimeout = 0; // a long upload is not an error
  server.maxHeaderSize = HEAD_BYTES_MAX;
  let place;
  try {
    place = await open(server, options);
  } catch (problem) {
    const occupied = problem instanceof Occupied;
    const text = problem instanceof Nowhere ? problem.message : `não foi possível escutar: ${problem.message}`;
    console.error(`[${appId()}] ${occupied ? `outra instância já atende em ${problem.message}` : text}`);
    process.exit(occupied ? EXIT_OK : EXIT_NOWHERE);
  }
  endOnSignal(server, closeIdle, aoEncerrar);
  process.stdout.on('error', () => {}); // a closed run.log never ends the app
  console.log(`[${appId()}] versão ${version()} escutando em ${place}`);
}

module.exports = { encerrar, escutar };
