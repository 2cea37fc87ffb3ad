/** Bytes that lie in a folder, put where the portals of a database have theirs. The folder stays as it is. Decision: docs/decisions/0302-bytes-of-the-store.md */
import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import type { Bytes } from './bytes.ts';

export interface MovedBytes {
  readonly files: number;
  readonly bytes: number;
}

/** Copies a folder that nobody writes to. Existing files are left as they are; half-done uploads are not copied. */
export async function copyBytes(root: string, to: Bytes): Promise<MovedBytes> {
  let [files, bytes] = [0, 0];
  for (const file of await filesBelow(root)) {
    const folder = path.relative(root, path.dirname(file));
    const name = path.basename(file);
    const known = await to.open(folder, name);
    await known?.close();
    if (known !== null) continue;
    bytes += await copyOne(file, { folder, name }, to);
    files += 1;
  }
  return { files, bytes };
}

async function filesBelow(root: string): Promise<readonly string[]> {
  try {
    const found = await readdir(root, { recursive: true, withFileTypes: true });
    // The mark of the folder, and what came in when a portal was ended.
    return found.flatMap((one) => (one.isFile() && !one.name.startsWith('.') ? [path.join(one.parentPath, one.name)] : [])).sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

async function copyOne(file: string, { folder, name }: { readonly folder: string; readonly name: string }, to: Bytes): Promise<number> {
  const target = await to.grow(folder, name);
  for await (const chunk of createReadStream(file, { highWaterMark: 256 * 1_024 })) await target.write(chunk as Uint8Array);
  await target.close();
  return target.size();
}
