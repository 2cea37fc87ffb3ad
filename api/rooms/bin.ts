/** The bin of rooms: a deleted room is there for its owner, until it goes for good. Decision: docs/decisions/0449-a-bin-for-rooms.md */
import type { Clock } from '../../schema/clock.ts';
import { asPlainLine } from '../../schema/plain-line.ts';
import type { BinnedRoomView, RoomView } from '../../schema/wire/rooms.ts';
import type { BinnedRoom, RoomStore, StoredRoom } from '../../store/rooms.ts';
import type { AttachmentFiles } from './attachment-files.ts';
import { noSuchRoom, type RoomCaller } from './callers.ts';
import type { Relay } from './contract.ts';
import { limits } from './limits.ts';
import type { RoomNews } from './news.ts';
import { viewOf } from './rooms.ts';

export interface BinDeps {
  readonly rooms: Pick<RoomStore, 'binnedRooms' | 'unbinRoom' | 'deleteRoom'>;
  readonly news: Pick<RoomNews, 'changed' | 'deleted' | 'peopleOf'>;
  readonly relay: Pick<Relay, 'deleteRoom'>;
  readonly files: Pick<AttachmentFiles, 'removeRoom'>;
  readonly clock: Clock;
}

export interface Bin {
  /** Rooms of the caller in the bin, the last one first; of their app, or of all. */
  list(caller: RoomCaller): Promise<readonly BinnedRoomView[]>;
  /** Out of the bin, with everybody who was in it. */
  recover(caller: RoomCaller, id: string): Promise<RoomView>;
  /** For good, from the bin. */
  erase(caller: RoomCaller, id: string): Promise<void>;
}

export function createBin({ rooms, news, relay, files, clock }: BinDeps): Bin {
  const inBin = async ({ usuario, app }: RoomCaller): Promise<readonly BinnedRoom[]> =>
    (await rooms.binnedRooms(usuario)).filter(({ room }) => app === null || room.app === app);
  const found = async (caller: RoomCaller, id: string): Promise<StoredRoom> => {
    const binned = (await inBin(caller)).find(({ room }) => room.id === id);
    if (binned === undefined) throw noSuchRoom();
    return binned.room;
  };
  return {
    list: async (caller) =>
      (await inBin(caller)).map(({ room: { id, nome, app }, binnedAtMs }) => ({
        id,
        nome: asPlainLine(nome) || id,
        app,
        apagadaEm: binnedAtMs,
        ate: binnedAtMs + limits.roomBinMs,
      })),
    recover: async (caller, id) => {
      const room = await found(caller, id);
      const atMs = clock.nowMs();
      if (!(await rooms.unbinRoom(id, caller.usuario, atMs))) throw noSuchRoom();
      await news.changed(room, await news.peopleOf(room));
      return viewOf({ room: { ...room, changedAtMs: atMs }, papel: 'dona' });
    },
    erase: async (caller, id) => {
      await found(caller, id);
      if (!(await rooms.deleteRoom(id))) throw noSuchRoom();
      // It is deleted, whatever becomes of its data: the collection tries again.
      news.deleted(id);
      await Promise.all([relay.deleteRoom(id), files.removeRoom(id)]);
    },
  };
}
