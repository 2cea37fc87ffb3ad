/**
 * Presence: a table of what each client id says of itself, not an Awareness. A client id belongs to the socket that published it first,
 * while that one lives; what other sockets say about it is dropped. The portal sets the person of a page over the page's own value. Source:
 * spec 2.4, 6. Decision: docs/decisions/0092-presence-table.md
 */
import { type Cursor, readVarbytes, readVaruint, varuintBytes, writeVaruint } from '../../../schema/varuint.ts';
import { limits } from '../limits.ts';
import { frameOf, messages } from '../../../schema/room-frames.ts';
import type { Seat } from '../contract.ts';

/** What the table needs to know of a connection. */
export interface Owner {
  readonly seat: Seat;
  /** `corDe` of the person. */
  readonly color: string;
  /** Its client ids. */
  readonly ids: Set<number>;
}

interface Entry<By> {
  readonly clock: number;
  /** Id, clock and JSON as they are sent. Null: as received in `said`, not parsed yet. */
  encoded: Uint8Array | null;
  readonly said: Uint8Array;
  readonly by: By;
}

export interface PresenceTable<By extends Owner> {
  readonly entries: Map<number, Entry<By>>;
  /** Ids whose change has not been sent; of those that are gone, the clock. */
  readonly changed: Map<number, number | null>;
  /** All of it as one frame, until something changes: many come at once when a portal is back. */
  whole: Uint8Array | null;
}

export const emptyPresence = <By extends Owner>(): PresenceTable<By> => ({ entries: new Map(), changed: new Map(), whole: null });

const nullJson = Uint8Array.of(110, 117, 108, 108);
const isNull = (json: Uint8Array): boolean => json.length === 4 && json.every((byte, n) => byte === nullJson[n]);

export type Published = 'malformed' | 'changed' | 'nothing';

/** Takes an awareness update from one connection. Counts what it left out in `discarded`. */
export function publish<By extends Owner>(table: PresenceTable<By>, by: By, update: Uint8Array, discard: () => void): Published {
  const cursor: Cursor = { bytes: update, at: 0 };
  const count = readVaruint(cursor);
  if (count === null || count > limits.roomPresenceEntriesMax) return 'malformed';
  let changed = false;
  for (let n = 0; n < count; n += 1) {
    const id = readVaruint(cursor);
    const clock = readVaruint(cursor);
    const json = readVarbytes(cursor);
    if (id === null || clock === null || json === null) return 'malformed';
    if (takeOne(table, by, id, clock, json)) changed = true;
    else discard();
  }
  if (cursor.at !== update.length) return 'malformed';
  return changed ? 'changed' : 'nothing';
}

function takeOne<By extends Owner>(table: PresenceTable<By>, by: By, id: number, clock: number, json: Uint8Array): boolean {
  const entry = table.entries.get(id);
  if (entry && entry.by !== by && !sameVoice(entry.by.seat, by.seat)) return false;
  if (isNull(json)) {
    if (!entry || clock < entry.clock) return false;
    remove(table, id, clock);
    return true;
  }
  if (json.length > limits.roomPresenceBytesMax) return false;
  if (entry && clock <= entry.clock && (entry.by === by || clock < entry.clock)) return false;
  if (entry?.by !== by && by.ids.size >= limits.roomPresenceIdsPerSocketMax) return false;
  entry?.by.ids.delete(id);
  by.ids.add(id);
  // Copied: the receive buffer is not kept.
  table.entries.set(id, { clock, encoded: null, said: new Uint8Array(json), by });
  table.changed.set(id, null);
  table.whole = null;
  return true;
}

/** A page that reconnects before its old socket is cut takes its id along; no other socket can. */
const sameVoice = (one: Seat, other: Seat): boolean => one.usuario === other.usuario && one.por === other.por;

function remove<By extends Owner>(table: PresenceTable<By>, id: number, clock: number): void {
  table.entries.get(id)?.by.ids.delete(id);
  table.entries.delete(id);
  table.changed.set(id, clock);
  table.whole = null;
}

