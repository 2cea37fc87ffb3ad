/**
 * Handles incoming frames of a socket. Nothing is trusted: the type, the role, the size and every byte of an update are checked before it is copied
 * into the tail; updates that add nothing are dropped, and early ones are held back within bounds.
 * Source: rules 2.4. Decision: docs/decisions/0090-rooms-are-logs.md
 */
import { encodeVector, fittingPart, judge, learn, newPart, type Scan, scanUpdate } from '../../../schema/crdt/update.ts';
import { type Cursor, readVarbytes } from '../../../schema/varuint.ts';
import { limits } from '../limits.ts';
import { frameOf, messages, syncs } from '../../../schema/room-frames.ts';
import { refill, spend } from './allowance.ts';
import { type Budget, shortages } from './budget.ts';
import type { CostWatch } from './cost.ts';
import { mayWrite, type Ending } from './connection.ts';
import type { Connection } from './room.ts';
import { publish, tableFrame } from './presence.ts';
import { bytesOf, forgetReplies, saysOnlyOurDeletes, type Room } from './room.ts';
import { answerState, send, type Sent } from './sending.ts';
import { appendUpdate } from './tail.ts';

export interface Received extends Sent {
  framesIn: number;
  bytesIn: number;
  discarded: number;
}

/** The dependencies of the relay's parts that act on a frame. */
export interface Desk {
  readonly figures: Received;
  readonly nowMs: () => number;
  /** Sends what the room has, before the turn is over. */
  readonly sendNow: (room: Room) => void;
  readonly sendSoon: (room: Room) => void;
  readonly presenceSoon: (room: Room) => void;
  readonly tableSoon: (connection: Connection) => void;
  /** So many bytes more are to be written down. */
  readonly note: (room: Room, bytes: number) => void;
  readonly pendingBytes: () => number;
  readonly budget: Budget;
  readonly cost: CostWatch;
  /** Removes it from the room; the caller closes the socket. */
  readonly leave: (connection: Connection) => void;
  readonly end: (connection: Connection, ending: Ending, why?: string) => void;
}

export function receive(desk: Desk, connection: Connection, message: Buffer, isBinary: boolean): void {
  if (connection.gone) return;
  if (connection.waiting !== null) return void connection.waiting.push(Buffer.from(message));
  connection.heard = true;
  desk.figures.framesIn += 1;
  desk.figures.bytesIn += message.length;
  if (!isBinary) return desk.end(connection, 'malformed');
  if (!spend(connection.allowance, message.length)) {
    refill(connection.allowance, desk.nowMs());
    if (connection.allowance.frames < 0 || connection.allowance.bytes < 0) return desk.end(connection, 'tryAgain');
  }
  switch (message[0]) {
    case messages.sync:
      return receiveSync(desk, connection, message);
    case messages.awareness:
      return receivePresence(desk, connection, message);
    case messages.queryAwareness: {
      if (message.length !== 1) return desk.end(connection, 'malformed');
      return sendTable(desk, connection);
    }
    case messages.auth:
      desk.figures.discarded += 1;
      return;
    default:
      return desk.end(connection, 'malformed');
  }
}

/** The length-prefixed content behind so many type bytes; null when the message is longer or shorter than that. */
function contentOf(message: Buffer, types: number): Uint8Array | null {
  const cursor: Cursor = { bytes: message, at: types };
  const content = readVarbytes(cursor);
  return cursor.at === message.length ? content : null;
}

function receiveSync(desk: Desk, connection: Connection, message: Buffer): void {
  const kind = message[1];
  if (kind !== syncs.step1 && kind !== syncs.step2 && kind !== syncs.update) return desk.end(connection, 'malformed');
  if (kind !== syncs.step1 && !mayWrite(connection)) {
    // Readers without the right to write still receive. Source: rules 2.4.
    desk.figures.discarded += 1;
    return;
  }
  const content = contentOf(message, 2);
  if (!content) return desk.end(connection, 'malformed');
  if (kind === syncs.step1) {
    desk.sendNow(connection.room);
    if (!answerState(connection, content, desk.figures)) desk.end(connection, 'malformed');
    return;
  }
  // The answer to our question holds everything that was held back.
  if (kind === syncs.step2) dropHeld(desk, connection);
  takeUpdate(desk, connection, content, kind === syncs.update);
}

function takeUpdate(desk: Desk, connection: Connection, update: Uint8Array, asks: boolean): void {
  const { room } = connection;
  // The usual answer of a reconnecting client: only deletions that we sent it.
  if (saysOnlyOurDeletes(room, update)) return;
  const scan = scanUpdate(update, room.known.vector);
  if (!scan) return desk.end(connection, 'malformed');
  const verdict = judge(room.known, scan);
  if (verdict.kind === 'new') return weigh(desk, connection, update, scan);
  if (verdict.kind === 'known') return;
  const part = fittingPart(room.known, update);
  const fit = part && scanUpdate(part, room.known.vector);
  if (part && fit && judge(room.known, fit).kind === 'new') weigh(desk, connection, part, fit);
  // An update that depends on itself never fits: holding it back would wait for nothing.
  if (verdict.kind === 'circular') desk.figures.discarded += 1;
  else if (!connection.gone) hold(desk, connection, { update: new Uint8Array(update), client: verdict.client, clock: verdict.clock }, asks);
}

