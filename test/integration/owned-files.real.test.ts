/**
 * Files deleted under a running portal, a second `svc up` on its state folder, and a home that is full: reported by the commands, and back without a
 * command. A paused portal that wakes up must not go on writing, as jepsen found in etcd. Tests that leave the portal as it was share one portal;
 * beside it, each of the others has its own. Most of the time goes into waiting for resyncs.
 * @module-tag carries-state
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test, type TestContext } from 'vitest';
import { beginSvc, runSvc } from '../../bin/testing/run-svc.ts';
import { mountTmpfs, unmount } from '../support/mounts.ts';
import type { DoctorCheck } from '../../schema/gateway.ts';
import { limits } from '../../schema/limits.ts';
import type { ObjectView } from '../../schema/wire/http.ts';
import { tellCount } from '../support/counts.ts';
import { freePort, startPortal, until, type RunningPortal } from '../support/portal.ts';
import { order, view, watchForTwins, whenInstalled, whenState, writeDesired } from './world.ts';

/** A resync with its jitter, and the delay of a busy machine. */
const roundMs = limits.resyncMs * 1.2 + 15_000;
const apps = ['notas', 'relogio'] as const;

interface Place {
  readonly folder: string;
  readonly desired: string;
  readonly portal: RunningPortal;
}

/** A portal with notas running; it ends with the test, or with the block. */
async function begin(onEnd: (end: () => Promise<void>) => void, state?: string): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), 'svco-'));
  onEnd(() => rm(folder, { recursive: true, force: true }));
  const desired = await writeDesired(join(folder, 'd'), { apps });
  const portal = await startPortal({ desired, ...(state === undefined ? {} : { state }) });
  onEnd(() => portal.stop());
  await whenInstalled(portal, ...apps);
  await order(portal, 'start', 'notas');
  await whenState(portal, 'notas', 'running');
  return { folder, desired, portal };
}

const upAgain = async ({ desired, portal: { state } }: Place): Promise<readonly string[]> =>
  ['up', desired, '--state', state, '--listen'].concat(`127.0.0.1:${await freePort()}`);

/** SIGSTOP now, SIGCONT by the answer, and at the end of the test whatever happened. */
function pause(onTestFinished: TestContext['onTestFinished'], pid: number): () => void {
  process.kill(pid, 'SIGSTOP');
  const resume = (): void => {
    if (existsSync(`/proc/${pid}`)) process.kill(pid, 'SIGCONT');
  };
  onTestFinished(resume);
  return resume;
}

/** Null while nobody answers at svc.sock: until the next pass it is still that of the paused one, which takes connections and says nothing. */
async function seenBy(portal: RunningPortal, key: string): Promise<ObjectView | null> {
  return await Promise.race([view(portal, key).catch(() => null), sleep(3_000).then(() => null)]);
}

const oneByOne = { concurrent: false } as const;

describe.concurrent('the files of a portal', () => {
  const ends: (() => Promise<void>)[] = [];
  let place: Place;
  beforeAll(async () => {
    place = await begin((end) => ends.push(end));
  });
  afterAll(async () => {
    for (const end of ends.toReversed()) await end();
  });

  test(
    'of a paused portal nothing is taken: another one is refused by its name, and the paused one goes on',
    oneByOne,
    async ({ onTestFinished }) => {
      const { folder, portal } = place;
      const { pid } = (await whenState(portal, 'notas', 'running')).details;
      const resume = pause(onTestFinished, portal.pid);
      const second = await runSvc(folder, await upAgain(place));
      expect([second.code, second.err]).toEqual([1, expect.stringContaining(`(pid ${portal.pid})`)]);
      resume();
      expect((await whenState(portal, 'notas', 'running')).details['pid']).toBe(pid);
    },
  );

  test('svc.sock, deleted: it is there again, and the commands work as before', oneByOne, async () => {
    const { portal } = place;
    const socket = join(portal.state, 'svc.sock');
    await unlink(socket);
    await until('the socket is back', () => existsSync(socket), roundMs);
    expect((await portal.admin('GET', '/api/admin/objects?prefix=Backend/ana/notas')).status).toBe(200);
  });

  test(
    'the lock of the state folder, deleted: a second svc up is refused at once, and after the next round by the new lock',
    oneByOne,
    async () => {
      const { folder, portal } = place;
      const lock = join(portal.state, 'lock');
      const second = async () => runSvc(folder, await upAgain(place));
      await unlink(lock);
      expect(await second()).toMatchObject({ code: 1, err: expect.stringContaining(`(pid ${portal.pid})`) });
      await unlink(lock).catch(() => undefined);
      await until('the lock is back', () => existsSync(lock), roundMs);
      await unlink(join(portal.state, 'pid'));
      expect(await second()).toMatchObject({ code: 1, err: expect.stringContaining('STATE_IN_USE') });
      expect((await view(portal, 'Backend/ana/notas'))?.state).toBe('running');
    },
  );
});

