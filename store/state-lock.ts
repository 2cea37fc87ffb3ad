/**
 * Lock of a state folder, for one `svc up`: two would give every order twice. The lock is a transaction held open on a small SQLite file,
 * `STATE/lock`: the kernel drops it with the process, also on kill -9. Refused alternatives: a pid file (goes stale), a helper that holds
 * flock(1) (can outlive or predecease the portal); Node has no flock. `STATE/pid` serves the message only. The state folder has to be on a
 * file system with record locks, which SQLite needs anyway.
 *
 * The lock is of an inode, so deleting the file takes its name away. The holder checks the path at each pass
 * (docs/decisions/0132-what-is-deleted-under-its-owner.md): a file that is gone is made and locked again; when another process holds the
 * file of the path at two checks in a row, this portal ends with STATE_IN_USE. A second `svc up` refuses as long as `STATE/pid` names a
 * living process that has the deleted file open.
 */
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { userInfo } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { SvcError } from '../schema/errors.ts';
import { ensurePlainFileSync, readPlainFileSync } from '../schema/plain-file.ts';

/** Keeps the handles reachable: a collected DatabaseSync closes its file, and the lock would silently go. */
const held = new Set<DatabaseSync>();

export interface StateLock {
  /**
   * held: the path leads to our lock, which may have been taken again. lost: another process holds the lock at the path. unknown: it can't
   * be determined now.
   */
  check(): 'held' | 'lost' | 'unknown';
  release(): void;
}

/**
 * Makes the state folder (0700) and locks it for this process. Throws STATE_IN_USE when another process holds it, or what `refusal` says: folders of backups
 * are locked in the same way.
 */
export function lockState(stateDir: string, refusal: (stateDir: string, holder: number | null) => SvcError = inUse): StateLock {
  makeStateDir(stateDir);
  const file = path.join(realpathSync(stateDir), 'lock');
  const pidFile = path.join(stateDir, 'pid');
  const holder = holderOf(pidFile);
  let database = holder !== null && holdsDeleted(holder, file) ? null : take(file);
  if (database === null) throw refusal(stateDir, holder);
  let inode = inodeAt(file);
  held.add(database);
  writePid(pidFile);
  return {
    check: () => {
      const now = inodeAt(file);
      if (now === 'unknown') return 'unknown';
      // Nothing opens the file while it is ours: closing it again would drop the lock.
      if (now !== 'none' && now === inode) return 'held';
      try {
        const next = take(file);
        if (next === null) return 'lost';
        held.add(next);
        if (database !== null) release(database);
        database = next;
        inode = inodeAt(file);
        writePid(pidFile);
        return 'held';
      } catch {
        return 'unknown';
      }
    },
    release: () => {
      if (database !== null) release(database);
    },
  };
}

/** A lock for a moment or two, of a file that stays. Null when another process has it. */
export function lockFile(file: string): { release(): void } | null {
  const database = take(file);
  if (database === null) return null;
  held.add(database);
  return { release: () => release(database) };
}

function makeStateDir(stateDir: string): void {
  try {
    mkdirSync(stateDir, { recursive: true, mode: 0o700 });
    chmodSync(stateDir, 0o700);
  } catch (error) {
    throw whyNoState(path.resolve(stateDir), error);
  }
}

/** Obstacle to the state folder, by the nearest folder that exists: on a read-only file system `mkdir` reports a missing file. */
function whyNoState(stateDir: string, cause: unknown): unknown {
  const account = userInfo().username;
  const other = 'or give --state another folder';
  let there = stateDir;
  while (!existsSync(there) && there !== path.dirname(there)) there = path.dirname(there);
  try {
    accessSync(there, constants.W_OK | constants.X_OK);
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code === 'EROFS' ? 'is on a read-only file system' : `can't be written to by ${account}`;
    return new SvcError(
      'FORBIDDEN',
      `the state folder ${stateDir} can't be made: ${there} ${why}; make the folder for ${account}, ${other}`,
      {},
      { cause },
    );
  }
  if (there === stateDir && statSync(there).uid !== process.getuid?.())
    return new SvcError(
      'FORBIDDEN',
      `the state folder ${stateDir} belongs to another account: chown -R ${account} ${stateDir}, ${other}`,
      {},
      { cause },
    );
  return cause;
}

function release(database: DatabaseSync): void {
  held.delete(database);
  database.close();
}

function inUse(stateDir: string, holder: number | null): SvcError {
  const who = holder === null ? '' : ` (pid ${holder})`;
  return new SvcError(
    'STATE_IN_USE',
    `another svc up${who} uses the state folder ${stateDir}: end it first, or give --state another folder`,
  );
}

function writePid(pidFile: string): void {
  ensurePlainFileSync(pidFile, 0o600);
  writeFileSync(pidFile, `${process.pid}\n`);
}

/** Null when another process holds it; throws what the disk says otherwise. */
function take(file: string): DatabaseSync | null {
  ensurePlainFileSync(file, 0o600);
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    return database;
  } catch (error) {
    database.close();
    // SQLITE_BUSY and SQLITE_LOCKED; every other error is reported unchanged.
    if ([5, 6].includes(Number((error as { errcode?: number }).errcode) & 0xff)) return null;
    throw error;
  }
}

function inodeAt(file: string): bigint | 'none' | 'unknown' {
  try {
    return lstatSync(file, { bigint: true }).ino;
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' || code === 'ENOTDIR' ? 'none' : 'unknown';
  }
}

/** The pid that wrote it last, or null; no proof on its own. */
function holderOf(pidFile: string): number | null {
  try {
    const pid = Number.parseInt(String(readPlainFileSync(pidFile)), 10);
    return Number.isSafeInteger(pid) && pid > 0 && pid !== process.pid ? pid : null;
  } catch {
    return null;
  }
}

/** Whether that process has the lock file open although the file was deleted: the path says nothing about it any more. */
function holdsDeleted(pid: number, file: string): boolean {
  const folder = `/proc/${pid}/fd`;
  try {
    return readdirSync(folder).some((fd) => {
      try {
        return readlinkSync(`${folder}/${fd}`) === `${file} (deleted)`;
      } catch {
        return false;
      }
    });
  } catch {
    return false;
  }
}
