/** A tarball as a fresh folder, or nothing at all; or only judged. Peak memory does not depend on its size. */
import { createReadStream } from 'node:fs';
import type { ArchiveSink, TarCounts } from './entry-tree.ts';
import { folderWriter } from './folder-writer.ts';
import { gunzip } from './gunzip.ts';
import type { ArchiveLimits } from './rules.ts';
import { tarReader } from './tar-reader.ts';

/** The path of a tarball, or its bytes as they come. */
export type ArchiveSource = string | AsyncIterable<Uint8Array>;

interface CheckOptions {
  readonly limits: ArchiveLimits;
  /** The name that the one root folder must have; without it any. */
  readonly root?: string | undefined;
  /** Bytes of the tarball read so far. */
  readonly onProgress?: ((bytesRead: number) => void) | undefined;
}

interface ExtractOptions extends CheckOptions {
  /** Everything is on the disk when it resolves. */
  readonly durable?: boolean | undefined;
}

/**
 * Extracts what is in the one root folder into `target`, which it makes with mode 0700 and which must not exist. Folders become 0755, files 0644 or 0755.
 * Rejects ARCHIVE_REFUSED (`details.rule` says why) or an error of the disk; then the target is gone again.
 */
export async function extractArchive(source: ArchiveSource, target: string, options: ExtractOptions): Promise<TarCounts> {
  const writer = folderWriter(target, { durable: options.durable === true });
  try {
    const counts = await read(source, writer, options);
    writer.close();
    return counts;
  } catch (error) {
    writer.abandon();
    throw error;
  }
}

/** Everything that `extractArchive` judges, without writing: `onFile` gets the path of each file below the root folder. */
export async function checkArchive(
  source: ArchiveSource,
  options: CheckOptions & { readonly onFile?: (path: string, bytes: number, executable: boolean) => void },
): Promise<TarCounts> {
  const nothing = (): void => {};
  const file: ArchiveSink['file'] = (path, bytes, executable) => options.onFile?.(path.join('/'), bytes, executable);
  return await read(source, { folder: nothing, file, data: nothing, endFile: nothing }, options);
}

async function read(source: ArchiveSource, sink: ArchiveSink, options: CheckOptions): Promise<TarCounts> {
  const reader = tarReader(sink, options.limits, options.root);
  const bytes = typeof source === 'string' ? createReadStream(source, { highWaterMark: 256 * 1_024 }) : source;
  for await (const chunk of gunzip(bytes, { tarballBytesMax: options.limits.tarballBytesMax, onRead: options.onProgress }))
    reader.push(chunk);
  return reader.end();
}
