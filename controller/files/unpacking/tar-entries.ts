/** A tar is read from its beginning to its end, packed or not: tar-stream reads it. */
import { pipeline } from 'node:stream/promises';
import { extract, type Entry, type Headers } from 'tar-stream';
import { nothing, type ArchiveEntry } from './entry.ts';

const kinds: Partial<Record<NonNullable<Headers['type']>, ArchiveEntry['kind']>> = {
  file: 'file',
  'contiguous-file': 'file',
  directory: 'folder',
  symlink: 'link',
  link: 'same',
};

export async function* tarEntries(source: AsyncIterable<Uint8Array>): AsyncGenerator<ArchiveEntry> {
  // Names are bytes; those of a pax header are UTF-8.
  const reading = extract({ filenameEncoding: 'latin1' });
  // What goes wrong on the way is thrown by the iterator.
  reading.on('error', () => undefined);
  const feeding = pipeline(source, reading).catch((error: unknown) => void reading.destroy(error as Error));
  try {
    for await (const entry of reading) {
      yield entryOf(entry);
      entry.resume();
    }
  } finally {
    reading.destroy();
    await feeding;
  }
}

function entryOf(entry: Entry): ArchiveEntry {
  const { name, linkname, type, size = 0, mode = 0o666, mtime } = entry.header;
  const { path, linkpath } = (entry.header as { readonly pax?: { readonly path?: string; readonly linkpath?: string } }).pax ?? {};
  return {
    name: Buffer.from(name, path === undefined ? 'latin1' : 'utf8'),
    kind: kinds[type ?? 'fifo'] ?? 'other',
    target: typeof linkname === 'string' ? Buffer.from(linkname, linkpath === undefined ? 'latin1' : 'utf8') : nothing,
    mode,
    modifiedMs: mtime?.getTime() ?? 0,
    bytes: size,
    content: () => entry,
  };
}
