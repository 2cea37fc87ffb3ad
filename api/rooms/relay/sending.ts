/**
 * Sends the updates of a room: all that came within one turn of the event loop, in one write per socket; authors get only the updates of the others.
 * Also answers requests for the state.
 */
import * as Y from 'yjs';
import { covers, decodeVector } from '../../../schema/crdt/update.ts';
import { limits } from '../limits.ts';
import { limits as sharedLimits } from '../../../schema/limits.ts';
import { frameOf, messages, syncs } from '../../../schema/room-frames.ts';
import { mayWrite } from './connection.ts';
import type { Connection } from './room.ts';
import { sendAnswer, sendFrames } from './frame-writer.ts';
import { changesFrame } from './presence.ts';
import { deletesFrame, endFrames, type Room } from './room.ts';
import { slicesOf } from './tail.ts';

export interface Sent {
  framesOut: number;
  bytesOut: number;
  slowReadersDropped: number;
}

/** Sends what came since the last time, and the presence that changed if it is its turn. */
export function sendTurn(room: Room, figures: Sent, withPresence: boolean, onBad: (by: Connection) => void): void {
  const from = room.sentTo;
  const to = room.tail.end;
  room.sentTo = to;
  const presence = withPresence ? changesFrame(room.presence, onBad) : null;
  if (from === to && !presence) return;
  const slices = slicesOf(room.tail, from, to);
  const turn: Turn = {
    from,
    to,
    shared: joined(presence ? [...slices, presence] : slices),
    presence,
    count: room.unsent + (presence ? 1 : 0),
  };
  const authors = authorsOf(room);
  for (const connection of room.sockets) {
    const frames = connection.live && !authors.has(connection) ? turn.shared : framesFor(room, connection, turn);
    if (frames.length > 0) send(connection, frames, figures, turn.count);
  }
  room.authors.length = 0;
  room.unsent = 0;
}

interface Turn {
  readonly from: number;
  readonly to: number;
  /** For everybody who wrote nothing of it. */
  readonly shared: readonly Uint8Array[];
  readonly presence: Uint8Array | null;
  /** Frames in `shared`. */
  readonly count: number;
}

const nobody: ReadonlySet<Connection | null> = new Set();

const authorsOf = ({ authors }: Room): ReadonlySet<Connection | null> =>
  authors.length === 0 ? nobody : new Set(authors.map(({ by }) => by));

/** For one that wrote itself, or that has not asked for the state yet. */
function framesFor(room: Room, connection: Connection, { from, to, presence }: Turn): readonly Uint8Array[] {
  const frames = connection.live && from < to ? slicesWithout(room, connection, from) : [];
  if (presence) frames.push(presence);
  return joined(frames);
}

/** Small pieces as one: copying them costs less than a system call that gathers them. */
function joined(frames: readonly Uint8Array[]): readonly Uint8Array[] {
  if (frames.length < 2) return frames;
  const bytes = frames.reduce((sum, { length }) => sum + length, 0);
  return bytes > joinedBytesMax ? frames : [Buffer.concat(frames, bytes)];
}

const joinedBytesMax = 8 * 1_024;

/** The updates of the others in this turn. */
function slicesWithout(room: Room, author: Connection, from: number): Uint8Array[] {
  const slices: Uint8Array[] = [];
  let at = from;
  for (const { by, to } of room.authors) {
    if (by !== author) slices.push(...slicesOf(room.tail, at, to));
    at = to;
  }
  return slices;
}

/** `count`: frames in those buffers. */
export function send(connection: Connection, frames: readonly Uint8Array[], figures: Sent, count = frames.length): void {
  for (const frame of frames) figures.bytesOut += frame.length;
  figures.framesOut += count;
  if (!sendFrames(connection, frames)) figures.slowReadersDropped += 1;
}

/**
 * Answers a step 1: base and tail as updates, an empty step 2 as the end mark, and our own question to who may write. The room has
 * sent its turn before. False when the state vector is none.
 */
export function answerState(connection: Connection, question: Uint8Array, figures: Sent): boolean {
  const { room } = connection;
  const theirs = decodeVector(question, sharedLimits.roomUpdateClientsMax * 10);
  if (!theirs) return false;
  if (connection.bufferedBytesMax > limits.roomSocketBufferedBytesMax) {
    // It has not read the last answer yet.
    connection.asked = new Uint8Array(question);
    return true;
  }
  const frames = [...stateFrames(room, theirs, question), ...endFrames(room, mayWrite(connection))];
  const bytes = frames.reduce((sum, { length }) => sum + length, 0);
  connection.live = true;
  // Asking costs one frame, answering the whole document: it is counted as if a part of it had been sent to us.
  connection.allowance.bytes -= bytes / 4;
  figures.framesOut += frames.length;
  figures.bytesOut += bytes;
  sendAnswer(connection, frames, () => {
    const { asked } = connection;
    connection.asked = null;
    if (asked) answerState(connection, asked, figures);
  });
  return true;
}

function stateFrames(room: Room, theirs: ReadonlyMap<number, number>, question: Uint8Array): readonly Uint8Array[] {
  const { tail, baseFrame, known } = room;
  if (theirs.size > 0 && covers(theirs, known.vector)) return known.vector.size === 0 ? [] : [deletesFrame(room)];
  const newer = slicesOf(tail, tail.start, tail.end);
  if (!baseFrame) return newer;
  return [theirs.size === 0 ? baseFrame : baseDiff(room, question), ...newer];
}

/** Larger ones are sent whole: working out the difference would hold up everybody. */
const diffBytesMax = 512 * 1_024;
const diffsMax = 16;

function baseDiff({ baseFrame, baseBytes, replies }: Room, question: Uint8Array): Uint8Array {
  const whole = baseFrame!;
  if (baseBytes > diffBytesMax) return whole;
  const key = Buffer.from(question.buffer, question.byteOffset, question.byteLength).toString('latin1');
  const cached = replies.diffs.get(key);
  if (cached) return cached;
  const diff = Y.diffUpdate(whole.subarray(whole.length - baseBytes), question);
  const frame = frameOf([messages.sync, syncs.update], diff);
  if (replies.diffs.size >= diffsMax) replies.diffs.delete(replies.diffs.keys().next().value!);
  replies.diffs.set(key, frame);
  return frame;
}