test.concurrent(
  'one whose lock and pid somebody cleared away while it was paused makes room when it wakes: nothing twice, no order undone',
  { timeout: 300_000 },
  async ({ expect, onTestFinished }) => {
    const own = await begin(onTestFinished);
    const { folder, portal } = own;
    const { pid } = (await whenState(portal, 'notas', 'running')).details;
    const twins = watchForTwins(portal.state, apps);
    onTestFinished(() => twins.stop());
    const resume = pause(onTestFinished, portal.pid);
    for (const name of ['lock', 'pid']) await unlink(join(portal.state, name));
    const second = beginSvc(folder, await upAgain(own));
    onTestFinished(async () => {
      second.child.kill('SIGTERM');
      if (second.child.exitCode === null) await once(second.child, 'exit');
    });
    await until('the second one listens', () => second.text.out.includes('open http'));
    // Orders to the second one, against what the first one knows.
    const found = async () => await seenBy(portal, 'Backend/ana/notas').then((seen) => (seen?.state === 'running' ? seen : null));
    expect((await until('it sees the app', found, 3 * roundMs)).details['pid']).toBe(pid);
    await order(portal, 'stop', 'notas');
    await whenState(portal, 'notas', 'stopped');
    await order(portal, 'start', 'relogio');
    const relogio = (await whenState(portal, 'relogio', 'running')).details['pid'];
    resume();
    await until('the word of the first one', () => portal.output().includes('makes room'), 3 * roundMs);
    expect(portal.output()).toContain('STATE_IN_USE');
    // It did what it would do: nothing of it is left to undo an order later.
    await until('its end', () => !existsSync(`/proc/${portal.pid}`));
    const socket = join(portal.state, 'svc.sock');
    await until('svc.sock is the second one’s', () => existsSync(socket), roundMs);
    const seen = await until('it answers', async () => await seenBy(portal, 'Backend/ana/relogio'), 2 * roundMs);
    expect([seen.state, seen.details['pid']]).toEqual(['running', relogio]);
    expect((await view(portal, 'Backend/ana/notas'))?.state).toBe('stopped');
    expect(second.child.exitCode).toBeNull();
    expect(twins.worst()).toEqual({ notas: 1, relogio: 1 });
    tellCount('two portals: 2 starts beside a paused one, 0 apps twice, 0 orders undone');
  },
);

test.runIf(process.getuid?.() === 0)(
  'a full home: why and doctor say so, and everything comes back with the space',
  { concurrent: true, timeout: 300_000 },
  async ({ expect, onTestFinished }) => {
    const state = await mkdtemp(join(tmpdir(), 'svcs-'));
    onTestFinished(() => rm(state, { recursive: true, force: true }));
    const home = join(state, 'home/ana');
    await mkdir(home, { recursive: true });
    await mountTmpfs(home, 'size=8m');
    onTestFinished(() => unmount(home));
    const { folder, portal } = await begin(onTestFinished, state);
    const ask = (...args: string[]) => runSvc(folder, [...args, '--state', state]);
    const filler = join(home, 'filler');
    const filled = spawn('dd', ['if=/dev/zero', `of=${filler}`, 'bs=4k'], { stdio: 'ignore' });
    await once(filled, 'exit');
    const { pid } = (await whenState(portal, 'notas', 'running')).details;
    process.kill(Number(pid), 'SIGKILL');
    await until('the refusal', async () => (await whenState(portal, 'notas', 'backoff')).reason === 'DiskFull');
    expect((await ask('why', 'ana/notas')).out.replaceAll(/\s+/g, ' ')).toContain('the disk of its server is full');
    const words = `the home ${home} can't be written: ENOSPC`;
    const homesAre = async (ok: boolean): Promise<boolean> => {
      const { checks } = (await portal.admin('GET', '/api/admin/doctor')).body as { readonly checks: readonly DoctorCheck[] };
      return checks.find(({ name }) => name === 'homes')?.ok === ok;
    };
    await until('the doctor sees it', () => homesAre(false), 3 * roundMs);
    expect((await ask('doctor')).out.replaceAll(/\s+/g, ' ')).toContain(`FAIL homes ana: ${words}`);
    expect((await ask('why', 'ana/relogio')).out.replaceAll(/\s+/g, ' ')).toContain(`Its home takes no more: ${words}`);
    expect(await ask('start', 'ana/relogio')).toMatchObject({ code: 1 });
    await rm(filler);
    await whenState(portal, 'notas', 'running', 2 * roundMs);
    await until('the doctor is content', () => homesAre(true), 2 * roundMs);
    expect((await ask('doctor')).out).toMatch(/ok\s+homes/);
    await writeFile(join(home, 'room'), 'there is');
  },
);
