/**
 * A folder of backups: `objects/a/<sha256>`, each once for all snapshots, and `snapshots/<id>.json`, written last. Files 0600, folders
 * 0700; a file gets its name once it is whole and on the disk. Only one process uses it at a time. Decision:
 * docs/decisions/0405-objects-and-manifests.md
 */
import {
  chownSync,
  closeSync,
  constants,
  fchownSync,
  fsync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { readdir, rename, stat, unlink } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { SvcError } from '../../schema/errors.ts';
import { namesIn } from '../../schema/folder-names.ts';
import { readPlainFile } from '../../schema/plain-file.ts';
import { errorCode } from '../../schema/system-error.ts';
import { limits } from '../limits.ts';
import { lockFile, lockState } from '../state-lock.ts';
import { nameOf, objectPattern, pathOf, type ChunkSink, type Written } from './chunks.ts';
import { manifestFile, readManifest, snapshotOf, type Manifest, type Snapshot } from './manifest.ts';

export interface BackupFolder extends ChunkSink {
  /** Oldest first. */
  snapshots(): Promise<readonly Snapshot[]>;
  /** Throws DIGEST_MISMATCH for a damaged one, NOT_FOUND. */
  manifest(id: string): Promise<Manifest>;
  /** Throws DIGEST_MISMATCH when the bytes are others than those of the name, NOT_FOUND. */
  object(sha: string): Promise<Buffer>;
  /** The snapshot is there from now on. */
  add(manifest: Manifest): Promise<Snapshot>;
  /** Takes the snapshots away, and objects that none of the others names. Without a readable manifest of each of the others it removes no object. */
  remove(snapshots: readonly Snapshot[]): Promise<Written>;
  /** Takes an object that is not what its name says out of the way, so that the next backup writes it again. */
  setAside(sha: string): Promise<void>;
  close(): void;
}

const marker = 'svc-backup';
const markerText = '{"format":1}\n';
const temporary = '.tmp';

/** Makes the folder where there is none. Throws BAD_REQUEST for a folder with something else in it, CONFLICT when another process uses it. */
export async function openBackupFolder(root: string, { makes }: { readonly makes: boolean }): Promise<BackupFolder> {
  const isMarked = await refuseOther(root, makes);
  const lock = makes ? lockState(root, inUse) : lockToRead(root);
  try {
    if (makes) {
      const owner = ownerOf(root);
      if (owner !== null) for (const name of ['lock', 'pid']) chownSync(path.join(root, name), owner.uid, owner.gid);
      for (const name of ['objects', 'snapshots']) makeFolder(path.join(root, name));
      if (!isMarked) await writeWhole(path.join(root, marker), markerText);
    }
    const known = await objectsIn(root);
    return { ...createSink(root, known), ...createShelf(root, known), close: () => lock.release() };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** A medium that can't be written to is changed by nobody. */
function lockToRead(root: string): { release(): void } {
  try {
    const lock = lockFile(path.join(root, 'lock'));
    if (lock !== null) return lock;
  } catch (error) {
    if (['EROFS', 'EACCES', 'EPERM'].includes(errorCode(error))) return { release: () => undefined };
    throw error;
  }
  throw inUse(root, null);
}

const inUse = (root: string, holder: number | null): SvcError =>
  new SvcError('CONFLICT', `another backup or restore${holder === null ? '' : ` (pid ${holder})`} uses ${root}: wait for its end`);

/** Whether the folder is one of backups already. */
async function refuseOther(root: string, makes: boolean): Promise<boolean> {
  const names = await readdir(root).catch((error: unknown): string[] => {
    if (errorCode(error) === 'ENOENT') return [];
    throw new SvcError('BAD_REQUEST', `${root} can't be read: ${errorCode(error) || String(error)}`, {}, { cause: error });
  });
  if (names.includes(marker)) {
    const text = String(await readPlainFile(path.join(root, marker), markerText.length));
    if (text !== markerText) throw new SvcError('BAD_REQUEST', `${root} holds backups of another form: run the svc that made them`);
    return true;
  }
  if (!makes || names.some((name) => !['lock', 'pid', 'objects', 'snapshots'].includes(name) && !name.endsWith(temporary)))
    throw new SvcError('BAD_REQUEST', `${root} holds no backups of svc${makes ? ' but something else: name an empty folder' : ''}`);
  return false;
}

/** Names of the objects. Removes the partial files of a killed backup: no other process writes here. */
async function objectsIn(root: string): Promise<Set<string>> {
  const known = new Set<string>();
  for (const shard of await namesIn(path.join(root, 'objects')))
    for (const name of await namesIn(path.join(root, 'objects', shard))) {
      if (name.length === 64 && name.startsWith(shard) && objectPattern.test(name)) known.add(name);
      else if (name.endsWith(temporary)) await unlink(path.join(root, 'objects', shard, name));
    }
  return known;
}

function createSink(root: string, known: Set<string>): ChunkSink {
  const pending = new Set<Promise<void>>();
  const shards = new Set<string>();
  let failure: unknown = null;
  let [objects, bytes] = [0, 0];
  const write = async (sha: string, content: Buffer): Promise<void> => {
    const folder = path.join(root, path.dirname(pathOf(sha)));
    if (!shards.has(folder)) makeFolder(folder);
    shards.add(folder);
    const file = path.join(root, pathOf(sha));
    await writeSynced(file + temporary, content);
    if (nameOf(readFileSync(file + temporary)) !== sha)
      throw new SvcError('DIGEST_MISMATCH', `${file} was not written as it was given: the disk of ${root} is not sound`);
    renameSync(file + temporary, file);
    [objects, bytes] = [objects + 1, bytes + content.length];
  };
  return {
    has: (sha) => known.has(sha),
    put: async (content) => {
      const sha = nameOf(content);
      if (failure !== null) throw failure;
      if (known.has(sha)) return sha;
      known.add(sha);
      const written: Promise<void> = write(sha, Buffer.from(content))
        .catch((error: unknown) => {
          known.delete(sha);
          failure ??= full(error, root);
        })
        .finally(() => pending.delete(written));
      pending.add(written);
      if (pending.size >= limits.backupWritesMax) await Promise.race(pending);
      return sha;
    },
    settle: async () => {
      await Promise.all(pending);
      if (failure !== null) throw failure;
      await Promise.all([...shards, path.join(root, 'objects')].map(syncFolder));
      shards.clear();
      return { objects, bytes };
    },
  };
}

function full(error: unknown, root: string): unknown {
  if (!['ENOSPC', 'EDQUOT'].includes(errorCode(error))) return error;
  return new SvcError('DISK_FULL', `no space is left on the disk of ${root}; the snapshots before are whole`, {}, { cause: error });
}

type Shelf = Omit<BackupFolder, keyof ChunkSink | 'close'>;

function createShelf(root: string, known: Set<string>): Shelf {
  const fileOf = (id: string): string => path.join(root, 'snapshots', `${id}.json`);
  const snapshots: Shelf['snapshots'] = async () =>
    (await namesIn(path.join(root, 'snapshots'))).flatMap((name) => snapshotOf(name) ?? []).toSorted((a, b) => a.atMs - b.atMs);
  const manifest: Shelf['manifest'] = async (id) =>
    readManifest(id, String(await readThere(fileOf(id), `the snapshot ${id} is not there`)));
  return {
    snapshots,
    manifest,
    object: async (sha) => {
      const content = await readThere(path.join(root, pathOf(sha)), `the object ${sha} is not there`);
      if (nameOf(content) !== sha) throw new SvcError('DIGEST_MISMATCH', `the object ${sha} in ${root} is damaged`);
      return content;
    },
    add: async (made) => {
      const { id, text } = manifestFile(made);
      await writeWhole(fileOf(id), text);
      return { id, atMs: made.atMs };
    },
    remove: async (gone) => {
      const ids = new Set(gone.map(({ id }) => id));
      const named = new Set<string>();
      for (const { id } of await snapshots())
        if (!ids.has(id)) for (const { chunks } of (await manifest(id)).entries) for (const sha of chunks) named.add(sha);
      for (const id of ids) await unlink(fileOf(id));
      await syncFolder(path.join(root, 'snapshots'));
      const removed = { objects: 0, bytes: 0 };
      for (const sha of known) {
        if (named.has(sha)) continue;
        const file = path.join(root, pathOf(sha));
        removed.bytes += (await stat(file)).size;
        removed.objects += 1;
        await unlink(file);
        known.delete(sha);
      }
      return removed;
    },
    setAside: async (sha) => {
      known.delete(sha);
      const file = path.join(root, pathOf(sha));
      await rename(file, `${file}.damaged`).catch((error: unknown) => {
        if (errorCode(error) !== 'ENOENT') throw error;
      });
    },
  };
}

async function readThere(file: string, missing: string): Promise<Buffer> {
  try {
    return await readPlainFile(file);
  } catch (error) {
    throw errorCode(error) === 'ENOENT' ? new SvcError('NOT_FOUND', missing) : error;
  }
}

async function writeWhole(file: string, text: string): Promise<void> {
  await writeSynced(file + temporary, text);
  await rename(file + temporary, file);
  await syncFolder(path.dirname(file));
}

const writing = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NONBLOCK | constants.O_NOFOLLOW;

async function writeSynced(file: string, content: Buffer | string): Promise<void> {
  const fd = openSync(file, writing, 0o600);
  try {
    const owner = ownerOf(path.dirname(file));
    if (owner !== null) fchownSync(fd, owner.uid, owner.gid);
    writeFileSync(fd, content);
    await sync(fd);
  } finally {
    closeSync(fd);
  }
}

/** The wait for the disk is the only part that others need not wait for. */
const sync = promisify(fsync);

/** Owner for files that root writes into an account's folder, so that the account can go on with them. Null: this process is not root. */
function ownerOf(folder: string): { readonly uid: number; readonly gid: number } | null {
  return process.getuid?.() === 0 ? statSync(folder) : null;
}

function makeFolder(folder: string): void {
  const made = mkdirSync(folder, { recursive: true, mode: 0o700 });
  const owner = made === undefined ? null : ownerOf(path.dirname(folder));
  if (owner !== null) chownSync(folder, owner.uid, owner.gid);
}

async function syncFolder(folder: string): Promise<void> {
  const fd = openSync(folder, constants.O_RDONLY);
  try {
    await sync(fd);
  } finally {
    closeSync(fd);
  }
}
