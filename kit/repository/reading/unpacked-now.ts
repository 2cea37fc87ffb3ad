/**
 * The present content of an app in a repository of unpacked packages, by the same hash that an installation from there records: an installed version
 * with another hash was installed from other files. Packed versions never change: publishing refuses other bytes under the same version.
 */
import { createHash } from 'node:crypto';
import { closeSync } from 'node:fs';
import path from 'node:path';
import { openNamed, pathOf } from '../../beneath.ts';
import { hashFiles, walkTree } from '../../install/tree.ts';
import { packageChooser } from '../publishing/package-files.ts';
import { isRepositoryFolder } from './location.ts';
import { readSource } from './unpacked.ts';

export interface UnpackedNow {
  readonly folder: string;
  readonly version: string;
  /** By the rule of schema/package-hash.ts. */
  readonly hash: string;
}

interface Look {
  readonly atMs: number;
  readonly found: Promise<Seen | null>;
}

interface Seen extends UnpackedNow {
  /** Mark of all files, so that only changed ones are read again. */
  readonly mark: string;
}

/** The newest listing of each folder, shared by all callers. */
const looks = new Map<string, Look>();

/**
 * The app in the first of the folders that has it unpacked; null: none has. A listing younger than `ageMsMax` serves; files are read only when one of them changed. Rejects
 * what can't be read, and what an installation would refuse.
 */
export async function unpackedNow(
  repositories: readonly string[],
  app: string,
  { nowMs, ageMsMax }: { readonly nowMs: number; readonly ageMsMax: number },
): Promise<UnpackedNow | null> {
  for (const repository of repositories) {
    const folder = path.join(repository, app);
    let look = looks.get(folder);
    if (look === undefined || nowMs - look.atMs >= ageMsMax) {
      look = { atMs: nowMs, found: lookAt(repository, app, look?.found) };
      looks.set(folder, look);
    }
    const found = await look.found;
    if (found !== null) return found;
  }
  return null;
}

async function lookAt(repository: string, app: string, last: Look['found'] | undefined): Promise<Seen | null> {
  const before = (await last?.catch(() => null)) ?? null;
  const folder = path.join(repository, app);
  const manifest = (await isRepositoryFolder(repository)) ? null : await readSource(folder);
  if (manifest?.id !== app) return null;
  const root = openNamed(folder, 'folder');
  try {
    const tree = await walkTree(root, { chosen: packageChooser(pathOf(root)) });
    const lines = tree.files.map(({ path: file, mark }) => `${file}\0${mark}\n`).toSorted();
    const mark = createHash('sha256').update(lines.join('')).digest('hex');
    const hash = before?.mark === mark ? before.hash : await hashFiles(root, tree);
    return { folder, version: manifest.version, hash, mark };
  } finally {
    closeSync(root);
  }
}
