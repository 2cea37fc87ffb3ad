/** Intents, windows, documents in force and small named values. Contract: store.ts. */
import { done, prefixEnd, type Sql } from '../sql.ts';
import type { Intent, Store, WindowCount } from '../store.ts';

interface IntentRow {
  readonly [column: string]: string | number;
  readonly person: string;
  readonly app: string;
  readonly wish: string;
  readonly by_whom: string;
  readonly request_id: string;
  readonly at_ms: number;
  readonly done: number;
  /** The id of the request and the name: an older portal of the same tables writes the row without it. */
  readonly who: string;
}

function intentOf(row: IntentRow): Intent {
  return {
    person: row.person,
    app: row.app,
    wish: row.wish as Intent['wish'],
    by: row.by_whom as Intent['by'],
    ...(row.who.startsWith(`${row.request_id} `) ? { who: row.who.slice(row.request_id.length + 1) } : {}),
    requestId: row.request_id,
    atMs: row.at_ms,
    done: row.done === 1,
  };
}

export function openIntents(sql: Sql): Pick<Store, 'putIntent' | 'intents' | 'intent' | 'finishIntent'> {
  const put = sql.prepare(
    `INSERT INTO intents (person, app, wish, by_whom, who, request_id, at_ms, done) VALUES (?, ?, ?, ?, ?, ?, ?, 0) ON CONFLICT (person, app) DO UPDATE SET
       wish = excluded.wish, by_whom = excluded.by_whom, who = excluded.who, request_id = excluded.request_id, at_ms = excluded.at_ms, done = 0`,
  );
  const finish = sql.prepare('UPDATE intents SET done = 1 WHERE person = ? AND app = ? AND request_id = ?');
  const all = sql.prepare('SELECT * FROM intents ORDER BY person, app');
  const one = sql.prepare('SELECT * FROM intents WHERE person = ? AND app = ?');
  return {
    putIntent: ({ person, app, wish, by, who, requestId, atMs }) =>
      sql.write(() => done(put.run(person, app, wish, by, who === undefined ? '' : `${requestId} ${who}`, requestId, atMs))),
    intents: () =>
      sql.read(function* () {
        return (yield* all.all<IntentRow>()).map(intentOf);
      }),
    intent: (person, app) =>
      sql.read(function* () {
        const row = yield* one.get<IntentRow>(person, app);
        return row ? intentOf(row) : null;
      }),
    finishIntent: (person, app, requestId) => sql.write(() => done(finish.run(person, app, requestId))),
  };
}

type WindowRow = { person: string; app: string; open: number; zero_since_ms: number | null };

function windowsOf(row: WindowRow): WindowCount {
  return { person: row.person, app: row.app, open: row.open, zeroSinceMs: row.open === 0 ? row.zero_since_ms : null };
}

export function openWindows(sql: Sql): Pick<Store, 'putWindows' | 'windows' | 'windowsOf' | 'closeWindows'> {
  const put = sql.prepare(
    `INSERT INTO windows (person, app, open, zero_since_ms, portal) VALUES (?, ?, ?, ?, ?) ON CONFLICT (person, app, portal) DO UPDATE SET
       open = excluded.open, zero_since_ms = excluded.zero_since_ms`,
  );
  const sums = 'SELECT person, app, CAST(sum(open) AS INTEGER) AS open, max(zero_since_ms) AS zero_since_ms FROM windows';
  const all = sql.prepare(`${sums} GROUP BY person, app ORDER BY person, app`);
  const one = sql.prepare(`${sums} WHERE person = ? AND app = ? GROUP BY person, app`);
  const open = sql.prepare('SELECT person, app, portal FROM windows WHERE open > 0 ORDER BY person, app');
  const close = sql.prepare('UPDATE windows SET open = 0, zero_since_ms = ? WHERE person = ? AND app = ? AND portal = ?');
  // A portal that is no more keeps a row for each app that it ever counted: the newest zero of them is what counts.
  const drop = sql.prepare('DELETE FROM windows WHERE person = ? AND app = ? AND portal <> ? AND open = 0');
  return {
    putWindows: (portal, { person, app, open, zeroSinceMs }) =>
      sql.write(function* () {
        yield* drop.run(person, app, portal);
        yield* put.run(person, app, open, zeroSinceMs, portal);
      }),
    closeWindows: (isOf, portals, nowMs) =>
      sql.write(function* () {
        const rows = yield* open.all<{ readonly person: string; readonly app: string; readonly portal: string }>();
        const closed = rows.filter(({ portal }) => portals.includes(portal) === isOf);
        for (const { person, app, portal } of closed) yield* close.run(nowMs, person, app, portal);
        return closed.map(({ person, app }) => ({ person, app }));
      }),
    windows: () =>
      sql.read(function* () {
        return (yield* all.all<WindowRow>()).map(windowsOf);
      }),
    windowsOf: (person, app) =>
      sql.read(function* () {
        const row = yield* one.get<WindowRow>(person, app);
        return row ? windowsOf(row) : null;
      }),
  };
}

type InForceRow = { name: string; leaving: number; body: string };

export function openNames(sql: Sql): Pick<Store, 'inForce' | 'changeInForce' | 'value' | 'values' | 'putValue' | 'keepValue'> {
  const add = sql.prepare(
    'INSERT INTO in_force VALUES (?, ?, ?) ON CONFLICT (name) DO UPDATE SET leaving = excluded.leaving, body = excluded.body',
  );
  const drop = sql.prepare('DELETE FROM in_force WHERE name = ?');
  const all = sql.prepare('SELECT name, leaving, body FROM in_force ORDER BY name');
  const put = sql.prepare('INSERT INTO named_values VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value');
  const keep = sql.prepare('INSERT INTO named_values VALUES (?, ?) ON CONFLICT (name) DO NOTHING');
  const one = sql.prepare('SELECT value FROM named_values WHERE name = ?');
  const many = sql.prepare('SELECT name, value FROM named_values WHERE name >= ? AND name < ? ORDER BY name');
  return {
    inForce: () =>
      sql.read(function* () {
        return (yield* all.all<InForceRow>()).map(({ name, leaving, body }) => ({ name, leaving: leaving === 1, body }));
      }),
    changeInForce: ({ put: rows, gone }) =>
      sql.write(function* () {
        for (const name of gone) yield* drop.run(name);
        for (const { name, leaving, body } of rows) yield* add.run(name, leaving ? 1 : 0, body);
      }),
    value: (name) =>
      sql.read(function* () {
        return (yield* one.get<{ readonly value: string }>(name))?.value ?? null;
      }),
    values: (prefix) =>
      sql.read(function* () {
        const rows = yield* many.all<{ readonly name: string; readonly value: string }>(prefix, prefix + prefixEnd);
        return new Map(rows.map(({ name, value }) => [name, value]));
      }),
    putValue: (name, value) => sql.write(() => done(put.run(name, value))),
    keepValue: (name, value) =>
      sql.write(function* () {
        yield* keep.run(name, value);
        return (yield* one.get<{ readonly value: string }>(name))?.value ?? value;
      }),
  };
}
