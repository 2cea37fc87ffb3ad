/** Desired installations of people, and held rollbacks. Contract: store.ts. */
import { done, type Sql } from '../sql.ts';
import type { HeldRollback, InstallWish, Store } from '../store.ts';

type Part = Pick<
  Store,
  'putInstallWish' | 'installWishes' | 'installWish' | 'deleteInstallWish' | 'putRollback' | 'rollbacks' | 'deleteRollback'
>;

type WishRow = { person: string; app: string; version: string | null; request_id: string; at_ms: number; cancels: number };
type RollbackRow = { key: string; from_version: string; to_version: string; request_id: string; at_ms: number };

function wishOf(row: WishRow): InstallWish {
  const cancels = row.cancels === 1 ? { cancels: true } : {};
  return { person: row.person, app: row.app, version: row.version, requestId: row.request_id, atMs: row.at_ms, ...cancels };
}

function rollbackOf(row: RollbackRow): HeldRollback {
  return { key: row.key, from: row.from_version, to: row.to_version, requestId: row.request_id, atMs: row.at_ms };
}

export function openInstalls(sql: Sql): Part {
  const putWish = sql.prepare(
    `INSERT INTO install_wishes (person, app, version, request_id, at_ms, cancels) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (person, app) DO UPDATE SET
       version = excluded.version, request_id = excluded.request_id, at_ms = excluded.at_ms, cancels = excluded.cancels`,
  );
  const allWishes = sql.prepare('SELECT * FROM install_wishes ORDER BY person, app');
  const oneWish = sql.prepare('SELECT * FROM install_wishes WHERE person = ? AND app = ?');
  const dropWish = sql.prepare('DELETE FROM install_wishes WHERE person = ? AND app = ? AND request_id = ?');
  const putRollback = sql.prepare(
    `INSERT INTO rollbacks VALUES (?, ?, ?, ?, ?) ON CONFLICT (key) DO UPDATE SET
       from_version = excluded.from_version, to_version = excluded.to_version, request_id = excluded.request_id, at_ms = excluded.at_ms`,
  );
  const allRollbacks = sql.prepare('SELECT * FROM rollbacks ORDER BY key');
  const dropRollback = sql.prepare('DELETE FROM rollbacks WHERE key = ?');
  return {
    putInstallWish: ({ person, app, version, requestId, atMs, cancels }) =>
      sql.write(() => done(putWish.run(person, app, version, requestId, atMs, cancels === true ? 1 : 0))),
    installWishes: () =>
      sql.read(function* () {
        return (yield* allWishes.all<WishRow>()).map(wishOf);
      }),
    installWish: (person, app) =>
      sql.read(function* () {
        const row = yield* oneWish.get<WishRow>(person, app);
        return row ? wishOf(row) : null;
      }),
    deleteInstallWish: (person, app, requestId) => sql.write(() => done(dropWish.run(person, app, requestId))),
    putRollback: ({ key, from, to, requestId, atMs }) => sql.write(() => done(putRollback.run(key, from, to, requestId, atMs))),
    rollbacks: () =>
      sql.read(function* () {
        return (yield* allRollbacks.all<RollbackRow>()).map(rollbackOf);
      }),
    deleteRollback: (key) => sql.write(() => done(dropRollback.run(key))),
  };
}
