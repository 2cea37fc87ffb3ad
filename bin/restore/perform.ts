/** Carries out a plan: all parts are built beside their places, checked, and put there together. Decision: docs/decisions/0406-a-restore-is-built-beside.md */
import { chownSync, statSync } from 'node:fs';
import { chown, mkdir, open, rm } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { faultPoint } from '../../controller/faults.ts';
import { SvcError } from '../../schema/errors.ts';
import { limits } from '../../store/limits.ts';
import { lockState } from '../../store/state-lock.ts';
import type { Entry } from '../../store/backup/manifest.ts';
import { accountIds, type AccountIds } from '../backup/account-name.ts';
import { commitMoves, finishRestore, stagingName, type Move } from './journal.ts';
import { planRestore, partsToWrite, newerParts, type PlannedPart, type RestorePlan } from './plan.ts';

export interface PerformOptions {
  /** Replaces parts that are newer than the snapshot, too. */
  readonly over: boolean;
  readonly nowMs: number;
  readonly object: (sha: string) => Promise<Uint8Array>;
}

export interface Restored {
  readonly files: number;
  readonly bytes: number;
  /** Where what was there is now; null: nothing was in the way. */
  readonly aside: string | null;
}

/** Rejects STATE_IN_USE while a portal runs on the state folder, CONFLICT for what is newer, DIGEST_MISMATCH for a damaged backup: nothing is changed then. */
export async function performRestore(asked: RestorePlan, { over, nowMs, object }: PerformOptions): Promise<Restored> {
  const { manifest, places } = asked;
  const { stateDir } = places;
  const owner = ownerOf(stateDir, manifest.owner);
  const lock = lockState(stateDir);
  try {
    finishRestore(stateDir);
    // As it is now that nobody changes it any more.
    const plan = await planRestore(manifest, places);
    const [newer] = newerParts(plan);
    if (newer !== undefined && !over)
      throw new SvcError('CONFLICT', `${newer.to} is newer than the snapshot: --over replaces it, and keeps what is there beside it`);
    if (owner !== null) for (const name of ['', 'lock', 'pid']) chownSync(path.join(stateDir, name), owner.uid, owner.gid);
    faultPoint('restore/begun');
    const aside = path.join(stateDir, `before-restore-${nowMs}`);
    const moves: Move[] = [];
    const parts = partsToWrite(plan);
    for (const [at, part] of parts.entries()) moves.push(...(await stage(part, { at, stateDir, aside, nowMs, owner, object })));
    moves.push(...strangers(plan, stateDir, aside));
    faultPoint('restore/staged');
    commitMoves(stateDir, moves);
    finishRestore(stateDir);
    return {
      files: parts.reduce((sum, { entries }) => sum + entries.length, 0),
      bytes: parts.reduce((sum, { bytes }) => sum + bytes, 0),
      aside: isFolder(aside) ? aside : null,
    };
  } finally {
    lock.release();
  }
}

const isFolder = (file: string): boolean => statSync(file, { throwIfNoEntry: false })?.isDirectory() === true;

/** Owner of the restored state folder; null: the account that restores is not root, and the folder is its own. */
function ownerOf(stateDir: string, named: string): AccountIds | null {
  if (process.getuid?.() !== 0) return null;
  const there = statSync(stateDir, { throwIfNoEntry: false });
  if (there !== undefined && there.uid !== 0) return there;
  return accountIds(named) ?? { uid: 0, gid: 0 };
}

interface StageOptions {
  readonly at: number;
  readonly stateDir: string;
  readonly aside: string;
  readonly nowMs: number;
  readonly owner: AccountIds | null;
  readonly object: PerformOptions['object'];
}

