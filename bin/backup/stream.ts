/** A backup as one tar: objects as they are made, each once, and the manifest behind them. Read back it is a folder of backups with one snapshot. */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { tarOf, type TarFile } from '../../api/queue/tar.ts';
import { anyTarReader } from '../../kit/archive/any-tar.ts';
import type { Clock } from '../../schema/clock.ts';
import { SvcError } from '../../schema/errors.ts';
import { nameOf, objectPattern, pathOf, type ChunkSink } from '../../store/backup/chunks.ts';
import { manifestFile, readManifest, snapshotOf } from '../../store/backup/manifest.ts';
import { limits } from '../limits.ts';
import { manifestOf, take } from './make.ts';
import { siteOf } from './site.ts';

export async function streamBackup(
  { stateDir, desired, clock }: { readonly stateDir: string; readonly desired: string | null; readonly clock: Clock },
  output: Writable,
): Promise<{ readonly id: string; readonly left: readonly string[] }> {
  const site = await siteOf(stateDir, desired);
  const entries = entriesOfTar();
  const written = pipeline(Readable.from(tarOf(entries.files), { objectMode: false }), output, { end: false });
  // The reader may go: that ends the waiting writes.
  const isGone = written.catch((error: unknown) => entries.fail(error));
  try {
    const { id, text } = manifestFile(manifestOf(site, await take(site, entries.sink, { before: null, clock }), 'new'));
    await entries.add(`snapshots/${id}.json`, Buffer.from(text));
    entries.end();
    await written;
    return { id, left: site.left };
  } finally {
    entries.end();
    await isGone;
  }
}

interface TarEntries {
  readonly sink: ChunkSink;
  readonly files: AsyncIterable<TarFile>;
  /** Resolves when it was taken. */
  add(name: string, bytes: Buffer): Promise<void>;
  end(): void;
  fail(error: unknown): void;
}

function entriesOfTar(): TarEntries {
  const known = new Set<string>();
  let waiting: { readonly file: TarFile; readonly taken: () => void; readonly failed: (error: unknown) => void } | null = null;
  let [wake, isOver, failure] = [(): void => {}, false, null as { readonly error: unknown } | null];
  let [objects, total] = [0, 0];
  async function* files(): AsyncGenerator<TarFile> {
    for (;;) {
      if (waiting === null && isOver) return;
      if (waiting === null) {
        await new Promise<void>((resolve) => (wake = resolve));
        continue;
      }
      const { file, taken } = waiting;
      // A reader that goes in the middle of it ends the generator here: `fail` finds it still.
      yield file;
      waiting = null;
      taken();
    }
  }
  const add: TarEntries['add'] = async (name, bytes) => {
    if (failure !== null) throw failure.error;
    const file: TarFile = {
      path: name,
      bytes: bytes.length,
      modifiedMs: 0,
      read: async function* () {
        yield bytes;
      },
    };
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    waiting = { file, taken: resolve, failed: reject };
    wake();
    await promise;
  };
  return {
    sink: {
      has: (sha) => known.has(sha),
      put: async (bytes) => {
        const sha = nameOf(bytes);
        if (known.has(sha)) return sha;
        known.add(sha);
        [objects, total] = [objects + 1, total + bytes.length];
        await add(pathOf(sha), Buffer.from(bytes));
        return sha;
      },
      settle: async () => ({ objects, bytes: total }),
    },
    files: files(),
    add,
    end: () => {
      isOver = true;
      wake();
    },
    fail: (error) => {
      failure = { error };
      waiting?.failed(error);
    },
  };
}

/** Reads the stream into a folder, which a restore then reads as any other. Rejects BAD_REQUEST for what is no backup, DIGEST_MISMATCH for a cut one. */
export async function unpackStream(input: AsyncIterable<Buffer>, folder: string): Promise<void> {
  let [name, parts, isWhole] = ['', [] as Buffer[], false];
  const finished: { readonly name: string; readonly bytes: Buffer }[] = [];
  const reader = anyTarReader(
    {
      entry: (entry) => ([name, parts] = [String(entry.name), []]),
      data: (part) => void parts.push(Buffer.from(part)),
      endEntry: () => void finished.push({ name, bytes: Buffer.concat(parts) }),
    },
    { entriesMax: limits.backupStreamEntriesMax, headerBytesMax: 4_096 },
  );
  const take = async (): Promise<void> => {
    for (const { name: each, bytes } of finished.splice(0)) {
      await put(folder, each, bytes);
      isWhole ||= each.startsWith('snapshots/');
    }
  };
  for await (const chunk of input) {
    reader.push(chunk);
    await take();
  }
  reader.end();
  await take();
  if (!isWhole) throw new SvcError('DIGEST_MISMATCH', 'the stream ends before its snapshot: it was cut, or is no backup of svc');
  await writeFile(path.join(folder, 'svc-backup'), '{"format":1}\n', { mode: 0o600 });
}

async function put(folder: string, name: string, bytes: Buffer): Promise<void> {
  const [, sha = ''] = /^objects\/[0-9a-f]\/([0-9a-f]{64})$/.exec(name) ?? [];
  const [, file = ''] = /^snapshots\/([^/]+)$/.exec(name) ?? [];
  const id = snapshotOf(file)?.id;
  if (id !== undefined) readManifest(id, String(bytes));
  else if (!objectPattern.test(sha)) throw new SvcError('BAD_REQUEST', `the stream is no backup of svc: it holds ${name}`);
  else if (nameOf(bytes) !== sha) throw new SvcError('DIGEST_MISMATCH', `the object ${sha} of the stream is damaged`);
  const to = id === undefined ? pathOf(sha) : `snapshots/${file}`;
  await mkdir(path.join(folder, path.dirname(to)), { recursive: true, mode: 0o700 });
  await writeFile(path.join(folder, to), bytes, { mode: 0o600 });
}
