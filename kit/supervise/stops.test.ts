/** A pass need not ask about an app at rest: the kernel reports a stopped child. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test, vi } from 'vitest';
import { limits } from '../../machines/limits.ts';
import { identityOf } from '../processes.ts';
import { appOf, type App, type Live, type Supervisor } from './app-state.ts';
import { observeHealth, observeHealthAtRest, watchStops } from './health.ts';
import { moving } from '../../schema/testing/moving.ts';

interface World {
  readonly supervisor: Supervisor;
  readonly app: App;
  readonly pid: number;
  readonly clock: { nowMs: number };
}

/** A living child that serves as far as the records say. */
async function withChild(isChild: boolean, run: (world: World) => Promise<void>): Promise<void> {
  const child = spawn('sleep', ['60'], { stdio: 'ignore' });
  await once(child, 'spawn');
  const clock = { nowMs: Date.now() };
  const known = { apps: new Map(), place: { home: '/nowhere', prefix: '/nowhere' }, log: () => undefined, changed: () => undefined };
  const supervisor = { ...known, nowMs: moving(() => clock.nowMs) } as unknown as Supervisor;
  const app = appOf(supervisor, 'muda');
  const oom = { scope: null, slice: null };
  const own = { child: isChild ? child : null, watch: null, hash: null, cgroup: null, oom, launcher: false, leader: true };
  app.process = {
    ...own,
    identity: identityOf(child.pid!)!,
    startedAtMs: 0,
    listened: true,
    socketInode: 7,
    isSocketMissed: false,
    recordStamp: '',
  } satisfies Live;
  app.supervision = { ...app.supervision, state: 'running', reason: 'Listening' };
  app.socket = 'listening';
  app.connections = 0;
  const endStops = watchStops(supervisor);
  try {
    observeHealth(supervisor, app);
    await run({ supervisor, app, pid: child.pid!, clock });
  } finally {
    endStops();
    app.watched?.state.close();
    for (const timer of app.timers) clearTimeout(timer);
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
}

test('a child that is stopped is noticed without a round, and so is that it goes on', { tags: ['costly'] }, async () => {
  await withChild(true, async ({ app, pid, clock }) => {
    process.kill(pid, 'SIGSTOP');
    await vi.waitFor(() => expect(app.watched?.health.stoppedSinceMs).not.toBeNull(), 10_000);
    clock.nowMs += limits.healthAgainMs;
    await vi.waitFor(() => expect(app.watched?.health.verdict).toBe('suspended'), 10_000);
    process.kill(pid, 'SIGCONT');
    await vi.waitFor(() => expect(app.watched?.health.stoppedSinceMs).toBeNull(), 10_000);
  });
});

test('at rest the state of a child is read when a question is due or somebody is connected, that of an adopted process always', async () => {
  const looks = (app: App): (() => number) => {
    let count = 0;
    const isStopped = (): boolean => {
      count += 1;
      return false;
    };
    app.watched = { ...app.watched!, state: { isStopped, close: app.watched!.state.close } };
    return () => count;
  };
  await withChild(true, async ({ supervisor, app, clock }) => {
    const count = looks(app);
    observeHealthAtRest(supervisor, app);
    expect(count()).toBe(0);
    app.connections = 1;
    observeHealthAtRest(supervisor, app);
    expect(count()).toBe(1);
    app.connections = 0;
    clock.nowMs += 2 * limits.healthFirstCheckMs;
    observeHealthAtRest(supervisor, app);
    expect(count()).toBe(2);
    app.watched?.asking?.();
  });
  await withChild(false, async ({ supervisor, app }) => {
    const count = looks(app);
    observeHealthAtRest(supervisor, app);
    expect(count()).toBe(1);
  });
});
