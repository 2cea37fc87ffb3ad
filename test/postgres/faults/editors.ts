/**
 * Clients that write in rooms all the while, as pages do: each keeps what it holds, and comes again with a new ticket when it was sent away. Every
 * edit has a mark, so that none can go unseen; of each it is known when it was made and who saw it when.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import * as Y from 'yjs';
import { until } from '../../support/portal.ts';
import type { RawClient } from '../../support/room-client.ts';
import type { RoomEntry } from '../../support/room-entry.ts';

interface Editor {
  readonly name: string;
  readonly who: string;
  readonly sala: string;
  readonly doc: Y.Doc;
  /** Marks that its document holds. */
  readonly holds: Set<string>;
  made: number;
  client: RawClient | null;
  /** Why it could not come in the last time. */
  refused: string;
}

export interface EditorsOptions {
  readonly entry: RoomEntry;
  readonly people: readonly string[];
  readonly salas: readonly string[];
  readonly count: number;
  readonly everyMs: number;
}

/** Since a fault, in ms. */
export interface Again {
  /** A room takes edits again: one that was made after the fault got to somebody else. */
  readonly first: number;
  /** Time until an edit of everybody got to everybody else. */
  readonly whole: number;
}

export interface Editors {
  readonly edits: () => number;
  /** They write from now on. */
  begin(): void;
  rest(): void;
  /** From now on it measures when each room takes edits again. */
  fault(): void;
  /** Times of each room. */
  again(): ReadonlyMap<string, Again>;
  /** Every edit is in every document of its room. */
  whole(what: string): Promise<void>;
  /** And in that of somebody who comes anew. */
  leave(): Promise<void>;
}

interface Watched {
  readonly sinceMs: number;
  readonly first: Map<string, number>;
  readonly whole: Map<string, number>;
  /** `from>to` that got through. */
  readonly pairs: Map<string, Set<string>>;
}

export async function openEditors({ entry, people, salas, count, everyMs }: EditorsOptions): Promise<Editors> {
  const stop = new AbortController();
  const editors = Array.from({ length: count }, (_, n): Editor => {
    const doc = new Y.Doc();
    return {
      name: `e${n}`,
      who: people[n % people.length]!,
      sala: salas[n % salas.length]!,
      doc,
      holds: new Set(),
      made: 0,
      client: null,
      refused: '',
    };
  });
  const rooms = new Map(salas.map((sala) => [sala, editors.filter((editor) => editor.sala === sala)]));
  const madeMs = new Map<string, number>();
  let watched: Watched | null = null;
  const saw = (editor: Editor, mark: string): void => {
    editor.holds.add(mark);
    const from = mark.slice(0, mark.indexOf('.'));
    if (watched === null || from === editor.name || (madeMs.get(mark) ?? 0) < watched.sinceMs) return;
    const { sala } = editor;
    const pairs = watched.pairs.get(sala) ?? new Set();
    watched.pairs.set(sala, pairs.add(`${from}>${editor.name}`));
    const sinceMs = Math.round(performance.now() - watched.sinceMs);
    if (!watched.first.has(sala)) watched.first.set(sala, sinceMs);
    const n = rooms.get(sala)!.length;
    if (!watched.whole.has(sala) && pairs.size === n * (n - 1)) watched.whole.set(sala, sinceMs);
  };
  for (const editor of editors)
    editor.doc.getMap('edits').observe(({ keysChanged }) => {
      for (const mark of keysChanged) saw(editor, mark as string);
    });
  const write = (editor: Editor): void => {
    const mark = `${editor.name}.${editor.made}`;
    editor.made += 1;
    madeMs.set(mark, performance.now());
    editor.doc.getMap('edits').set(mark, true);
  };
  const lives = editors.map((editor) => live(editor, entry, stop.signal));
  await whenAllIn(editors);
  let timers: readonly NodeJS.Timeout[] = [];
  const madeIn = (sala: string): number => rooms.get(sala)!.reduce((sum, { made }) => sum + made, 0);
  return {
    edits: () => editors.reduce((sum, { made }) => sum + made, 0),
    begin: () => {
      timers = editors.map((editor) => setInterval(write, everyMs, editor));
    },
    rest: () => timers.forEach(clearInterval),
    fault: () => {
      watched = { sinceMs: performance.now(), first: new Map(), whole: new Map(), pairs: new Map() };
    },
    again: () =>
      new Map(salas.map((sala) => [sala, { first: watched?.first.get(sala) ?? Infinity, whole: watched?.whole.get(sala) ?? Infinity }])),
    whole: (what) => whenWhole(editors, madeIn, what),
    leave: async () => {
      stop.abort();
      await Promise.all(lives);
      for (const sala of salas) {
        const reader = await entry.come(people[0]!, sala, new Y.Doc());
        await until('a fresh reader to have all', () => reader.doc.getMap('edits').size === madeIn(sala), 60_000);
        reader.end();
      }
    },
  };
}

async function whenAllIn(editors: readonly Editor[]): Promise<void> {
  await until('everybody in a room', () => editors.every(({ client }) => client !== null), 180_000).catch((error: unknown) => {
    const out = editors.filter(({ client }) => client === null);
    throw new Error(`${String(error)}: ${out.length} are not, ${out[0]?.name} in ${out[0]?.sala}: ${out[0]?.refused}`);
  });
}

async function whenWhole(editors: readonly Editor[], madeIn: (sala: string) => number, what: string): Promise<void> {
  const lacking = (): readonly Editor[] => editors.filter(({ sala, holds }) => holds.size < madeIn(sala));
  await until(what, () => lacking().length === 0, 120_000).catch((error: unknown) => {
    const some = lacking().map(
      (one) => `${one.name} in ${one.sala} holds ${one.holds.size} of ${madeIn(one.sala)}, its line ${lineOf(one)} ${one.refused}`,
    );
    throw new Error(`${String(error)}\n${some.slice(0, 8).join('\n')}`);
  });
}

const lineOf = ({ client }: Editor): string => ['opening', 'open', 'closing', 'closed'][client?.ws.readyState ?? 3] ?? '';

/** Comes again whenever it was sent away, as the machine of a page does. */
async function live(editor: Editor, entry: RoomEntry, signal: AbortSignal): Promise<void> {
  const ended = new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  while (!signal.aborted) {
    const client = await entry.come(editor.who, editor.sala, editor.doc).catch((error: unknown) => {
      editor.refused = String(error);
      return null;
    });
    editor.client = client;
    if (client === null) await sleep(100);
    else await Promise.race([client.closed, ended]);
  }
  editor.client?.end();
}
