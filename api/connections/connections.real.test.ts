/** Connections of several accounts and clients, over real sockets. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Clock } from '../../schema/clock.ts';
import { trustedProxies } from '../auth/client-address.ts';
import { endOf, kernelConnectionOwners, readOwners } from './connection-owners.ts';
import { addressBlock, boundConnections, type BoundOptions } from './connections.ts';

const clock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  at: (atMs, act) => {
    const timer = setTimeout(act, atMs - performance.now());
    return () => clearTimeout(timer);
  },
};

let server: http.Server;
const sockets = new Set<net.Socket>();
const children = new Set<ChildProcess>();
const waiting: http.ServerResponse[] = [];

async function serve(connectionsMax: number, options: Partial<BoundOptions> = {}): Promise<void> {
  server = http.createServer();
  boundConnections(server, { clock, isTrusted: () => false, connectionsMax, ...options });
  server.on('request', (req, res) => {
    if (req.url === '/wait') waiting.push(res);
    else if (!req.socket.destroyed) res.end('ok');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
}
beforeEach(() => waiting.splice(0));
afterEach(async () => {
  for (const child of children) child.kill('SIGKILL');
  children.clear();
  for (const socket of sockets) socket.destroy();
  sockets.clear();
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

const port = (): number => (server.address() as AddressInfo).port;

function connect(): net.Socket {
  const socket = net.connect({ host: '127.0.0.1', port: port() });
  sockets.add(socket);
  socket.on('error', () => socket.destroy());
  return socket;
}

/** Whether a new connection is served; it stays open. */
async function served(path = '/', headers = ''): Promise<boolean> {
  const socket = connect();
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`);
  return await new Promise((resolve) => {
    socket.once('data', () => resolve(true));
    socket.once('close', () => resolve(false));
  });
}

const held = async (): Promise<number> => await new Promise((resolve) => server.getConnections((_, count) => resolve(count)));

/** A process that opens so many connections and says nothing on them. Resolves when each was taken or refused. */
async function flood(count: number, uid?: number): Promise<void> {
  const script = `
    const net = require('node:net');
    const left = new Set(Array.from({ length: ${count} }, (_, n) => n));
    const told = (n) => left.delete(n) && left.size === 0 && process.stdout.write('all');
    for (const n of left) net.connect(${port()}, '127.0.0.1', () => told(n)).on('error', () => told(n));`;
  const account = uid === undefined ? {} : { uid, gid: uid };
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'], cwd: '/', env: {}, ...account });
  children.add(child);
  await once(child.stdout, 'data');
}

describe('more connections than the portal takes, from its own machine', () => {
  test('keep nobody out: who comes is served while they are held', async () => {
    await serve(200, { owners: async () => Promise.resolve(new Map()) });
    await flood(230);
    await expect.poll(held).toBeGreaterThanOrEqual(200);
    for (let n = 0; n < 30; n += 1) expect(await served()).toBe(true);
    await expect.poll(held).toBe(200);
  });

  test('end nothing that is under way', async () => {
    await serve(40, { owners: async () => Promise.resolve(new Map()) });
    const answer = served('/wait');
    await expect.poll(() => waiting.length).toBe(1);
    await flood(60);
    await expect.poll(held).toBeGreaterThanOrEqual(40);
    for (let n = 0; n < 20; n += 1) expect(await served()).toBe(true);
    waiting[0]?.end('late');
    expect(await answer).toBe(true);
  });

  test.runIf(process.getuid?.() === 0)('of one account come down to its share, and the others keep theirs', async () => {
    await serve(200);
    await flood(230, 65_534);
    // Half of all is where shares begin; as many as one share may be there whose account was not looked up yet.
    const heldMax = 100 + 20;
    await expect.poll(held).toBeLessThan(heldMax);
    // Ours are of another account: they come, and stay, while the other gives way.
    for (let n = 0; n < 15; n += 1) expect(await served()).toBe(true);
    await flood(100, 65_534);
    for (let n = 0; n < 15; n += 1) expect(await served()).toBe(true);
    await expect.poll(held).toBeLessThan(heldMax);
    const owners = [...(await kernelConnectionOwners(port())).values()];
    expect(owners.filter((owner) => owner === process.getuid?.()).length).toBeGreaterThanOrEqual(20);
  });
});

test('a client of a named proxy gets its share, whatever it writes into the header; the others come through', async () => {
  await serve(20, { isTrusted: trustedProxies(['127.0.0.1']) });
  const from = (client: string): Promise<boolean> => served('/', `X-Forwarded-For: 198.51.100.${sockets.size}, ${client}\r\n`);
  for (let n = 0; n < 9; n += 1) expect(await from('192.0.2.1')).toBe(true);
  expect(await from('192.0.2.1')).toBe(false);
  expect([await from('192.0.2.2'), await from('192.0.2.2'), await from('192.0.2.2')]).toEqual([true, true, false]);
});

test.for<readonly [string, string]>([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:db8::5', '2001:db8:0:0'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
])('%s counts as %o', ([address, block]) => {
  expect(addressBlock(address)).toBe(block);
});

test('the kernel’s table is read: the far ends of connections to a port, IPv4, mapped and IPv6', () => {
  const head = '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n';
  const line = (local: string, remote: string, uid: number): string =>
    `   1: ${local} ${remote} 01 00000000:00000000 00:00000000 00000000 ${uid.toString().padStart(5)}        0 123 1\n`;
  const table =
    head +
    line('0200007F:C001', '0100007F:2253', 1000) +
    line('0100007F:2253', '0200007F:C001', 0) +
    line('0000000000000000FFFF00000100007F:C002', '0000000000000000FFFF00000100007F:2253', 1001) +
    line('B80D0120000000000000000005000000:C003', 'B80D0120000000000000000001000000:2253', 1002) +
    line('0100007F:2253', '0100007F:0050', 7);
  expect([...readOwners(table, 0x2253)]).toEqual([
    [endOf('127.0.0.2', 0xc001), 1000],
    [endOf('127.0.0.1', 0xc002), 1001],
    [endOf('2001:db8::5', 0xc003), 1002],
  ]);
});

test('what the kernel says of a connection of our own is our account', async () => {
  await serve(20);
  const socket = connect();
  await once(socket, 'connect');
  const owners = await kernelConnectionOwners(port());
  expect(owners.get(endOf('127.0.0.1', socket.localPort ?? 0))).toBe(process.getuid?.());
});
