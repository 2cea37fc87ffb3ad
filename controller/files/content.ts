/** A file that is opened to be read, and the validator by which two readings of it are told apart. */
import { createHash } from 'node:crypto';
import type { FileContent } from '../../schema/files.ts';
import { codedFault, FileFault } from './file-fault.ts';
import type { FileFacts, FileSystem, OpenFile } from './file-system.ts';
import { limits } from './limits.ts';
import { readAll, readOn, readRange } from './transfer.ts';

/** With its quotes. Times over SFTP are whole seconds, and programs set them as they like: a small file is told by its bytes, a large one where it can be by when it changed. */
export async function etagOf(file: OpenFile, facts: FileFacts, pieceBytes: number): Promise<string> {
  if (facts.bytes > limits.digestTagBytesMax)
    return `"t${[facts.bytes, facts.modifiedMs, facts.uid, Math.round((facts.changedMs ?? 0) * 1_000)].map((each) => each.toString(36)).join('-')}"`;
  const all = await readAll(file, limits.digestTagBytesMax * 2, pieceBytes);
  return `"d${createHash('sha256').update(all).digest('base64url')}"`;
}

export async function openContent(fs: FileSystem, path: Buffer): Promise<FileContent> {
  const file = await fs.open(path, 'read');
  try {
    const facts = await file.facts();
    const piece = fs.pieceBytes();
    const unsized = facts.bytes === 0 ? await unsizedBytes(file, piece) : null;
    if (unsized !== null) return heldContent(unsized, facts, () => file.close());
    const etag = await etagOf(file, facts, piece);
    return {
      bytes: facts.bytes,
      modifiedMs: facts.modifiedMs,
      etag,
      read: (start, end) => coded(readRange(file, start, end, piece), path),
      close: () => file.close(),
    };
  } catch (error) {
    await file.close().catch(() => undefined);
    throw error;
  }
}

/** Files of /proc and the like say that they are empty: what they hold is read at once. Null: it is empty. */
async function unsizedBytes(file: OpenFile, pieceBytes: number): Promise<Buffer | null> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of readOn(file, pieceBytes)) {
    pieces.push(piece);
    bytes += piece.length;
    if (bytes > limits.unsizedFileBytesMax) throw new FileFault('EFBIG');
  }
  return bytes === 0 ? null : Buffer.concat(pieces);
}

function heldContent(all: Buffer, facts: FileFacts, close: () => Promise<void>): FileContent {
  return {
    bytes: all.length,
    modifiedMs: facts.modifiedMs,
    etag: `"d${createHash('sha256').update(all).digest('base64url')}"`,
    read: async function* (start, end) {
      yield all.subarray(start, end + 1);
    },
    close,
  };
}

async function* coded(bytes: AsyncIterable<Uint8Array>, path: Buffer): AsyncGenerator<Uint8Array> {
  try {
    yield* bytes;
  } catch (error) {
    throw codedFault(error, path);
  }
}
