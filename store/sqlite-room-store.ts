/** The parts of the embedded room store, put together. Contract: rooms.ts. */
import type { DatabaseSync } from 'node:sqlite';
import type { RoomStore } from './rooms.ts';
import { openAttachments, openPortalTokens } from './sqlite-attachments.ts';
import { openNotices } from './sqlite-notices.ts';
import { openRoles, openRooms } from './sqlite-rooms.ts';
import type { TurnWriter } from './turn-writer.ts';

export function openRoomStore(database: DatabaseSync, writer: TurnWriter): RoomStore {
  const { add, ...notices } = openNotices(database, writer);
  return {
    ...openRooms(database, writer),
    ...openRoles(database, writer, add),
    ...notices,
    ...openAttachments(database, writer),
    ...openPortalTokens(database, writer),
  };
}
