/**
 * Two portals on one state folder, one of them paused: nothing is started twice, and orders that the other one took stand.
 * A paused portal that wakes up must not go on writing, as jepsen found in etcd.
 */
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { test, type TestContext } from 'vitest';
import { beginSvc, runSvc } from '../../bin/testing/run-svc.ts';
import { limits } from '../../schema/limits.ts';
import type { ObjectView } from '../../schema/wire/http.ts';
import { tellCount } from '../support/counts.ts';
import { freePort, startPortal, until, type RunningPortal } from '../support/portal.ts';
import { order, view, watchForTwins, whenState, writeDesired } from './world.ts';

const roundMs = limits.resyncMs * 1.2 + 3_000;
const apps = ['notas', 'relogio'] as const;
type Finish = TestContext['onTestFinished'];

async function begin(
  onTestFinished: Finish,
): Promise<{ readonly folder: string; readonly desired: string; readonly portal: RunningPortal }> {
  const folder = await mkdtemp(join(tmpdir(), 'svcp-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const desired = await writeDesired(join(folder, 'd'), { apps });
  const portal = await startPortal({ desired });
  onTestFinished(() => portal.stop());
  for (const app of apps) await until(`${app} in place`, async () => (await view(portal, `Backend/ana/${app}`)) !== null);
  await order(portal, 'start', 'notas');
  await whenState(portal, 'notas', 'running');
  return { folder, desired, portal };
}

/** Null while nobody answers at svc.sock: until the next pass it is still that of the paused one, which takes connections and says nothing. */
async function seenBy(portal: RunningPortal, key: string): Promise<ObjectView | null> {
  return await Promise.race([view(portal, key).catch(() => null), sleep(1_000).then(() => null)]);
}

/** SIGSTOP now, SIGCONT by the answer, and at the end of the test whatever happened. */
function pause(onTestFinished: Finish, pid: number): () => void {
  process.kill(pid, 'SIGSTOP');
  const resume = (): void => {
    if (existsSync(`/proc/${pid}`)) process.kill(pid, 'SIGCONT');
  };
  onTestFinished(resume);
  return resume;
}

test.concurrent('a paused portal keeps its state folder: another one is refused by its name, and the paused one goes on', async ({
  expect,
  onTestFinished,
}) => {
  const { folder, desired, portal } = await begin(onTestFinished);
  const { pid } = (await whenState(portal, 'notas', 'running')).details;
  const resume = pause(onTestFinished, portal.pid);
  for (let n = 0; n < 3; n += 1) {
    const second = await runSvc(folder, ['up', desired, '--state', portal.state, '--listen', `127.0.0.1:${await freePort()}`]);
    expect([second.code, second.err]).toEqual([1, expect.stringContaining(`(pid ${portal.pid})`)]);
  }
  resume();
  expect((await whenState(portal, 'notas', 'running')).details['pid']).toBe(pid);
});

test.concurrent(
  'one whose lock somebody cleared away while it was paused makes room when it wakes: nothing twice, no order undone',
  { timeout: 300_000 },
  async ({ expect, onTestFinished }) => {
    const { folder, desired, portal } = await begin(onTestFinished);
    const twins = watchForTwins(portal.state, apps);
    onTestFinished(() => twins.stop());
    const resume = pause(onTestFinished, portal.pid);
    for (const name of ['lock', 'pid']) await unlink(join(portal.state, name));
    const second = beginSvc(folder, ['up', desired, '--state', portal.state, '--listen', `127.0.0.1:${await freePort()}`]);
    onTestFinished(async () => {
      second.child.kill('SIGTERM');
      if (second.child.exitCode === null) await once(second.child, 'exit');
    });
    await until('the second one listens', () => second.text.out.includes('open http'));
    // Orders to the second one, against what the first one knows.
    await until('it sees the app', async () => (await seenBy(portal, 'Backend/ana/notas'))?.state === 'running', 3 * roundMs);
    await order(portal, 'stop', 'notas');
    await whenState(portal, 'notas', 'stopped');
    await order(portal, 'start', 'relogio');
    const { pid } = (await whenState(portal, 'relogio', 'running')).details;
    resume();
    await until('the first one ended', () => portal.output().includes('makes room'), 3 * roundMs);
    expect(portal.output()).toContain('STATE_IN_USE');
    // Two resyncs in which the deposed portal would have done harm.
    const wokenAtMs = performance.now();
    await until('the rounds are over', () => performance.now() - wokenAtMs > 2 * limits.resyncMs);
    const socket = join(portal.state, 'svc.sock');
    await until('svc.sock is the second one’s', () => existsSync(socket), roundMs);
    const seen = await until('it answers', async () => await seenBy(portal, 'Backend/ana/relogio'), 2 * roundMs);
    expect([seen.state, seen.details['pid']]).toEqual(['running', pid]);
    expect((await view(portal, 'Backend/ana/notas'))?.state).toBe('stopped');
    expect(second.child.exitCode).toBeNull();
    expect(twins.worst()).toEqual({ notas: expect.any(Number), relogio: 1 });
    expect(twins.worst()['notas']).toBeLessThanOrEqual(1);
    tellCount(
      `two portals: 4 starts beside a paused one, ${Object.values(twins.worst()).filter((most) => most > 1).length} apps twice, 0 orders undone`,
    );
  },
);
