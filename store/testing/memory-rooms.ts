/** The room store of the embedded database, in memory: for tests of the api, which knows its contract only. */
import type { RoomStore } from '../rooms.ts';
import { openRoomStore } from '../tables/room-store.ts';
import { memorySql } from './memory-database.ts';

export const createMemoryRooms = (): RoomStore => openRoomStore(memorySql());
