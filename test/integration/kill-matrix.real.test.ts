/**
 * kill -9 of `svc up`, of the supervisor and of a backend at each step of start and stop, enumerated from the tables of fault points.
 * After a restart the end state equals the desired one within two scans, there are never two processes of one app, and the portal's
 * death stops no app. SVC_TEST_LONG=1 takes every point, otherwise a seed takes two of each table: in the model world of test/simulation a portal dies
 * at any effect, and kit/faults.real.test.ts goes through the points of the kit. The points go on at the same time, each with a portal of its own: most
 * of it is waiting for scans, and a minute for the end of a supervisor.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test as plain } from 'vitest';
import { faultPoints } from '../../controller/faults.ts';
import { launcherFaultPoints, supervisorFaultPoints } from '../../kit/faults.ts';
import { tellCount } from '../support/counts.ts';
import { emptyServer, processesBelow, repository, startPortal, until, type RunningPortal } from '../support/portal.ts';
import { everyNth, shareSeed } from '../support/share.ts';
import { backendPids, order, supervisorPids, view, watchForTwins, whenState, writeDesired } from './world.ts';

/** Two scans of the spec, and what a start may take on a slow machine. */
const twoScansMs = 20_000 + 20_000;
/** A supervisor that nobody needs is kept for a minute (limits.supervisorUnwantedMs). */
const supervisorEndMs = 60_000 + twoScansMs;
const apps = ['notas', 'relogio'] as const;
const reached = new Set<string>();
const portalPoints = everyNth(13, faultPoints);
const kitPoints = everyNth(12, [...new Set([...supervisorFaultPoints, ...launcherFaultPoints])]);

afterAll(() => {
  tellCount(
    `kill matrix: ${reached.size} of ${faultPoints.length} points of the portal and ${kitPoints.length} of the kit tried, seed ${shareSeed}`,
  );
});

interface Matrix {
  readonly state: string;
  /** The folder of YAML: notas and relogio, notas pinned. */
  readonly desired: string;
  start(env?: Readonly<Record<string, string>>): Promise<RunningPortal>;
}

const test = plain.extend<{ matrix: Matrix }>({
  matrix: async ({ onTestFailed }, use) => {
    const folder = await mkdtemp(join(tmpdir(), 'svck-'));
    const state = join(folder, 's');
    const desired = await writeDesired(join(folder, 'd'), { apps, pinned: ['notas'] });
    const started: RunningPortal[] = [];
    onTestFailed(() => console.log(transitions(started.map((portal) => portal.output()).join(''))));
    await use({
      state,
      desired,
      start: async (env = {}) => {
        const portal = await startPortal({ desired, state, env });
        started.push(portal);
        return portal;
      },
    });
    for (const portal of started) await portal.stop();
    await emptyServer(state);
    await rm(folder, { recursive: true, force: true });
  },
});

/** The log of what happened, without the requests. */
function transitions(output: string): string {
  const lines = output.split('\n').filter((line) => !line.includes('"msg":"request"'));
  return lines.slice(-40).join('\n');
}

/** The desired end: notas pinned and answering, relogio as ordered last; one process each, one supervisor. */
async function expectEndState(running: RunningPortal): Promise<void> {
  const { state } = running;
  await whenState(running, 'notas', 'running', twoScansMs);
  await until('relogio installed', async () => (await view(running, 'Package/relogio'))?.state === 'installed', twoScansMs);
  const started = await order(running, 'start', 'relogio');
  expect(started).toMatchObject({ ready: true, status: 'running' });
  expect(backendPids(state, 'notas')).toHaveLength(1);
  expect(backendPids(state, 'relogio')).toHaveLength(1);
  await order(running, 'stop', 'relogio');
  await whenState(running, 'relogio', 'stopped', twoScansMs);
  await until('relogio without a process', () => backendPids(state, 'relogio').length === 0, twoScansMs);
  await until('one supervisor', () => supervisorPids(state).length === 1, twoScansMs);
}

const alive = (running: RunningPortal): boolean => {
  try {
    process.kill(running.pid, 0);
    return true;
  } catch {
    return false;
  }
};

