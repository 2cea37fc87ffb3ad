/** The folder of an app, as it was named on a command line. */
import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { SvcError } from '../schema/errors.ts';
import { refuseOtherKindSync } from '../schema/plain-file.ts';

const manifestFile = 'svc-app.json';
const namedMax = 3;

/** Absolute. Rejects BAD_REQUEST with what is there instead, FILE_KIND for a manifest that is no plain file. */
export function appFolder(dir: string): string {
  const folder = path.resolve(dir);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) throw new SvcError('BAD_REQUEST', `${folder} is no folder`);
  refuseOtherKindSync(path.join(folder, manifestFile));
  if (isFile(path.join(folder, manifestFile))) return folder;
  const below = readdirSync(folder)
    .filter((name) => isSeen(path.join(folder, name, manifestFile)))
    .toSorted();
  const named = below.slice(0, namedMax).join(', ') + (below.length > namedMax ? ` and ${below.length - namedMax} more` : '');
  const hint = below.length === 0 ? 'is it the folder of an app?' : `below it are apps: ${named}`;
  throw new SvcError('BAD_REQUEST', `${folder} holds no ${manifestFile}: ${hint}`);
}

/** Not in a folder of others that is closed to us. */
function isSeen(file: string): boolean {
  try {
    return isFile(file);
  } catch {
    return false;
  }
}

const isFile = (file: string): boolean => statSync(file, { throwIfNoEntry: false })?.isFile() === true;
