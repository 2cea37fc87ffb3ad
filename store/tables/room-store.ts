/** The parts of the room store, put together. Contract: rooms.ts. */
import type { RoomStore } from '../rooms.ts';
import type { Sql } from '../sql.ts';
import { openAttachments, openPortalTokens } from './attachments.ts';
import { openNotices } from './notices.ts';
import { openRoles, openRooms } from './rooms.ts';

export function openRoomStore(sql: Sql): RoomStore {
  const { add, ...notices } = openNotices(sql);
  return { ...openRooms(sql), ...openRoles(sql, add), ...notices, ...openAttachments(sql), ...openPortalTokens(sql) };
}
