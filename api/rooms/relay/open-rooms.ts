/** The rooms that somebody has open: read from the log when the first one comes, forgotten a while after the last one left. */
import type { RoomKey, RoomLog } from '../../../controller/store/room-log.ts';
import type { Clock } from '../../../schema/clock.ts';
import { limits } from '../../../schema/limits.ts';
import { canais } from '../../../schema/rooms.ts';
import { createRoom, fillRoom, nameOf, type Room } from './room.ts';

export interface OpenRooms {
  readonly byName: ReadonlyMap<string, Room>;
  /** Both documents of a room, as far as they are open. */
  of(sala: string): readonly Room[];
  /** Begins to read it when nobody has it open. */
  enter(key: RoomKey): Room;
  /** Nobody is in it, and all of it is on the disk: it goes after a while. */
  lingerIfEmpty(room: Room): void;
  forget(room: Room): void;
}

export interface OpenRoomsDeps {
  readonly log: Pick<RoomLog, 'load'>;
  readonly clock: Clock;
  readonly onOpen: (room: Room) => void;
  /** It can't be read. What can't be read is never shown as a blank document. Source: anchors I 18 */
  readonly onUnreadable: (room: Room, error: unknown) => void;
}

export function createOpenRooms({ log, clock, onOpen, onUnreadable }: OpenRoomsDeps): OpenRooms {
  const byName = new Map<string, Room>();

  const forget = (room: Room): void => {
    room.state = 'gone';
    room.cancelLinger();
    if (byName.get(room.name) === room) byName.delete(room.name);
  };
  const refuse = (room: Room, error: unknown): void => {
    if (room.state !== 'loading') return;
    forget(room);
    onUnreadable(room, error);
  };
  const load = async (room: Room): Promise<void> => {
    const logged = await log.load(room.key);
    if (room.state !== 'loading') return;
    fillRoom(room, logged);
    room.state = 'open';
    onOpen(room);
    lingerIfEmpty(room);
  };
  const lingerIfEmpty = (room: Room): void => {
    if (room.sockets.size > 0 || room.state !== 'open') return;
    room.cancelLinger();
    room.cancelLinger = clock.at(clock.monotonicMs() + limits.roomLingerMs, () => {
      if (room.sockets.size === 0 && room.durableTo === room.tail.end) forget(room);
    });
  };

  return {
    byName,
    of: (sala) => canais.map((canal) => byName.get(nameOf({ sala, canal }))).filter((room) => room !== undefined),
    enter: (key) => {
      const existing = byName.get(nameOf(key));
      if (existing) return existing;
      const room = createRoom(key);
      byName.set(room.name, room);
      load(room).catch((error: unknown) => refuse(room, error));
      return room;
    },
    lingerIfEmpty,
    forget,
  };
}
