/**
 * Nothing is watched here: what comes up is seen all the same, long before a pass. A whole supervisor without watches is in unwatched.real.test.ts.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { identityOf } from '../processes.ts';
import { newApp, type App, type Supervisor } from './app-state.ts';
import { comingUp, lookOften } from './coming-up.ts';
import { limits } from './limits.ts';
import { moving } from '../../schema/testing/moving.ts';

let home: string;
let app: App;
let server: Server | null = null;
const events: string[] = [];

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'svc-'));
  app = newApp({ home, prefix: '/' }, 'notas', 0);
  mkdirSync(app.paths.dir, { recursive: true });
  const own = { child: null, watch: null, hash: 'h', cgroup: null, oom: { scope: null, slice: null }, launcher: false, leader: true };
  app.process = {
    ...own,
    identity: identityOf(process.pid)!,
    startedAtMs: 0,
    listened: false,
    socketInode: null,
    isSocketMissed: false,
    recordStamp: '',
  };
  app.supervision = { ...app.supervision, state: 'starting', reason: 'StartRequested' };
});
afterEach(() => {
  for (const timer of app.timers) clearTimeout(timer);
  server?.close();
  server = null;
  events.length = 0;
  rmSync(home, { recursive: true, force: true });
  vi.useRealTimers();
});

const supervisor = (): Supervisor =>
  ({
    place: { home, prefix: '/' },
    nowMs: moving(() => 0),
    apply: (_app: App, { type }: { readonly type: string }) => void events.push(type),
    changed: () => undefined,
  }) as unknown as Supervisor;

const listen = (): Promise<void> =>
  new Promise((resolve) => {
    server = createServer().listen(app.paths.socket, resolve);
  });

test('a socket that nothing tells of is seen', async () => {
  comingUp(supervisor(), app);
  expect(app.socket).toBe('absent');
  await listen();
  await expect.poll(() => app.socket).toBe('listening');
  expect(events).toEqual(['PROCESS_SEEN']);
});

test('often at first, and as time goes by no more often than it matters', () => {
  vi.useFakeTimers();
  const atMs: number[] = [];
  const fromMs = Date.now();
  lookOften(
    app,
    (passedMs) => passedMs < 20_000,
    () => void atMs.push(Date.now() - fromMs),
  );
  vi.advanceTimersByTime(60_000);
  expect(atMs.slice(0, 8)).toEqual([5, 10, 15, 20, 25, 30, 35, 40]);
  const waitsMs = atMs.slice(1).map((at, n) => at - atMs[n]!);
  // Each wait is at most about an eighth of the time before it; timers round.
  for (const [n, waitMs] of waitsMs.entries()) expect(waitMs).toBeLessThanOrEqual(Math.max(limits.comingUpLookMs, atMs[n]! / 7));
  expect(Math.max(...waitsMs)).toBeLessThanOrEqual(1_000);
  expect(atMs.length).toBeLessThan(80);
  expect(atMs.at(-1)).toBeGreaterThan(19_000);
  expect(vi.getTimerCount()).toBe(0);
});

test.for<readonly [string, () => unknown]>([
  ['it ended', () => (app.process = null)],
  ['it listens', () => (app.socket = 'listening')],
  ['it is being ended', () => (app.supervision = { ...app.supervision, state: 'stopping' })],
])('nobody looks any more when %s', ([, change]) => {
  vi.useFakeTimers();
  comingUp(supervisor(), app);
  change();
  vi.advanceTimersByTime(60_000);
  expect(vi.getTimerCount()).toBe(0);
});
