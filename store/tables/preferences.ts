/** Preferences of people. Contract: store.ts. */
import { done, type Sql } from '../sql.ts';
import type { Store, StoredPreferences } from '../store.ts';

type Part = Pick<Store, 'preferences' | 'putPreferences' | 'deletePreferences'>;

export function openPreferences(sql: Sql): Part {
  const one = sql.prepare('SELECT version, body FROM preferences WHERE person = ?');
  const put = sql.prepare(
    `INSERT INTO preferences (person, version, body) SELECT ?1, ?2 + 1, ?3 WHERE ?2 = coalesce((SELECT version FROM preferences WHERE person = ?1), 0)
       ON CONFLICT (person) DO UPDATE SET version = excluded.version, body = excluded.body`,
  );
  const drop = sql.prepare('DELETE FROM preferences WHERE person = ?');
  return {
    preferences: (person) =>
      sql.read(function* () {
        return (yield* one.get<StoredPreferences>(person)) ?? null;
      }),
    putPreferences: (person, body, version) =>
      sql.write(function* () {
        return (yield* put.run(person, version, body)) === 1;
      }),
    deletePreferences: (person) => sql.write(() => done(drop.run(person))),
  };
}
