/** A tar is read from its beginning to its end, packed or not: kit/archive reads it, and holds no more of it than a header. */
import { anyTarReader, type AnyEntry } from '../../../kit/archive/any-tar.ts';
import { SvcError } from '../../../schema/errors.ts';
import { limits } from '../limits.ts';
import { refusal, unsupported, type ArchiveEntry } from './entry.ts';

type Event =
  | { readonly kind: 'entry'; readonly entry: AnyEntry }
  | { readonly kind: 'data'; readonly part: Buffer }
  | { readonly kind: 'end' };

export async function* tarEntries(source: AsyncIterable<Uint8Array>): AsyncGenerator<ArchiveEntry> {
  const events = eventsOf(source);
  try {
    for (;;) {
      const { value, done } = await events.next();
      if (done === true) return;
      if (value.kind !== 'entry') continue;
      const state = { isRead: false };
      yield { ...value.entry, content: () => contentOf(events, state) };
      while (!state.isRead) state.isRead = isEnd(await events.next());
    }
  } finally {
    await events.return();
  }
}

const isEnd = ({ value, done }: IteratorResult<Event, void>): boolean => done === true || value?.kind === 'end';

async function* contentOf(events: AsyncGenerator<Event, void>, state: { isRead: boolean }): AsyncGenerator<Uint8Array> {
  while (!state.isRead) {
    const { value, done } = await events.next();
    if (done !== true && value.kind === 'data') yield value.part;
    else state.isRead = true;
  }
}

/** Yields the events of one chunk at a time. */
async function* eventsOf(source: AsyncIterable<Uint8Array>): AsyncGenerator<Event, void> {
  let events: Event[] = [];
  const reader = anyTarReader(
    {
      entry: (entry) => events.push({ kind: 'entry', entry }),
      data: (part) => events.push({ kind: 'data', part }),
      endEntry: () => events.push({ kind: 'end' }),
    },
    { entriesMax: limits.unpackEntriesMax, headerBytesMax: limits.unpackHeaderBytesMax },
  );
  try {
    for await (const chunk of source) {
      reader.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
      yield* events;
      events = [];
    }
    reader.end();
  } catch (error) {
    throw wordsOf(error);
  }
}

/** By the rule of kit/archive; what else is thrown is passed on. */
function wordsOf(error: unknown): unknown {
  if (!(error instanceof SvcError) || error.code !== 'ARCHIVE_REFUSED') return error;
  const { rule, entry } = error.details;
  if (rule === 'SPARSE') return unsupported('it holds a sparse file, or goes on in another archive: pack it without -S and -M');
  if (rule === 'TYPE')
    return unsupported(`it holds an entry of a form that only its own tar reads (${JSON.stringify(String(entry).slice(0, 100))})`);
  if (rule === 'ENTRIES') return refusal(`it has more than ${limits.unpackEntriesMax} entries`, error);
  if (rule === 'LENGTH') return refusal(`a header in it has more than ${limits.unpackHeaderBytesMax / 1_024} KiB`, error);
  return refusal('it is damaged', error);
}
