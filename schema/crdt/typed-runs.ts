/**
 * Letters that one person typed one after the other, each a separate update, as one update with all of them: Yjs joins such letters in its
 * documents anyway, and a document is built from a tenth of the updates in a tenth of the time. Everything else is unchanged.
 * Decision: docs/decisions/0090-rooms-are-logs.md
 */
import { type Cursor, readVarbytes, readVaruint, varuintBytes, writeVaruint } from '../varuint.ts';

/** Bits of the first byte that Yjs writes for text that follows a letter, and maybe precedes one. */
const text = 4;
const hasOrigin = 128;
const hasRightOrigin = 64;

interface Letters {
  readonly client: number;
  readonly clock: number;
  readonly info: number;
  readonly originClient: number;
  readonly originClock: number;
  /** -1 both: nothing follows. */
  readonly rightClient: number;
  readonly rightClock: number;
  readonly content: Uint8Array;
  /** In UTF-16 units, as Yjs counts. */
  readonly units: number;
}

export function joinTypedRuns(updates: readonly Uint8Array[]): readonly Uint8Array[] {
  const joined: Uint8Array[] = [];
  let run: Letters[] = [];
  let first = 0;
  let nextClock = 0;
  const end = (): void => {
    if (run.length > 0) joined.push(run.length === 1 ? updates[first]! : updateOf(run));
    run = [];
  };
  for (const [n, update] of updates.entries()) {
    const letters = lettersOf(update);
    if (!letters || run.length === 0 || !continues(run[0]!, nextClock, letters)) {
      end();
      first = n;
    }
    if (letters) {
      run.push(letters);
      nextClock = letters.clock + letters.units;
    } else joined.push(update);
  }
  end();
  return joined;
}

/** Whether the letters stand directly behind a run that began so and ends before that clock. */
function continues(begin: Letters, nextClock: number, letters: Letters): boolean {
  return (
    letters.client === begin.client &&
    letters.clock === nextClock &&
    letters.originClient === begin.client &&
    letters.originClock === nextClock - 1 &&
    letters.rightClient === begin.rightClient &&
    letters.rightClock === begin.rightClock
  );
}

/** Null: anything but one piece of text behind another, without deletions. */
function lettersOf(update: Uint8Array): Letters | null {
  if (update[0] !== 1 || update[1] !== 1) return null;
  const cursor: Cursor = { bytes: update, at: 2 };
  const client = readVaruint(cursor);
  const clock = readVaruint(cursor);
  const info = update[cursor.at++];
  if (info !== (text | hasOrigin) && info !== (text | hasOrigin | hasRightOrigin)) return null;
  const originClient = readVaruint(cursor);
  const originClock = readVaruint(cursor);
  const hasRight = (info & hasRightOrigin) !== 0;
  const rightClient = hasRight ? readVaruint(cursor) : -1;
  const rightClock = hasRight ? readVaruint(cursor) : -1;
  const content = readVarbytes(cursor);
  if (client === null || clock === null || originClient === null || originClock === null) return null;
  if (rightClient === null || rightClock === null || content === null || content.length === 0) return null;
  if (cursor.at !== update.length - 1 || update[cursor.at] !== 0) return null;
  return { client, clock, info, originClient, originClock, rightClient, rightClock, content, units: unitsOf(content) };
}

/** UTF-16 units of UTF-8 text: one for each character, two for those of four bytes. */
function unitsOf(utf8: Uint8Array): number {
  let units = 0;
  for (const byte of utf8) units += (byte & 192) === 128 ? 0 : byte >= 240 ? 2 : 1;
  return units;
}

function updateOf(run: readonly Letters[]): Uint8Array {
  const { client, clock, info, originClient, originClock, rightClient, rightClock } = run[0]!;
  const right = rightClient < 0 ? [] : [rightClient, rightClock];
  const size = run.reduce((sum, { content }) => sum + content.length, 0);
  const numbers = [client, clock, originClient, originClock, ...right, size];
  const update = new Uint8Array(4 + numbers.reduce((sum, value) => sum + varuintBytes(value), size));
  update[0] = 1;
  update[1] = 1;
  let at = writeVaruint(update, writeVaruint(update, 2, client), clock);
  update[at++] = info;
  for (const value of [originClient, originClock, ...right, size]) at = writeVaruint(update, at, value);
  for (const { content } of run) {
    update.set(content, at);
    at += content.length;
  }
  return update;
}
