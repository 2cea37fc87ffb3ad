/** Plans a restore, part by part, compared with what is there. */
import { lstat, readFile, readdir } from 'node:fs/promises';
import path from 'node:path';
import { errorCode } from '../../schema/system-error.ts';
import { limits } from '../../store/limits.ts';
import { nameOf } from '../../store/backup/chunks.ts';
import type { Entry, Manifest } from '../../store/backup/manifest.ts';
import { isKept, partsOf, type Part, type Places } from './targets.ts';

/** `newer`: what is there was changed after the moment of the snapshot. */
export type There = 'nothing' | 'same' | 'older' | 'newer';

export interface PlannedPart extends Part {
  readonly there: There;
  readonly bytes: number;
}

export interface RestorePlan {
  readonly manifest: Manifest;
  readonly places: Places;
  readonly parts: readonly PlannedPart[];
}

export async function planRestore(manifest: Manifest, places: Places): Promise<RestorePlan> {
  const parts: PlannedPart[] = [];
  for (const part of partsOf(manifest, places)) {
    const bytes = part.entries.reduce((sum, each) => sum + each.bytes, 0);
    parts.push({ ...part, there: await lookAt(part, manifest.atMs), bytes });
  }
  return { manifest, places, parts };
}

/** Parts that are newer than the snapshot and would be written over. */
export const newerParts = ({ parts }: RestorePlan): readonly PlannedPart[] =>
  parts.filter(({ there, kind }) => there === 'newer' && !isKept(kind));

export const partsToWrite = ({ parts }: RestorePlan): readonly PlannedPart[] =>
  parts.filter(({ there, kind }) => there !== 'same' && (!isKept(kind) || there === 'nothing'));

async function lookAt({ to, kind, entries }: Part, atMs: number): Promise<There> {
  const newestMs = kind === 'database' ? await newestOf([to, `${to}-wal`]) : await newestBelow(to);
  if (newestMs === null) return 'nothing';
  const [entry] = entries;
  if (kind !== 'database' && kind !== 'folder' && kind !== 'record' && entry !== undefined && (await isSame(to, entry))) return 'same';
  return newestMs > atMs ? 'newer' : 'older';
}

async function newestOf(files: readonly string[]): Promise<number | null> {
  const times = (await Promise.all(files.map(changedMs))).filter((time) => time !== null);
  return times.length === 0 ? null : Math.max(...times);
}

/** When its content was changed last; null: it is not there. */
async function changedMs(file: string): Promise<number | null> {
  try {
    return (await lstat(file)).mtimeMs;
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error))) return null;
    throw error;
  }
}

/** Counts files only: a folder changes as something is removed from it, too. */
async function newestBelow(file: string): Promise<number | null> {
  const own = await changedMs(file);
  if (own === null || !(await lstat(file)).isDirectory()) return own;
  let newest = 0;
  for (const entry of await readdir(file, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    newest = Math.max(newest, (await changedMs(path.join(entry.parentPath, entry.name))) ?? 0);
  }
  return newest;
}

async function isSame(file: string, { bytes, chunks }: Entry): Promise<boolean> {
  const seen = await lstat(file);
  if (!seen.isFile() || seen.size !== bytes) return false;
  const content = await readFile(file);
  const size = limits.backupChunkBytesMax;
  return chunks.every((sha, at) => nameOf(content.subarray(at * size, (at + 1) * size)) === sha);
}
