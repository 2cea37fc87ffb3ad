/**
 * A document of a room while it is open: its base and tail as frames, its state, its connections. No Yjs document: a frame is checked, copied once
 * and sent on. Decision: docs/decisions/0090-rooms-are-logs.md
 */
import { type Canal, type Papel } from '../../../schema/rooms.ts';
import {
  decodeVector,
  deletesAsUpdate,
  encodeVector,
  type Knowledge,
  knowsNothing,
  learn,
  scanUpdate,
} from '../../../schema/crdt/update.ts';
import { frameOf, messages, syncs, updatesIn } from '../../../schema/room-frames.ts';
import type { LoggedBase, LoggedRoom, RoomKey } from '../../../store/room-log.ts';
import type { Allowance } from './allowance.ts';
import type { Outlet } from './frame-writer.ts';
import { emptyPresence, type Owner, type PresenceTable } from './presence.ts';
import { appendFrames, dropBefore, emptyTail, slicesOf, type Tail } from './tail.ts';

/** Rows of the log that lie in memory: each ends at an offset of the tail. */
interface Mark {
  readonly seq: number;
  readonly to: number;
}

/** An update that depends on `clock` of `client`, which isn't here yet. */
export interface Held {
  readonly update: Uint8Array;
  readonly client: number;
  readonly clock: number;
}

/** A socket of a room, and its person. */
export interface Connection extends Outlet, Owner {
  readonly canal: Canal;
  readonly room: Room;
  papel: Papel;
  /** It asked for the state and got it: from then on it gets every update. */
  live: boolean;
  /** It asked again while the last answer still waits to be read: the state vector of its last question. */
  asked: Uint8Array | null;
  held: Held[];
  readonly allowance: Allowance;
  /** Its last update is being measured: what comes meanwhile. Null: nothing is. */
  waiting: Buffer[] | null;
  /** It sent something since the last check. */
  heard: boolean;
  /** Closing: what it still sends counts for nothing. */
  gone: boolean;
  /** Time slot of its heartbeat. */
  readonly beat: number;
}

/** The use of the rooms of one owner (budget.ts). */
export interface Account {
  readonly dona: string;
  /** Rooms that are open or being opened. */
  readonly rooms: Set<Room>;
  memoryBytes: number;
  /** The same, by app. */
  readonly memoryOf: Map<string, number>;
  /** Null: not known yet, or it can't be read now. */
  diskBytes: number | null;
  /** Monotonic. */
  diskAtMs: number;
}

export interface Room {
  readonly key: RoomKey;
  readonly name: string;
  readonly app: string;
  /** The account of its owner's rooms, and the bytes with which this one is counted there. */
  readonly account: Account;
  countedBytes: number;
  /** `leaving`: its memory is needed; joins are refused, and it is dropped as soon as all of it is on the disk. */
  state: 'loading' | 'open' | 'leaving' | 'gone';
  readonly sockets: Set<Connection>;
  /** Ends when it is no longer `loading`. */
  opening: Promise<void>;
  known: Knowledge;
  /** Null: nothing was compacted yet. */
  baseFrame: Uint8Array | null;
  baseBytes: number;
  baseVector: ReadonlyMap<number, number>;
  readonly tail: Tail;
  /** Sent to the sockets up to here, and handed to the log, and written by it. */
  sentTo: number;
  loggedTo: number;
  durableTo: number;
  seq: number;
  readonly marks: Mark[];
  /** Structs of base and tail, or more: an update counts as often as it came. */
  structs: number;
  /** Updates in the tail, and when the last one came (monotonic). */
  updates: number;
  changedAtMs: number;
  /** Updates that have not been sent yet. */
  unsent: number;
  /** Authors of the updates since the last sending: runs of the tail. Null: no socket (reverting.ts). */
  readonly authors: { readonly by: Connection | null; to: number }[];
  /** Persons whose updates were not handed to the log yet. */
  readonly writers: Set<string>;
  /** Versions that are being brought back, and the end of the last one: each is built on what the one before it wrote (reverting.ts). */
  reverting: { count: number; last: Promise<void> };
  /** Wait until the log has written up to an offset. */
  readonly awaited: { readonly to: number; readonly done: () => void }[];
  readonly presence: PresenceTable<Connection>;
  /** Something is to be sent. Kept by turns.ts. */
  sendDue: boolean;
  presenceDue: boolean;
  /** When it last sent to its sockets, and when presence (monotonic); how long that takes, smoothed; and when it is checked next. */
  sentAtMs: number;
  presenceSentAtMs: number;
  sendCostMs: number;
  wake: { readonly atMs: number; readonly cancel: () => void } | null;
  /** Connections with held back updates whose dependencies are missing, and the size of all of them. */
  readonly holders: Set<Connection>;
  heldBytes: number;
  /** Answers to joiners, until something changes. */
  replies: Replies;
  cancelLinger: () => void;
}

interface Replies {
  /** Step 1 frame that ends a reply: the state vector of the whole room. */
  end: Uint8Array | null;
  /** The update and the frame of it. */
  deletes: { readonly update: Uint8Array; readonly frame: Uint8Array } | null;
  /** Cached differences from the base alone, by the question. */
  readonly diffs: Map<string, Uint8Array>;
}

