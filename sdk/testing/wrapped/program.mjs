// A web application that knows nothing of svc: what it was asked, it tells. Arguments: a path or a port to listen on, how long to wait before, and on which host.
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';

const [where, waitMs = '0', host] = process.argv.slice(2);

// A program that takes its time.
if (process.env.FICA) process.on('SIGTERM', () => {});

const routes = {
  '/ambiente': (_url, _req, res) => res.end(JSON.stringify(process.env)),
  '/ir': (url, _req, res) => res.writeHead(302, { Location: url.searchParams.get('para') }).end(),
  '/corrente': (_url, _req, res) => res.write('data: um\n\n'),
  '/sair': (url) => process.exit(Number(url.searchParams.get('com'))),
  // In a session of its own: a group's signal does not reach it.
  '/filho': (_url, _req, res) => res.end(String(spawn('sleep', ['600'], { detached: true, stdio: 'ignore' }).pid)),
};

const server = createServer((req, res) => {
  const url = new URL(req.url, 'http://programa');
  const route = routes[Object.keys(routes).find((path) => url.pathname.endsWith(path)) ?? ''];
  if (route !== undefined) route(url, req, res);
  else res.end(JSON.stringify({ method: req.method, url: req.url, headers: req.rawHeaders, trailers: req.rawTrailers, pid: process.pid }));
});
server.on('upgrade', (_req, socket, head) => {
  socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n');
  socket.write(head);
  socket.pipe(socket);
  socket.on('error', () => {});
});
setTimeout(() => server.listen(/^\d+$/.test(where) ? { port: Number(where), host } : where), Number(waitMs));
