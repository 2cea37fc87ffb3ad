/**
 * The two framings of the rooms benchmark, and readers that decode no more of a message than a figure needs. Both carry the messages of
 * y-protocols; Hocuspocus puts the name of the document before each and wants an authentication first.
 */
import * as decoding from 'lib0/decoding';
import * as encoding from 'lib0/encoding';

export const messageSync = 0;
export const messageAwareness = 1;
/** Type of Hocuspocus: a sync message that wants no step 1 in return. */
export const messageSyncReply = 4;
/** Type of Hocuspocus. */
const messagePing = 9;
export const syncStep1 = 0;
export const syncStep2 = 1;
export const syncUpdate = 2;

export interface Dialect {
  /** Bytes before each message, both ways. */
  prefix(room: string): Uint8Array;
  /** Payloads sent as soon as the socket is open. */
  hello(room: string): readonly Uint8Array[];
  /** Whether the server speaks the sync protocol at all. */
  readonly syncs: boolean;
  /** Whether the server tells who comes who is there. */
  readonly knowsWhoIsThere: boolean;
  /** A client's message now and then, because the server cuts a client that is silent for a minute; null: its pings are enough. */
  stillHere(room: string): Uint8Array | null;
}

const none = new Uint8Array();

export const dialects = {
  'y-websocket': { prefix: () => none, hello: () => [], syncs: true, knowsWhoIsThere: true, stillHere: () => null },
  broadcast: { prefix: () => none, hello: () => [], syncs: false, knowsWhoIsThere: false, stillHere: () => null },
  hocuspocus: {
    prefix: (room) => encoding.encode((to) => encoding.writeVarString(to, room)),
    hello: (room) => [
      encoding.encode((to) => {
        encoding.writeVarString(to, room);
        encoding.writeVarUint(to, 2);
        encoding.writeVarUint(to, 0);
        encoding.writeVarString(to, 'token');
      }),
    ],
    syncs: true,
    knowsWhoIsThere: true,
    stillHere: (room) =>
      encoding.encode((to) => {
        encoding.writeVarString(to, room);
        encoding.writeVarUint(to, messagePing);
      }),
  },
} satisfies Readonly<Record<string, Dialect>>;

export type DialectName = keyof typeof dialects;

export function syncMessage(prefix: Uint8Array, kind: number, content: Uint8Array): Uint8Array {
  return encoding.encode((to) => {
    encoding.writeUint8Array(to, prefix);
    encoding.writeVarUint(to, messageSync);
    encoding.writeVarUint(to, kind);
    encoding.writeVarUint8Array(to, content);
  });
}

/** The presence of one client as y-protocols sends it. */
export function awarenessMessage(prefix: Uint8Array, client: number, clock: number, state: unknown): Uint8Array {
  const update = encoding.encode((to) => {
    encoding.writeVarUint(to, 1);
    encoding.writeVarUint(to, client);
    encoding.writeVarUint(to, clock);
    encoding.writeVarString(to, JSON.stringify(state));
  });
  return encoding.encode((to) => {
    encoding.writeUint8Array(to, prefix);
    encoding.writeVarUint(to, messageAwareness);
    encoding.writeVarUint8Array(to, update);
  });
}

/** Position of the readers below; one for all, as nothing here waits. */
let position = 0;

function varUint(buffer: Uint8Array): number {
  let byte = buffer[position++]!;
  if (byte < 128) return byte;
  let value = byte & 127;
  let factor = 128;
  do {
    byte = buffer[position++]!;
    value += (byte & 127) * factor;
    factor *= 128;
  } while (byte >= 128);
  return value;
}

/** A function, as `position += varUint()` would add to where it stood before the number. */
function skip(bytes: number): void {
  position += bytes;
}

/** Calls `visit` for each run of characters in an update (V1) of insertions of ASCII text; other content is an error of the benchmark. */
export function readInsertions(buffer: Uint8Array, from: number, visit: (client: number, clock: number, length: number) => void): void {
  position = from;
  for (let clients = varUint(buffer); clients > 0; clients -= 1) {
    let structs = varUint(buffer);
    const client = varUint(buffer);
    let clock = varUint(buffer);
    for (; structs > 0; structs -= 1) {
      const length = insertion(buffer);
      visit(client, clock, length);
      clock += length;
    }
  }
}

function insertion(buffer: Uint8Array): number {
  const info = buffer[position++]!;
  if ((info & 31) !== 4) throw new Error(`an insertion was expected, the struct is ${info}`);
  for (const origin of [128, 64]) {
    if ((info & origin) === 0) continue;
    varUint(buffer);
    varUint(buffer);
  }
  if ((info & 192) === 0) {
    if (varUint(buffer) === 1) skip(varUint(buffer));
    else {
      varUint(buffer);
      varUint(buffer);
    }
  }
  const length = varUint(buffer);
  skip(length);
  return length;
}

/** Calls `visit` for each client in an awareness message's content. */
export function readPresences(buffer: Uint8Array, from: number, visit: (client: number, clock: number) => void): void {
  position = from;
  for (let count = varUint(buffer); count > 0; count -= 1) {
    const client = varUint(buffer);
    const clock = varUint(buffer);
    skip(varUint(buffer));
    visit(client, clock);
  }
}

/** Where the content of a sync message lies: after its length. */
export function contentOf(buffer: Uint8Array, from: number): number {
  position = from;
  varUint(buffer);
  return position;
}

/** A copy of the content of a sync message. */
export function copyContent(buffer: Uint8Array, from: number): Uint8Array {
  position = from;
  const length = varUint(buffer);
  // Not `slice`: that of a Buffer is a view.
  return new Uint8Array(buffer.subarray(position, position + length));
}

/**
 * Updates (V1) of one client that types `count` letters one by one, each after the one before, into the text "t". Written by hand because
 * a Y.Doc takes longer and longer for the next letter of a long run; every run of the benchmark compares the outcome with Yjs.
 */
export function typedUpdates(client: number, firstClock: number, count: number): Uint8Array[] {
  const updates: Uint8Array[] = [];
  for (let clock = firstClock; clock < firstClock + count; clock += 1) {
    updates.push(
      encoding.encode((to) => {
        encoding.writeVarUint(to, 1);
        encoding.writeVarUint(to, 1);
        encoding.writeVarUint(to, client);
        encoding.writeVarUint(to, clock);
        if (clock === 0) {
          encoding.writeUint8(to, 4);
          encoding.writeVarUint(to, 1);
          encoding.writeVarString(to, 't');
        } else {
          encoding.writeUint8(to, 132);
          encoding.writeVarUint(to, client);
          encoding.writeVarUint(to, clock - 1);
        }
        encoding.writeVarString(to, String.fromCharCode(97 + ((clock * 7 + client) % 26)));
        encoding.writeVarUint(to, 0);
      }),
    );
  }
  return updates;
}

/** State vector in a step 1 message's content, as a map from client to clock. */
export function readStateVector(bytes: Uint8Array): Map<number, number> {
  const decoder = decoding.createDecoder(bytes);
  const vector = new Map<number, number>();
  for (let count = decoding.readVarUint(decoder); count > 0; count -= 1) {
    const client = decoding.readVarUint(decoder);
    vector.set(client, decoding.readVarUint(decoder));
  }
  return vector;
}
