/** The bell of the embedded store. Contract: rooms.ts. */
import type { DatabaseSync } from 'node:sqlite';
import { limits as sharedLimits } from '../schema/limits.ts';
import { limits } from './limits.ts';
import type { EndState } from '../schema/jobs.ts';
import type { PapelConcedido } from '../schema/rooms.ts';
import { newNoticeId, type NoticeRow, type RoomStore, type StoredAppNotice, type StoredNotice } from './rooms.ts';
import type { TurnWriter } from './turn-writer.ts';

type Row = {
  id: string;
  person: string;
  kind: string;
  room: string | null;
  by_whom: string;
  role: string | null;
  anchor: string | null;
  at_ms: number;
  read: number;
  app: string;
  room_name: string | null;
  words: string | null;
  route: string | null;
  job: string | null;
  job_state: string | null;
  jobs: number;
  jobs_failed: number;
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
    texto: row.words,
    rota: row.route,
    trabalho: row.job === null ? null : { id: row.job, estado: row.job_state as EndState, quantos: row.jobs, falharam: row.jobs_failed },
    read: row.read === 1,
  };
}

type Part = Pick<RoomStore, 'addNotices' | 'addAppNotice' | 'notices' | 'unread' | 'markRead' | 'dropNotices'>;

/** `add` is for the transactions of others. */
export function openNotices(
  database: DatabaseSync,
  writer: TurnWriter,
): Part & { readonly add: (notices: readonly StoredNotice[]) => readonly StoredNotice[] } {
  const trim = openTrimming(database);
  const add = openAdding(database, trim);
  const list = database.prepare(
    `SELECT notices.*, coalesce(notices.app, rooms.app) AS app, rooms.name AS room_name
       FROM notices LEFT JOIN rooms ON rooms.id = notices.room WHERE person = ? ORDER BY at_ms DESC, notices.id DESC LIMIT ?`,
  );
  const unread = database.prepare('SELECT count(*) AS n FROM notices WHERE person = ? AND read = 0');
  const readOne = database.prepare('UPDATE notices SET read = 1 WHERE person = ? AND id = ? AND read = 0');
  const readAll = database.prepare('UPDATE notices SET read = 1 WHERE person = ? AND read = 0');
  const dropOne = database.prepare('DELETE FROM notices WHERE person = ? AND id = ?');
  const dropAll = database.prepare('DELETE FROM notices WHERE person = ?');
  return {
    add,
    addNotices: (notices) => writer.write(() => add(notices)),
    addAppNotice: openAddingOfApps(database, writer, trim),
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

/** The oldest of a person go. */
function openTrimming(database: DatabaseSync): (usuario: string) => void {
  const trim = database.prepare(
    'DELETE FROM notices WHERE id IN (SELECT id FROM notices WHERE person = ? ORDER BY at_ms DESC, id DESC LIMIT -1 OFFSET ?)',
  );
  return (usuario) => void trim.run(usuario, sharedLimits.noticesPerPersonMax);
}

function openTrimmingOfApps(database: DatabaseSync): (usuario: string, app: string) => void {
  const trim = database.prepare(
    'DELETE FROM notices WHERE id IN (SELECT id FROM notices WHERE person = ? AND app = ? ORDER BY at_ms DESC, id DESC LIMIT -1 OFFSET ?)',
  );
  return (usuario, app) => void trim.run(usuario, app, limits.noticesPerAppMax);
}

export interface EndedJob {
  readonly id: string;
  readonly usuario: string;
  readonly app: string;
  readonly nome: string;
  readonly estado: EndState;
  readonly atMs: number;
}

/** For the transaction in which a job gets its outcome. One that was read is left as it is, and the next begins anew. */
export function openJobNotices(database: DatabaseSync): (job: EndedJob) => void {
  const trim = openTrimming(database);
  const trimApp = openTrimmingOfApps(database);
  const open = database.prepare(
    `SELECT id FROM notices WHERE person = ? AND app = ? AND kind = 'trabalho' AND read = 0 AND begun_ms BETWEEN ? AND ?
       ORDER BY at_ms DESC, id DESC LIMIT 1`,
  );
  const join = database.prepare(
    'UPDATE notices SET at_ms = ?, job = ?, job_state = ?, words = ?, jobs = jobs + 1, jobs_failed = jobs_failed + ? WHERE id = ?',
  );
  const insert = database.prepare(
    `INSERT INTO notices (id, person, kind, by_whom, at_ms, app, words, job, job_state, jobs, jobs_failed, begun_ms)
       VALUES (?1, ?2, 'trabalho', ?2, ?3, ?4, ?5, ?6, ?7, 1, ?8, ?3)`,
  );
  return ({ id, usuario, app, nome, estado, atMs }) => {
    const failed = estado === 'falhou' ? 1 : 0;
    const known = open.get(usuario, app, atMs - limits.jobNoticeMs, atMs) as { id: string } | undefined;
    if (known !== undefined) {
      join.run(atMs, id, estado, nome, failed, known.id);
      return;
    }
    insert.run(newNoticeId(), usuario, atMs, app, nome, id, estado, failed);
    trimApp(usuario, app);
    trim(usuario);
  };
}

function openAddingOfApps(database: DatabaseSync, writer: TurnWriter, trim: (usuario: string) => void): RoomStore['addAppNotice'] {
  const insert = database.prepare(
    `INSERT INTO notices (id, person, kind, by_whom, at_ms, app, words, route) VALUES (?1, ?2, 'aplicativo', ?2, ?3, ?4, ?5, ?6)`,
  );
  const trimApp = openTrimmingOfApps(database);
  return ({ id, usuario, app, texto, rota, atMs }: StoredAppNotice) =>
    writer.write(() => {
      insert.run(id, usuario, atMs, app, texto, rota);
      trimApp(usuario, app);
      trim(usuario);
    });
}

function openAdding(
  database: DatabaseSync,
  trim: (usuario: string) => void,
): (notices: readonly StoredNotice[]) => readonly StoredNotice[] {
  const room = database.prepare('SELECT 1 FROM rooms WHERE id = ?');
  const seen = database.prepare('INSERT OR IGNORE INTO notice_anchors VALUES (?, ?, ?, ?, ?)');
  const forgetSeen = database.prepare(
    `DELETE FROM notice_anchors WHERE person = ?1 AND at_ms <
       (SELECT at_ms FROM notice_anchors WHERE person = ?1 ORDER BY at_ms DESC LIMIT 1 OFFSET ?2)`,
  );
  const replaced = database.prepare("DELETE FROM notices WHERE person = ? AND room = ? AND kind = 'convite'");
  const insert = database.prepare(
    'INSERT INTO notices (id, person, kind, room, by_whom, role, anchor, at_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
  );
  return (notices) => {
    const fresh = notices.filter(({ usuario, sala, tipo, ancora, atMs }) => {
      if (!room.get(sala)) return false;
      if (tipo === 'convite') replaced.run(usuario, sala);
      return ancora === null || seen.run(usuario, sala, tipo, ancora, atMs).changes === 1;
    });
    for (const { id, usuario, tipo, sala, de, papel, ancora, atMs } of fresh) insert.run(id, usuario, tipo, sala, de, papel, ancora, atMs);
    for (const usuario of new Set(fresh.map((notice) => notice.usuario))) {
      trim(usuario);
      forgetSeen.run(usuario, limits.noticeAnchorsPerPersonMax);
    }
    return fresh;
  };
}
