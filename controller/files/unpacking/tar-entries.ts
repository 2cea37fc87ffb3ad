/** A tar is read from its beginning to its end, packed or not: tar-stream reads it. */
import { pipeline } from 'node:stream/promises';
import { extract, type Entry, type Headers } from 'tar-stream';
import { nothing, refusal, unsupported, type ArchiveEntry } from './entry.ts';

const kinds: Partial<Record<NonNullable<Headers['type']>, ArchiveEntry['kind']>> = {
  file: 'file',
  'contiguous-file': 'file',
  directory: 'folder',
  symlink: 'link',
  link: 'same',
};

export async function* tarEntries(source: AsyncIterable<Uint8Array>): AsyncGenerator<ArchiveEntry> {
  // Names are bytes; those of a pax header are UTF-8. A header without a word on its format is one of Unix V7.
  const reading = extract({ filenameEncoding: 'latin1', allowUnknownFormat: true });
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

/** Their bytes are not those of the file: holes are left out (GNU, star, Solaris), or the rest is in another archive. */
const otherBytes = /^(?:GNU\.sparse\.|GNU\.volume\.(?!label)|SCHILY\.realsize$|SUN\.holesdata$)/;

/** Seconds, with a fraction, also before 1970. */
const paxSeconds = /^-?\d{1,15}(?:\.\d*)?$/;

type Pax = Readonly<Record<string, string>>;

function refuseUnread({ name, type, size = 0 }: Headers, pax: Pax): void {
  // tar-stream knows no such letter: GNU's sparse files and volumes have headers of their own behind it, which it would take for bytes or entries.
  if ((type as unknown) === null)
    throw unsupported(`it holds an entry of a form that only its own tar reads (${JSON.stringify(name.slice(0, 100))})`);
  if (Object.keys(pax).some((key) => otherBytes.test(key)))
    throw unsupported('it holds a sparse file, or goes on in another archive: pack it without -S and -M');
  // Read as UTF-8, which they were not: another name would be made.
  if (`${pax['path'] ?? ''}${pax['linkpath'] ?? ''}`.includes('\uFFFD'))
    throw unsupported('it holds a name whose bytes are no UTF-8; pack it with --format=gnu');
  if (!Number.isSafeInteger(size) || size < 0) throw refusal('it is damaged');
}

function entryOf(entry: Entry): ArchiveEntry {
  const { name, linkname, type, size = 0, mode = 0o666, mtime } = entry.header;
  const pax = (entry.header as { readonly pax?: Pax | null }).pax ?? {};
  refuseUnread(entry.header, pax);
  const { path, linkpath, mtime: seconds = '' } = pax;
  return {
    name: Buffer.from(name, path === undefined ? 'latin1' : 'utf8'),
    kind: kinds[type ?? 'fifo'] ?? 'other',
    target: typeof linkname === 'string' ? Buffer.from(linkname, linkpath === undefined ? 'latin1' : 'utf8') : nothing,
    mode,
    modifiedMs: paxSeconds.test(seconds) ? Math.floor(Number(seconds) * 1_000) : (mtime?.getTime() ?? 0),
    bytes: size,
    content: () => entry,
  };
}
