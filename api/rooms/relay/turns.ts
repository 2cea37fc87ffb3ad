/** Collects what rooms have to send, one turn of the event loop long; presence in a large room a little longer. */
import type { Clock } from '../../../schema/clock.ts';
import { limits } from '../../../schema/limits.ts';
import type { Room } from './room.ts';

export interface Turns {
  /** At the end of this turn. */
  soon(room: Room): void;
  presenceSoon(room: Room): void;
}

/** In a large room the newest of a short while goes out together: 500 people who move are not 500 frames to each of 500. */
const coalesces = ({ sockets }: Room): boolean => sockets.size >= limits.roomPresenceCoalesceSocketsMin;

export function createTurns(clock: Clock, send: (room: Room, withPresence: boolean) => void): Turns {
  const due = new Set<Room>();
  const sendOne = (room: Room): void => {
    room.sendDue = false;
    const withPresence = room.presenceDue && !coalesces(room);
    if (withPresence) room.presenceDue = false;
    send(room, withPresence);
  };
  const soon = (room: Room): void => {
    if (room.sendDue) return;
    room.sendDue = true;
    if (due.size === 0) {
      setImmediate(() => {
        const rooms = [...due];
        due.clear();
        for (const one of rooms) sendOne(one);
      });
    }
    due.add(room);
  };
  return {
    soon,
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
