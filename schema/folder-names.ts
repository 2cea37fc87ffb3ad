/** Names in a folder; none where there is no folder. One that can't be read now is not empty: rejects with what the disk says. */
import { readdir } from 'node:fs/promises';
import { errorCode } from './system-error.ts';

export async function namesIn(folder: string): Promise<readonly string[]> {
  return await readdir(folder).catch((error: unknown) => {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error))) return [];
    throw error;
  });
}
