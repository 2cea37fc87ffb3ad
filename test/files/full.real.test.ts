/**
 * Saves, uploads, moves, the trash: the disk becomes full at every step, with room for so many more pages, and with no more names. What was there is
 * whole, the answer says why, nothing half is left beside, and once there is room again the same act succeeds. On a real file system of its own, by
 * this process and through a real sshd.
 */
import { chownSync, closeSync, openSync, readdirSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../controller/clock/system.ts';
import { fileFaultPoints, watchFaultPoints, type FaultPoint } from '../../controller/faults.ts';
import { createNodeFileSystem } from '../../controller/files/node-file-system.ts';
import type { FileSystem } from '../../controller/files/file-system.ts';
import { tellCount } from '../support/counts.ts';
import { mountTmpfs, remount, unmount } from '../support/mounts.ts';
import { actNames, faultAfter, prepare, runAct } from './support/acts.ts';
import { createFilesWorld, type FilesWorld } from './support/files-world.ts';

const isLong = process.env['SVC_TEST_LONG'] === '1';
const pageBytes = 4_096;
/** The new text has 37 pages. */
const rooms = isLong ? Array.from({ length: 39 }, (_, pages) => pages) : [0, 1, 10, 36];
let world: FilesWorld;
let disk: string;
let [runs, full, cases] = [0, 0, 0];

beforeAll(async () => {
  world = await createFilesWorld();
  disk = `${world.sshd.dir}/cheio`;
  await mountTmpfs(disk, 'size=4m,mode=0777');
});
afterEach(() => watchFaultPoints(null));
afterAll(async () => {
  if (disk !== undefined) await unmount(disk);
  await world?.stop();
  tellCount(`files on a disk that becomes full: ${cases} cases, ${full} of them refused for it`);
});

/** Takes what is free but `pages`. */
function fill(pages: number): void {
  const filler = openSync(`${disk}/enchimento`, 'w');
  const bytes = (statfsSync(disk).bavail - pages) * pageBytes;
  if (bytes > 0) writeSync(filler, Buffer.alloc(bytes));
  closeSync(filler);
}

interface Run {
  readonly folder: string;
  readonly other: string;
  readonly act: (fs: FileSystem) => Promise<string | null>;
}

/** Moves lead to the disk that is full, all else happens on it. */
function fresh(act: string, uid: number): Run {
  runs += 1;
  const own = (path: string): void => chownSync(path, uid, uid);
  const leadsThere = act === 'move' || act === 'moveFolder';
  const folder = leadsThere ? `${world.accounts[0]?.home}/c${runs}` : `${disk}/c${runs}`;
  prepare(folder, own);
  if (leadsThere) prepare(`${disk}/o${runs}`, own);
  const other = `${disk}/o${runs}/pasta`;
  return {
    folder,
    other,
    act: async (fs) => {
      try {
        await runAct(act, { fs, folder, other, clock: systemClock });
        return null;
      } catch (error) {
        return (error as { code?: string }).code ?? (error as Error).message;
      }
    },
  };
}

function clear(): void {
  for (const name of readdirSync(disk)) rmSync(`${disk}/${name}`, { recursive: true });
}

/** Files that are neither the person's nor in the trash. */
const beside = (folder: string): readonly string[] => readdirSync(folder).filter((name) => name.startsWith('.') && name !== '.local');

async function pointsOf(act: string): Promise<readonly FaultPoint[]> {
  const seen = new Set<FaultPoint>();
  watchFaultPoints((point) => void seen.add(point));
  await fresh(act, 0).act(createNodeFileSystem());
  watchFaultPoints(null);
  clear();
  return [...seen].filter((point) => (fileFaultPoints as readonly string[]).includes(point));
}

/** What is wrong, [] nothing. */
async function tried(act: string, uid: number, fs: FileSystem, point: FaultPoint, pages: number): Promise<readonly unknown[]> {
  const run = fresh(act, uid);
  watchFaultPoints((seen) => {
    if (seen === point) fill(pages);
  });
  const code = await run.act(fs);
  watchFaultPoints(null);
  rmSync(`${disk}/enchimento`, { force: true });
  const left = act === 'upload' && code !== null ? [] : beside(run.folder);
  const wrong = await judged(act, run, fs, code, left);
  clear();
  return wrong.map((each) => [point, pages, each]);
}

/** An upload may go on from what is `left` beside; that is removed with the upload. */
async function judged(act: string, run: Run, fs: FileSystem, code: string | null, left: readonly string[]): Promise<readonly unknown[]> {
  cases += 1;
  if (code !== null) full += 1;
  const faults = [faultAfter(act, run.folder, run.other)];
  if (code !== null) faults.push(await run.act(fs), faultAfter(act, run.folder, run.other));
  return [...[code].filter((said) => said !== null && said !== 'DISK_FULL'), ...left, ...faults.filter((fault) => fault !== null)];
}

test.for(actNames)('%s: on a disk that becomes full at every step', async (act) => {
  const wrong: unknown[] = [];
  for (const point of await pointsOf(act))
    for (const pages of rooms) wrong.push(...(await tried(act, 0, createNodeFileSystem(), point, pages)));
  expect(wrong).toEqual([]);
});

test.for(actNames)('%s: the same through sshd', async (act) => {
  const [account] = world.accounts;
  if (account === undefined) throw new Error('no account');
  const wrong: unknown[] = [];
  for (const point of await pointsOf(act))
    for (const pages of [0, 10]) wrong.push(...(await tried(act, account.uid, world.fs(0), point, pages)));
  expect(wrong).toEqual([]);
});

test.for(actNames)('%s: where no further name has room', async (act) => {
  const wrong: unknown[] = [];
  for (let names = 0; names < 3; names += 1) {
    const run = fresh(act, 0);
    const { files, ffree } = statfsSync(disk);
    await remount(disk, `nr_inodes=${files - ffree + names}`);
    const code = await run.act(createNodeFileSystem());
    await remount(disk, `nr_inodes=10000`);
    wrong.push(...(await judged(act, run, createNodeFileSystem(), code, beside(run.folder))).map((each) => [names, each]));
    clear();
  }
  expect(wrong).toEqual([]);
});
