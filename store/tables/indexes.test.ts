/** Every statement of the room store goes by an index: a portal with ten thousand rooms answers as one with ten. */
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { migrations } from '../migrations.ts';
import { openRoomStore } from './room-store.ts';
import { sqliteSql } from '../sqlite-sql.ts';
import { createTurnWriter } from '../turn-writer.ts';

/** Asked by the collection of attachments and at the start of the portal, over all there is. */
const overAll = ['SELECT DISTINCT room FROM room_attachments', 'SELECT DISTINCT person, app FROM portal_tokens'];

test('no statement reads a whole table', () => {
  const database = new DatabaseSync(':memory:', { enableForeignKeyConstraints: true });
  for (const step of migrations) database.exec(step);
  const statements: string[] = [];
  const recording = new Proxy(database, {
    get: (target, name) => {
      if (name !== 'prepare') return Reflect.get(target, name) as unknown;
      return (sql: string) => {
        statements.push(sql);
        return target.prepare(sql);
      };
    },
  });
  openRoomStore(sqliteSql(recording, createTurnWriter(database)));
  expect(statements.length).toBeGreaterThan(40);
  const scans = statements
    .filter((sql) => !overAll.some((allowed) => sql.startsWith(allowed)))
    .flatMap((sql) => {
      const plan = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all() as { detail: string }[];
      const whole = plan.filter(({ detail }) => /^SCAN (?!CONSTANT|json_each|mine|always|\()/.test(detail)).map(({ detail }) => detail);
      return whole.length === 0 ? [] : [{ sql, whole }];
    });
  expect(scans).toEqual([]);
  database.close();
});
