/** Puts the names in a folder on its disk: a file that was renamed into it is there after a power cut, too. */
import { open } from 'node:fs/promises';

export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
