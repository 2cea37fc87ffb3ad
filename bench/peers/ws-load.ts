/**
 * WebSocket echo load: `connections` sockets, each sends one masked 32-byte text frame and waits for its echo, over and over.
 * argv: port, host header, cookie, connections, seconds. Prints one JSON line: { messagesPerSecond, p50Us, errors }.
 */
import { randomBytes } from 'node:crypto';
import net from 'node:net';

const [port, host, cookie, connections, seconds] = process.argv.slice(2);
const payload = Buffer.alloc(32, 'w');
const mask = randomBytes(4);
const frame = Buffer.concat([Buffer.from([0x81, 0x80 | payload.length]), mask, payload.map((byte, index) => byte ^ mask[index & 3]!)]);
const echoBytes = 2 + payload.length;
const head =
  `GET /ws HTTP/1.1\r\nHost: ${host}\r\nOrigin: http://${host}\r\n${cookie === '' ? '' : `Cookie: ${cookie}\r\n`}Connection: Upgrade\r\n` +
  'Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n';
const latencies: number[] = [];
let errors = 0;
let counting = false;
let open = 0;

function connect(): void {
  const socket = net.connect({ port: Number(port), host: '127.0.0.1', noDelay: true });
  let text = '';
  let missing = 0;
  let sentAtMs = 0;
  const send = (): void => {
    missing = echoBytes;
    sentAtMs = performance.now();
    socket.write(frame);
  };
  socket.on('connect', () => socket.write(head));
  socket.on('error', () => (errors += 1));
  socket.on('data', (chunk: Buffer) => {
    if (missing === 0) {
      text += chunk.toString('latin1');
      if (!text.includes('\r\n\r\n')) return;
      if (!text.startsWith('HTTP/1.1 101 ')) throw new Error(`no WebSocket: ${text.split('\r\n', 1)[0]}`);
      open += 1;
      send();
      return;
    }
    missing -= chunk.length;
    if (missing > 0) return;
    if (counting) latencies.push(performance.now() - sentAtMs);
    send();
  });
}

for (let n = Number(connections); n > 0; n -= 1) connect();
setTimeout(() => {
  counting = true;
  setTimeout(
    () => {
      if (open !== Number(connections)) throw new Error(`only ${open} of ${connections} sockets opened`);
      latencies.sort((a, b) => a - b);
      const p50Us = (latencies[latencies.length >> 1] ?? Number.NaN) * 1_000;
      console.log(JSON.stringify({ messagesPerSecond: latencies.length / Number(seconds), p50Us, errors }));
      process.exit(0);
    },
    Number(seconds) * 1_000,
  );
}, 500);
