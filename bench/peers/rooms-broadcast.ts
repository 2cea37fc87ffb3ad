/** The least that passes messages on: `ws` on its defaults, every binary message to everybody else under the same path. argv: port. */
import { WebSocketServer, type WebSocket } from 'ws';

const port = Number(process.argv[2]);
const rooms = new Map<string, Set<WebSocket>>();
const server = new WebSocketServer({ port, host: '127.0.0.1' });
server.on('connection', (socket, req) => {
  const name = req.url!;
  const room = rooms.get(name) ?? new Set();
  rooms.set(name, room.add(socket));
  socket.on('message', (data: Buffer) => {
    for (const other of room) if (other !== socket) other.send(data);
  });
  socket.on('close', () => {
    room.delete(socket);
    if (room.size === 0) rooms.delete(name);
  });
});
server.on('listening', () => console.log(JSON.stringify({ port, dialect: 'broadcast', path: '/{room}' })));
