/**
 * Gathers what rooms have to send for one turn of the event loop; presence in a large room a little longer. Level-triggered: what is due
 * stays due until it is sent, and a room with something due is always checked again.
 */
import type { Clock } from '../../../schema/clock.ts';
import { limits } from '../limits.ts';
import type { Connection } from './room.ts';
import type { Room } from './room.ts';

export interface Turns {
  /** At the end of this turn. */
  soon(room: Room): void;
  presenceSoon(room: Room): void;
  /** The whole table of presence, at the end of this turn: who comes in one turn gets one frame, however often it changes in it. */
  tableSoon(connection: Connection): void;
}

/** In a large room the newest of a short while goes out together: 500 people who move are not 500 frames to each of 500. */
const coalesces = ({ sockets }: Room): boolean => sockets.size >= limits.roomPresenceCoalesceSocketsMin;

/**
 * Five hundred keystrokes a second to fifty people are 25,000 writes; gathered over an imperceptible moment they are a fraction. A quiet
 * room sends at once, and so does one that received a lot.
 */
const gathers = ({ sockets, unsent }: Room): boolean => sockets.size >= limits.roomGatherSocketsMin && unsent < limits.roomGatherUpdatesMax;

/** From when on the text of the room may leave, and its presence; Infinity: nothing is due. Monotonic ms. */
function ripeAt(room: Room): { readonly text: number; readonly presence: number } {
  const text = gathers(room) ? room.sentAtMs + limits.roomGatherMs : -Infinity;
  const presence = coalesces(room) ? room.presenceSinceMs + limits.roomPresenceCoalesceMs : text;
  return { text: room.sendDue ? text : Infinity, presence: room.presenceDue ? presence : Infinity };
}

export interface TurnSenders {
  readonly send: (room: Room, withPresence: boolean) => void;
  readonly sendTable: (connection: Connection) => void;
}

export function createTurns(clock: Clock, { send, sendTable }: TurnSenders, atTurnEnd: (fn: () => void) => void = setImmediate): Turns {
  const sendIfDue = (room: Room): void => {
    if (!room.sendDue && !room.presenceDue) return;
    const nowMs = clock.monotonicMs();
    const { text, presence } = ripeAt(room);
    const withPresence = presence <= nowMs;
    if (text > nowMs && !withPresence) return wakeAt(room, Math.min(text, presence));
    // Text leaves with the presence whose time has come; presence whose time has not come stays due.
    room.sendDue = false;
    room.sentAtMs = nowMs;
    if (withPresence) room.presenceDue = false;
    try {
      send(room, withPresence);
    } finally {
      if (room.presenceDue) wakeAt(room, ripeAt(room).presence);
    }
  };
  const wakeAt = (room: Room, atMs: number): void => {
    if (room.wake !== null && room.wake.atMs <= atMs) return;
    room.wake?.cancel();
    const cancel = clock.at(atMs, () => {
      room.wake = null;
      sendIfDue(room);
    });
    room.wake = { atMs, cancel };
  };
  const sendDueSoon = queueOf(sendIfDue, atTurnEnd);
  const welcome = (connection: Connection): void => {
    if (!connection.gone) sendTable(connection);
  };
  return {
    soon: (room) => {
      // One that waits for more has enough now.
      if (room.sendDue && room.unsent !== limits.roomGatherUpdatesMax) return;
      room.sendDue = true;
      sendDueSoon(room);
    },
    presenceSoon: (room) => {
      if (room.presenceDue) return;
      room.presenceDue = true;
      room.presenceSinceMs = clock.monotonicMs();
      sendDueSoon(room);
    },
    tableSoon: queueOf(welcome, atTurnEnd),
  };
}

/** Acts once on each at the end of the turn. One that throws keeps none of the others back. */
function queueOf<One>(act: (one: One) => void, atTurnEnd: (fn: () => void) => void): (one: One) => void {
  let queue = new Set<One>();
  const run = (): void => {
    const all = queue;
    queue = new Set();
    try {
      for (const one of all) {
        all.delete(one);
        act(one);
      }
    } finally {
      for (const one of all) add(one);
    }
  };
  const add = (one: One): void => {
    if (queue.size === 0) atTurnEnd(run);
    queue.add(one);
  };
  return add;
}
