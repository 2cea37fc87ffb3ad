/** A state folder of a given size, as a portal leaves it: rooms with documents and attachments, files of jobs, events. Seeded. */
import { createCipheriv, createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openRoomDatabase } from '../store/room-log-database.ts';
import { openSqliteStore } from '../store/sqlite.ts';
import { DatabaseSync } from 'node:sqlite';

export interface SiteSize {
  readonly rooms: number;
  /** Rows in the log of one room. */
  readonly rowsPerRoom: number;
  readonly attachments: number;
  readonly attachmentBytes: number;
  readonly events: number;
}

/** Bytes that no compression and no deduplication makes less of. */
function bytesOf(seed: string, length: number): Buffer {
  const key = createHash('sha256').update(seed).digest();
  return createCipheriv('aes-128-ctr', key.subarray(0, 16), key.subarray(16)).update(Buffer.alloc(length));
}

const roomId = (n: number): string => `s${`${n}`.padStart(21, '0')}`;

export async function makeSite(state: string, size: SiteSize): Promise<void> {
  mkdirSync(state, { recursive: true, mode: 0o700 });
  await (await openSqliteStore(join(state, 'svc.db'))).close();
  openRoomDatabase(join(state, 'rooms.db')).close();
  addRooms(state, 0, size);
  const store = new DatabaseSync(join(state, 'svc.db'));
  store.exec('BEGIN');
  const insert = store.prepare(`INSERT INTO events (at_ms, key, type, reason, message, round) VALUES (?, ?, 'Normal', 'Ready', ?, ?)`);
  for (let n = 0; n < size.events; n += 1) insert.run(n, `Backend/p${n % 500}/notas`, bytesOf(`e${n}`, 150).toString('base64'), `${n}`);
  store.exec('COMMIT');
  store.close();
}

/** Further rooms, with what hangs on them. */
export function addRooms(state: string, from: number, { rooms, rowsPerRoom, attachments, attachmentBytes }: SiteSize): void {
  const [store, log] = [new DatabaseSync(join(state, 'svc.db')), openRoomDatabase(join(state, 'rooms.db'))];
  store.exec('BEGIN');
  log.exec('BEGIN');
  const room = store.prepare(`INSERT INTO rooms VALUES (?, 'caderno', ?, 'ana', 1, 1, NULL)`);
  const attached = store.prepare(`INSERT INTO room_attachments VALUES (?, ?, ?, 'image/png', 1)`);
  const document = log.prepare(`INSERT INTO documents (sala, canal) VALUES (?, 'documento')`);
  const row = log.prepare('INSERT INTO tail VALUES (?, ?, ?)');
  for (let n = from; n < from + rooms; n += 1) {
    const id = roomId(n);
    room.run(id, `Sala ${n}`);
    const { lastInsertRowid } = document.run(id);
    for (let seq = 1; seq <= rowsPerRoom; seq += 1) row.run(lastInsertRowid, seq, bytesOf(`${n} ${seq}`, 1_000));
    mkdirSync(join(state, 'anexos', id), { recursive: true, mode: 0o700 });
    for (let at = 0; at < attachments / rooms; at += 1) {
      const content = bytesOf(`a ${n} ${at}`, attachmentBytes);
      const sha = createHash('sha256').update(content).digest('hex');
      writeFileSync(join(state, 'anexos', id, sha), content, { mode: 0o600 });
      attached.run(id, sha, content.length);
    }
  }
  log.exec('COMMIT');
  store.exec('COMMIT');
  log.close();
  store.close();
}

/** Adds a row to each of so many rooms, spread over all. */
export function editRooms(state: string, count: number, { rooms, rowsPerRoom }: SiteSize): void {
  const log = openRoomDatabase(join(state, 'rooms.db'));
  log.exec('BEGIN');
  const row = log.prepare('INSERT INTO tail SELECT id, ?, ? FROM documents WHERE sala = ?');
  for (let n = 0; n < count; n += 1) row.run(rowsPerRoom + 1, bytesOf(`edit ${n}`, 1_000), roomId(Math.floor((n * rooms) / count)));
  log.exec('COMMIT');
  log.close();
}