async function stage(part: PlannedPart, { at, stateDir, aside, nowMs, owner, object }: StageOptions): Promise<readonly Move[]> {
  const isInState = part.to.startsWith(`${stateDir}/`);
  // A rename stays within one file system: what is outside of the state folder is built beside its place.
  const from = isInState
    ? path.join(stateDir, stagingName, `${at}`)
    : path.join(path.dirname(part.to), `.${path.basename(part.to)}.restore-tmp`);
  await makeFolders(path.dirname(from), isInState ? owner : ownerAt(path.dirname(from), owner));
  const asideOf = (file: string): string =>
    isInState ? path.join(aside, path.relative(stateDir, file)) : `${file}.before-restore-${nowMs}`;
  if (part.kind === 'folder' || part.kind === 'record') {
    await makeFolders(from, owner);
    const left = part.entries.values();
    const write = async (): Promise<void> => {
      for (const entry of left) {
        const file = path.join(from, path.relative(path.basename(part.to), entry.path));
        await makeFolders(path.dirname(file), owner);
        await writeEntry(file, entry, { owner, object });
      }
    };
    await Promise.all(Array.from({ length: limits.backupWritesMax }, write));
    return [{ from, to: part.to, aside: asideOf(part.to) }];
  }
  const [entry] = part.entries;
  if (entry === undefined) return [];
  await writeEntry(from, entry, { owner: isInState ? owner : ownerAt(path.dirname(from), owner), object });
  if (part.kind !== 'database') return [{ from, to: part.to, aside: asideOf(part.to) }];
  refuseUnsound(from, part.to);
  // The log of the database that was there is no log of this one.
  const logs = ['-wal', '-shm'].map((suffix) => ({ from: null, to: part.to + suffix, aside: asideOf(part.to + suffix) }));
  return [...logs, { from, to: part.to, aside: asideOf(part.to) }];
}

/** Places outside of the state folder belong to the owner of their folder. */
function ownerAt(folder: string, owner: AccountIds | null): AccountIds | null {
  if (owner === null) return null;
  const there = statSync(folder, { throwIfNoEntry: false });
  return there === undefined || there.uid === 0 ? null : there;
}

async function makeFolders(folder: string, owner: AccountIds | null): Promise<void> {
  if (isFolder(folder)) return;
  await makeFolders(path.dirname(folder), owner);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if (owner !== null) await chown(folder, owner.uid, owner.gid);
}

async function writeEntry(
  file: string,
  { chunks, bytes, mode, modifiedMs }: Entry,
  { owner, object }: Pick<StageOptions, 'owner' | 'object'>,
): Promise<void> {
  await rm(file, { force: true });
  const handle = await open(file, 'wx', 0o600);
  try {
    let written = 0;
    for (const sha of chunks) {
      const chunk = await object(sha);
      await handle.appendFile(chunk);
      written += chunk.length;
    }
    if (written !== bytes)
      throw new SvcError('DIGEST_MISMATCH', `${file} has ${written} bytes in the backup, and ${bytes} by its snapshot`);
    if (owner !== null) await handle.chown(owner.uid, owner.gid);
    await handle.chmod(mode);
    await handle.utimes(modifiedMs / 1_000, modifiedMs / 1_000);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function refuseUnsound(file: string, to: string): void {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const { integrity_check: verdict } = database.prepare('PRAGMA integrity_check(1)').get() as { integrity_check: string };
    if (verdict !== 'ok') throw new SvcError('DIGEST_MISMATCH', `${to} of the snapshot is damaged: ${verdict}`);
  } finally {
    database.close();
  }
}

/** Moves aside files of the replaced store that the snapshot does not have: they would be taken for those of the restored one. */
function strangers({ parts }: RestorePlan, stateDir: string, aside: string): readonly Move[] {
  const names = ['rooms.db', 'rooms.db-wal', 'rooms.db-shm', 'anexos', 'fila'];
  const restored = new Set(parts.flatMap(({ to }) => [to, `${to}-wal`, `${to}-shm`]));
  return names
    .map((name) => path.join(stateDir, name))
    .filter((file) => !restored.has(file))
    .map((to) => ({ from: null, to, aside: path.join(aside, path.relative(stateDir, to)) }));
}
