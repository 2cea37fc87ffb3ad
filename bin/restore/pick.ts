/** Takes one room, or what is one person's, out of a snapshot: into a parcel for the running portal, and files of their jobs into a folder. */
import { createHash } from 'node:crypto';
import { chownSync, mkdtempSync, readdirSync, statSync } from 'node:fs';
import { mkdir, open, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { SvcError } from '../../schema/errors.ts';
import { parcelFile, type Parcel, type ParcelRoom } from '../../schema/parcels.ts';
import { updateFrameBytes, writeUpdateFrame } from '../../schema/room-frames.ts';
import { canais } from '../../schema/rooms.ts';
import { errorCode } from '../../schema/system-error.ts';
import type { BackupFolder } from '../../store/backup/folder.ts';
import type { Entry, Manifest } from '../../store/backup/manifest.ts';
import { documentReader } from '../../store/room-log-database.ts';
import { openSqliteStore } from '../../store/sqlite.ts';
import type { Store } from '../../store/store.ts';

export interface Picked {
  /** Path of the parcel in the state folder. */
  readonly parcel: string;
  readonly content: Parcel;
}

/** The store of a snapshot, opened in a folder of its own. */
interface OpenSnapshot {
  readonly store: Store;
  readonly rows: DatabaseSync;
  /** Null: no room was ever written to. */
  readonly log: DatabaseSync | null;
  readonly file: (name: string) => Entry | undefined;
}

export interface Asked {
  /** Id or name of a room; `as`: another name. */
  readonly room?: string | undefined;
  readonly as?: string | undefined;
  readonly person?: string | undefined;
}

/** The caller removes the parcel. */
export async function pick(folder: BackupFolder, manifest: Manifest, stateDir: string, asked: Asked): Promise<Picked> {
  const parcel = mkdtempSync(path.join(stateDir, 'restore.parcel-'));
  try {
    const content = await withSnapshot(folder, manifest, parcel, async (snapshot) => await contentOf(snapshot, { folder, parcel, asked }));
    await writeFile(path.join(parcel, parcelFile), JSON.stringify(content), { mode: 0o600 });
    giveToPortal(parcel, stateDir);
    return { parcel: path.basename(parcel), content };
  } catch (error) {
    await rm(parcel, { recursive: true, force: true });
    throw error;
  }
}

/** Both databases are copied: an older one is brought up to date before it is read. */
async function withSnapshot<Result>(
  folder: BackupFolder,
  { entries }: Manifest,
  dir: string,
  use: (snapshot: OpenSnapshot) => Promise<Result>,
): Promise<Result> {
  const databases = entries.filter((entry) => entry.isDatabase === true);
  const rooms = databases.find((entry) => path.basename(entry.path) === 'rooms.db');
  const own = databases.find((entry) => entry !== rooms);
  if (own === undefined) throw new SvcError('BAD_REQUEST', 'the snapshot has no store of SQLite: one room of it can not be taken out');
  const [storeFile, roomFile] = [path.join(dir, '.svc.db'), path.join(dir, '.rooms.db')];
  await extract(folder, own, storeFile);
  if (rooms !== undefined) await extract(folder, rooms, roomFile);
  const store = await openSqliteStore(storeFile);
  const rows = new DatabaseSync(storeFile);
  const log = rooms === undefined ? null : new DatabaseSync(roomFile);
  try {
    const byPath = new Map(entries.map((entry) => [entry.path, entry]));
    return await use({ store, rows, log, file: (name) => byPath.get(name) });
  } finally {
    log?.close();
    rows.close();
    await store.close();
    for (const name of readdirSync(dir)) if (name.startsWith('.')) await rm(path.join(dir, name), { force: true });
  }
}

/** Answers the SHA-256 of what was written. */
export async function extract(folder: Pick<BackupFolder, 'object'>, { chunks }: Entry, to: string): Promise<string> {
  const handle = await open(to, 'wx', 0o600);
  const digest = createHash('sha256');
  try {
    for (const sha of chunks) {
      const chunk = await folder.object(sha);
      digest.update(chunk);
      await handle.appendFile(chunk);
    }
  } finally {
    await handle.close();
  }
  return digest.digest('hex');
}

interface Picking {
  readonly folder: BackupFolder;
  readonly parcel: string;
  readonly asked: Asked;
}

async function contentOf(snapshot: OpenSnapshot, { folder, parcel, asked: { room, as, person } }: Picking): Promise<Parcel> {
  if (room !== undefined) {
    const found = await roomOf(snapshot, roomNamed(snapshot, room), { folder, parcel });
    return { rooms: [as === undefined ? found : { ...found, nome: as }], copies: true, preferences: null, roles: [] };
  }
  if (person === undefined) throw new SvcError('BAD_REQUEST', 'name a room or a person');
  const { store, rows } = snapshot;
  const rooms: ParcelRoom[] = [];
  for (const id of await store.rooms.ownedRooms(person)) rooms.push(await roomOf(snapshot, id, { folder, parcel }));
  const preferences = await store.preferences(person);
  const given = rows.prepare('SELECT room AS sala, name AS usuario, given AS papel FROM room_people WHERE name = ? AND given IS NOT NULL');
  return {
    rooms,
    copies: false,
    preferences: preferences === null ? null : { person, body: preferences.body },
    roles: given.all(person) as unknown as Parcel['roles'],
  };
}

/** By its id, or by a name that only one has. */
function roomNamed({ rows }: OpenSnapshot, named: string): string {
  const found = rows.prepare('SELECT id, app, name, owner FROM rooms WHERE id = ?1 OR name = ?1 ORDER BY id').all(named);
  if (found.length === 1) return String(found[0]?.['id']);
  if (found.length === 0) throw new SvcError('NOT_FOUND', `the snapshot has no room ${named}`);
  const each = found.map(({ id, app, owner }) => `${String(id)} (${String(app)}, of ${String(owner)})`);
  throw new SvcError('BAD_REQUEST', `${found.length} rooms are called ${named}: name one by its id: ${each.join(', ')}`);
}

async function roomOf(
  { store, log, file }: OpenSnapshot,
  id: string,
  { folder, parcel }: Pick<Picking, 'folder' | 'parcel'>,
): Promise<ParcelRoom> {
  const room = await store.rooms.room(id);
  if (room === null) throw new SvcError('NOT_FOUND', `the snapshot has no room ${id}`);
  const { people, groups } = await store.rooms.members(id);
  const documents: { canal: (typeof canais)[number]; file: string }[] = [];
  for (const canal of canais) {
    const document = log === null ? null : documentReader(log)({ sala: id, canal });
    if (document === null) continue;
    const name = `${id}.${canal}`;
    const base = document.base === null ? [] : [frame(document.base)];
    await writeFile(path.join(parcel, name), Buffer.concat([...base, ...document.rows]), { mode: 0o600 });
    documents.push({ canal, file: name });
  }
  const attachments: { sha: string; tipo: string; file: string }[] = [];
  for (const { sha, tipo } of await store.rooms.attachments(id)) {
    const entry = file(path.join('anexos', id, sha));
    if (entry === undefined) continue;
    const name = `${id}.${sha}`;
    if ((await extract(folder, entry, path.join(parcel, name))) !== sha)
      throw new SvcError('DIGEST_MISMATCH', `the attachment ${sha} of the snapshot is another file`);
    attachments.push({ sha, tipo, file: name });
  }
  return {
    id,
    app: room.app,
    nome: room.nome,
    dona: room.dona,
    createdAtMs: room.createdAtMs,
    people: people.flatMap(({ usuario, given }) => (given === null ? [] : [{ usuario, papel: given }])),
    groups: groups.flatMap(({ grupo, given }) => (given === null ? [] : [{ grupo, papel: given }])),
    documents,
    attachments,
  };
}

function frame(update: Uint8Array): Uint8Array {
  const into = new Uint8Array(updateFrameBytes(update.length));
  writeUpdateFrame(into, 0, update);
  return into;
}

function giveToPortal(parcel: string, stateDir: string): void {
  const { uid, gid } = statSync(stateDir);
  if (process.getuid?.() !== 0) return;
  for (const name of ['', ...readdirSync(parcel)]) chownSync(path.join(parcel, name), uid, gid);
}

/** Outputs of a person's jobs, as `DIR/<job>/<path>`; answers how many. Files that are there already are left as they are. */
export async function pickJobFiles(
  folder: BackupFolder,
  manifest: Manifest,
  { person, to }: { readonly person: string; readonly to: string },
): Promise<number> {
  const scratch = mkdtempSync(path.join(path.dirname(path.resolve(to)), '.svc-restore-'));
  try {
    return await withSnapshot(folder, manifest, scratch, async ({ rows, file }) => {
      const outputs = rows
        .prepare(
          `SELECT job, path, sha FROM job_files JOIN jobs ON jobs.id = job WHERE person = ? AND kind = 'out' AND complete = 1 AND refused = 0`,
        )
        .all(person) as { job: string; path: string; sha: string }[];
      let count = 0;
      for (const { job, path: name, sha } of outputs) {
        const entry = file(path.join('fila/trabalhos', job, sha));
        const target = path.resolve(to, job, name);
        if (entry === undefined || !target.startsWith(`${path.resolve(to, job)}/`)) continue;
        await mkdir(path.dirname(target), { recursive: true, mode: 0o700 });
        await extract(folder, entry, target).then(
          () => (count += 1),
          (error: unknown) => {
            if (errorCode(error) !== 'EEXIST') throw error;
          },
        );
      }
      return count;
    });
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
