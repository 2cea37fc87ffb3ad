/**
 * The commands are killed at each of their steps (at two that a seed says, without SVC_TEST_LONG=1), as by a power cut: the snapshots before are whole, and
 * a state folder is as before or whole. What is not killed is done in this process.
 */
import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { makeBackup } from '../../bin/backup/make.ts';
import { finishRestore } from '../../bin/restore/journal.ts';
import { performRestore } from '../../bin/restore/perform.ts';
import { planRestore } from '../../bin/restore/plan.ts';
import { systemClock } from '../../controller/clock/system.ts';
import { backupFaultPoints, restoreFaultPoints, type FaultPoint } from '../../controller/faults.ts';
import { openBackupFolder, type BackupFolder } from '../../store/backup/folder.ts';
import { lockState } from '../../store/state-lock.ts';
import { repository, startPortal } from '../support/portal.ts';
import { everyNth } from '../support/share.ts';
import { addRoom, contentOf, writeSmallState, type SmallState } from './small-state.ts';

const run = promisify(execFile);
let dir: string;
let small: SmallState;
let dest: string;

/** Ends by the kill of the command at its point. */
async function killed(args: readonly string[], point: FaultPoint): Promise<void> {
  const ended = run(join(repository, 'bin/svc'), args, { env: { ...process.env, SVC_FAULT_POINT: point } });
  const { signal, code, stderr } = await ended.then(
    () => ({ signal: null, code: 0, stderr: '' }),
    (error: unknown) => error as { readonly signal: string | null; readonly code: number | null; readonly stderr: string },
  );
  expect([signal === 'SIGKILL' || code === 137, stderr]).toEqual([true, expect.any(String)]);
}

const backUp = async (check = false): Promise<string> =>
  (await makeBackup({ stateDir: small.state, to: dest, desired: null, keep: { last: 1 }, check, clock: systemClock })).id;

async function withBackups<Result>(use: (folder: BackupFolder) => Promise<Result>): Promise<Result> {
  const folder = await openBackupFolder(dest, { makes: false });
  try {
    return await use(folder);
  } finally {
    folder.close();
  }
}
const snapshots = (): Promise<readonly string[]> => withBackups(async (folder) => (await folder.snapshots()).map(({ id }) => id));

/** Content of each snapshot when it is restored. */
async function restored(id: string): Promise<Readonly<Record<string, string>>> {
  const state = join(dir, 'restored');
  await rm(state, { recursive: true, force: true });
  await withBackups(async (folder) => {
    const plan = await planRestore(await folder.manifest(id), { stateDir: state, desired: null });
    await performRestore(plan, { over: false, nowMs: systemClock.nowMs(), object: (sha) => folder.object(sha) });
  });
  return await contentOf(state);
}

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'svc-killed-'));
  small = await writeSmallState(dir);
  dest = join(dir, 'dest');
});
afterAll(async () => await rm(dir, { recursive: true, force: true }));

describe('a backup that is killed', () => {
  test.for(everyNth(5, backupFaultPoints).map((point, n) => [point, n] as const))(
    'at %s leaves the one before whole, and the next one goes on',
    async ([point, n]) => {
      await backUp();
      const [before] = await snapshots();
      const was = await restored(before!);
      await addRoom(small.state, 100 + n);
      await killed(['backup', dest, '--state', small.state, '--keep-last', '1'], point);
      const after = await snapshots();
      // The one that was about to be removed may be gone once the new one is there.
      expect(after.includes(before!) ? await restored(before!) : was).toEqual(was);
      const id = await backUp(true);
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
    id = await backUp();
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

  test.for(everyNth(3, restoreFaultPoints))(
    'at %s leaves the state folder as it was, or one that the next start makes whole',
    async (point) => {
      await killed(['restore', dest, '--snapshot', id, '--state', state, '--yes', '--over'], point);
      const isCommitted = restoreFaultPoints.indexOf(point) >= restoreFaultPoints.indexOf('restore/committed');
      const lock = lockState(state);
      expect(finishRestore(state)).toBe(isCommitted);
      lock.release();
      expect(await contentOf(state)).toEqual(isCommitted ? withRest(whole) : before);
    },
  );

  test('is finished by the start of the portal, before it opens anything', async () => {
    await killed(['restore', dest, '--snapshot', id, '--state', state, '--yes', '--over'], 'restore/half-moved');
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
