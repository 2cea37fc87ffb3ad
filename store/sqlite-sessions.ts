/** Sessions and one-time passes of the embedded store: hashes only (docs/decisions/0003-sessions-and-passes.md). */
import type { DatabaseSync } from 'node:sqlite';
import { limits } from './limits.ts';
import type { Store, StoredPass, StoredSession } from './store.ts';
import type { TurnWriter } from './turn-writer.ts';

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

export function openSessions(
  database: DatabaseSync,
  writer: TurnWriter,
): Pick<Store, 'putSession' | 'touchSession' | 'session' | 'sessionsOf' | 'present' | 'deleteSession' | 'deleteSessionsOf'> {
  const put = database.prepare(
    `INSERT INTO sessions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (token_hash) DO UPDATE SET
       person = excluded.person, admin = excluded.admin, audience = excluded.audience, expires_at_ms = excluded.expires_at_ms,
       seen_at_ms = excluded.seen_at_ms`,
  );
  const touch = database.prepare('UPDATE sessions SET seen_at_ms = ?, expires_at_ms = ? WHERE token_hash = ? AND seen_at_ms < ?');
  const expire = database.prepare('DELETE FROM sessions WHERE expires_at_ms <= ?');
  const trim = database.prepare(
    `DELETE FROM sessions WHERE token_hash IN
       (SELECT token_hash FROM sessions WHERE person = ? AND audience = ? ORDER BY created_at_ms DESC, token_hash LIMIT -1 OFFSET ?)`,
  );
  const one = database.prepare('SELECT * FROM sessions WHERE token_hash = ? AND expires_at_ms > ?');
  const ofPerson = database.prepare('SELECT * FROM sessions WHERE person = ? AND expires_at_ms > ? ORDER BY created_at_ms');
  const people = database.prepare("SELECT DISTINCT person FROM sessions WHERE audience = 'portal' AND expires_at_ms > ?");
  const remove = database.prepare('DELETE FROM sessions WHERE token_hash = ?');
  const removeAll = database.prepare('DELETE FROM sessions WHERE person = ?');
  return {
    putSession: (session) =>
      writer.write(() => {
        expire.run(session.createdAtMs);
        const { tokenHash, person, admin, audience, createdAtMs, expiresAtMs, seenAtMs, method, address, agent } = session;
        put.run(tokenHash, person, admin ? 1 : 0, audience, createdAtMs, expiresAtMs, seenAtMs, method, address, agent);
        trim.run(session.person, session.audience, limits.sessionsPerPersonMax);
      }),
    session: async (tokenHash, nowMs) => {
      writer.flush();
      const row = one.get(tokenHash, nowMs) as SessionRow | undefined;
      return row ? sessionOf(row) : null;
    },
    sessionsOf: async (person, nowMs) => {
      writer.flush();
      return (ofPerson.all(person, nowMs) as SessionRow[]).map(sessionOf);
    },
    present: async (nowMs) => {
      writer.flush();
      return new Set((people.all(nowMs) as { readonly person: string }[]).map(({ person }) => person));
    },
    touchSession: (tokenHash, seenAtMs, expiresAtMs) =>
      writer.write(() => {
        touch.run(seenAtMs, expiresAtMs, tokenHash, seenAtMs);
      }),
    deleteSession: (tokenHash) =>
      writer.write(() => {
        remove.run(tokenHash);
      }),
    deleteSessionsOf: (person) =>
      writer.write(() => {
        removeAll.run(person);
      }),
  };
}

export function openPasses(database: DatabaseSync, writer: TurnWriter): Pick<Store, 'putPass' | 'pass' | 'takePass'> {
  const putPassRow = database.prepare('INSERT OR REPLACE INTO passes VALUES (?, ?, ?, ?, ?)');
  const trimPasses = database.prepare(
    `DELETE FROM passes WHERE pass_hash IN
       (SELECT pass_hash FROM passes WHERE person = ? AND pass_hash <> ? AND (audience = 'portal') = (? = 'portal')
        ORDER BY expires_at_ms DESC, pass_hash LIMIT -1 OFFSET ?)`,
  );
  const expirePasses = database.prepare('DELETE FROM passes WHERE expires_at_ms <= ?');
  const selectPass = database.prepare('SELECT * FROM passes WHERE pass_hash = ?');
  const take = database.prepare('DELETE FROM passes WHERE pass_hash = ? RETURNING *');
  return {
    putPass: (pass) =>
      writer.write(() => {
        putPassRow.run(pass.passHash, pass.person, pass.admin ? 1 : 0, pass.audience, pass.expiresAtMs);
        trimPasses.run(pass.person, pass.passHash, pass.audience, limits.passesPerPersonMax - 1);
      }),
    takePass: (passHash, nowMs) =>
      writer.write((): StoredPass | null => {
        const row = take.get(passHash) as PassRow | undefined;
        expirePasses.run(nowMs);
        return passOf(row, nowMs);
      }),
    pass: async (passHash, nowMs) => {
      writer.flush();
      return passOf(selectPass.get(passHash) as PassRow | undefined, nowMs);
    },
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
