/**
 * Whether the files that SQLite has open are still the ones that their names lead to, and whole: one that is deleted, replaced or cut while the
 * portal runs would be written to all day and be gone, or worse, at the next start. Only `stat`: to open and close a database beside SQLite
 * drops SQLite's locks. Decision: docs/decisions/0141-databases-that-go-while-in-use.md
 */
import { stat } from 'node:fs/promises';
import type { Clock } from '../schema/clock.ts';
import { limits } from '../schema/limits.ts';

/** `unknown`: it can't be read now, which says nothing. */
export type FileState =
  | { readonly kind: 'present'; readonly ino: bigint; readonly dev: bigint; readonly size: bigint }
  | { readonly kind: 'absent' }
  | { readonly kind: 'unknown' };

/** Fault of a file that looked like `before` when it was well; null: none, or it is unknown. */
export function judgeFile(before: FileState, now: FileState, mayShrink: boolean): string | null {
  if (before.kind !== 'present' || now.kind === 'unknown') return null;
  if (now.kind === 'absent') return 'was deleted';
  if (now.ino !== before.ino || now.dev !== before.dev) return 'was replaced by another file';
  if (now.size < before.size && !mayShrink) return now.size === 0n ? 'was emptied' : 'was cut';
  return null;
}

export async function stateOfFile(file: string): Promise<FileState> {
  try {
    const { ino, dev, size } = await stat(file, { bigint: true });
    return { kind: 'present', ino, dev, size };
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    return { kind: code === 'ENOENT' || code === 'ENOTDIR' ? 'absent' : 'unknown' };
  }
}

export interface WatchedDatabase {
  readonly file: string;
  /** Once: it may not be written any more. */
  readonly onLost: (why: string) => void;
}

export interface DatabaseWatch {
  /** Checks once, in addition to each pass. */
  check(): Promise<void>;
  stop(): void;
}

/** Checks at once and then at each pass. */
export async function watchDatabases(databases: readonly WatchedDatabase[], clock: Clock): Promise<DatabaseWatch> {
  const checks = databases.map(({ file, onLost }) => watchOne(file, onLost));
  const check = async (): Promise<void> => {
    await Promise.all(checks.map((one) => one()));
  };
  await check();
  let stopped = false;
  let cancel = (): void => {};
  const arm = (): void => {
    if (!stopped) cancel = clock.at(clock.monotonicMs() + limits.resyncMs, () => void check().then(arm));
  };
  arm();
  return {
    check,
    stop: () => {
      stopped = true;
      cancel();
    },
  };
}

function watchOne(file: string, onLost: (why: string) => void): () => Promise<void> {
  // The write-ahead log holds what the file has not got yet; it may be cut back by a checkpoint, the file never is.
  const parts = [
    { name: file, mayShrink: false },
    { name: `${file}-wal`, mayShrink: true },
  ];
  const before = new Map<string, FileState>();
  let lost = false;
  return async () => {
    for (const { name, mayShrink } of parts) {
      const now = await stateOfFile(name);
      const wrong = judgeFile(before.get(name) ?? { kind: 'unknown' }, now, mayShrink);
      if (wrong !== null && !lost) {
        lost = true;
        onLost(`${name} ${wrong} while the portal runs`);
      }
      if (now.kind === 'present') before.set(name, now);
    }
  };
}
