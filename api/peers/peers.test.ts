/** Lines between portals over real TLS on loopback: who has the key is let in, and what is carried arrives as it was sent. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import net, { type AddressInfo, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import tls from 'node:tls';
import { afterEach, expect, test } from 'vitest';
import { carryUpgrade } from './carry.ts';
import { dialPeer, listenForPeers } from './peer-lines.ts';

const key = 'a key that all portals of the store have';
const ends: (() => unknown)[] = [];
/** All of them live. */
const lines = { watch: () => () => undefined };
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

async function listening(server: net.Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  ends.push(() => server.close());
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** A portal that takes lines, and records what came over them. */
async function owner(upgraded: (req: IncomingMessage, socket: Duplex, head: Buffer) => void): Promise<string> {
  const server = http.createServer();
  server.on('upgrade', upgraded);
  return `127.0.0.1:${await listening(listenForPeers(key, (line) => server.emit('connection', line)))}`;
}

/** A portal that carries every upgrade there. */
async function entrance(address: string): Promise<number> {
  const server = http.createServer();
  server.on('upgrade', (req, socket, head) => void carryUpgrade({ address, key, lines }, req, socket, head));
  return await listening(server);
}

async function ask(port: number, more = ''): Promise<Socket> {
  const socket = net.connect(port, '127.0.0.1');
  ends.push(() => socket.destroy());
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(
    `GET /ws/salas/x?bilhete=y HTTP/1.1\r\nHost: svc.localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nX-Odd: \xe7 ok\r\n\r\n${more}`,
    'latin1',
  );
  return socket;
}

test('an upgrade is carried with its head, and everything after it, both ways', async () => {
  const seen: string[] = [];
  const address = await owner((req, socket, head) => {
    seen.push(`${req.method} ${req.url} ${req.headers.host} ${String(req.headers['x-odd'])}`);
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
    socket.write(head);
    socket.pipe(socket);
  });
  const socket = await ask(await entrance(address), 'first');
  let told = '';
  while (!told.endsWith('\r\n\r\nfirst')) told += ((await once(socket, 'data')) as [Buffer])[0].toString();
  expect(told).toMatch(/^HTTP\/1\.1 101 Switching/);
  expect(seen).toEqual(['GET /ws/salas/x?bilhete=y svc.localhost \xe7 ok']);
  const sent = randomBytes(4 * 1_024 * 1_024);
  const parts: Buffer[] = [];
  let bytes = 0;
  const all = new Promise<void>((resolve) => {
    socket.on('data', (part: Buffer) => {
      parts.push(part);
      bytes += part.length;
      if (bytes === sent.length) resolve();
    });
  });
  socket.write(sent);
  await all;
  expect(Buffer.concat(parts).equals(sent)).toBe(true);
});

test('when one end goes the other one goes', async () => {
  const taken: Duplex[] = [];
  const address = await owner((_req, socket) => taken.push(socket));
  const port = await entrance(address);
  const first = await ask(port);
  await expect.poll(() => taken.length).toBe(1);
  first.destroy();
  await expect.poll(() => taken[0]?.destroyed).toBe(true);
  const second = await ask(port);
  await expect.poll(() => taken.length).toBe(2);
  taken[1]!.destroy();
  await once(second, 'close');
});

test('a portal that is not there is told as such, and the client may come again', async () => {
  const socket = await ask(await entrance(`127.0.0.1:1`));
  const [answer] = (await once(socket, 'data')) as [Buffer];
  expect(answer.toString()).toMatch(/^HTTP\/1\.1 503 /);
});

test('nobody without the key gets a line, and none is believed to be a portal', async () => {
  const address = await owner(() => undefined);
  await expect(dialPeer(address, 'another key')).rejects.toMatchObject({ code: 'PORTAL_UNREACHABLE' });
  const port = Number(address.split(':')[1]);
  const plain = net.connect(port, '127.0.0.1').on('error', () => undefined);
  plain.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  await once(plain, 'close');
  const usual = tls.connect({ port, host: '127.0.0.1', rejectUnauthorized: false });
  await expect(once(usual, 'secureConnect')).rejects.toThrow(/handshake failure/i);
  // Portals that listen with another key, and one that speaks plain text.
  const other = await listening(listenForPeers('another key', () => undefined));
  await expect(dialPeer(`127.0.0.1:${other}`, key)).rejects.toMatchObject({ code: 'PORTAL_UNREACHABLE' });
  const text = await listening(net.createServer((line) => line.on('error', () => undefined).end('HTTP/1.1 200 OK\r\n\r\n')));
  await expect(dialPeer(`127.0.0.1:${text}`, key)).rejects.toMatchObject({ code: 'PORTAL_UNREACHABLE' });
  const line = await dialPeer(address, key);
  expect([line.getProtocol(), line.getCipher().name]).toEqual(['TLSv1.2', 'ECDHE-PSK-CHACHA20-POLY1305']);
  line.destroy();
});