/** When a connection is gone. True when that changes what others see. */
export function leave<By extends Owner>(table: PresenceTable<By>, by: By): boolean {
  const ids = [...by.ids];
  for (const id of ids) remove(table, id, table.entries.get(id)!.clock);
  return ids.length > 0;
}

/** Everything that changed since the last time, as one frame; null when nothing did. `onBad`: said no JSON object, and may take all its ids out. */
export function changesFrame<By extends Owner>(table: PresenceTable<By>, onBad: (by: By) => void): Uint8Array | null {
  encodeAll(table, table.changed.keys(), onBad);
  const parts: Uint8Array[] = [];
  for (const [id, goneAt] of table.changed) {
    parts.push(goneAt === null ? table.entries.get(id)!.encoded! : encodedEntry(id, goneAt, nullJson));
  }
  table.changed.clear();
  return frameOfParts(parts);
}

/** The whole table as one frame; null when it is empty. */
export function tableFrame<By extends Owner>(table: PresenceTable<By>, onBad: (by: By) => void): Uint8Array | null {
  if (table.whole === null) {
    encodeAll(table, table.entries.keys(), onBad);
    table.whole = frameOfParts([...table.entries.values()].map(({ encoded }) => encoded!));
  }
  return table.whole;
}

/** Before a frame is built: a client whose JSON is invalid is left out with all its ids. */
function encodeAll<By extends Owner>(table: PresenceTable<By>, ids: Iterable<number>, onBad: (by: By) => void): void {
  for (const id of ids) {
    const entry = table.entries.get(id);
    if (!entry || entry.encoded) continue;
    const json = stamped(entry.said, entry.by);
    if (json !== null) entry.encoded = encodedEntry(id, entry.clock, Buffer.from(json));
    else {
      remove(table, id, entry.clock);
      onBad(entry.by);
    }
  }
}

function encodedEntry(id: number, clock: number, json: Uint8Array): Uint8Array {
  const into = new Uint8Array(varuintBytes(id) + varuintBytes(clock) + varuintBytes(json.length) + json.length);
  const at = writeVaruint(into, writeVaruint(into, writeVaruint(into, 0, id), clock), json.length);
  into.set(json, at);
  return into;
}

function frameOfParts(parts: readonly Uint8Array[]): Uint8Array | null {
  if (parts.length === 0) return null;
  const size = parts.reduce((sum, { length }) => sum + length, varuintBytes(parts.length));
  const update = new Uint8Array(size);
  let at = writeVaruint(update, 0, parts.length);
  for (const part of parts) {
    update.set(part, at);
    at += part.length;
  }
  return frameOf([messages.awareness], update);
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

/** With the portal's word on who that is. Null when it is no JSON object. */
function stamped(said: Uint8Array, by: Owner): string | null {
  let state: unknown;
  try {
    state = JSON.parse(Buffer.from(said.buffer, said.byteOffset, said.byteLength).toString('utf8'));
  } catch {
    return null;
  }
  if (!isObject(state)) return null;
  return JSON.stringify({ ...state, user: userOf(isObject(state['user']) ? state['user'] : {}, by) });
}

function userOf(all: Record<string, unknown>, { color, seat: { usuario, nome, iniciais, por } }: Owner): Record<string, unknown> {
  // Fields that could be taken for the portal's statement on who that is. A login is never sent to rooms.
  const { login: _login, por: _por, de: _de, ...said } = all;
  if (por === 'pagina') return { ...said, usuario, name: nome, iniciais, color };
  // A backend keeps the name that it gives itself; its owner is shown beside it.
  const own = typeof said['name'] === 'string' ? said['name'] : nome;
  return {
    ...said,
    usuario,
    name: own,
    iniciais: typeof said['iniciais'] === 'string' ? said['iniciais'] : iniciais,
    color,
    por,
    de: nome,
  };
}
