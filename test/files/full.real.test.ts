/**
 * Saves, uploads, moves, the trash: the disk becomes full at every step, with room for so many more pages, and with no more names; and so
 * does a quota on a disk that has room. The earlier file is whole, the answer says which of the two is full, nothing half is left beside,
 * and once there is room again the same act succeeds. SVC_TEST_LONG=1 tries every room at every point, otherwise some of them. On real file
 * systems of its own, by this process and through a real sshd.
 */
import { chownSync, closeSync, openSync, readdirSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../controller/clock/system.ts';
import { fileFaultPoints, watchFaultPoints, type FaultPoint } from '../../controller/faults.ts';
import { createNodeFileSystem } from '../../controller/files/node-file-system.ts';
import type { FileSystem } from '../../controller/files/file-system.ts';
import { tellCount } from '../support/counts.ts';
import { limitQuota, mountQuota, mountTmpfs, remount, unmount } from '../support/mounts.ts';
import { shareSeed } from '../support/share.ts';
import { actNames, faultAfter, prepare, runAct } from './support/acts.ts';
import { createFilesWorld, type FilesWorld } from './support/files-world.ts';

const isLong = process.env['SVC_TEST_LONG'] === '1';
const pageBytes = 4_096;
/** The new text has 37 pages. */
const rooms = isLong ? Array.from({ length: 39 }, (_, pages) => pages) : [0, 10, 36];
let world: FilesWorld;
/** Where the acts happen that are under test now. */
let disk: string;
let limited: string;
let [runs, full, used, cases] = [0, 0, 0, 0];

interface Way {
  readonly name: string;
  readonly code: string;
  readonly disk: () => string;
  /** Leaves room for so many pages. */
  readonly fill: (pages: number) => void;
  readonly empty: () => void;
}

const ways: readonly Way[] = [
  {
    name: 'a disk that becomes full',
    code: 'DISK_FULL',
    disk: () => `${world.sshd.dir}/cheio`,
    fill,
    empty: () => rmSync(`${disk}/enchimento`, { force: true }),
  },
  {
    name: 'a quota that is used up',
    code: 'QUOTA_USED',
    disk: () => `${limited}/s`,
    fill: (pages) => limitQuota(limited, pages * pageBytes),
    empty: () => limitQuota(limited, null),
  },
];
const actsOnWays = ways.flatMap((way) => actNames.map((act) => [act, way.name, way] as const));

beforeAll(async () => {
  world = await createFilesWorld();
  disk = `${world.sshd.dir}/cheio`;
  await mountTmpfs(disk, 'size=4m,mode=0777');
  limited = `${world.sshd.dir}/cota`;
  await mountQuota(limited, `${limited}.img`);
});
afterEach(() => watchFaultPoints(null));
afterAll(async () => {
  for (const dir of world === undefined ? [] : [`${world.sshd.dir}/cheio`, limited]) await unmount(dir);
  await world?.stop();
  tellCount(`files on a disk that becomes full: ${cases} cases, ${full} of them refused for it; by a quota: ${used}; seed ${shareSeed}`);
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

interface Trial {
  readonly act: string;
  readonly uid: number;
  readonly fs: FileSystem;
  readonly point: FaultPoint;
  readonly pages: number;
}

/** Returns the faults, [] for none. */
async function tried(way: Way, { act, uid, fs, point, pages }: Trial): Promise<readonly unknown[]> {
  const run = fresh(act, uid);
  watchFaultPoints((seen) => {
    if (seen === point) way.fill(pages);
  });
  const code = await run.act(fs);
  watchFaultPoints(null);
  way.empty();
  const left = act === 'upload' && code !== null ? [] : beside(run.folder);
  const wrong = await judged({ act, run, fs, full: way.code }, code, left);
  clear();
  return wrong.map((each) => [point, pages, each]);
}

/** An upload may go on from what is `left` beside; that is removed with the upload. */
async function judged(
  { act, run, fs, full: fullCode }: { readonly act: string; readonly run: Run; readonly fs: FileSystem; readonly full: string },
  code: string | null,
  left: readonly string[],
): Promise<readonly unknown[]> {
  cases += 1;
  if (code === 'DISK_FULL') full += 1;
  if (code === 'QUOTA_USED') used += 1;
  const faults = [faultAfter(act, run.folder, run.other)];
  if (code !== null) faults.push(await run.act(fs), faultAfter(act, run.folder, run.other));
  return [...[code].filter((said) => said !== null && said !== fullCode), ...left, ...faults.filter((fault) => fault !== null)];
}

/** A seed takes some of the cases; fewer on a quota, where every change waits for the disk. */
const taken = (way: Way, nth: number): boolean => {
  const part = way.code === 'QUOTA_USED' ? 9 : 3;
  return isLong || nth % part === shareSeed % part;
};

test.for(actsOnWays)('%s: on %s at every step', async ([act, , way]) => {
  disk = way.disk();
  const wrong: unknown[] = [];
  let nth = 0;
  for (const point of await pointsOf(act))
    for (const pages of rooms)
      if (taken(way, nth++)) wrong.push(...(await tried(way, { act, uid: 0, fs: createNodeFileSystem(), point, pages })));
  expect(wrong).toEqual([]);
});

test.for(actsOnWays)('%s: through sshd, on %s', async ([act, , way]) => {
  const [account] = world.accounts;
  if (account === undefined) throw new Error('no account');
  disk = way.disk();
  const wrong: unknown[] = [];
  let nth = 0;
  for (const point of await pointsOf(act))
    for (const pages of isLong ? [0, 10] : [10])
      if (taken(way, nth++)) wrong.push(...(await tried(way, { act, uid: account.uid, fs: world.fs(0), point, pages })));
  expect(wrong).toEqual([]);
});

test.for(actNames)('%s: where no further name has room', async (act) => {
  [disk] = ways.map((way) => way.disk()) as [string];
  const wrong: unknown[] = [];
  for (let names = 0; names < 3; names += 1) {
    const run = fresh(act, 0);
    const { files, ffree } = statfsSync(disk);
    await remount(disk, `nr_inodes=${files - ffree + names}`);
    const code = await run.act(createNodeFileSystem());
    await remount(disk, `nr_inodes=10000`);
    wrong.push(
      ...(await judged({ act, run, fs: createNodeFileSystem(), full: 'DISK_FULL' }, code, beside(run.folder))).map((each) => [names, each]),
    );
    clear();
  }
  expect(wrong).toEqual([]);
});
