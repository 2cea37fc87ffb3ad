/** Events: appended with every transition, kept per object and in total up to the limits. */
import { limits } from '../limits.ts';
import type { Act, Sql } from '../sql.ts';
import type { Store, StoredEvent } from '../store.ts';

type EventRow = {
  seq: number;
  at_ms: number;
  key: string;
  type: string;
  reason: string;
  message: string;
  round: string;
  from_state: string | null;
  to_state: string | null;
};

function eventOf(row: EventRow): StoredEvent {
  return {
    seq: row.seq,
    atMs: row.at_ms,
    key: row.key,
    type: row.type as StoredEvent['type'],
    reason: row.reason as StoredEvent['reason'],
    message: row.message,
    round: row.round,
    from: row.from_state,
    to: row.to_state,
  };
}

export async function openEvents(sql: Sql): Promise<Pick<Store, 'appendEvent' | 'events'>> {
  const insert = sql.prepare(
    'INSERT INTO events (at_ms, key, type, reason, message, round, from_state, to_state) VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING seq',
  );
  const newestBy = (seq: string) =>
    sql.prepare(
      `SELECT * FROM (SELECT * FROM events WHERE (key = ? OR (key >= ? AND key < ?)) AND ${seq} > ? ORDER BY ${seq} DESC LIMIT ?) AS newest
       ORDER BY seq`,
    );
  const newest = newestBy('seq');
  // An object has few of all events: SQLite, which would walk back through them all, finds its own by the index of keys.
  const newestOfObject = newestBy('+seq');
  const newestOfAll = sql.prepare('SELECT * FROM (SELECT * FROM events WHERE seq > ? ORDER BY seq DESC LIMIT ?) AS newest ORDER BY seq');
  const pruneKey = sql.prepare(
    'DELETE FROM events WHERE key = ?1 AND seq <= (SELECT seq FROM events WHERE key = ?1 ORDER BY seq DESC LIMIT 1 OFFSET ?2)',
  );
  const pruneAll = sql.prepare('DELETE FROM events WHERE seq <= (SELECT seq FROM events ORDER BY seq DESC LIMIT 1 OFFSET ?)');
  const counted = sql.prepare('SELECT key, count(*) AS n FROM events GROUP BY key');
  const counts = new Map<string, number>();
  let total = 0;
  for (const { key, n } of await sql.read(() => counted.all<{ readonly key: string; readonly n: number }>())) {
    counts.set(key, n);
    total += n;
  }

  /** Pruned in steps of a tenth, so that a busy object doesn't pay a delete per event. An act that is run anew counts too high: it is pruned earlier. */
  function* prune(key: string): Act<void> {
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    total += 1;
    if (count > limits.eventsKeptPerObject * 1.1) {
      total -= yield* pruneKey.run(key, limits.eventsKeptPerObject);
      counts.set(key, limits.eventsKeptPerObject);
    }
    if (total > limits.eventsKeptTotal * 1.1) total -= yield* pruneAll.run(limits.eventsKeptTotal);
  }

  return {
    appendEvent: ({ atMs, key, type, reason, message, round, from, to }) =>
      sql.write(function* () {
        const row = yield* insert.get<{ readonly seq: number }>(atMs, key, type, reason, message, round, from, to);
        yield* prune(key);
        return row?.seq ?? 0;
      }),
    events: ({ afterSeq = 0, limit: most, under = '' }) =>
      sql.read(function* () {
        const limit = Math.max(0, Math.trunc(most));
        const key = under.replace(/\/$/, '');
        if (key === '') return (yield* newestOfAll.all<EventRow>(afterSeq, limit)).map(eventOf);
        const statement = afterSeq === 0 && key.includes('/') ? newestOfObject : newest;
        // '0' is the character after '/'.
        return (yield* statement.all<EventRow>(key, `${key}/`, `${key}0`, afterSeq, limit)).map(eventOf);
      }),
  };
}
