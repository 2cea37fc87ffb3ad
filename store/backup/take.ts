/**
 * Makes one snapshot of what is given: files first, while everybody goes on; then the moment, at which the databases are held and nothing is removed; what came
 * in between; and the pages of the databases as they were at the moment. Decision: docs/decisions/0404-a-backup-is-one-moment.md
 */
import type { Clock } from '../../schema/clock.ts';
import { SvcError } from '../../schema/errors.ts';
import { limits } from '../limits.ts';
import type { ChunkSink, Written } from './chunks.ts';
import { keyOf, takeFile, unchangedEntry, type Source } from './file-entries.ts';
import { holdFiles } from './held-files.ts';
import type { Entry, Manifest } from './manifest.ts';
import type { TakenRows } from './postgres-rows.ts';
import { pinDatabases, type PinnedDatabase, type PinnedDatabases } from './sqlite-pages.ts';

export const takingSteps = ['files-read', 'held', 'released', 'databases-read', 'settled'] as const;

export interface TakeOptions {
  readonly stateDir: string;
  /** Databases of SQLite, each also an entry of this path below the state folder, or an absolute one outside of it. */
  readonly databases: readonly { readonly root: 'state' | 'secret'; readonly path: string; readonly file: string }[];
  /** Rows of a store that is no file; null: it is one. They hold attachments and files of jobs as well, and are asked for last. */
  readonly rows: (() => Promise<TakenRows>) | null;
  /** Asked twice: what came meanwhile is taken as well. */
  readonly list: () => Promise<readonly Source[]>;
  readonly sink: ChunkSink;
  /** Entries of the snapshot before. */
  readonly before: readonly Entry[];
  readonly clock: Clock;
  /** Called at each step, for tests. */
  readonly step: (name: (typeof takingSteps)[number]) => void;
}

export interface Taken {
  readonly atMs: number;
  /** For how long nobody could write to the databases, and nothing was removed. */
  readonly heldMs: number;
  readonly removalsHeldMs: number;
  readonly entries: readonly Entry[];
  /** Absent: the store is a file. */
  readonly schema?: number;
  readonly written: Written;
}

export async function takeSnapshot({ stateDir, databases, rows, list, sink, before, clock, step }: TakeOptions): Promise<Taken> {
  const known = new Map(before.map((entry) => [keyOf(entry), entry]));
  const fixed = new Map<string, Entry>();
  for (const source of await list()) {
    const key = keyOf(source);
    const entry = unchangedEntry(source, known.get(key), sink) ?? (await takeFile(source, sink));
    if (entry === null) continue;
    known.set(key, entry);
    if (source.isFixed === true) fixed.set(key, entry);
  }
  step('files-read');
  const hold = await holdFiles(stateDir, clock);
  const fromMs = clock.monotonicMs();
  let pinned: PinnedDatabases | null = null;
  try {
    const entries: Entry[] = [];
    try {
      pinned = pinDatabases(
        databases.map(({ file }) => file),
        () => clock.nowMs(),
      );
      step('held');
      for (const source of await list()) {
        const key = keyOf(source);
        const entry = fixed.get(key) ?? unchangedEntry(source, known.get(key), sink) ?? (await takeFile(source, sink));
        if (entry !== null) entries.push(entry);
      }
    } finally {
      hold.release();
    }
    const removalsHeldMs = clock.monotonicMs() - fromMs;
    step('released');
    for (const [at, database] of pinned.databases.entries())
      entries.unshift(await takeDatabase(database, databases[at]!, pinned.atMs, sink));
    step('databases-read');
    const taken = await rows?.();
    entries.push(...(taken?.entries ?? []));
    const written = await sink.settle();
    step('settled');
    const { heldMs } = pinned;
    const { atMs, schema } = taken ?? { atMs: pinned.atMs };
    return { atMs, heldMs, removalsHeldMs, entries, written, ...(schema === undefined ? {} : { schema }) };
  } finally {
    pinned?.close();
  }
}

async function takeDatabase(
  database: PinnedDatabase,
  { root, path }: Pick<Entry, 'root' | 'path'>,
  atMs: number,
  sink: ChunkSink,
): Promise<Entry> {
  const chunks: string[] = [];
  for (const chunk of database.chunks(limits.backupPagesBytesMax)) chunks.push(await sink.put(chunk));
  return { root, path, bytes: database.bytes, mode: 0o600, modifiedMs: atMs, isDatabase: true, chunks };
}

/** Reads every object of the snapshot. Answers the names of those that are not there, or not what they should be; rejects where one can't be read now. */
export async function damagedObjects(
  manifest: Pick<Manifest, 'entries'>,
  read: (sha: string) => Promise<Uint8Array>,
): Promise<readonly string[]> {
  const damaged: string[] = [];
  const looked = new Set<string>();
  for (const { chunks } of manifest.entries)
    for (const sha of chunks) {
      if (looked.has(sha)) continue;
      looked.add(sha);
      await read(sha).catch((error: unknown) => {
        if (!(error instanceof SvcError)) throw error;
        damaged.push(sha);
      });
    }
  return damaged;
}
