/** Attachment rows and portal credentials of the embedded store; the bytes lie in files. Contract: rooms.ts. */
import type { DatabaseSync } from 'node:sqlite';
import type { PortalScope, RoomStore, StoredAttachment, StoredPortalToken } from './rooms.ts';
import type { TurnWriter } from './turn-writer.ts';

type AttachmentRow = { room: string; sha: string; bytes: number; type: string; at_ms: number };
type TokenRow = { token_hash: string; person: string; app: string; scopes: string; start_hash: string; at_ms: number };

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

export function openAttachments(database: DatabaseSync, writer: TurnWriter): Attachments {
  const room = database.prepare('SELECT 1 FROM rooms WHERE id = ?');
  const sum = database.prepare('SELECT coalesce(sum(bytes), 0) AS n FROM room_attachments WHERE room = ?');
  const ofOwner = database.prepare(
    'SELECT coalesce(sum(bytes), 0) AS n FROM rooms JOIN room_attachments ON room_attachments.room = rooms.id WHERE rooms.owner = ?',
  );
  const one = database.prepare('SELECT * FROM room_attachments WHERE room = ? AND sha = ?');
  const all = database.prepare('SELECT * FROM room_attachments WHERE room = ? ORDER BY sha');
  const rooms = database.prepare('SELECT DISTINCT room FROM room_attachments ORDER BY room');
  const insert = database.prepare('INSERT INTO room_attachments VALUES (?, ?, ?, ?, ?)');
  const again = database.prepare('UPDATE room_attachments SET at_ms = max(at_ms, ?) WHERE room = ? AND sha = ?');
  const remove = database.prepare('DELETE FROM room_attachments WHERE room = ? AND sha = ? AND at_ms <= ?');
  const held = (sala: string): number => (sum.get(sala) as { n: number }).n;
  return {
    putAttachment: ({ sala, sha, bytes, tipo, atMs }, bytesMax) =>
      writer.write(() => {
        if (!room.get(sala)) return { kind: 'gone', bytes: 0 };
        const before = held(sala);
        if (again.run(atMs, sala, sha).changes === 1) return { kind: 'known', bytes: before };
        if (before + bytes > bytesMax) return { kind: 'full', bytes: before };
        insert.run(sala, sha, bytes, tipo, atMs);
        return { kind: 'new', bytes: before + bytes };
      }),
    attachment: async (sala, sha) => {
      writer.flush();
      const row = one.get(sala, sha) as AttachmentRow | undefined;
      return row ? attachmentOf(row) : null;
    },
    attachments: async (sala) => {
      writer.flush();
      return (all.all(sala) as AttachmentRow[]).map(attachmentOf);
    },
    attachmentBytes: async (sala) => {
      writer.flush();
      return held(sala);
    },
    attachmentBytesOf: async (dona) => {
      writer.flush();
      return (ofOwner.get(dona) as { n: number }).n;
    },
    roomsWithAttachments: async () => {
      writer.flush();
      return (rooms.all() as { room: string }[]).map((row) => row.room);
    },
    touchAttachments: (sala, shas, atMs) =>
      writer.write(() => {
        for (const sha of shas) again.run(atMs, sala, sha);
      }),
    dropAttachment: (sala, sha, atMs) => writer.write(() => remove.run(sala, sha, atMs).changes === 1),
  };
}

export function openPortalTokens(
  database: DatabaseSync,
  writer: TurnWriter,
): Pick<RoomStore, 'putPortalToken' | 'portalToken' | 'portalTokenOwners' | 'keepPortalTokens'> {
  const put = database.prepare('INSERT INTO portal_tokens VALUES (?, ?, ?, ?, ?, ?)');
  const one = database.prepare('SELECT * FROM portal_tokens WHERE token_hash = ?');
  const owners = database.prepare('SELECT DISTINCT person, app FROM portal_tokens ORDER BY person, app');
  const keep = database.prepare('DELETE FROM portal_tokens WHERE person = ? AND app = ? AND start_hash IS NOT ? RETURNING token_hash');
  return {
    putPortalToken: ({ tokenHash, usuario, app, scopes, startHash, atMs }) =>
      writer.write(() => {
        put.run(tokenHash, usuario, app, scopes.join(' '), startHash, atMs);
      }),
    portalToken: async (tokenHash) => {
      writer.flush();
      const row = one.get(tokenHash) as TokenRow | undefined;
      return row ? tokenOf(row) : null;
    },
    portalTokenOwners: async () => {
      writer.flush();
      return (owners.all() as { person: string; app: string }[]).map(({ person, app }) => ({ usuario: person, app }));
    },
    keepPortalTokens: (usuario, app, startHash) =>
      writer.write(() => (keep.all(usuario, app, startHash) as { token_hash: string }[]).map(({ token_hash }) => token_hash)),
  };
}
