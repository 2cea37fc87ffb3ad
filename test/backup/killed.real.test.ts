/**
 * The commands are killed at each of their steps (at some, without SVC_TEST_LONG=1), as by a power cut: the snapshots before are whole, and a state folder is as before or
 * whole.
 */
import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { finishRestore } from '../../bin/restore/journal.ts';
import { backupFaultPoints, restoreFaultPoints, type FaultPoint } from '../../controller/faults.ts';
import { lockState } from '../../store/state-lock.ts';
import { repository, startPortal } from '../support/portal.ts';
import { addRoom, contentOf, writeSmallState, type SmallState } from './small-state.ts';

const run = promisify(execFile);
const long = process.env['SVC_TEST_LONG'] === '1';
/** Takes all points in the long run, otherwise the few. */
const some = <Point extends FaultPoint>(all: readonly Point[], few: readonly Point[]): readonly Point[] => (long ? all : few);
let dir: string;
let small: SmallState;
let dest: string;

async function svc(args: readonly string[], point: FaultPoint | '' = ''): Promise<{ readonly stdout: string; readonly signal: string }> {
  try {
    const { stdout } = await run(join(repository, 'bin/svc'), args, { env: { ...process.env, SVC_FAULT_POINT: point } });
    return { stdout, signal: '' };
  } catch (error) {
    const { signal, code, stderr } = error as { signal?: string; code?: number; stderr?: string };
    if (signal !== 'SIGKILL' && code !== 137) throw new Error(`${args.join(' ')}: ${stderr}`, { cause: error });
    return { stdout: '', signal: 'SIGKILL' };
  }
}

const snapshots = async (): Promise<readonly string[]> => {
  const { stdout } = await svc(['backup', dest, '--list', '-o', 'json']);
  return (JSON.parse(stdout) as { readonly snapshots: readonly { readonly id: string }[] }).snapshots.map(({ id }) => id);
};

/** Content of each snapshot when it is restored. */
async function restored(id: string): Promise<Readonly<Record<string, string>>> {
  const state = join(dir, 'restored');
  await rm(state, { recursive: true, force: true });
  await svc(['restore', dest, '--snapshot', id, '--state', state, '--yes']);
  return await contentOf(state);
}

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'svc-killed-'));
  small = await writeSmallState(dir);
  dest = join(dir, 'dest');
});
afterAll(async () => await rm(dir, { recursive: true, force: true }));

describe('a backup that is killed', () => {
  test.for(some(backupFaultPoints, ['backup/held', 'backup/settled', 'backup/manifest-written']).map((point, n) => [point, n] as const))(
    'at %s leaves the one before whole, and the next one goes on',
    async ([point, n]) => {
      await svc(['backup', dest, '--state', small.state, '--keep-last', '1']);
      const [before] = await snapshots();
      const was = await restored(before!);
      await addRoom(small.state, 100 + n);
      const { signal } = await svc(['backup', dest, '--state', small.state, '--keep-last', '1'], point);
      expect(signal).toBe('SIGKILL');
      const after = await snapshots();
      // The one that was about to be removed may be gone once the new one is there.
      expect(after.includes(before!) ? await restored(before!) : was).toEqual(was);
      const { stdout } = await svc(['backup', dest, '--state', small.state, '--keep-last', '1', '--check', '-o', 'json']);
      const { id } = (JSON.parse(stdout) as { readonly backup: { readonly id: string } }).backup;
      expect(await snapshots()).toEqual([id]);
      expect(Object.keys(await restored(id))).toContain('svc.db');
      expect(after.length).toBeGreaterThan(0);
    },
  );
});

describe('a restore that is killed', () => {
  let state: string;
  let before: Readonly<Record<string, string>>;
  let whole: Readonly<Record<string, string>>;
  let id: string;
  beforeAll(async () => {
    const { stdout } = await svc(['backup', dest, '--state', small.state, '-o', 'json']);
    ({ id } = (JSON.parse(stdout) as { readonly backup: { readonly id: string } }).backup);
    whole = await restored(id);
  });
  beforeEach(async () => {
    state = join(dir, 'again');
    await rm(state, { recursive: true, force: true });
    await cp(small.state, state, { recursive: true });
    await addRoom(state, 900);
    before = await contentOf(state);
  });

  /** Adds the files that are outside of the backup and are there in any case. */
  const withRest = (content: Readonly<Record<string, string>>) => ({
    ...Object.fromEntries(Object.entries(before).filter(([name]) => name.startsWith('casa/') || name === 'desired-dir')),
    ...content,
  });

  test.for(some(restoreFaultPoints, ['restore/before-commit', 'restore/committed']))(
    'at %s leaves the state folder as it was, or one that the next start makes whole',
    async (point) => {
      const { signal } = await svc(['restore', dest, '--snapshot', id, '--state', state, '--yes', '--over'], point);
      expect(signal).toBe('SIGKILL');
      const isCommitted = restoreFaultPoints.indexOf(point) >= restoreFaultPoints.indexOf('restore/committed');
      const lock = lockState(state);
      expect(finishRestore(state)).toBe(isCommitted);
      lock.release();
      expect(await contentOf(state)).toEqual(isCommitted ? withRest(whole) : before);
    },
  );

  test('is finished by the start of the portal, before it opens anything', async () => {
    await svc(['restore', dest, '--snapshot', id, '--state', state, '--yes', '--over'], 'restore/half-moved');
    const portal = await startPortal({ desired: small.desired, state });
    try {
      expect(portal.output()).toContain('a restore that had been interrupted was finished');
      const { body } = await portal.admin('GET', '/api/admin/doctor');
      const rows = (body as { readonly checks: readonly { readonly name: string; readonly ok: boolean }[] }).checks;
      expect(rows.filter(({ name }) => ['databases', 'rooms', 'attachments'].includes(name)).map(({ ok }) => ok)).toEqual([
        true,
        true,
        true,
      ]);
    } finally {
      await portal.stop();
    }
  });
});
