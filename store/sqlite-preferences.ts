/** Preferences of people in the embedded store. Contract: store.ts. */
import type { DatabaseSync } from 'node:sqlite';
import type { Store, StoredPreferences } from './store.ts';
import type { TurnWriter } from './turn-writer.ts';

type Part = Pick<Store, 'preferences' | 'putPreferences' | 'deletePreferences'>;

export function openPreferences(database: DatabaseSync, writer: TurnWriter): Part {
  const one = database.prepare('SELECT version, body FROM preferences WHERE person = ?');
  const put = database.prepare(
    `INSERT INTO preferences (person, version, body) SELECT ?1, ?2 + 1, ?3 WHERE ?2 = coalesce((SELECT version FROM preferences WHERE person = ?1), 0)
       ON CONFLICT (person) DO UPDATE SET version = excluded.version, body = excluded.body`,
  );
  const drop = database.prepare('DELETE FROM preferences WHERE person = ?');
  return {
    preferences: async (person) => {
      writer.flush();
      return (one.get(person) as StoredPreferences | undefined) ?? null;
    },
    putPreferences: (person, body, version) => writer.write(() => put.run(person, version, body).changes === 1),
    deletePreferences: (person) => writer.write(() => void drop.run(person)),
  };
}
