/** Collects what rooms have to send, one turn of the event loop long; presence in a large room a little longer. */
import type { Clock } from '../../../schema/clock.ts';
import { limits } from '../../../schema/limits.ts';
import type { Connection } from './connection.ts';
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
 * Five hundred letters a second to fifty people are 25,000 writes; gathered over a moment that nobody notices they are a fraction. A
 * room that was quiet sends at once, and so does one in which a lot has come.
 */
const gathers = ({ sockets, unsent, sentAtMs }: Room, nowMs: number): boolean =>
  sockets.size >= limits.roomGatherSocketsMin && unsent < limits.roomGatherUpdatesMax && nowMs - sentAtMs < limits.roomGatherMs;

export interface TurnSenders {
  readonly send: (room: Room, withPresence: boolean) => void;
  readonly sendTable: (connection: Connection) => void;
}

export function createTurns(clock: Clock, { send, sendTable }: TurnSenders): Turns {
  const due = new Set<Room>();
  let arrived: Connection[] = [];
  const sendOne = (room: Room, nowMs: number): void => {
    room.sendDue = false;
    room.sentAtMs = nowMs;
    const withPresence = room.presenceDue && !coalesces(room);
    if (withPresence) room.presenceDue = false;
    send(room, withPresence);
  };
  const flush = (): void => {
    const nowMs = clock.monotonicMs();
    const rooms = [...due];
    due.clear();
    for (const room of rooms) {
      if (!gathers(room, nowMs)) sendOne(room, nowMs);
      else clock.at(room.sentAtMs + limits.roomGatherMs, () => room.sendDue && sendOne(room, clock.monotonicMs()));
    }
  };
  const soon = (room: Room): void => {
    // One that waits for more has enough now.
    if (room.sendDue && room.unsent !== limits.roomGatherUpdatesMax) return;
    room.sendDue = true;
    if (due.size === 0) setImmediate(flush);
    due.add(room);
  };
  const welcome = (): void => {
    const all = arrived;
    arrived = [];
    for (const connection of all) if (!connection.gone) sendTable(connection);
  };
  return {
    soon,
    tableSoon: (connection) => {
      if (arrived.length === 0) setImmediate(welcome);
      arrived.push(connection);
    },
    presenceSoon: (room) => {
      if (room.presenceDue) return;
      room.presenceDue = true;
      if (!coalesces(room)) return soon(room);
      clock.at(clock.monotonicMs() + limits.roomPresenceCoalesceMs, () => {
        room.presenceDue = false;
        send(room, true);
      });
    },
  };
}
