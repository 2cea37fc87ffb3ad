/**
 * The folder of attachments names its store: a file in it holds the id of the store that knows its rooms. A store that was lost and created
 * again has another id, and removes nothing from a folder that it does not know. Decision:
 * docs/decisions/0140-nothing-goes-for-a-missing-row.md
 */
import { constants } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { mkdir, open, rename } from 'node:fs/promises';
import path from 'node:path';
import type { Store } from './store.ts';
import { readPlainFile } from '../schema/plain-file.ts';
import { syncFolder } from '../schema/sync-folder.ts';

const name = 'attachments-id';
export const attachmentsMarkFile = '.store';

/**
 * Marks an unmarked folder, and makes it when there is none. Returns why nothing may be removed from it because this store does not know
 * it; null: it is this store's. Rejects when the store fails.
 */
export async function markAttachments(folder: string, store: Pick<Store, 'value' | 'putValue'>): Promise<string | null> {
  const file = path.join(folder, attachmentsMarkFile);
  const stored = await store.value(name);
  const id = stored ?? randomUUID();
  try {
    const found = await readMark(file);
    if (found !== null) return found === stored ? null : `the attachments in ${folder} belong to another store than this one`;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeMark(folder, file, id);
  } catch (error) {
    return `whose the attachments in ${folder} are can't be read or written: ${(error as Error).message}`;
  }
  if (stored === null) await store.putValue(name, id);
  return null;
}

/** Null: there is none. An unreadable mark is not absent. */
async function readMark(file: string): Promise<string | null> {
  try {
    return String(await readPlainFile(file)).trim();
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return null;
    throw error;
  }
}

/** A pipe in its place is an error, not a wait. */
const writing = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NONBLOCK;

async function writeMark(folder: string, file: string, id: string): Promise<void> {
  const handle = await open(`${file}.tmp`, writing, 0o600);
  try {
    await handle.writeFile(`${id}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(`${file}.tmp`, file);
  await syncFolder(folder);
}
