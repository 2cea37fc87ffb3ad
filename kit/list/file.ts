/** A file of an installed package: an icon, a settings script. */
import { join } from 'node:path';
import { limits } from '../../schema/limits.ts';
import { readFileBelow } from '../../schema/plain-file.ts';

/** A plain file below the package's folder, links not followed out of it; null when there is none. */
export async function readPackageFile(parent: string, app: string, file: string): Promise<Buffer | null> {
  return await readFileBelow(join(parent, app), file, limits.packageFileBytesMax);
}
