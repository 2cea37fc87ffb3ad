/**
 * Path mode is the hard case: all apps share one origin and the prefix decides. Raw requests out of a grammar of everything that ever fooled a
 * prefix, as HTTP and as upgrade, through the real front-end split and the real proxy; two backends write down what reaches them.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { splitProxyPath } from '../front.ts';
import { createProxy } from './proxy.ts';
import { realClock, stoppedView } from './testing/harness.ts';
import { createBus } from '../../store/bus.ts';
import { createRandom } from '../../test/simulation/random.ts';
import { tellCount } from '../../test/support/counts.ts';

const count = process.env['SVC_TEST_LONG'] === '1' ? 20_000 : 2_000;
const seed = Number(process.env['SVC_TEST_SEED'] ?? 41);
const apps = ['notas', 'outra'] as const;
const seen: Record<string, string[]> = { notas: [], outra: [] };
const servers: net.Server[] = [];
let folder = '';
let port = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svce-'));
  for (const app of apps) {
    const server = net.createServer((socket) => {
      socket.on('error', () => socket.destroy());
      let pending = '';
      socket.on('data', (chunk: Buffer) => {
        pending += chunk.toString('latin1');
        for (let end = pending.indexOf('\r\n\r\n'); end !== -1; end = pending.indexOf('\r\n\r\n')) {
          seen[app]!.push(pending.slice(0, pending.indexOf('\r\n')));
          pending = pending.slice(end + 4);
          socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
        }
      });
    });
    await new Promise<void>((resolve) => server.listen(join(folder, `${app}.sock`), resolve));
    servers.push(server);
  }
  const never = (): Promise<never> => Promise.reject(new Error('not here'));
  const proxy = createProxy({
    route: (_person, app) =>
      app in seen
        ? { generation: '1', socketPath: join(folder, `${app}.sock`), dial: never, token: 'canary-token', keepIdleMs: 1_000 }
        : null,
    appView: (_person, app) => (app in seen ? stoppedView : null),
    tokenRefused: () => undefined,
    badAnswer: () => undefined,
    hold: never,
    wish: never,
    logTail: never,
    bus: createBus(),
    portalOrigin: 'http://svc.localhost',
    clock: realClock,
  });
  const front = createServer();
  const target = (url: string) => {
    const split = splitProxyPath(url);
    return split === null ? null : { person: 'ana', app: split.app, path: split.rest, basePath: `/proxy/app/${split.app}/`, session: null };
  };
  front.on('request', (req, res) => {
    const to = target(req.url!);
    if (to === null) res.writeHead(404, { 'content-length': 0 }).end();
    else proxy.handle(req, res, to);
  });
  front.on('upgrade', (req, socket, head) => {
    const to = target(req.url!);
    if (to === null) socket.end('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n');
    else proxy.upgrade(req, socket, head, to);
  });
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  port = (front.address() as net.AddressInfo).port;
  servers.push(front);
});

afterAll(async () => {
  for (const server of servers) {
    if ('closeAllConnections' in server) (server as import('node:http').Server).closeAllConnections();
    server.close();
  }
  await rm(folder, { recursive: true, force: true });
});

const prefixes = [
  '/proxy/app/notas',
  '/proxy/app/notas',
  '/proxy/app/notas',
  '/proxy/app/%6eotas',
  '/proxy/app/notas%2foutra',
  '/proxy/app/notas%2f..%2foutra',
  '/proxy/app/outra%00notas',
  '//proxy/app/notas',
  '/proxy//app/notas',
  '/proxy/app//notas',
  '/PROXY/app/notas',
  '/proxy/app/../app/notas',
  '/proxy/app/notas;x=1',
  '/proxy/app/notas\\..\\outra',
  'http://svc.localhost/proxy/app/notas',
  'http://outra/proxy/app/notas',
  '*',
];
const pieces = [
  'b',
  '/c',
  '%20',
  '~d',
  '/',
  '/',
  '//',
  '.',
  '..',
  '%2e',
  '%2E%2e',
  '%2f',
  '%5c',
  '\\',
  '%00',
  '%0d%0a',
  ';',
  '%3b',
  '%252e',
  '%252f',
  'outra',
  'a',
  '%c0%ae',
  '?x=/../outra',
  '#',
  '/__svc/estado',
  '/../outra/',
  '/..%2foutra',
  '@outra',
  ':80',
];

/** Sends raw requests over one connection, one after the other; a connection that is closed is opened again. */
function ask(target: string, upgrade: boolean): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(port, '127.0.0.1');
    let got = '';
    socket.on('error', reject);
    socket.on('data', (chunk: Buffer) => {
      got += chunk.toString('latin1');
      if (got.includes('\r\n\r\n')) socket.destroy();
    });
    socket.on('close', () => resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(got)?.[1] ?? 0)));
    const extra = upgrade ? 'Connection: Upgrade\r\nUpgrade: websocket\r\nOrigin: http://svc.localhost\r\n' : 'Connection: close\r\n';
    socket.write(Buffer.from(`GET ${target} HTTP/1.1\r\nHost: svc.localhost\r\n${extra}\r\n`, 'latin1'));
  });
}

test(`${count} paths, HTTP and upgrade: nothing leads to another app or is altered on its way`, { timeout: 600_000 }, async () => {
  const next = createRandom(seed).next;
  const pick = <T>(from: readonly T[]): T => from[Math.floor(next() * from.length)]!;
  let reached = 0;
  const faults: string[] = [];
  for (let n = 0; n < count; n += 1) {
    let target = pick(prefixes) + (next() < 0.7 ? '/' : '');
    for (let k = Math.floor(next() * 6); k > 0; k -= 1) target += pick(pieces);
    const before = seen['notas']!.length;
    const status = await ask(target, n % 2 === 1);
    const arrived = seen['notas']!.slice(before);
    const fault = (what: string): number => faults.push(`seed ${seed} #${n}: ${target} → ${status}, ${what}`);
    if (seen['outra']!.splice(0).length > 0) fault('reached another app');
    if (status === 0) fault('got no answer');
    reached += arrived.length;
    // The bytes behind the literal prefix arrive unchanged.
    const verbatim = target.startsWith('/proxy/app/notas/') ? [`GET ${target.slice('/proxy/app/notas'.length)} HTTP/1.1`] : [];
    if (arrived.length > 0 && arrived.join() !== verbatim.join()) fault(`arrived as ${arrived.join()}`);
    if (
      arrived.length === 0 &&
      status === 200 &&
      !target.startsWith('/proxy/app/notas/__svc/') &&
      !target.startsWith('/proxy/app/notas//__svc')
    ) {
      fault('was answered by nobody');
    }
  }
  tellCount(
    `paths: ${count} as HTTP and as upgrade, ${reached} reached the app that they name, ${faults.length} another one or altered, seed ${seed}`,
  );
  expect(faults).toEqual([]);
  expect(reached).toBeGreaterThan(count / 50);
  expect(reached).toBeLessThan(count / 2);
});
