/** A file that is opened to be read, and the validator that distinguishes two readings of it. */
import { createHash, type Hash } from 'node:crypto';
import type { FileContent } from '../../schema/files.ts';
import { codedFault } from './file-fault.ts';
import type { FileFacts, FileSystem } from './file-system.ts';
import { limits } from './limits.ts';
import { readAll, readRange } from './transfer.ts';

// With their quotes. Times over SFTP are whole seconds, and programs set them as they like: a small file is identified by its bytes, a
// large one where possible by the time of its change.

const digestTag = (all: Buffer): string => tagOf(createHash('sha256').update(all));
const tagOf = (hash: Hash): string => `"d${hash.digest('base64url')}"`;
const timeTag = ({ bytes, modifiedMs, uid, changedMs }: FileFacts): string =>
  `"t${[bytes, modifiedMs, uid, Math.round((changedMs ?? 0) * 1_000)].map((each) => each.toString(36)).join('-')}"`;

export interface WrittenTag {
  /** The same bytes. */
  of(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array>;
  /** As `openContent` has it when it reads all that passed; null: they are too many to be identified by their bytes. */
  etag(): string | null;
}

export function createTag(): WrittenTag {
  const hash = createHash('sha256');
  let bytes = 0;
  return {
    of: async function* (body) {
      for await (const piece of body) {
        bytes += piece.length;
        if (bytes <= limits.digestTagBytesMax) hash.update(piece);
        yield piece;
      }
    },
    etag: () => (bytes <= limits.digestTagBytesMax ? tagOf(hash) : null),
  };
}

export async function openContent(fs: FileSystem, path: Buffer): Promise<FileContent> {
  const file = await fs.open(path, 'read');
  try {
    const facts = await file.facts();
    const piece = fs.pieceBytes();
    const isSmall = facts.bytes <= limits.digestTagBytesMax;
    const all = isSmall ? await readAll(file, limits.digestTagBytesMax * 2, piece) : null;
    // Files of /proc and /sys say another size than they have.
    if (all !== null && all.length !== facts.bytes) return heldContent(all, facts, () => file.close());
    return {
      bytes: facts.bytes,
      modifiedMs: facts.modifiedMs,
      etag: all === null ? timeTag(facts) : digestTag(all),
      read: (start, end) => coded(readRange(file, start, end, piece), path),
      close: () => file.close(),
    };
  } catch (error) {
    await file.close().catch(() => undefined);
    throw error;
  }
}

function heldContent(all: Buffer, facts: FileFacts, close: () => Promise<void>): FileContent {
  return {
    bytes: all.length,
    modifiedMs: facts.modifiedMs,
    etag: digestTag(all),
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
