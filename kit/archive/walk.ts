/** Lists the content of a folder that is to be packed, in the order of the tarball. */
import { closeSync, fstatSync, lstatSync, readdirSync } from 'node:fs';
import { isExchanged, isForeignName, openFolder, openNamed, pathOf, within } from '../beneath.ts';
import { type ArchiveLimits, nameSegments, refuse } from './rules.ts';

export interface WalkedEntry {
  /** Below the folder; a folder ends in '/'. */
  readonly path: string;
  readonly bytes: number;
  readonly executable: boolean;
}

/** Whether an entry is packed; a folder ends in '/', and what is in a folder that is not packed is not asked about. */
export type Chooser = (path: string) => boolean;

/** Files and folders sorted by their bytes, the name of a folder with its '/'. Rejects links, devices and what no archive may hold. */
export function walkFolder(dir: string, limits: ArchiveLimits, chosen: Chooser = () => true): WalkedEntry[] {
  const root = openNamed(dir, 'folder');
  try {
    return walkOpen(root, limits, chosen);
  } finally {
    closeSync(root);
  }
}

/** The same of a folder that is open. */
export function walkOpen(root: number, { bytesMax, entriesMax }: ArchiveLimits, chosen: Chooser): WalkedEntry[] {
  const found: WalkedEntry[] = [];
  let bytes = 0;
  const delivered = fstatSync(root);
  const visit = (fd: number, folder: string): void => {
    for (const entry of readdirSync(pathOf(fd), { encoding: 'buffer', withFileTypes: true })) {
      const name = nameOf(entry.name, folder);
      const path = `${folder}${name}${entry.isDirectory() ? '/' : ''}`;
      if (!chosen(path)) continue;
      nameSegments(`${folder}${name}`);
      if (found.length >= entriesMax) refuse('ENTRIES', `it holds more than ${entriesMax} entries`);
      if (entry.isDirectory()) {
        found.push({ path, bytes: 0, executable: false });
        const inner = unchanged(path, () => openFolder(within(fd, name)));
        try {
          visit(inner, path);
        } finally {
          closeSync(inner);
        }
      } else if (entry.isFile()) {
        const stat = unchanged(path, () => lstatSync(within(fd, name)));
        if (isForeignName(stat, delivered)) refuse('LINK', 'it is a second name of a file of somebody else', path);
        bytes += stat.size;
        if (bytes > bytesMax) refuse('BYTES', `it holds more than ${bytesMax} bytes`, path);
        found.push({ path, bytes: stat.size, executable: (stat.mode & 0o100) !== 0 });
      } else refuse(entry.isSymbolicLink() ? 'LINK' : 'DEVICE', 'only files and folders are packed; put the file itself there', path);
    }
  };
  visit(root, '');
  return found.sort((a, b) => Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)));
}

/** Refused as CHANGED when the name was replaced meanwhile. */
export function unchanged<T>(path: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (!isExchanged(error)) throw error;
    return refuse('CHANGED', 'it changed while it was packed; try again', path);
  }
}

function nameOf(bytes: Buffer, folder: string): string {
  const name = bytes.toString('utf8');
  return Buffer.from(name).equals(bytes) ? name : refuse('NAME', 'a name that is not UTF-8', `${folder}${name}`);
}
