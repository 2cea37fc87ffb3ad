/** The part of the embedded store that holds what people want installed, and which rollbacks are held. */
import type { DatabaseSync } from 'node:sqlite';
import type { HeldRollback, InstallWish, Store } from './store.ts';
import type { TurnWriter } from './turn-writer.ts';

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

export function openInstalls(database: DatabaseSync, writer: TurnWriter): Part {
  const putWish = database.prepare(
    'INSERT OR REPLACE INTO install_wishes (person, app, version, request_id, at_ms, cancels) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const allWishes = database.prepare('SELECT * FROM install_wishes ORDER BY person, app');
  const oneWish = database.prepare('SELECT * FROM install_wishes WHERE person = ? AND app = ?');
  const dropWish = database.prepare('DELETE FROM install_wishes WHERE person = ? AND app = ? AND request_id = ?');
  const putRollback = database.prepare('INSERT OR REPLACE INTO rollbacks VALUES (?, ?, ?, ?, ?)');
  const allRollbacks = database.prepare('SELECT * FROM rollbacks ORDER BY key');
  const dropRollback = database.prepare('DELETE FROM rollbacks WHERE key = ?');
  return {
    putInstallWish: ({ person, app, version, requestId, atMs, cancels }) =>
      writer.write(() => {
        putWish.run(person, app, version, requestId, atMs, cancels === true ? 1 : 0);
      }),
    installWishes: async () => {
      writer.flush();
      return (allWishes.all() as WishRow[]).map(wishOf);
    },
    installWish: async (person, app) => {
      writer.flush();
      const row = oneWish.get(person, app) as WishRow | undefined;
      return row ? wishOf(row) : null;
    },
    deleteInstallWish: (person, app, requestId) =>
      writer.write(() => {
        dropWish.run(person, app, requestId);
      }),
    putRollback: ({ key, from, to, requestId, atMs }) =>
      writer.write(() => {
        putRollback.run(key, from, to, requestId, atMs);
      }),
    rollbacks: async () => {
      writer.flush();
      return (allRollbacks.all() as RollbackRow[]).map(rollbackOf);
    },
    deleteRollback: (key) =>
      writer.write(() => {
        dropRollback.run(key);
      }),
  };
}
