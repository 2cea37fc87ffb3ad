/** Against real servers on real unix sockets. */
import { mkdtempSync, rmSync } from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { limits } from '../limits.ts';
import { limits as sharedLimits } from '../../schema/limits.ts';
import { systemClock } from '../clock/system.ts';
import { createSimulatedClock } from '../clock/simulated.ts';
import { dialSocket } from '../hosts/unix-socket.ts';
import { healthPath } from '../../schema/manifest/manifest.ts';
import type { Clock } from '../../schema/clock.ts';
import { probe } from './probe.ts';

let dir: string;
let file: string;
const servers: net.Server[] = [];
beforeEach(() => {
  dir = mkdtempSync(path.join(os.tmpdir(), 'svc-probe-'));
  file = path.join(dir, 's');
});
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
  rmSync(dir, { recursive: true, force: true });
});
const listen = async (server: net.Server): Promise<void> => {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(file, resolve));
};
const ask = (healthcheckPath = '/', clock: Clock = systemClock) =>
  probe({ dial: () => dialSocket(file, systemClock), path: healthPath({ healthcheckPath }), token: 'tok', clock });

test.for([200, 204, 301, 401, 403, 404, 500, 503])('answers the status %i as it is', async (status) => {
  await listen(http.createServer((_req, res) => res.writeHead(status, { location: '/elsewhere' }).end()));
  expect(await ask()).toEqual({ code: status, byGate: false });
});

// Source: rules 5.
test.for([
  ['recusado', true],
  ['outro', false],
] as const)('X-Svc-Token: %s is the gate’s own refusal: %s', async ([value, byGate]) => {
  await listen(http.createServer((_req, res) => res.writeHead(403, { 'x-svc-token': value }).end()));
  expect(await ask()).toEqual({ code: 403, byGate });
});

test.for(['/api/batimento?x=1 2', 'api/batimento?x=1 2'])(
  'carries the token and asks the declared path, query and all: %s',
  async (declared) => {
    const seen: unknown[] = [];
    await listen(
      http.createServer((req, res) => {
        seen.push(req.method, req.url, req.headers['x-svc-app-token']);
        res.end('ok');
      }),
    );
    expect((await ask(declared)).code).toBe(200);
    expect(seen).toEqual(['GET', '/api/batimento?x=1%202', 'tok']);
  },
);

test.for([
  ['nobody listens', null],
  ['it hangs up', (socket: net.Socket) => socket.end()],
  ['it speaks something else', (socket: net.Socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n')],
] as const)('%s: 000', async ([, serve]) => {
  if (serve) await listen(net.createServer(serve));
  expect((await ask()).code).toBe(0);
});

test('a server that takes the connection and says nothing costs the time-out and loses the connection', async () => {
  const ended = Promise.withResolvers<void>();
  const taken = Promise.withResolvers<void>();
  await listen(
    net.createServer((socket) => {
      socket.resume();
      socket.once('data', () => taken.resolve());
      socket.once('close', () => ended.resolve());
    }),
  );
  const clock = createSimulatedClock(0);
  const answer = ask('/', clock);
  await taken.promise;
  clock.advance(sharedLimits.probeTimeoutMs);
  expect((await answer).code).toBe(0);
  await ended.promise;
});

test('a body without end is cut off, and the status still counts', async () => {
  const ended = Promise.withResolvers<number>();
  await listen(
    http.createServer((_req, res) => {
      let sent = 0;
      const chunk = Buffer.alloc(16 * 1_024);
      const more = (): void => {
        while (!res.destroyed) {
          sent += chunk.length;
          if (!res.write(chunk)) break;
        }
      };
      res.on('drain', more);
      res.on('close', () => ended.resolve(sent));
      more();
    }),
  );
  expect((await ask()).code).toBe(200);
  expect(await ended.promise).toBeLessThan(8 * limits.probeBodyBytesMax);
});