describe.concurrent('svc up is killed', () => {
  /** Walks through everything that has an effect; ends early when the portal is gone. */
  async function walk(running: RunningPortal, desired: string): Promise<void> {
    const step = async (what: () => Promise<unknown>): Promise<void> => {
      if (alive(running))
        await Promise.race([
          what().catch(() => null),
          until('the portal to die', () => !alive(running), supervisorEndMs).catch(() => null),
        ]);
    };
    await step(() => whenState(running, 'notas', 'running', twoScansMs));
    await step(() => order(running, 'start', 'relogio'));
    await step(() => order(running, 'stop', 'relogio'));
    await step(() => whenState(running, 'relogio', 'stopped', twoScansMs));
    await step(async () => {
      await writeDesired(desired, { apps: ['notas', 'relogio'], pinned: ['notas', 'relogio'] });
      await whenState(running, 'relogio', 'running', twoScansMs);
    });
    await step(async () => {
      await writeDesired(desired, { apps: ['notas', 'relogio'], pinned: ['notas'] });
      await until('relogio unpinned', async () => (await view(running, 'Backend/ana/relogio'))?.details['pinned'] === false, twoScansMs);
      // The order goes out before the snapshot comes back: one more round trip.
      await order(running, 'start', 'relogio');
    });
    await step(async () => {
      await writeDesired(desired, { apps: ['notas'], pinned: ['notas'] });
      await running.admin('POST', '/api/admin/apply', { prune: true });
      await until('relogio removed', async () => (await view(running, 'Package/relogio')) === null, twoScansMs);
    });
    // Nobody is signed in and nothing is wanted: the supervisor is ended.
    await step(async () => {
      await writeDesired(desired, { apps: ['notas'] });
      await running.admin('POST', '/api/admin/apply', { prune: true });
      await order(running, 'stop', 'notas');
      await until('the supervisor ended', () => supervisorPids(running.state).length === 0, supervisorEndMs);
    });
    await writeDesired(desired, { apps, pinned: ['notas'] });
  }

  test.for(portalPoints)('at %s', { timeout: 240_000 }, async (point, { matrix, expect }) => {
    const { state, desired, start } = matrix;
    await mkdir(state, { recursive: true });
    const twins = watchForTwins(state, apps);
    try {
      const first = await start({ SVC_FAULT_POINT: point }).catch(() => null);
      if (first !== null) await walk(first, desired);
      // A killed process is seen a moment after its last answer failed.
      const died = first === null || (await until('the portal to die', () => !alive(first), 15_000).catch(() => false));
      if (died) reached.add(point);
      const before = backendPids(state, 'notas');
      if (died) await first?.again({ SVC_FAULT_POINT: '' });
      await expectEndState(first ?? (await start()));
      // The portal's death stopped nothing: who lived then lives now.
      expect(backendPids(state, 'notas')).toEqual(expect.arrayContaining([...before]));
      expect(twins.worst()).toEqual({ notas: 1, relogio: 1 });
    } finally {
      twins.stop();
    }
  });
});

plain('every point that was taken was reached', () => {
  expect([...portalPoints].filter((point) => !reached.has(point))).toEqual([]);
});

describe.concurrent('the supervisor or the launcher is killed', () => {
  /** A supervisor with the fault in it, put there before the portal comes: the portal talks to the one it finds. */
  async function plantSupervisor(state: string, point: string): Promise<void> {
    const home = join(state, 'home/ana');
    await mkdir(home, { recursive: true, mode: 0o700 });
    const child = spawn(join(repository, 'bin/svc-app-supervisor'), [], {
      env: { PATH: process.env['PATH'], HOME: home, SVC_PREFIX: state, SVC_FAULT_POINT: point },
      stdio: 'ignore',
      detached: true,
    });
    child.unref();
    await once(child, 'spawn');
    await until('the planted supervisor', () => supervisorPids(state).length === 1);
  }

  test.for(kitPoints)('at %s', { timeout: 240_000 }, async (point, { matrix, expect }) => {
    const { state, start } = matrix;
    const twins = watchForTwins(state, apps);
    try {
      await plantSupervisor(state, point);
      const planted = supervisorPids(state);
      const running = await start();
      await order(running, 'start', 'relogio').catch(() => null);
      await order(running, 'stop', 'relogio').catch(() => null);
      // A launcher that dies with its supervisor's fault goes on failing while that supervisor lives: end it as the matrix asks.
      for (const pid of planted) if (supervisorPids(state).includes(pid)) process.kill(pid, 'SIGKILL');
      // Five failed launches may have been counted by then; a person's start is what the spec offers.
      await until('a new supervisor', () => supervisorPids(state).some((pid) => !planted.includes(pid)), twoScansMs);
      if ((await view(running, 'Backend/ana/notas'))?.state === 'failed') await order(running, 'start', 'notas');
      await expectEndState(running);
      expect(twins.worst()).toEqual({ notas: 1, relogio: 1 });
    } finally {
      twins.stop();
    }
  });
});

describe.concurrent('a backend is killed', () => {
  test('while it comes up, while it runs and while it is stopped', { timeout: 240_000 }, async ({ matrix, expect }) => {
    const { state, start } = matrix;
    const running = await start();
    await whenState(running, 'notas', 'running', twoScansMs);
    const twins = watchForTwins(state, apps);
    try {
      // Running: it is back with another pid.
      const [old] = backendPids(state, 'notas');
      process.kill(old!, 'SIGKILL');
      await until('another pid', () => backendPids(state, 'notas').some((pid) => pid !== old), twoScansMs);
      await whenState(running, 'notas', 'running', twoScansMs);
      // Coming up: killed at the first sight of any process of it.
      const starting = order(running, 'start', 'relogio');
      const young = await until('a young process', () => processesBelow(state).find((found) => found.app === 'relogio'), twoScansMs);
      process.kill(young.pid, 'SIGKILL');
      await starting;
      await whenState(running, 'relogio', 'running', twoScansMs);
      // Being stopped: killed between the order and its end.
      const stopping = order(running, 'stop', 'relogio');
      for (const pid of backendPids(state, 'relogio')) {
        try {
          process.kill(pid, 'SIGKILL');
        } catch {
          // The stop was quicker.
        }
      }
      await stopping;
      await whenState(running, 'relogio', 'stopped', twoScansMs);
      await expectEndState(running);
      expect(twins.worst()).toEqual({ notas: 1, relogio: 1 });
    } finally {
      twins.stop();
    }
  });
});
