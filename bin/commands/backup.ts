/** `svc backup DEST`: everything that brings the site back, of one moment, while the portal goes on. `-` is one tar on standard output. */
import path from 'node:path';
import { systemClock } from '../../controller/clock/system.ts';
import { openBackupFolder } from '../../store/backup/folder.ts';
import type { Keep } from '../../store/backup/retention.ts';
import { byteSize, isForPrograms, listing, plain, printValue, toned, warn, write, type Format } from '../output.ts';
import { makeBackup, type Made } from '../backup/make.ts';
import { waitForManyWrites } from '../backup/many-writes.ts';
import { streamBackup } from '../backup/stream.ts';

interface BackupOptions {
  readonly state: string;
  readonly desired?: string;
  readonly keepLast?: number;
  readonly keepDaily?: number;
  readonly keepWeekly?: number;
  readonly keepMonthly?: number;
  readonly check?: boolean;
  readonly list?: boolean;
  readonly output: Format;
}

export async function runBackup(to: string, options: BackupOptions): Promise<void> {
  waitForManyWrites();
  const stateDir = path.resolve(options.state);
  const desired = options.desired === undefined ? null : path.resolve(options.desired);
  if (options.list === true) return await listBackups(path.resolve(to), options.output);
  if (to === '-') {
    // A reader that goes ends the process: what it got is no backup.
    process.exitCode = 1;
    const { left } = await streamBackup({ stateDir, desired, clock: systemClock }, process.stdout);
    process.exitCode = 0;
    return tellLeft(left);
  }
  const { check = false } = options;
  const made = await makeBackup({ stateDir, to: path.resolve(to), desired, keep: keepOf(options), check, clock: systemClock });
  if (isForPrograms(options.output)) return await printValue({ backup: made }, options.output);
  tell(made, to);
}

function keepOf({ keepLast: last, keepDaily: daily, keepWeekly: weekly, keepMonthly: monthly }: BackupOptions): Keep {
  const rules = { last, daily, weekly, monthly };
  return Object.fromEntries(Object.entries(rules).filter(([, count]) => count !== undefined));
}

function tell({ id, files, bytes, written, removed, verified, tookMs, left }: Made, to: string): void {
  const seconds = (tookMs / 1_000).toFixed(1);
  write(`${toned('done', 'good')}  ${id}: ${files} files, ${byteSize(bytes)}, in ${seconds} s\n`);
  write(
    `      new in ${plain(to)}: ${written.objects} objects, ${byteSize(written.bytes)}; ${verified === 'all' ? 'all' : 'these'} were read again and are sound\n`,
  );
  if (removed.snapshots > 0)
    write(`      removed: ${removed.snapshots} snapshots, ${removed.objects} objects, ${byteSize(removed.bytes)}\n`);
  tellLeft(left);
}

function tellLeft(left: readonly string[]): void {
  for (const each of left) warn(`not in it: ${plain(each)}\n`);
}

async function listBackups(root: string, output: Format): Promise<void> {
  const folder = await openBackupFolder(root, { makes: false });
  try {
    const rows = [];
    for (const { id, atMs } of await folder.snapshots()) {
      const { host, state, entries, verified } = await folder.manifest(id);
      rows.push({
        id,
        at: new Date(atMs).toISOString(),
        host,
        state,
        files: entries.length,
        bytes: entries.reduce((sum, one) => sum + one.bytes, 0),
        verified,
      });
    }
    if (isForPrograms(output)) return await printValue({ snapshots: rows }, output);
    write(
      listing(
        rows,
        [
          { title: 'SNAPSHOT', of: ({ id }) => id },
          { title: 'MADE', of: ({ at }) => at },
          { title: 'FILES', of: ({ files }) => `${files}` },
          { title: 'BYTES', of: ({ bytes }) => byteSize(bytes) },
          { title: 'OF', of: ({ host, state }) => `${host}:${state}` },
        ],
        output,
      ),
    );
  } finally {
    folder.close();
  }
}
