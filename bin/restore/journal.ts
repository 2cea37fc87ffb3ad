/**
 * Puts what a restore built beside into its places: a list of renames, which is there whole or not at all. A restore that was killed before the list was there
 * changed nothing; one that was killed after it is finished by whatever comes next: `svc restore` or `svc up`.
 * Decision: docs/decisions/0406-a-restore-is-built-beside.md
 */
import { chownSync, closeSync, fsyncSync, lstatSync, mkdirSync, openSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { faultPoint } from '../../controller/faults.ts';
import { isMissing, readRecord, writeFileAtomic } from '../../kit/atomic-file.ts';

export interface Move {
  /** Null: what is there only goes out of the way. */
  readonly from: string | null;
  readonly to: string;
  /** Where goes what is there. */
  readonly aside: string;
}

/** Below the state folder. */
export const stagingName = 'restore.tmp';
const journalName = 'restore.json';

/** From here on the restore takes place, now or at the next start. */
export function commitMoves(stateDir: string, moves: readonly Move[]): void {
  faultPoint('restore/before-commit');
  writeFileAtomic(path.join(stateDir, journalName), `${JSON.stringify({ moves })}\n`, { mode: 0o600, durable: true });
  syncFolder(stateDir);
  faultPoint('restore/committed');
}

/** Finishes a restore that was committed, and clears away one that was not; true when there was one to finish. The state folder is this process's. */
export function finishRestore(stateDir: string): boolean {
  const text = readRecord(path.join(stateDir, journalName));
  if (text !== null) {
    const { moves } = JSON.parse(text) as { readonly moves: readonly Move[] };
    for (const [at, move] of moves.entries()) {
      if (at === Math.ceil(moves.length / 2)) faultPoint('restore/half-moved');
      takePlace(move);
    }
    for (const folder of new Set(moves.map(({ to }) => path.dirname(to)))) if (isThere(folder)) syncFolder(folder);
    faultPoint('restore/moved');
    rmSync(path.join(stateDir, journalName));
  }
  rmSync(path.join(stateDir, stagingName), { recursive: true, force: true });
  return text !== null;
}

/** Again it does nothing: what is at `from` is moved once. */
function takePlace({ from, to, aside }: Move): void {
  if (from !== null && !isThere(from)) return;
  if (isThere(to)) {
    mkdirSync(path.dirname(aside), { recursive: true, mode: 0o700 });
    renameSync(to, aside);
  }
  if (from === null) return;
  makeParents(to, from);
  renameSync(from, to);
}

/** They are whose the file is. */
function makeParents(to: string, from: string): void {
  const made = mkdirSync(path.dirname(to), { recursive: true, mode: 0o700 });
  if (made === undefined || process.getuid?.() !== 0) return;
  const { uid, gid } = lstatSync(from);
  for (let folder = path.dirname(to); folder.length >= made.length; folder = path.dirname(folder)) chownSync(folder, uid, gid);
}

function isThere(file: string): boolean {
  try {
    lstatSync(file);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

function syncFolder(folder: string): void {
  const fd = openSync(folder, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
