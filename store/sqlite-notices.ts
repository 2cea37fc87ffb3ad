/** The bell of the embedded store. Contract: rooms.ts. */
import type { DatabaseSync } from 'node:sqlite';
import { limits as sharedLimits } from '../schema/limits.ts';
import { limits } from './limits.ts';
import type { PapelConcedido } from '../schema/rooms.ts';
import type { NoticeRow, RoomStore, StoredNotice } from './rooms.ts';
import type { TurnWriter } from './turn-writer.ts';

type Row = {
  id: string;
  person: string;
  kind: string;
  room: string;
  by_whom: string;
  role: string | null;
  anchor: string | null;
  at_ms: number;
  read: number;
  app: string;
  room_name: string;
};

function noticeOf(row: Row): NoticeRow {
  return {
    id: row.id,
    usuario: row.person,
    tipo: row.kind as NoticeRow['tipo'],
    sala: row.room,
    de: row.by_whom,
    papel: row.role as PapelConcedido | null,
    ancora: row.anchor,
    atMs: row.at_ms,
    app: row.app,
    salaNome: row.room_name,
    read: row.read === 1,
  };
}

type Part = Pick<RoomStore, 'addNotices' | 'notices' | 'unread' | 'markRead' | 'dropNotices'>;

/** `add` is for the transactions of others. */
export function openNotices(
  database: DatabaseSync,
  writer: TurnWriter,
): Part & { readonly add: (notices: readonly StoredNotice[]) => readonly StoredNotice[] } {
  const add = openAdding(database);
  const list = database.prepare(
    `SELECT notices.*, rooms.app, rooms.name AS room_name FROM notices JOIN rooms ON rooms.id = notices.room
       WHERE person = ? ORDER BY at_ms DESC, notices.id DESC LIMIT ?`,
  );
  const unread = database.prepare('SELECT count(*) AS n FROM notices WHERE person = ? AND read = 0');
  const readOne = database.prepare('UPDATE notices SET read = 1 WHERE person = ? AND id = ? AND read = 0');
  const readAll = database.prepare('UPDATE notices SET read = 1 WHERE person = ? AND read = 0');
  const dropOne = database.prepare('DELETE FROM notices WHERE person = ? AND id = ?');
  const dropAll = database.prepare('DELETE FROM notices WHERE person = ?');
  return {
    add,
    addNotices: (notices) => writer.write(() => add(notices)),
    notices: async (usuario) => {
      writer.flush();
      return (list.all(usuario, sharedLimits.noticesPerPersonMax) as Row[]).map(noticeOf);
    },
    unread: async (usuario) => {
      writer.flush();
      return (unread.get(usuario) as { n: number }).n;
    },
    markRead: (usuario, id) => writer.write(() => Number((id === null ? readAll.run(usuario) : readOne.run(usuario, id)).changes)),
    dropNotices: (usuario, id) => writer.write(() => Number((id === null ? dropAll.run(usuario) : dropOne.run(usuario, id)).changes)),
  };
}

function openAdding(database: DatabaseSync): (notices: readonly StoredNotice[]) => readonly StoredNotice[] {
  const room = database.prepare('SELECT 1 FROM rooms WHERE id = ?');
  const seen = database.prepare('INSERT OR IGNORE INTO notice_anchors VALUES (?, ?, ?, ?, ?)');
  const forgetSeen = database.prepare(
    `DELETE FROM notice_anchors WHERE person = ?1 AND at_ms <
       (SELECT at_ms FROM notice_anchors WHERE person = ?1 ORDER BY at_ms DESC LIMIT 1 OFFSET ?2)`,
  );
  const replaced = database.prepare("DELETE FROM notices WHERE person = ? AND room = ? AND kind = 'convite'");
  const insert = database.prepare('INSERT INTO notices VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0)');
  const trim = database.prepare(
    'DELETE FROM notices WHERE id IN (SELECT id FROM notices WHERE person = ? ORDER BY at_ms DESC, id DESC LIMIT -1 OFFSET ?)',
  );
  return (notices) => {
    const fresh = notices.filter(({ usuario, sala, tipo, ancora, atMs }) => {
      if (!room.get(sala)) return false;
      if (tipo === 'convite') replaced.run(usuario, sala);
      return ancora === null || seen.run(usuario, sala, tipo, ancora, atMs).changes === 1;
    });
    for (const { id, usuario, tipo, sala, de, papel, ancora, atMs } of fresh) insert.run(id, usuario, tipo, sala, de, papel, ancora, atMs);
    for (const usuario of new Set(fresh.map((notice) => notice.usuario))) {
      trim.run(usuario, sharedLimits.noticesPerPersonMax);
      forgetSeen.run(usuario, limits.noticeAnchorsPerPersonMax);
    }
    return fresh;
  };
}
