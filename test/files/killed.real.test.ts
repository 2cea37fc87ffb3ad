/**
 * Saves, uploads, moves, the trash: broken off at every step. A process that is killed there, and a connection to a real sshd that is cut there. The
 * file is the old or the new one, and the trash loses nothing. The points are those of controller/faults.ts; SVC_TEST_LONG=1 kills at every
 * point that an act meets, otherwise a seed takes every sixth one.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../controller/clock/system.ts';
import { fileFaultPoints, watchFaultPoints, type FaultPoint } from '../../controller/faults.ts';
import { createNodeFileSystem } from '../../controller/files/node-file-system.ts';
import { compileCache } from '../../kit/testing/compile-cache.ts';
import { tellCount } from '../support/counts.ts';
import { mountTmpfs, unmount } from '../support/mounts.ts';
import { actNames, faultAfter, prepare, runAct } from './support/acts.ts';
import { until } from '../support/portal.ts';
import { createFilesWorld, type FilesWorld } from './support/files-world.ts';

const seed = Number(process.env['FC_SEED'] ?? process.env['SVC_TEST_RUN_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const isLong = process.env['SVC_TEST_LONG'] === '1';
let world: FilesWorld;
let disk: string;
let [runs, kills, cuts] = [0, 0, 0];
const met = new Set<string>();

beforeAll(async () => {
  world = await createFilesWorld();
  disk = `${world.sshd.dir}/disco`;
  await mountTmpfs(disk, 'size=32m,mode=0777');
});
afterEach(() => watchFaultPoints(null));
afterAll(async () => {
  if (disk !== undefined) await unmount(disk);
  await world?.stop();
  tellCount(`files: ${kills} kills and ${cuts} cuts of the connection at ${met.size} of ${fileFaultPoints.length} points, seed ${seed}`);
});

function fresh(uid: number): { readonly folder: string; readonly other: string } {
  runs += 1;
  // The files of the run before were checked; all of them together are more than the disk.
  for (const name of readdirSync(disk)) rmSync(`${disk}/${name}`, { recursive: true, force: true });
  const own = (path: string): void => chownSync(path, uid, uid);
  const folder = `${world.accounts[0]?.home}/r${runs}`;
  const other = `${disk}/r${runs}`;
  prepare(folder, own);
  prepare(`${other}x`, own);
  return { folder, other: `${other}x/pasta` };
}

/** The points that an act meets, in their order, each once. */
async function pointsOf(act: string): Promise<readonly FaultPoint[]> {
  const seen = new Set<FaultPoint>();
  watchFaultPoints((point) => void seen.add(point));
  const { folder, other } = fresh(0);
  await runAct(act, { fs: createNodeFileSystem(), folder, other, clock: systemClock });
  watchFaultPoints(null);
  return [...seen].filter((point) => (fileFaultPoints as readonly string[]).includes(point));
}

const program = join(import.meta.dirname, 'support/act-main.ts');

test.for(actNames)('%s: killed at every step it is old or new', async (act) => {
  const points = await pointsOf(act);
  expect(points.length).toBeGreaterThan(0);
  for (const point of points.filter((_, at) => isLong || at % 6 === seed % 6)) {
    const { folder, other } = fresh(0);
    const env = { ...process.env, NODE_COMPILE_CACHE: compileCache, SVC_FAULT_POINT: point };
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program, act, folder, other], { stdio: 'ignore', env });
    const [, signal] = (await once(child, 'exit')) as [number | null, string | null];
    expect([act, point, signal, faultAfter(act, folder, other)]).toEqual([act, point, 'SIGKILL', null]);
    met.add(point);
    kills += 1;
  }
});

test.for(actNames)('%s: with the connection cut at every step it is old or new', async (act) => {
  const [account] = world.accounts;
  if (account === undefined) throw new Error('no account');
  for (const point of await pointsOf(act)) {
    const { folder, other } = fresh(account.uid);
    // The one before was cut: another connection is there first.
    await until('the account to be reached', () =>
      world
        .fs(0)
        .lstat(Buffer.from(folder))
        .then(
          () => true,
          () => false,
        ),
    );
    let isCut = false;
    watchFaultPoints((seen) => {
      if (seen !== point || isCut) return;
      isCut = true;
      world.sshd.cut(account.name);
    });
    // After the last step nothing is left to fail.
    await runAct(act, { fs: world.fs(0), folder, other, clock: systemClock }).catch(() => undefined);
    watchFaultPoints(null);
    expect([act, point, isCut, faultAfter(act, folder, other)]).toEqual([act, point, true, null]);
    cuts += 1;
  }
});
