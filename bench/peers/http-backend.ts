/**
 * The backend behind every proxy of the benchmark: `/k1` 1 KB, `/m1` 1 MB, WebSocket echo on any upgrade. argv: unix socket or port; as an app
 * (our-portal.ts) where its supervisor says.
 */
import { createServer } from 'node:http';
import { WebSocketServer } from 'ws';

const bodies: Readonly<Record<string, Buffer>> = { '/k1': Buffer.alloc(1_024, 'k'), '/m1': Buffer.alloc(1_024 * 1_024, 'm') };
const server = createServer({ keepAliveTimeout: 0 }, (req, res) => {
  const body = bodies[req.url ?? ''] ?? Buffer.from('?');
  res.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': body.length });
  res.end(body);
});
const sockets = new WebSocketServer({ server, perMessageDeflate: false });
sockets.on('connection', (socket) => socket.on('message', (data, binary) => socket.send(data, { binary })));
const where = process.env['SVC_APP_SOCKET'] ?? process.argv[2] ?? '';
// Says where it listens: the path, or the port that it got.
server.listen(/^\d+$/.test(where) ? { host: '127.0.0.1', port: Number(where), backlog: 1_024 } : { path: where, backlog: 1_024 }, () => {
  const address = server.address();
  console.log(address !== null && typeof address === 'object' ? address.port : where);
});
