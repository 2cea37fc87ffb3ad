/**
 * Every socket is pinged in its own slot of the period; one that sent nothing between two pings is cut, so that a dropped client has left presence
 * within a minute (rules 8: here within 40 s). With the ping goes an empty awareness message: a page's JavaScript doesn't see pings, and y-websocket
 * gives up on a silent server after 30 s.
 */
import type { Clock } from '../../../schema/clock.ts';
import { limits } from '../limits.ts';
import type { Connection } from './room.ts';

const slotMs = 1_000;

export interface Heartbeat {
  /** The slot for the next socket. */
  slot(): number;
  add(connection: Connection): void;
  remove(connection: Connection): void;
  close(): void;
}

export function createHeartbeat(clock: Clock, beat: (connection: Connection) => void): Heartbeat {
  const slots = Array.from({ length: limits.roomPingMs / slotMs }, () => new Set<Connection>());
  let next = 0;
  let now = 0;
  const tick = (): void => {
    now = (now + 1) % slots.length;
    for (const connection of slots[now]!) {
      // Nothing is read from one whose update is being measured.
      if (!connection.heard && connection.waiting === null) connection.ws.terminate();
      else {
        connection.heard = false;
        connection.ws.ping();
        beat(connection);
      }
    }
    cancel = clock.at(clock.monotonicMs() + slotMs, tick);
  };
  let cancel = clock.at(clock.monotonicMs() + slotMs, tick);
  return {
    slot: () => (next = (next + 1) % slots.length),
    add: (connection) => void slots[connection.beat]!.add(connection),
    remove: (connection) => void slots[connection.beat]!.delete(connection),
    close: () => cancel(),
  };
}
