/**
 * When a room sends. The first change leaves at the end of this turn of the event loop; what follows is gathered, the shorter the more of it
 * there is: for as long as sending to this room cost, several times over, within bounds of the clock, divided by how many changes wait; and longer
 * while the loop is busy. So a quiet room waits for nothing, and a busy one writes to its sockets as often as the root of its changes.
 * Level-triggered: what is due stays due until it is sent, and a room with something due is always checked again.
 * Decision: docs/decisions/0264-when-a-room-sends.md
 */
import type { Clock } from '../../../schema/clock.ts';
import { limits } from '../limits.ts';
import type { Connection, Room } from './room.ts';

export interface Turns {
  /** At the end of this turn, or once the room may send again. */
  soon(room: Room): void;
  presenceSoon(room: Room): void;
  /** The whole table of presence, at the end of this turn: who comes in one turn gets one frame, however often it changes in it. */
  tableSoon(connection: Connection): void;
}

export interface TurnSenders {
  readonly send: (room: Room, withPresence: boolean) => void;
  readonly sendTable: (connection: Connection) => void;
}

export interface Loop {
  readonly clock: Clock;
  /** Share of the last moments in which the event loop was busy, 0 to 1. */
  readonly busy: () => number;
  readonly atTurnEnd?: (fn: () => void) => void;
}

/** A timer counts in whole milliseconds: what is due so soon goes now. */
const soonMs = 0.5;

interface Gathering {
  readonly costs: number;
  readonly msMax: number;
}

const ofText: Gathering = { costs: limits.roomGatherCosts, msMax: limits.roomGatherMs };
const ofPresence: Gathering = { costs: limits.roomPresenceGatherCosts, msMax: limits.roomPresenceGatherMs };

/** How many times longer while the loop is busy: not at all until it is busy for half of the time. */
const stretch = (busy: number): number => Math.max(1, Math.min(limits.roomGatherBusyMax, 0.5 / Math.max(1 - busy, Number.EPSILON)));

/** How long after its last sending a room waits in which so many changes wait. */
function gapMs({ sendCostMs }: Room, waiting: number, { costs, msMax }: Gathering, busy: number): number {
  const gatherMs = Math.min(sendCostMs * costs, msMax) / waiting;
  // A sending that costs more than the changes are worth which it brings comes rarely.
  const leastMs = (sendCostMs - waiting * limits.roomGatherChangeMs) * limits.roomGatherCostsMin;
  return Math.min(limits.roomGatherMsMax, Math.max(gatherMs, leastMs) * stretch(busy));
}

/** From when on the room may send its text or its presence; Infinity: nothing is due. Monotonic ms. */
function ripeAt(room: Room, busy: number): number {
  const text = room.sendDue ? room.sentAtMs + gapMs(room, Math.max(1, room.unsent), ofText, busy) : Infinity;
  if (!room.presenceDue) return text;
  return Math.min(text, room.presenceSentAtMs + gapMs(room, Math.max(1, room.presence.changed.size), ofPresence, busy));
}

/** It falls fast and rises slowly: a sending during which something else had the processor says little. */
function noteCost(room: Room, tookMs: number): void {
  const moreMs = Math.min(tookMs, 2 * room.sendCostMs + 0.1) - room.sendCostMs;
  room.sendCostMs += moreMs < 0 ? moreMs / 4 : moreMs / 16;
}

export function createTurns({ clock, busy, atTurnEnd = setImmediate }: Loop, { send, sendTable }: TurnSenders): Turns {
  const sendIfDue = (room: Room): void => {
    if (!room.sendDue && !room.presenceDue) return;
    const nowMs = clock.monotonicMs();
    const ripeMs = ripeAt(room, busy());
    if (ripeMs - nowMs >= soonMs) return wakeAt(room, ripeMs);
    // Both leave together: a frame more in the same write costs next to nothing.
    const withPresence = room.presenceDue;
    room.sendDue = false;
    room.presenceDue = false;
    const hasMore = room.unsent > 0 || withPresence;
    try {
      send(room, withPresence);
    } finally {
      room.sentAtMs = clock.monotonicMs();
      if (withPresence) room.presenceSentAtMs = room.sentAtMs;
      // A request for the state may have sent everything early; then nothing was sent here.
      if (hasMore) noteCost(room, room.sentAtMs - nowMs);
    }
  };
  const wakeAt = (room: Room, atMs: number): void => {
    if (room.wake !== null && room.wake.atMs <= atMs) return;
    room.wake?.cancel();
    const cancel = clock.at(atMs, () => {
      room.wake = null;
      sendDueSoon(room);
    });
    room.wake = { atMs, cancel };
  };
  const sendDueSoon = roomQueue(clock, sendIfDue, atTurnEnd);
  /** Each change more brings the sending nearer; one that has to wait anyway costs no turn of the loop. */
  const look = (room: Room): void => {
    const ripeMs = ripeAt(room, busy());
    if (ripeMs - clock.monotonicMs() >= soonMs) wakeAt(room, ripeMs);
    else sendDueSoon(room);
  };
  const welcome = (connection: Connection): void => {
    if (!connection.gone) sendTable(connection);
  };
  return {
    soon: (room) => {
      room.sendDue = true;
      look(room);
    },
    presenceSoon: (room) => {
      room.presenceDue = true;
      look(room);
    },
    tableSoon: queueOf(welcome, atTurnEnd),
  };
}

const isLarge = ({ sockets }: Room): boolean => sockets.size >= limits.roomLargeSocketsMin;

/**
 * Rooms at the end of the turn: small ones all and first, then large ones in the order in which they came, until the turn has taken long enough; the
 * others are first among the large ones of the next turn. Frames that arrived meanwhile are read in between.
 */
function roomQueue(clock: Clock, act: (room: Room) => void, atTurnEnd: (fn: () => void) => void): (room: Room) => void {
  const small = new Set<Room>();
  const large = new Set<Room>();
  let scheduled = false;
  const schedule = (): void => {
    if (scheduled) return;
    scheduled = true;
    atTurnEnd(run);
  };
  const take = (queue: Set<Room>, room: Room): void => {
    queue.delete(room);
    act(room);
  };
  const run = (): void => {
    scheduled = false;
    try {
      // Rooms that are added meanwhile belong to the next turn.
      for (const room of Array.from(small)) take(small, room);
      const endMs = clock.monotonicMs() + limits.roomTurnMs;
      for (const room of Array.from(large)) {
        take(large, room);
        if (clock.monotonicMs() >= endMs) break;
      }
    } finally {
      // A room that throws delays none of the others.
      if (small.size > 0 || large.size > 0) schedule();
    }
  };
  return (room) => {
    if (!small.has(room)) (isLarge(room) ? large : small).add(room);
    schedule();
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
