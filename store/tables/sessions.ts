/** Sessions and one-time passes: hashes only (docs/decisions/0003-sessions-and-passes.md). */
import { limits } from '../limits.ts';
import { done, everyRow, type Sql } from '../sql.ts';
import type { Store, StoredPass, StoredSession } from '../store.ts';

type SessionRow = {
  token_hash: string;
  person: string;
  admin: number;
  audience: string;
  created_at_ms: number;
  expires_at_ms: number;
  seen_at_ms: number;
  method: string;
  address: string;
  agent: string;
};
type PassRow = { pass_hash: string; person: string; admin: number; audience: string; expires_at_ms: number };

function sessionOf(row: SessionRow): StoredSession {
  return {
    tokenHash: row.token_hash,
    person: row.person,
    admin: row.admin === 1,
    audience: row.audience,
    createdAtMs: row.created_at_ms,
    expiresAtMs: row.expires_at_ms,
    seenAtMs: row.seen_at_ms,
    method: row.method as StoredSession['method'],
    address: row.address,
    agent: row.agent,
  };
}

type Sessions = Pick<Store, 'putSession' | 'touchSession' | 'session' | 'sessionsOf' | 'present' | 'deleteSession' | 'deleteSessionsOf'>;

export function openSessions(sql: Sql): Sessions {
  const put = sql.prepare(
    `INSERT INTO sessions (token_hash, person, admin, audience, created_at_ms, expires_at_ms, seen_at_ms, method, address, agent)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (token_hash) DO UPDATE SET
       person = excluded.person, admin = excluded.admin, audience = excluded.audience, expires_at_ms = excluded.expires_at_ms,
       seen_at_ms = excluded.seen_at_ms`,
  );
  const touch = sql.prepare('UPDATE sessions SET seen_at_ms = ?1, expires_at_ms = ?2 WHERE token_hash = ?3 AND seen_at_ms < ?1');
  const expire = sql.prepare('DELETE FROM sessions WHERE expires_at_ms <= ?');
  const trim = sql.prepare(
    `DELETE FROM sessions WHERE token_hash IN
       (SELECT token_hash FROM sessions WHERE person = ? AND audience = ? ORDER BY created_at_ms DESC, token_hash LIMIT ${everyRow} OFFSET ?)`,
  );
  const one = sql.prepare('SELECT * FROM sessions WHERE token_hash = ? AND expires_at_ms > ?');
  const ofPerson = sql.prepare('SELECT * FROM sessions WHERE person = ? AND expires_at_ms > ? ORDER BY created_at_ms');
  const people = sql.prepare("SELECT DISTINCT person FROM sessions WHERE audience = 'portal' AND expires_at_ms > ?");
  const remove = sql.prepare('DELETE FROM sessions WHERE token_hash = ?');
  const removeAll = sql.prepare('DELETE FROM sessions WHERE person = ?');
  return {
    putSession: ({ tokenHash, person, admin, audience, createdAtMs, expiresAtMs, seenAtMs, method, address, agent }) =>
      sql.write(function* () {
        yield* expire.run(createdAtMs);
        yield* put.run(tokenHash, person, admin ? 1 : 0, audience, createdAtMs, expiresAtMs, seenAtMs, method, address, agent);
        yield* trim.run(person, audience, limits.sessionsPerPersonMax);
      }),
    session: (tokenHash, nowMs) =>
      sql.read(function* () {
        const row = yield* one.get<SessionRow>(tokenHash, nowMs);
        return row ? sessionOf(row) : null;
      }),
    sessionsOf: (person, nowMs) =>
      sql.read(function* () {
        return (yield* ofPerson.all<SessionRow>(person, nowMs)).map(sessionOf);
      }),
    present: (nowMs) =>
      sql.read(function* () {
        return new Set((yield* people.all<{ readonly person: string }>(nowMs)).map(({ person }) => person));
      }),
    touchSession: (tokenHash, seenAtMs, expiresAtMs) => sql.write(() => done(touch.run(seenAtMs, expiresAtMs, tokenHash))),
    deleteSession: (tokenHash) => sql.write(() => done(remove.run(tokenHash))),
    deleteSessionsOf: (person) => sql.write(() => done(removeAll.run(person))),
  };
}

export function openPasses(sql: Sql): Pick<Store, 'putPass' | 'pass' | 'takePass'> {
  const putPassRow = sql.prepare(
    `INSERT INTO passes (pass_hash, person, admin, audience, expires_at_ms) VALUES (?, ?, ?, ?, ?) ON CONFLICT (pass_hash) DO UPDATE SET
       person = excluded.person, admin = excluded.admin, audience = excluded.audience, expires_at_ms = excluded.expires_at_ms`,
  );
  const trimPasses = sql.prepare(
    `DELETE FROM passes WHERE pass_hash IN
       (SELECT pass_hash FROM passes WHERE person = ? AND pass_hash <> ? AND (audience = 'portal') = (? = 'portal')
        ORDER BY expires_at_ms DESC, pass_hash LIMIT ${everyRow} OFFSET ?)`,
  );
  const expirePasses = sql.prepare('DELETE FROM passes WHERE expires_at_ms <= ?');
  const selectPass = sql.prepare('SELECT * FROM passes WHERE pass_hash = ?');
  const take = sql.prepare('DELETE FROM passes WHERE pass_hash = ? RETURNING *');
  return {
    putPass: ({ passHash, person, admin, audience, expiresAtMs }) =>
      sql.write(function* () {
        yield* putPassRow.run(passHash, person, admin ? 1 : 0, audience, expiresAtMs);
        yield* trimPasses.run(person, passHash, audience, limits.passesPerPersonMax - 1);
      }),
    takePass: (passHash, nowMs) =>
      sql.write(function* () {
        const row = yield* take.get<PassRow>(passHash);
        yield* expirePasses.run(nowMs);
        return passOf(row, nowMs);
      }),
    pass: (passHash, nowMs) =>
      sql.read(function* () {
        return passOf(yield* selectPass.get<PassRow>(passHash), nowMs);
      }),
  };
}

function passOf(row: PassRow | undefined, nowMs: number): StoredPass | null {
  if (!row || row.expires_at_ms <= nowMs) return null;
  return {
    passHash: row.pass_hash,
    person: row.person,
    admin: row.admin === 1,
    audience: row.audience,
    expiresAtMs: row.expires_at_ms,
  };
}
