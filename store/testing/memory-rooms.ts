/** The room store of the embedded database, in memory: for tests of the api, which knows its contract only. */
import { DatabaseSync } from 'node:sqlite';
import { migrations } from '../migrations.ts';
import type { RoomStore } from '../rooms.ts';
import { openRoomStore } from '../tables/room-store.ts';
import { sqliteSql } from '../sqlite-sql.ts';
import { createTurnWriter } from '../turn-writer.ts';

export function createMemoryRooms(): RoomStore {
  const database = new DatabaseSync(':memory:', { enableForeignKeyConstraints: true });
  for (const step of migrations) database.exec(step);
  return openRoomStore(sqliteSql(database, createTurnWriter(database)));
}
