/** Connections of several addresses: the whole of 127.0.0.0/8 is this machine's, only 127.0.0.1 is excepted. */
import { once } from 'node:events';
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { addressBlock, boundConnections } from './connections.ts';

let server: http.Server;
const sockets = new Set<net.Socket>();

beforeEach(async () => {
  server = http.createServer((_, res) => res.end('ok'));
  boundConnections(server, 20);
  server.listen(0, '0.0.0.0');
  await once(server, 'listening');
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  sockets.clear();
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

/** Whether a connection from there is served; it stays open. */
async function served(localAddress: string): Promise<boolean> {
  const socket = net.connect({ host: '127.0.0.1', port: (server.address() as AddressInfo).port, localAddress });
  sockets.add(socket);
  socket.on('error', () => socket.destroy());
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  return await Promise.race([once(socket, 'data').then(() => true), once(socket, 'close').then(() => false)]);
}

test('when the half is taken an address keeps to its share; others and the front proxy still come in', async () => {
  for (let n = 0; n < 10; n += 1) expect(await served('127.0.0.2')).toBe(true);
  expect(await served('127.0.0.2')).toBe(false);
  expect([await served('127.0.0.3'), await served('127.0.0.3'), await served('127.0.0.3')]).toEqual([true, true, false]);
  for (let n = 0; n < 4; n += 1) expect(await served('127.0.0.1')).toBe(true);
  const [first] = sockets;
  // Who leaves makes room only for as many as left.
  for (const socket of [...sockets].slice(0, 9)) socket.destroy();
  await expect.poll(async () => await new Promise((resolve) => server.getConnections((_, count) => resolve(count)))).toBe(7);
  expect(first?.destroyed).toBe(true);
  expect(await served('127.0.0.2')).toBe(true);
});

test.for([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:db8::5', '2001:db8:0:0'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
  ['::1', ''],
  ['127.0.0.1', ''],
  ['::ffff:127.0.0.1', ''],
  [undefined, ''],
])('%s counts as %o', ([address, block]) => {
  expect(addressBlock(address)).toBe(block);
});
