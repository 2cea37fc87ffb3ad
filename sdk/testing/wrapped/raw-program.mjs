// A program in bytes: it keeps whatever each connection brought, and answers what the path says (`/b/<hex>`, as it is) or two letters.
import { createServer } from 'node:net';

const brought = [];

createServer((socket) => {
  let bytes = Buffer.alloc(0);
  let answered = false;
  socket.on('error', () => {});
  socket.on('data', (part) => {
    bytes = Buffer.concat([bytes, part]);
    if (answered || !bytes.includes('\r\n\r\n')) return;
    answered = true;
    const [, hex] = /^\S+ \/b\/([0-9a-f]*)/.exec(bytes.toString('latin1')) ?? [];
    if (hex !== undefined) {
      socket.end(Buffer.from(hex, 'hex'));
      return;
    }
    const told = bytes.toString('latin1').startsWith('GET /trazido ') ? JSON.stringify(brought) : 'ok';
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${Buffer.byteLength(told)}\r\n\r\n${told}`);
  });
  socket.on('close', () => brought.push(bytes.toString('latin1')));
}).listen(process.argv[2]);