export const nameOf = ({ sala, canal }: RoomKey): string => `${sala}/${canal}`;

export const newAccount = (dona = ''): Account => ({
  dona,
  rooms: new Set(),
  memoryBytes: 0,
  memoryOf: new Map(),
  diskBytes: null,
  diskAtMs: -Infinity,
});

export function createRoom(key: RoomKey, app = '', account = newAccount()): Room {
  return {
    key,
    name: nameOf(key),
    app,
    account,
    countedBytes: 0,
    state: 'loading',
    sockets: new Set(),
    opening: Promise.resolve(),
    known: knowsNothing(),
    baseFrame: null,
    baseBytes: 0,
    baseVector: new Map(),
    tail: emptyTail(),
    sentTo: 0,
    loggedTo: 0,
    durableTo: 0,
    seq: 0,
    marks: [],
    structs: 0,
    updates: 0,
    changedAtMs: 0,
    unsent: 0,
    authors: [],
    writers: new Set(),
    reverting: { count: 0, last: Promise.resolve() },
    awaited: [],
    presence: emptyPresence(),
    sendDue: false,
    presenceDue: false,
    sentAtMs: -Infinity,
    presenceSentAtMs: -Infinity,
    sendCostMs: 0,
    wake: null,
    holders: new Set(),
    heldBytes: 0,
    replies: { end: null, deletes: null, diffs: new Map() },
    cancelLinger: () => {},
  };
}

/** Throws when what was stored is damaged. */
export function fillRoom(room: Room, logged: LoggedRoom): void {
  setBase(room, logged);
  appendFrames(room.tail, logged.tail);
  learnTail(room, logged.tail);
  const { end } = room.tail;
  room.sentTo = end;
  room.loggedTo = end;
  room.durableTo = end;
  room.seq = logged.seq;
  if (end > 0) room.marks.push({ seq: logged.seq, to: end });
}

/** Takes over a base that holds every row up to `seq`. The knowledge is derived afresh, which heals the claims of a dropped update. */
export function rebaseRoom(room: Room, made: LoggedBase & { readonly seq: number }): void {
  const covered = room.marks.findLastIndex(({ seq }) => seq <= made.seq);
  const offset = covered < 0 ? room.tail.start : room.marks[covered]!.to;
  setBase(room, made);
  dropBefore(room.tail, offset);
  room.marks.splice(0, covered + 1);
  for (const slice of slicesOf(room.tail, offset, room.tail.end)) learnTail(room, slice);
}

function setBase(room: Room, { base, vector, deletes, structs }: LoggedBase): void {
  const baseVector = decodeVector(vector, Infinity);
  const scan = scanUpdate(deletes, undefined, null, false);
  if (!baseVector || !scan) throw new Error('the description of a base is damaged');
  room.known = knowsNothing();
  for (const [client, clock] of baseVector) room.known.vector.set(client, clock);
  learn(room.known, scan);
  room.baseVector = baseVector;
  room.baseBytes = base?.length ?? 0;
  room.baseFrame = base && frameOf([messages.sync, syncs.update], base);
  room.structs = structs ?? Math.ceil(room.baseBytes / bytesPerStruct);
  room.updates = 0;
  room.replies = { end: null, deletes: null, diffs: new Map() };
}

/** Where nobody counted: few documents have smaller ones once they are compacted. */
const bytesPerStruct = 16;

function learnTail(room: Room, frames: Uint8Array): void {
  for (const update of updatesIn(frames)) {
    const scan = scanUpdate(update, undefined, null, false);
    if (!scan) throw new Error('an update in the log is damaged');
    learn(room.known, scan);
    room.structs += scan.structs;
    room.updates += 1;
  }
}

/** Everything that a joiner gets last: the end mark, so that `synced` comes last, and our question for what it has. */
export function endFrames(room: Room, asks: boolean): readonly Uint8Array[] {
  if (!asks) return [endMark];
  room.replies.end ??= frameOf([messages.sync, syncs.step1], encodeVector(room.known));
  return [endMark, room.replies.end];
}

const endMark = frameOf([messages.sync, syncs.step2], Uint8Array.of(0, 0));

/** For who has every struct: what is deleted can't be seen from a state vector. */
export function deletesFrame(room: Room): Uint8Array {
  if (!room.replies.deletes) {
    const update = deletesAsUpdate(room.known);
    room.replies.deletes = { update, frame: frameOf([messages.sync, syncs.update], update) };
  }
  return room.replies.deletes.frame;
}

export function saysOnlyOurDeletes({ replies: { deletes } }: Room, update: Uint8Array): boolean {
  return deletes !== null && deletes.update.length === update.length && Buffer.compare(deletes.update, update) === 0;
}

/** Something was added: what was worked out of the whole room is old. */
export function forgetReplies({ replies }: Room): void {
  replies.end = null;
  replies.deletes = null;
}

/** Dropped; remaining references to it, such as the compaction's, hold none of its bytes. */
export function emptyRoom(room: Room): void {
  room.tail.pages.length = 0;
  room.baseFrame = null;
  room.known = knowsNothing();
  room.baseVector = new Map();
  forgetReplies(room);
  room.replies.diffs.clear();
}

export const bytesOf = ({ baseBytes, tail }: Room): number => baseBytes + tail.end - tail.start;
