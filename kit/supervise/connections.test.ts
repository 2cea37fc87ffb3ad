import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { identityOf } from '../processes.ts';
import { newApp, type Supervisor } from './app-state.ts';
import { countConnections } from './scan.ts';
import { moving } from '../../schema/testing/moving.ts';

test('a socket that one list of the kernel left out is looked for in the next one: its end is use, its absence in one list is not', async ({
  onTestFinished,
}) => {
  const home = mkdtempSync(join(tmpdir(), 'svc-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const app = newApp({ home, prefix: '/' }, 'notas', 0);
  mkdirSync(dirname(app.paths.socket), { recursive: true });
  const server = net.createServer().listen(app.paths.socket);
  await once(server, 'listening');
  const oom = { scope: null, slice: null };
  const none = { child: null, watch: null, hash: null, cgroup: null, oom, launcher: false, leader: true };
  app.process = {
    ...none,
    identity: identityOf(process.pid)!,
    startedAtMs: 0,
    listened: true,
    socketInode: 7,
    isSocketMissed: false,
    recordStamp: '',
  };
  const nowMs = 10_000_000;
  const supervisor = { place: { home, prefix: '/' }, nowMs: moving(() => nowMs), changed: () => undefined } as unknown as Supervisor;
  app.connections = 0;
  app.lastUseMs = 1;
  countConnections(supervisor, app, new Map());
  expect([app.connections, app.lastUseMs]).toEqual([0, 1]);
  server.close();
  await once(server, 'close');
  countConnections(supervisor, app, new Map());
  expect([app.connections, Math.floor(app.lastUseMs)]).toEqual([null, nowMs]);
});
