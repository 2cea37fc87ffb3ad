/** The bell. Contract: rooms.ts. */
import type { EndState } from '../../schema/jobs.ts';
import { limits as sharedLimits } from '../../schema/limits.ts';
import type { PapelConcedido } from '../../schema/rooms.ts';
import { limits } from '../limits.ts';
import { newNoticeId, type NoticeRow, type RoomStore, type StoredAppNotice, type StoredNotice } from '../rooms.ts';
import { everyRow, type Act, type Sql } from '../sql.ts';

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
type Adding = (notices: readonly StoredNotice[]) => Act<readonly StoredNotice[]>;

/** `add` is for the transactions of others. */
export function openNotices(sql: Sql): Part & { readonly add: Adding } {
  const trim = openTrimming(sql);
  const add = openAdding(sql, trim);
  const list = sql.prepare(
    `SELECT notices.id, person, kind, room, by_whom, role, anchor, at_ms, read, coalesce(notices.app, rooms.app) AS app, rooms.name AS room_name,
         words, route, job, job_state, jobs, jobs_failed
       FROM notices LEFT JOIN rooms ON rooms.id = notices.room WHERE person = ? ORDER BY at_ms DESC, notices.id DESC LIMIT ?`,
  );
  const unread = sql.prepare('SELECT count(*) AS n FROM notices WHERE person = ? AND read = 0');
  const readOne = sql.prepare('UPDATE notices SET read = 1 WHERE person = ? AND id = ? AND read = 0');
  const readAll = sql.prepare('UPDATE notices SET read = 1 WHERE person = ? AND read = 0');
  const dropOne = sql.prepare('DELETE FROM notices WHERE person = ? AND id = ?');
  const dropAll = sql.prepare('DELETE FROM notices WHERE person = ?');
  return {
    add,
    addNotices: (notices) => sql.write(() => add(notices)),
    addAppNotice: openAddingOfApps(sql, trim),
    notices: (usuario) =>
      sql.read(function* () {
        return (yield* list.all<Row>(usuario, sharedLimits.noticesPerPersonMax)).map(noticeOf);
      }),
    unread: (usuario) =>
      sql.read(function* () {
        return (yield* unread.get<{ readonly n: number }>(usuario))?.n ?? 0;
      }),
    markRead: (usuario, id) => sql.write(() => (id === null ? readAll.run(usuario) : readOne.run(usuario, id))),
    dropNotices: (usuario, id) => sql.write(() => (id === null ? dropAll.run(usuario) : dropOne.run(usuario, id))),
  };
}

/** The oldest of a person go. */
function openTrimming(sql: Sql): (usuario: string) => Act<number> {
  const trim = sql.prepare(
    `DELETE FROM notices WHERE id IN (SELECT id FROM notices WHERE person = ? ORDER BY at_ms DESC, id DESC LIMIT ${everyRow} OFFSET ?)`,
  );
  return (usuario) => trim.run(usuario, sharedLimits.noticesPerPersonMax);
}

function openTrimmingOfApps(sql: Sql): (usuario: string, app: string) => Act<number> {
  const trim = sql.prepare(
    `DELETE FROM notices WHERE id IN (SELECT id FROM notices WHERE person = ? AND app = ? ORDER BY at_ms DESC, id DESC LIMIT ${everyRow} OFFSET ?)`,
  );
  return (usuario, app) => trim.run(usuario, app, limits.noticesPerAppMax);
}

export interface EndedJob {
  readonly id: string;
  readonly usuario: string;
  readonly app: string;
  readonly nome: string;
  readonly estado: EndState;
  readonly atMs: number;
}

