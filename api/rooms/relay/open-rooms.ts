/** The open rooms: read from the log at the first join, dropped some time after the last leave. */
import type { LoggedRoom, RoomKey, RoomLog } from '../../../store/room-log.ts';
import type { Clock } from '../../../schema/clock.ts';
import { limits } from '../limits.ts';
import { canais } from '../../../schema/rooms.ts';
import type { Budget, Shortage } from './budget.ts';
import type { Reclaim } from './reclaim.ts';
import { bytesOf, createRoom, emptyRoom, fillRoom, nameOf, type Room } from './room.ts';

export interface OpenRooms {
  readonly byName: ReadonlyMap<string, Room>;
  /** Both documents of a room, as far as they are open. */
  of(sala: string): readonly Room[];
  /** Starts reading it when it is not open. */
  enter(key: RoomKey, of: { readonly app: string; readonly dona: string }): Room;
  /** Others need its memory: everybody in it was sent away, and it goes once all of it is on the disk. */
  giveWay(room: Room): void;
  /** It is dropped after a while when it is empty, no version is being brought back in it, and all of it is on the disk. */
  lingerIfEmpty(room: Room): void;
  forget(room: Room): void;
}

export interface OpenRoomsDeps {
  readonly log: Pick<RoomLog, 'load' | 'release'>;
  readonly clock: Clock;
  readonly budget: Budget;
  readonly reclaim: Reclaim;
  /** It does not fit into what its owner's rooms, or all, may take. */
  readonly onNoSpace: (room: Room, why: Shortage) => void;
  readonly onOpen: (room: Room) => void;
  /** The room can't be read; it is never shown as a blank document. */
  readonly onUnreadable: (room: Room, error: unknown) => void;
}

export function createOpenRooms({ log, clock, budget, reclaim, onOpen, onUnreadable, onNoSpace }: OpenRoomsDeps): OpenRooms {
  const byName = new Map<string, Room>();
  const of = (sala: string): readonly Room[] =>
    canais.map((canal) => byName.get(nameOf({ sala, canal }))).filter((room) => room !== undefined);

  const forget = (room: Room): void => {
    if (room.state === 'gone') return;
    room.state = 'gone';
    room.cancelLinger();
    if (byName.get(room.name) === room) byName.delete(room.name);
    reclaim.freed(limits.roomMemoryOverheadBytes + bytesOf(room));
    budget.forget(room);
    emptyRoom(room);
    // A room that can't be given back now stays ours until this portal ends.
    if (of(room.key.sala).length === 0) log.release(room.key.sala).catch(() => undefined);
  };
  const refuse = (room: Room, error: unknown): void => {
    if (room.state !== 'loading') return;
    forget(room);
    onUnreadable(room, error);
  };
  const load = async (room: Room): Promise<void> => {
    const logged = await log.load(room.key);
    if (room.state !== 'loading') return;
    // It is copied, or not wanted.
    reclaim.freed(sizeOf(logged));
    const shortage = budget.hold(room, sizeOf(logged));
    if (shortage !== null) {
      forget(room);
      return onNoSpace(room, shortage);
    }
    fillRoom(room, logged);
    budget.count(room, 0);
    room.state = 'open';
    onOpen(room);
    lingerIfEmpty(room);
  };
  const giveWay = (room: Room): void => {
    room.state = 'leaving';
    budget.forget(room);
    lingerIfEmpty(room);
  };
  const lingerIfEmpty = (room: Room): void => {
    if (room.state === 'leaving' && room.durableTo === room.tail.end) return forget(room);
    if (isUsed(room) || room.state !== 'open') return;
    room.cancelLinger();
    room.cancelLinger = clock.at(clock.monotonicMs() + limits.roomLingerMs, () => {
      if (!isUsed(room) && room.durableTo === room.tail.end) forget(room);
    });
  };

  return {
    byName,
    of,
    enter: (key, { app, dona }) => {
      const existing = byName.get(nameOf(key));
      if (existing) return existing;
      const room = createRoom(key, app, budget.accountOf(dona));
      byName.set(room.name, room);
      budget.enter(room);
      room.opening = load(room).catch((error: unknown) => refuse(room, error));
      return room;
    },
    giveWay,
    lingerIfEmpty,
    forget,
  };
}

const isUsed = ({ sockets, reverting }: Room): boolean => sockets.size > 0 || reverting.count > 0;

const sizeOf = ({ base, tail }: LoggedRoom): number => limits.roomMemoryOverheadBytes + (base?.length ?? 0) + tail.length;
