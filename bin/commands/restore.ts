/** `svc restore SRC`: what a backup holds, put back. Without `--yes` it only says what it would write and what is there. */
import { mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { systemClock } from '../../controller/clock/system.ts';
import { SvcError } from '../../schema/errors.ts';
import { openBackupFolder, type BackupFolder } from '../../store/backup/folder.ts';
import { restoreRows } from '../../store/backup/postgres-rows.ts';
import type { Manifest, Snapshot } from '../../store/backup/manifest.ts';
import { byteSize, isForPrograms, listing, plain, printValue, toned, warn, write, type Format } from '../output.ts';
import { waitForManyWrites } from '../backup/many-writes.ts';
import { unpackStream } from '../backup/stream.ts';
import { restorePart } from './restore-part.ts';
import { performRestore, type Restored } from '../restore/perform.ts';
import { rememberedPlace, storeFile } from '../up/remembered-store.ts';
import { holderName, postgresPlace, storePlace } from '../up/store-place.ts';
import { newerParts, partsToWrite, planRestore, type RestorePlan } from '../restore/plan.ts';

interface RestoreOptions {
  readonly state: string;
  readonly snapshot?: string;
  readonly yes?: boolean;
  readonly over?: boolean;
  readonly room?: string;
  readonly as?: string;
  readonly person?: string;
  readonly jobs?: string;
  readonly output: Format;
}

export async function runRestore(from: string, dir: string | undefined, options: RestoreOptions): Promise<number> {
  waitForManyWrites();
  const stateDir = path.resolve(options.state);
  return await withBackups(from, stateDir, async (folder) => {
    const { id } = await chosen(folder, options.snapshot);
    const manifest = await folder.manifest(id);
    if (options.room !== undefined || options.person !== undefined) return await restorePart(folder, manifest, { ...options, stateDir });
    const desired = dir === undefined ? null : path.resolve(dir);
    const plan = await planRestore(manifest, { stateDir, desired });
    if (options.yes !== true) {
      await showPlan(plan, id, options);
      return partsToWrite(plan).length === 0 ? 0 : 2;
    }
    const { over = false } = options;
    const restored = await performRestore(plan, { over, nowMs: systemClock.nowMs(), object: (sha) => folder.object(sha) });
    const rows = await putRows(manifest, plan.places, folder);
    if (isForPrograms(options.output)) await printValue({ snapshot: id, restored: { ...restored, rows } }, options.output);
    else tell(plan, { id, restored, rows });
    return 0;
  });
}

/** The backups of a folder, or of standard input: `-`. */
async function withBackups<Result>(from: string, stateDir: string, use: (folder: BackupFolder) => Promise<Result>): Promise<Result> {
  const unpacked = from === '-' ? await mkdtemp(path.join(path.dirname(stateDir), '.svc-restore-')) : null;
  try {
    if (unpacked !== null) await unpackStream(process.stdin, unpacked);
    const folder = await openBackupFolder(unpacked ?? path.resolve(from), { makes: false });
    try {
      return await use(folder);
    } finally {
      folder.close();
    }
  } finally {
    if (unpacked !== null) await rm(unpacked, { recursive: true, force: true });
  }
}

/** The newest, or the one whose id begins so. */
async function chosen(folder: BackupFolder, asked: string | undefined): Promise<Snapshot> {
  const snapshots = await folder.snapshots();
  const fitting = asked === undefined ? snapshots.slice(-1) : snapshots.filter(({ id }) => id.startsWith(asked));
  const [one] = fitting;
  if (one !== undefined && fitting.length === 1) return one;
  if (one === undefined)
    throw new SvcError('NOT_FOUND', asked === undefined ? 'there is no snapshot yet' : `there is no snapshot ${asked}`);
  throw new SvcError('BAD_REQUEST', `${asked} is the beginning of ${fitting.length} snapshots: ${fitting.map(({ id }) => id).join(', ')}`);
}

/** Runs after the files: the password of the database is among them. A second try finds the files that it put back unchanged. */
async function putRows({ entries, schema }: Manifest, { stateDir, desired }: RestorePlan['places'], folder: BackupFolder): Promise<number> {
  if (schema === undefined) return 0;
  const place = desired === null ? await rememberedPlace(stateDir, []) : await storePlace(desired, stateDir);
  if (storeFile(place, stateDir) !== null)
    throw new SvcError(
      'BAD_REQUEST',
      `the snapshot has rows of PostgreSQL, and Portal.spec.store is ${place.store}: name an empty database there`,
    );
  const holder = `svc restore on ${holderName()}`;
  const object = (sha: string): Promise<Buffer> => folder.object(sha);
  return await restoreRows(await postgresPlace(place, stateDir), { schema, entries }, { clock: systemClock, holder, object });
}

async function showPlan(plan: RestorePlan, id: string, { output, over }: RestoreOptions): Promise<void> {
  const { manifest, places, parts } = plan;
  const rows = parts.map(({ name, to, there, bytes, entries }) => ({ name, to, there, bytes, files: entries.length }));
  if (isForPrograms(output)) return await printValue({ snapshot: id, at: new Date(manifest.atMs).toISOString(), parts: rows }, output);
  write(`${id} of ${plain(manifest.host)}:${plain(manifest.state)}\n\n`);
  write(
    listing(
      rows,
      [
        { title: 'WHAT', of: ({ name }) => name },
        { title: 'FILES', of: ({ files }) => `${files}` },
        { title: 'BYTES', of: ({ bytes }) => byteSize(bytes) },
        { title: 'THERE', of: ({ there }) => there, tone: ({ there }) => (there === 'newer' ? 'bad' : 'plain') },
        { title: 'WHERE', of: ({ to }) => to },
      ],
      output,
    ),
  );
  tellLeft(manifest, places.desired);
  if (manifest.schema !== undefined)
    write('\nrows of PostgreSQL go into the database that the Portal document names, which has to be empty\n');
  const newer = newerParts(plan).length;
  if (newer > 0 && over !== true)
    write(`\n${newer} of them are newer than the snapshot: --over replaces them, and keeps what is there beside it\n`);
  write(`\nnothing was written: --yes does it, while no portal runs on ${plain(places.stateDir)}\n`);
}

function tellLeft({ left, desired }: Manifest, to: string | null): void {
  for (const each of left) warn(`not in the backup: ${plain(each)}\n`);
  if (to === null && desired !== null)
    warn(`the desired folder, ${plain(desired)}, is restored when the command names one: svc restore SRC DIR\n`);
}

function tell(
  { places }: RestorePlan,
  { id, restored, rows }: { readonly id: string; readonly restored: Restored; readonly rows: number },
): void {
  const { stateDir, desired } = places;
  write(`${toned('done', 'good')}  ${restored.files} files, ${byteSize(restored.bytes)} of ${id} are in ${plain(stateDir)}\n`);
  if (rows > 0) write(`      ${rows} rows are in the database\n`);
  if (restored.aside !== null) write(`      what was there is in ${plain(restored.aside)}\n`);
  write(`      start it: svc up ${plain(desired ?? 'DIR')} --state ${plain(stateDir)}\n`);
}
