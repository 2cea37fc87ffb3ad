/**
 * WebSocket echo load: `connections` sockets, each sends one masked 32-byte text frame and waits for its echo, over and over.
 * argv: port, host header, cookie, connections, seconds. Prints one JSON line: { perSecond, p50Us, p99Us, count, errors }.
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
/** Also while it does not measure yet. */
let count = 0;

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
    count += 1;
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
      const us = (percentile: number): number => (latencies[Math.floor((latencies.length * percentile) / 100)] ?? Number.NaN) * 1_000;
      console.log(JSON.stringify({ perSecond: latencies.length / Number(seconds), p50Us: us(50), p99Us: us(99), count, errors }));
      process.exit(0);
    },
    Number(seconds) * 1_000,
  );
}, 500);