/** Takes it, now or once it was measured; meanwhile the socket is not read. */
function weigh(desk: Desk, connection: Connection, update: Uint8Array, scan: Scan): void {
  const own = new Uint8Array(update);
  const verdict = desk.cost.judge(connection, own, scan, (measured) => {
    if (connection.gone || connection.room.state !== 'open') return;
    const waiting = connection.waiting ?? [];
    connection.waiting = null;
    connection.heard = true;
    connection.ws.resume();
    if (measured === 'costly') return desk.end(connection, 'tooBig', tooCostly);
    if (measured === 'again') return desk.end(connection, 'tryAgain');
    takeMeasured(desk, connection, own);
    for (const message of waiting) receive(desk, connection, message, true);
  });
  if (verdict === 'take') return accept(desk, connection, update, scan);
  if (verdict === 'barred') return desk.end(connection, 'tooBig', tooCostly);
  if (verdict === 'busy') return desk.end(connection, 'tryAgain');
  connection.waiting = [];
  connection.ws.pause();
}

/** The room went on meanwhile: others may have brought the same. */
function takeMeasured(desk: Desk, connection: Connection, update: Uint8Array): void {
  const { known } = connection.room;
  const scan = scanUpdate(update, known.vector);
  if (scan && judge(known, scan).kind === 'new') accept(desk, connection, update, scan);
}

/** At most 123 bytes. */
export const tooCostly = 'what was written would keep the pages of the others busy for too long: write it as fewer, larger parts';

function accept(desk: Desk, connection: Connection, whole: Uint8Array, scan: Scan): void {
  const { room, seat } = connection;
  const update = newPart(room.known, whole, scan);
  if (bytesOf(room) + update.length > limits.roomStateBytesMax) return desk.end(connection, 'tooBig');
  // While the disk can't keep up, it waits for who brings much, not for everybody.
  const isBehind = desk.pendingBytes() > limits.roomPendingBytesMax;
  if (isBehind && room.tail.end - room.durableTo + update.length > limits.roomPendingFreeBytes) return desk.end(connection, 'tryAgain');
  const shortage = desk.budget.grow(room, update.length);
  if (shortage !== null) return desk.end(connection, 'semEspaco', shortages[shortage]);
  append(desk, room, { update, scan, by: connection, usuario: seat.usuario });
}

export interface NewUpdate {
  /** Its bytes that the room does not have yet. */
  readonly update: Uint8Array;
  readonly scan: Scan;
  /** Null: it came by no socket. */
  readonly by: Connection | null;
  readonly usuario: string;
}

/** Takes it into the room: it goes to the log, and to all sockets but its own. */
export function append(desk: Desk, room: Room, { update, scan, by, usuario }: NewUpdate): void {
  const before = room.tail.end;
  appendUpdate(room.tail, update);
  learn(room.known, scan);
  room.structs += scan.structs;
  forgetReplies(room);
  room.updates += 1;
  room.unsent += 1;
  const last = room.authors.at(-1);
  if (last?.by === by) last.to = room.tail.end;
  else room.authors.push({ by, to: room.tail.end });
  room.writers.add(usuario);
  desk.budget.count(room, room.tail.end - before);
  desk.note(room, room.tail.end - before);
  desk.sendSoon(room);
}

function hold(desk: Desk, connection: Connection, one: Connection['held'][number], asks: boolean): void {
  const { room } = connection;
  const bytes = connection.held.reduce((sum, { update }) => sum + update.length, one.update.length);
  const tooMuch = bytes > limits.roomHeldBytesMax || room.heldBytes + one.update.length > limits.roomHeldRoomBytesMax;
  if (connection.held.length >= limits.roomHeldUpdatesMax || tooMuch) return desk.end(connection, 'tryAgain');
  const shortage = desk.budget.hold(room, one.update.length);
  if (shortage !== null) return desk.end(connection, 'semEspaco', shortages[shortage]);
  connection.held.push(one);
  room.holders.add(connection);
  room.heldBytes += one.update.length;
  desk.budget.count(room, 0);
  // It may have what is missing.
  if (asks && connection.held.length === 1) askState(desk, connection);
}

export function askState(desk: Desk, connection: Connection): void {
  send(connection, [frameOf([messages.sync, syncs.step1], encodeVector(connection.room.known))], desk.figures);
}

export function dropHeld({ budget }: Desk, connection: Connection): void {
  const { room } = connection;
  if (connection.held.length === 0) return;
  for (const { update } of connection.held) room.heldBytes -= update.length;
  connection.held = [];
  room.holders.delete(connection);
  budget.count(room, 0);
}

/** Applies what was held back and whose dependency has arrived. Called once per turn, so that a flood of early updates costs no more. */
export function retryHeld(desk: Desk, room: Room): void {
  for (const connection of room.holders) {
    const { held } = connection;
    if (!held.some((one) => isReady(room, one))) continue;
    dropHeld(desk, connection);
    for (const one of held) {
      if (connection.gone) return;
      if (isReady(room, one)) takeUpdate(desk, connection, one.update, false);
      else hold(desk, connection, one, false);
    }
  }
}

const isReady = (room: Room, { client, clock }: Connection['held'][number]): boolean => (room.known.vector.get(client) ?? 0) > clock;

/** At most 123 bytes. */
const tooMuchPresence = `presence of one person in one room: at most ${limits.roomPresencePersonBytesMax} bytes, and no faster`;

function receivePresence(desk: Desk, connection: Connection, message: Buffer): void {
  const content = contentOf(message, 1);
  const discard = (): void => {
    desk.figures.discarded += 1;
  };
  const published = content ? publish(connection.room.presence, connection, content, { discard, nowMs: desk.nowMs() }) : 'malformed';
  if (published === 'malformed') desk.end(connection, 'malformed');
  else if (published === 'tooMuch') desk.end(connection, 'tryAgain', tooMuchPresence);
  else if (published === 'changed') desk.presenceSoon(connection.room);
}

export function sendTable(desk: Desk, connection: Connection): void {
  const frame = tableFrame(connection.room.presence, (by) => desk.end(by, 'malformed'));
  if (!frame) return;
  connection.allowance.bytes -= frame.length / 4;
  send(connection, [frame], desk.figures);
}
