/** Writes the pages of the help into the folder that the portal serves, and removes those of an earlier build. */
import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { makeHelp } from './make-help.ts';

/** Below the checkout. Its scripts and styles are bundles of setup/build.ts. */
export const helpFolder = 'build/shell/ajuda';

export async function writeHelp(root: string, write: (file: string, bytes: Uint8Array) => Promise<void>): Promise<void> {
  const folder = path.join(root, helpFolder);
  const pages = await makeHelp(root);
  for (const [name, text] of pages) await write(path.join(folder, name), Buffer.from(text));
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name);
    if (entry.isFile() && /\.(?:html|json)$/.test(entry.name) && !pages.has(path.relative(folder, file))) await rm(file);
  }
}
