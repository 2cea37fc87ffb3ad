/**
 * One `svc up` per state folder. The lock is a transaction held open on a small SQLite file: the kernel drops it with the
 * process, also on kill -9, so that it can't go stale as a pid file does. Decision: docs/decisions/0030-state-lock.md
 */
import { chmodSync, closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { SvcError } from '../../schema/errors.ts';

/** Keeps the handles reachable: a collected DatabaseSync closes its file, and the lock would silently go. */
const held = new Set<DatabaseSync>();

/**
 * Makes the state folder (0700) and locks it for this process. Throws STATE_IN_USE when another process holds it.
 * Returns what lets go of it.
 */
export function lockState(stateDir: string): () => void {
  mkdirSync(stateDir, { recursive: true, mode: 0o700 });
  chmodSync(stateDir, 0o700);
  const file = path.join(stateDir, 'lock');
  const pidFile = path.join(stateDir, 'pid');
  closeSync(openSync(file, 'a', 0o600));
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    const holder = readHolder(pidFile);
    throw new SvcError(
      'STATE_IN_USE',
      `another svc up${holder} uses the state folder ${stateDir}: end it first, or give --state another folder`,
      {},
      { cause: error },
    );
  }
  writeFileSync(pidFile, `${process.pid}\n`, { mode: 0o600 });
  held.add(database);
  return () => {
    held.delete(database);
    database.close();
  };
}

function readHolder(pidFile: string): string {
  try {
    return ` (pid ${Number.parseInt(readFileSync(pidFile, 'utf8'), 10)})`;
  } catch {
    return '';
  }
}