/** Adds to the transaction in which a job gets its outcome. A notice that was read is left as it is, and the next begins anew. */
export function openJobNotices(sql: Sql): (job: EndedJob) => Act<void> {
  const trim = openTrimming(sql);
  const trimApp = openTrimmingOfApps(sql);
  const open = sql.prepare(
    `SELECT id FROM notices WHERE person = ? AND app = ? AND kind = 'trabalho' AND read = 0 AND begun_ms BETWEEN ? AND ?
       ORDER BY at_ms DESC, id DESC LIMIT 1`,
  );
  const join = sql.prepare(
    'UPDATE notices SET at_ms = ?, job = ?, job_state = ?, words = ?, jobs = jobs + 1, jobs_failed = jobs_failed + ? WHERE id = ?',
  );
  const insert = sql.prepare(
    `INSERT INTO notices (id, person, kind, by_whom, at_ms, app, words, job, job_state, jobs, jobs_failed, begun_ms)
       VALUES (?1, ?2, 'trabalho', ?2, ?3, ?4, ?5, ?6, ?7, 1, ?8, ?3)`,
  );
  return function* ({ id, usuario, app, nome, estado, atMs }) {
    const failed = estado === 'falhou' ? 1 : 0;
    const known = yield* open.get<{ readonly id: string }>(usuario, app, atMs - limits.jobNoticeMs, atMs);
    if (known !== undefined) {
      yield* join.run(atMs, id, estado, nome, failed, known.id);
      return;
    }
    yield* insert.run(newNoticeId(), usuario, atMs, app, nome, id, estado, failed);
    yield* trimApp(usuario, app);
    yield* trim(usuario);
  };
}

function openAddingOfApps(sql: Sql, trim: (usuario: string) => Act<number>): RoomStore['addAppNotice'] {
  const insert = sql.prepare(
    `INSERT INTO notices (id, person, kind, by_whom, at_ms, app, words, route) VALUES (?1, ?2, 'aplicativo', ?2, ?3, ?4, ?5, ?6)`,
  );
  const trimApp = openTrimmingOfApps(sql);
  return ({ id, usuario, app, texto, rota, atMs }: StoredAppNotice) =>
    sql.write(function* () {
      yield* insert.run(id, usuario, atMs, app, texto, rota);
      yield* trimApp(usuario, app);
      yield* trim(usuario);
    });
}

function openAdding(sql: Sql, trim: (usuario: string) => Act<number>): Adding {
  const room = sql.prepare('SELECT 1 FROM rooms WHERE id = ?');
  // Whatever the kind: a person gets one notice of an anchor. Source: rules 6 rule 2.
  const told = sql.prepare('SELECT 1 FROM notice_anchors WHERE person = ? AND room = ? AND anchor = ? LIMIT 1');
  const seen = sql.prepare('INSERT INTO notice_anchors VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING');
  const forgetSeen = sql.prepare(
    `DELETE FROM notice_anchors WHERE person = ?1 AND at_ms <
       (SELECT at_ms FROM notice_anchors WHERE person = ?1 ORDER BY at_ms DESC LIMIT 1 OFFSET ?2)`,
  );
  const replaced = sql.prepare("DELETE FROM notices WHERE person = ? AND room = ? AND kind = 'convite'");
  const insert = sql.prepare('INSERT INTO notices (id, person, kind, room, by_whom, role, anchor, at_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?)');
  function* isFresh({ usuario, sala, tipo, ancora, atMs }: StoredNotice): Act<boolean> {
    if (!(yield* room.get(sala))) return false;
    if (tipo === 'convite') yield* replaced.run(usuario, sala);
    if (ancora === null) return true;
    if (yield* told.get(usuario, sala, ancora)) return false;
    return (yield* seen.run(usuario, sala, tipo, ancora, atMs)) === 1;
  }
  return function* (notices) {
    const fresh: StoredNotice[] = [];
    for (const notice of notices) if (yield* isFresh(notice)) fresh.push(notice);
    for (const { id, usuario, tipo, sala, de, papel, ancora, atMs } of fresh)
      yield* insert.run(id, usuario, tipo, sala, de, papel, ancora, atMs);
    for (const usuario of new Set(fresh.map((notice) => notice.usuario))) {
      yield* trim(usuario);
      yield* forgetSeen.run(usuario, limits.noticeAnchorsPerPersonMax);
    }
    return fresh;
  };
}
