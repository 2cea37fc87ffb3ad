/**
 * Files deleted under a running portal, and a home that is full: reported by the commands, and back without a command. Tests that leave the
 * portal as it was share one portal; beside it, each of the others has its own. Most of the time goes into waiting for resyncs.
 * @module-tag carries-state
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { beginSvc, runSvc } from '../../bin/testing/run-svc.ts';
import { mountTmpfs, unmount } from '../support/mounts.ts';
import type { DoctorCheck } from '../../schema/gateway.ts';
import { limits } from '../../schema/limits.ts';
import { freePort, startPortal, until, type RunningPortal } from '../support/portal.ts';
import { order, view, whenInstalled, whenState, writeDesired } from './world.ts';

const roundMs = limits.resyncMs * 1.2 + 3_000;
interface Place {
  readonly folder: string;
  readonly desired: string;
  readonly portal: RunningPortal;
}

/** A portal with notas running; it ends with the test, or with the block. */
async function begin(onEnd: (end: () => Promise<void>) => void, state?: string): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), 'svco-'));
  onEnd(() => rm(folder, { recursive: true, force: true }));
  const desired = await writeDesired(join(folder, 'd'), { apps: ['notas', 'relogio'] });
  const portal = await startPortal({ desired, ...(state === undefined ? {} : { state }) });
  onEnd(() => portal.stop());
  await whenInstalled(portal, 'notas', 'relogio');
  await order(portal, 'start', 'notas');
  await whenState(portal, 'notas', 'running');
  return { folder, desired, portal };
}

const oneByOne = { concurrent: false } as const;

describe.concurrent('deleted', () => {
  const ends: (() => Promise<void>)[] = [];
  let place: Place;
  beforeAll(async () => {
    place = await begin((end) => ends.push(end));
  });
  afterAll(async () => {
    for (const end of ends.toReversed()) await end();
  });

  test('svc.sock: it is there again, and the commands work as before', oneByOne, async () => {
    const { portal } = place;
    const socket = join(portal.state, 'svc.sock');
    await unlink(socket);
    await until('the socket is back', () => existsSync(socket), roundMs);
    expect((await portal.admin('GET', '/api/admin/objects?prefix=Backend/ana/notas')).status).toBe(200);
  });

  test('the lock of the state folder: a second svc up is refused at once, and after the next round by the new lock', oneByOne, async () => {
    const { folder, desired, portal } = place;
    const lock = join(portal.state, 'lock');
    const second = async () => runSvc(folder, ['up', desired, '--state', portal.state, '--listen', `127.0.0.1:${await freePort()}`]);
    await unlink(lock);
    expect(await second()).toMatchObject({ code: 1, err: expect.stringContaining(`(pid ${portal.pid})`) });
    await unlink(lock).catch(() => undefined);
    await until('the lock is back', () => existsSync(lock), roundMs);
    await unlink(join(portal.state, 'pid'));
    expect(await second()).toMatchObject({ code: 1, err: expect.stringContaining('STATE_IN_USE') });
    expect((await view(portal, 'Backend/ana/notas'))?.state).toBe('running');
  });
});

test.concurrent('lock and pid, deleted, and a second svc up in the same moment: the first makes room, and the app runs on', async ({
  expect,
  onTestFinished,
}) => {
  const { folder, desired, portal } = await begin(onTestFinished);
  const pid = (await whenState(portal, 'notas', 'running')).details['pid'];
  // Its next pass would make a new lock: on a machine that does much else that may come before the second one checks.
  process.kill(portal.pid, 'SIGSTOP');
  for (const name of ['lock', 'pid']) await unlink(join(portal.state, name));
  const second = beginSvc(folder, ['up', desired, '--state', portal.state, '--listen', `127.0.0.1:${await freePort()}`]);
  onTestFinished(async () => {
    second.child.kill('SIGTERM');
    if (second.child.exitCode === null) await once(second.child, 'exit');
  });
  await until('the second one listens', () => second.text.out.includes('open http')).finally(() => process.kill(portal.pid, 'SIGCONT'));
  await until('the first one ended', () => !existsSync(`/proc/${portal.pid}`) || portal.output().includes('makes room'), 3 * roundMs);
  expect(portal.output()).toContain('STATE_IN_USE');
  const socket = join(portal.state, 'svc.sock');
  await until('svc.sock is the second one’s', () => existsSync(socket), roundMs);
  await until('it answers', async () => (await view(portal, 'Backend/ana/notas').catch(() => null))?.state === 'running', roundMs);
  expect((await view(portal, 'Backend/ana/notas'))?.details['pid']).toBe(pid);
  expect(second.child.exitCode).toBeNull();
});

test.runIf(process.getuid?.() === 0)(
  'a full home: why and doctor say so, and everything comes back with the space',
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
