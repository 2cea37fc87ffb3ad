/**
 * Presence: a table of what each client id says of itself, not an Awareness. A client id belongs to the socket that published it first, while that
 * one lives; what other sockets say about it is dropped. The portal sets the person of a page over the page's own value. Source: rules 2.4, 6.
 * Decision: docs/decisions/0092-presence-table.md
 */
import { type Cursor, readVarbytes, readVaruint, varuintBytes, writeVaruint } from '../../../schema/varuint.ts';
import { limits } from '../limits.ts';
import { frameOf, messages } from '../../../schema/room-frames.ts';
import type { Seat } from '../contract.ts';

/** The part of a connection that the table needs. */
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
  /** Each person's entries and recent updates; kept while the room is open. */
  readonly shares: Map<string, Share>;
  /** Size of all entries. */
  bytes: number;
}

/** Presence of one person, in all their sockets. */
interface Share {
  /** Kept in the table. */
  bytes: number;
  /** Said, less what time has taken off again; at `atMs`, monotonic. */
  said: number;
  atMs: number;
}

export const emptyPresence = <By extends Owner>(): PresenceTable<By> => ({
  entries: new Map(),
  changed: new Map(),
  whole: null,
  shares: new Map(),
  bytes: 0,
});

const nullJson = Uint8Array.of(110, 117, 108, 108);
const isNull = (json: Uint8Array): boolean => json.length === 4 && json.every((byte, n) => byte === nullJson[n]);

/** `tooMuch`: the person has as much as one may in this room, or says it too fast. */
export type Published = 'malformed' | 'tooMuch' | 'changed' | 'nothing';

/** Takes an awareness update from one connection. Counts what it left out in `discarded`. */
export function publish<By extends Owner>(
  table: PresenceTable<By>,
  by: By,
  update: Uint8Array,
  { discard, nowMs }: { readonly discard: () => void; readonly nowMs: number },
): Published {
  const cursor: Cursor = { bytes: update, at: 0 };
  const count = readVaruint(cursor);
  if (count === null || count > limits.roomPresenceEntriesMax) return 'malformed';
  let changed = false;
  for (let n = 0; n < count; n += 1) {
    const id = readVaruint(cursor);
    const clock = readVaruint(cursor);
    const json = readVarbytes(cursor);
    if (id === null || clock === null || json === null) return 'malformed';
    const taken = takeOne(table, by, { id, clock, json, nowMs });
    if (taken === 'tooMuch') return taken;
    if (taken === 'changed') changed = true;
    else discard();
  }
  if (cursor.at !== update.length) return 'malformed';
  return changed ? 'changed' : 'nothing';
}

interface Word {
  readonly id: number;
  readonly clock: number;
  readonly json: Uint8Array;
  readonly nowMs: number;
}

function takeOne<By extends Owner>(table: PresenceTable<By>, by: By, { id, clock, json, nowMs }: Word): Published {
  const entry = table.entries.get(id);
  if (entry && entry.by !== by && !sameVoice(entry.by.seat, by.seat)) return 'nothing';
  if (isNull(json)) {
    if (!entry || clock < entry.clock) return 'nothing';
    remove(table, id, clock);
    return 'changed';
  }
  if (json.length > limits.roomPresenceBytesMax) return 'nothing';
  if (entry && clock <= entry.clock && (entry.by === by || clock < entry.clock)) return 'nothing';
  if (entry?.by !== by && by.ids.size >= limits.roomPresenceIdsPerSocketMax) return 'nothing';
  if (!spend(shareOf(table, by), json.length, nowMs)) return 'tooMuch';
  if (entry) forget(table, id, entry);
  const space = makeRoom(table, by, bytesOf(json));
  if (space !== 'changed') {
    // The earlier entry goes, too: it is older.
    if (entry) removeForgotten(table, id, clock);
    return space;
  }
  by.ids.add(id);
  keep(table, by, bytesOf(json));
  // Copied: the receive buffer is not kept.
  table.entries.set(id, { clock, encoded: null, said: new Uint8Array(json), by });
  table.changed.set(id, null);
  table.whole = null;
  return 'changed';
}

/** A page that reconnects before its old socket is cut takes its id along; no other socket can. */
const sameVoice = (one: Seat, other: Seat): boolean => one.usuario === other.usuario && one.por === other.por;

const bytesOf = (said: Uint8Array): number => said.length + limits.roomPresenceOverheadBytes;

function shareOf<By extends Owner>({ shares }: PresenceTable<By>, { seat: { usuario } }: By): Share {
  let share = shares.get(usuario);
  if (!share) shares.set(usuario, (share = { bytes: 0, said: 0, atMs: 0 }));
  return share;
}

function keep<By extends Owner>(table: PresenceTable<By>, by: By, bytes: number): void {
  shareOf(table, by).bytes += bytes;
  table.bytes += bytes;
}

/** False: more than one may say at once. */
function spend(share: Share, bytes: number, nowMs: number): boolean {
  const gone = (Math.max(0, nowMs - share.atMs) / 1_000) * limits.roomPresenceBytesPerSecond;
  share.said = Math.max(0, share.said - gone) + bytes;
  share.atMs = nowMs;
  return share.said <= limits.roomPresenceBurstBytes;
}

/**
 * Makes room for so much more of this person: `tooMuch` when they have their share. Where all together have too much, the entries of whoever has most
 * go, one by one; nobody has more than this person: this one word is left out.
 */
function makeRoom<By extends Owner>(table: PresenceTable<By>, by: By, bytes: number): Published {
  const own = shareOf(table, by);
  if (own.bytes + bytes > limits.roomPresencePersonBytesMax) return 'tooMuch';
  while (table.bytes + bytes > limits.roomPresenceRoomBytesMax) {
    const [who, most] = [...table.shares].reduce((one, other) => (other[1].bytes > one[1].bytes ? other : one));
    const found = most.bytes <= own.bytes + bytes ? undefined : [...table.entries].find(([, entry]) => entry.by.seat.usuario === who);
    if (!found) return 'nothing';
    remove(table, found[0], found[1].clock);
  }
  return 'changed';
}

function forget<By extends Owner>(table: PresenceTable<By>, id: number, { by, said }: Entry<By>): void {
  by.ids.delete(id);
  keep(table, by, -bytesOf(said));
}

function remove<By extends Owner>(table: PresenceTable<By>, id: number, clock: number): void {
  const entry = table.entries.get(id);
  if (entry) forget(table, id, entry);
  removeForgotten(table, id, clock);
}

function removeForgotten<By extends Owner>(table: PresenceTable<By>, id: number, clock: number): void {
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
