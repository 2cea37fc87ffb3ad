/** Passkeys of people, and the challenges that were answered. Contract: store.ts. */
import { limits } from '../limits.ts';
import { done, type Sql } from '../sql.ts';
import type { PasskeyStore, StoredPasskey } from '../store.ts';

type Row = {
  id: string;
  person: string;
  public_key: string;
  counter: number;
  transports: string;
  backed_up: number;
  name: string;
  made_at_ms: number;
  used_at_ms: number;
};

function passkeyOf(row: Row): StoredPasskey {
  const { id, person, public_key: publicKey, counter, name, made_at_ms: madeAtMs, used_at_ms: usedAtMs } = row;
  const transports = row.transports === '' ? [] : row.transports.split(',');
  return { id, person, publicKey, counter, transports, isBackedUp: row.backed_up === 1, name, madeAtMs, usedAtMs };
}

export function openPasskeys(sql: Sql): PasskeyStore {
  const count = sql.prepare('SELECT count(*) AS n FROM passkeys WHERE person = ?');
  const add = sql.prepare(
    `INSERT INTO passkeys (id, person, public_key, counter, transports, backed_up, name, made_at_ms, used_at_ms)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`,
  );
  const all = sql.prepare('SELECT * FROM passkeys WHERE person = ? ORDER BY made_at_ms, id');
  const one = sql.prepare('SELECT * FROM passkeys WHERE id = ?');
  const use = sql.prepare(
    `UPDATE passkeys SET counter = ?2, backed_up = ?3, used_at_ms = ?4
       WHERE id = ?1 AND (counter < ?2 OR (counter = 0 AND ?2 = 0))`,
  );
  const rename = sql.prepare('UPDATE passkeys SET name = ?3 WHERE person = ?1 AND id = ?2');
  const drop = sql.prepare('DELETE FROM passkeys WHERE person = ? AND id = ?');
  const dropAll = sql.prepare('DELETE FROM passkeys WHERE person = ?');
  const expire = sql.prepare('DELETE FROM passkey_challenges WHERE expires_at_ms <= ?');
  const spend = sql.prepare('INSERT INTO passkey_challenges (hash, expires_at_ms) VALUES (?, ?) ON CONFLICT (hash) DO NOTHING');
  return {
    addPasskey: ({ id, person, publicKey, counter, transports, isBackedUp, name, madeAtMs, usedAtMs }) =>
      sql.write(function* () {
        const row = yield* count.get<{ readonly n: number | string }>(person);
        if (Number(row?.n ?? 0) >= limits.passkeysPerPersonMax) return 'many';
        const values = [id, person, publicKey, counter, transports.join(','), isBackedUp ? 1 : 0, name, madeAtMs, usedAtMs] as const;
        return (yield* add.run(...values)) === 1 ? 'added' : 'taken';
      }),
    passkeys: (person) =>
      sql.read(function* () {
        return (yield* all.all<Row>(person)).map(passkeyOf);
      }),
    passkey: (id) =>
      sql.read(function* () {
        const row = yield* one.get<Row>(id);
        return row === undefined ? null : passkeyOf(row);
      }),
    usePasskey: (id, { counter, isBackedUp, usedAtMs }) =>
      sql.write(function* () {
        return (yield* use.run(id, counter, isBackedUp ? 1 : 0, usedAtMs)) === 1;
      }),
    renamePasskey: (person, id, name) =>
      sql.write(function* () {
        return (yield* rename.run(person, id, name)) === 1;
      }),
    deletePasskey: (person, id) =>
      sql.write(function* () {
        return (yield* drop.run(person, id)) === 1;
      }),
    deletePasskeysOf: (person) => sql.write(() => done(dropAll.run(person))),
    spendChallenge: (hash, expiresAtMs, nowMs) =>
      sql.write(function* () {
        yield* expire.run(nowMs);
        return (yield* spend.run(hash, expiresAtMs)) === 1;
      }),
  };
}
