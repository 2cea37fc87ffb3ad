/** Events of the embedded store: appended with every transition, kept per object and in total up to the limits. */
import type { DatabaseSync } from 'node:sqlite';
import { limits } from './limits.ts';
import type { Store, StoredEvent } from './store.ts';
import type { TurnWriter } from './turn-writer.ts';

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

/** The end of the range of keys with this prefix, for an index scan: U+10FFFF sorts after every name. */
const prefixEnd = '\u{10FFFF}';

export function openEvents(database: DatabaseSync, writer: TurnWriter): Pick<Store, 'appendEvent' | 'events'> {
  const insert = database.prepare('INSERT INTO events VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?)');
  const newest = database.prepare(
    `SELECT * FROM (SELECT * FROM events WHERE key >= ? AND key < ? AND seq > ? ORDER BY seq DESC LIMIT ?) ORDER BY seq`,
  );
  const newestOfAll = database.prepare('SELECT * FROM (SELECT * FROM events WHERE seq > ? ORDER BY seq DESC LIMIT ?) ORDER BY seq');
  const pruneKey = database.prepare(
    'DELETE FROM events WHERE key = ?1 AND seq <= (SELECT seq FROM events WHERE key = ?1 ORDER BY seq DESC LIMIT 1 OFFSET ?2)',
  );
  const pruneAll = database.prepare('DELETE FROM events WHERE seq <= (SELECT seq FROM events ORDER BY seq DESC LIMIT 1 OFFSET ?)');
  const counts = new Map<string, number>();
  let total = 0;
  for (const row of database.prepare('SELECT key, count(*) AS n FROM events GROUP BY key').all() as { key: string; n: number }[]) {
    counts.set(row.key, row.n);
    total += row.n;
  }

  /** Pruned in steps of a tenth, so that a busy object doesn't pay a delete per event. */
  const prune = (key: string): void => {
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    total += 1;
    if (count > limits.eventsKeptPerObject * 1.1) {
      total -= Number(pruneKey.run(key, limits.eventsKeptPerObject).changes);
      counts.set(key, limits.eventsKeptPerObject);
    }
    if (total > limits.eventsKeptTotal * 1.1) {
      total -= Number(pruneAll.run(limits.eventsKeptTotal).changes);
    }
  };

  return {
    appendEvent: (event) =>
      writer.write(() => {
        const { lastInsertRowid } = insert.run(
          event.atMs,
          event.key,
          event.type,
          event.reason,
          event.message,
          event.round,
          event.from,
          event.to,
        );
        prune(event.key);
        return Number(lastInsertRowid);
      }),
    events: async (filter) => {
      writer.flush();
      const after = filter.afterSeq ?? 0;
      const limit = Math.max(0, Math.trunc(filter.limit));
      const prefix = filter.keyPrefix ?? '';
      const rows = prefix === '' ? newestOfAll.all(after, limit) : newest.all(prefix, prefix + prefixEnd, after, limit);
      return (rows as EventRow[]).map(eventOf);
    },
  };
}
