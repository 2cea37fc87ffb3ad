/** Attachment rows and portal credentials; the bytes lie in files. Contract: rooms.ts. */
import type { PortalScope, RoomStore, StoredAttachment, StoredPortalToken } from '../rooms.ts';
import { done, type Act, type Sql } from '../sql.ts';

type AttachmentRow = { room: string; sha: string; bytes: number; type: string; at_ms: number };
type TokenRow = { token_hash: string; person: string; app: string; scopes: string; start_hash: string; at_ms: number };
type Sum = { readonly n: number };

function attachmentOf({ room, sha, bytes, type, at_ms }: AttachmentRow): StoredAttachment {
  return { sala: room, sha, bytes, tipo: type, atMs: at_ms };
}

function tokenOf(row: TokenRow): StoredPortalToken {
  return {
    tokenHash: row.token_hash,
    usuario: row.person,
    app: row.app,
    scopes: row.scopes.split(' ').filter((scope) => scope !== '') as PortalScope[],
    startHash: row.start_hash,
    atMs: row.at_ms,
  };
}

type Attachments = Pick<
  RoomStore,
  | 'putAttachment'
  | 'attachment'
  | 'attachments'
  | 'attachmentBytes'
  | 'attachmentBytesOf'
  | 'roomsWithAttachments'
  | 'touchAttachments'
  | 'dropAttachment'
>;

export function openAttachments(sql: Sql): Attachments {
  const room = sql.prepare('SELECT 1 FROM rooms WHERE id = ?');
  const sum = sql.prepare('SELECT coalesce(sum(bytes), 0) AS n FROM room_attachments WHERE room = ?');
  const ofOwner = sql.prepare(
    'SELECT coalesce(sum(bytes), 0) AS n FROM rooms JOIN room_attachments ON room_attachments.room = rooms.id WHERE rooms.owner = ?',
  );
  const one = sql.prepare('SELECT * FROM room_attachments WHERE room = ? AND sha = ?');
  const all = sql.prepare('SELECT * FROM room_attachments WHERE room = ? ORDER BY sha');
  const rooms = sql.prepare('SELECT DISTINCT room FROM room_attachments ORDER BY room');
  const insert = sql.prepare('INSERT INTO room_attachments VALUES (?, ?, ?, ?, ?)');
  const later = 'at_ms = CASE WHEN at_ms > ?1 THEN at_ms ELSE ?1 END';
  const touch = sql.prepare(`UPDATE room_attachments SET ${later} WHERE room = ?2 AND sha = ?3`);
  const again = sql.prepare(`UPDATE room_attachments SET ${later}, type = ?4 WHERE room = ?2 AND sha = ?3`);
  const remove = sql.prepare('DELETE FROM room_attachments WHERE room = ? AND sha = ? AND at_ms <= ?');
  function* held(sala: string): Act<number> {
    return (yield* sum.get<Sum>(sala))?.n ?? 0;
  }
  return {
    putAttachment: ({ sala, sha, bytes, tipo, atMs }, bytesMax) =>
      sql.write(function* () {
        if (!(yield* room.get(sala))) return { kind: 'gone', bytes: 0 } as const;
        const before = yield* held(sala);
        if ((yield* again.run(atMs, sala, sha, tipo)) === 1) return { kind: 'known', bytes: before } as const;
        if (before + bytes > bytesMax) return { kind: 'full', bytes: before } as const;
        yield* insert.run(sala, sha, bytes, tipo, atMs);
        return { kind: 'new', bytes: before + bytes } as const;
      }),
    attachment: (sala, sha) =>
      sql.read(function* () {
        const row = yield* one.get<AttachmentRow>(sala, sha);
        return row ? attachmentOf(row) : null;
      }),
    attachments: (sala) =>
      sql.read(function* () {
        return (yield* all.all<AttachmentRow>(sala)).map(attachmentOf);
      }),
    attachmentBytes: (sala) => sql.read(() => held(sala)),
    attachmentBytesOf: (dona) =>
      sql.read(function* () {
        return (yield* ofOwner.get<Sum>(dona))?.n ?? 0;
      }),
    roomsWithAttachments: () =>
      sql.read(function* () {
        return (yield* rooms.all<{ readonly room: string }>()).map((row) => row.room);
      }),
    touchAttachments: (sala, shas, atMs) =>
      sql.write(function* () {
        for (const sha of shas) yield* touch.run(atMs, sala, sha);
      }),
    dropAttachment: (sala, sha, atMs) =>
      sql.write(function* () {
        return (yield* remove.run(sala, sha, atMs)) === 1;
      }),
  };
}

export function openPortalTokens(sql: Sql): Pick<RoomStore, 'putPortalToken' | 'portalToken' | 'portalTokenOwners' | 'keepPortalTokens'> {
  const put = sql.prepare('INSERT INTO portal_tokens VALUES (?, ?, ?, ?, ?, ?)');
  const one = sql.prepare('SELECT * FROM portal_tokens WHERE token_hash = ?');
  const owners = sql.prepare('SELECT DISTINCT person, app FROM portal_tokens ORDER BY person, app');
  const keep = sql.prepare(
    `DELETE FROM portal_tokens WHERE person = ?1 AND app = ?2 AND start_hash IS DISTINCT FROM ?3
       AND (?3 IS NULL OR EXISTS (SELECT 1 FROM portal_tokens WHERE person = ?1 AND app = ?2 AND start_hash = ?3)) RETURNING token_hash`,
  );
  return {
    putPortalToken: ({ tokenHash, usuario, app, scopes, startHash, atMs }) =>
      sql.write(() => done(put.run(tokenHash, usuario, app, scopes.join(' '), startHash, atMs))),
    portalToken: (tokenHash) =>
      sql.read(function* () {
        const row = yield* one.get<TokenRow>(tokenHash);
        return row ? tokenOf(row) : null;
      }),
    portalTokenOwners: () =>
      sql.read(function* () {
        return (yield* owners.all<{ readonly person: string; readonly app: string }>()).map(({ person, app }) => ({
          usuario: person,
          app,
        }));
      }),
    keepPortalTokens: (usuario, app, startHash) =>
      sql.write(function* () {
        return (yield* keep.all<{ readonly token_hash: string }>(usuario, app, startHash)).map(({ token_hash }) => token_hash);
      }),
  };
}
