/**
 * An update (V1) as several that each fit into a frame: the portal takes none above 1 MiB, and a document that was written without a
 * network, or bound to a new room, may be larger. Parts are cut between structs, and inside long text as Yjs itself would; each depends on
 * the parts before it. Format: INTERNALS.md of yjs; the reader is the portal's own (schema/crdt/scan.ts).
 */
import { scanUpdate } from '../../schema/crdt/update.ts';
import { encodeUints, readVarbytes, readVaruint, type Cursor } from '../../schema/varuint.ts';

interface Struct {
  readonly client: number;
  readonly clock: number;
  readonly length: number;
  readonly bytes: Uint8Array;
  /** Structs of other clients that it depends on: client, clock, client, clock… */
  readonly needs: readonly number[];
}

/** The update itself when it fits, can't be read, or holds a single item that is too big. */
export function partsOf(update: Uint8Array, bytesMax: number): readonly Uint8Array[] {
  if (update.length <= bytesMax) return [update];
  const structs: Struct[] = [];
  let client = 0;
  let needs: number[] = [];
  let end = 0;
  const scan = scanUpdate(
    update,
    undefined,
    {
      section: (next) => {
        client = next;
      },
      need: (other, clock) => void needs.push(other, clock),
      struct: (clock, length, from, to) => {
        structs.push(...cutText({ client, clock, length, bytes: update.subarray(from, to), needs }, bytesMax / 2));
        needs = [];
        end = to;
      },
    },
    false,
  );
  // svc writes no hole at the end of a section; with one the deletions can't be found by the last struct.
  if (scan === null || scan.gaps || structs.length === 0) return [update];
  const deletes = update.subarray(end);
  const parts = [...packed(inOrder(structs), bytesMax - deletes.length), part([], deletes)];
  return parts.every(({ length }) => length <= bytesMax) ? parts : [update];
}

function byClient(structs: readonly Struct[]): ReadonlyMap<number, readonly Struct[]> {
  const queues = new Map<number, Struct[]>();
  for (const struct of structs) {
    const queue = queues.get(struct.client);
    if (queue === undefined) queues.set(struct.client, [struct]);
    else queue.push(struct);
  }
  return queues;
}

/** Every struct after its dependencies; those that the update does not hold are there already. */
function inOrder(structs: readonly Struct[]): readonly Struct[] {
  const queues = byClient(structs);
  const next = new Map<number, number>();
  const isThere = (client: number, clock: number): boolean => {
    const queue = queues.get(client);
    const first = queue?.[next.get(client) ?? 0];
    return first === undefined || clock < first.clock;
  };
  const ordered: Struct[] = [];
  for (let before = -1; ordered.length > before;) {
    before = ordered.length;
    for (const [client, queue] of queues) {
      let at = next.get(client) ?? 0;
      for (let one = queue[at]; one !== undefined && stands(one, isThere); one = queue[at]) {
        ordered.push(one);
        next.set(client, (at += 1));
      }
    }
  }
  return ordered;
}

function stands({ needs }: Struct, isThere: (client: number, clock: number) => boolean): boolean {
  for (let at = 0; at < needs.length; at += 2) if (!isThere(needs[at] ?? 0, needs[at + 1] ?? 0)) return false;
  return true;
}

function packed(structs: readonly Struct[], bytesMax: number): Uint8Array[] {
  const parts: Uint8Array[] = [];
  let some: Struct[] = [];
  let bytes = 0;
  for (const struct of structs) {
    // Beside its own bytes, what the head of a section may take.
    const more = struct.bytes.length + 30;
    if (some.length > 0 && bytes + more > bytesMax) {
      parts.push(part(some, Uint8Array.of(0)));
      some = [];
      bytes = 0;
    }
    some.push(struct);
    bytes += more;
  }
  if (some.length > 0) parts.push(part(some, Uint8Array.of(0)));
  return parts;
}

function part(structs: readonly Struct[], deletes: Uint8Array): Uint8Array {
  const sections = [...byClient(structs)].sort(([one], [other]) => other - one);
  const pieces: Uint8Array[] = [encodeUints([sections.length])];
  for (const [client, [first, ...others]] of sections) {
    if (first === undefined) continue;
    pieces.push(encodeUints([others.length + 1, client, first.clock]), first.bytes, ...others.map(({ bytes }) => bytes));
  }
  return joined([...pieces, deletes]);
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

const hasOrigin = 128;
const hasRightOrigin = 64;
const hasParentSub = 32;
const stringContent = 4;

/** A long text as several structs, each with the last character of the one before as its origin: what Yjs's own splitting gives. */
function cutText(struct: Struct, bytesMax: number): readonly Struct[] {
  const { client, clock, bytes } = struct;
  const info = bytes[0] ?? 0;
  if (bytes.length <= bytesMax || (info & 31) !== stringContent) return [struct];
  const cursor: Cursor = { bytes, at: 1 };
  const skipId = (): void => void (readVaruint(cursor), readVaruint(cursor));
  if (info & hasOrigin) skipId();
  const rightAt = cursor.at;
  if (info & hasRightOrigin) skipId();
  const rightOrigin = bytes.subarray(rightAt, cursor.at);
  if ((info & (hasOrigin | hasRightOrigin)) === 0) {
    if (readVaruint(cursor) === 1) readVarbytes(cursor);
    else skipId();
    if (info & hasParentSub) readVarbytes(cursor);
  }
  const head = bytes.subarray(0, cursor.at);
  const said = readVarbytes(cursor);
  if (said === null) return [struct];
  const pieces: Struct[] = [];
  let from = clock;
  for (const text of pieceOfText(said, bytesMax - 100)) {
    const length = new TextDecoder().decode(text).length;
    const own = joined([Uint8Array.of(stringContent | hasOrigin | (info & hasRightOrigin)), encodeUints([client, from - 1]), rightOrigin]);
    const start = pieces.length === 0 ? head : own;
    pieces.push({ client, clock: from, length, bytes: joined([start, encodeUints([text.length]), text]), needs: struct.needs });
    from += length;
  }
  return pieces;
}

/** Never cut inside a character. */
function* pieceOfText(bytes: Uint8Array, bytesMax: number): Generator<Uint8Array> {
  for (let from = 0; from < bytes.length;) {
    let to = Math.min(from + Math.floor(bytesMax), bytes.length);
    while (to < bytes.length && ((bytes[to] ?? 0) & 0xc0) === 0x80) to -= 1;
    yield bytes.subarray(from, to);
    from = to;
  }
}
