/** One file of an installed package: an icon, a settings script. */
import { constants } from 'node:fs';
import { open, readlink, realpath } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { limits } from '../../schema/limits.ts';

/**
 * A plain file below the package's folder, links not followed out of it; null when there is none. The rule is repeated in
 * controller/hosts/package-folder.ts for the portal's own server: the controller does not import the kit, and what both may import reads no
 * files. The contract of hosts (controller/hosts/host-contract.ts) tests both.
 */
export async function readPackageFile(parent: string, app: string, file: string): Promise<Buffer | null> {
  const root = join(parent, app);
  const asked = resolve(root, file);
  if (file.includes('\0') || !asked.startsWith(`${root}/`)) return null;
  try {
    const [realRoot, real] = await Promise.all([realpath(root), realpath(asked)]);
    if (!real.startsWith(`${realRoot}/`)) return null;
    // Never waits: a pipe has no other end.
    const handle = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      // A folder on the path may have been replaced by a link since the check: the descriptor says what was opened.
      if (!(await readlink(`/proc/self/fd/${handle.fd}`)).startsWith(`${realRoot}/`)) return null;
      const stat = await handle.stat();
      return stat.isFile() && stat.size <= limits.packageFileBytesMax ? await handle.readFile() : null;
    } finally {
      await handle.close();
    }
  } catch {
    return null;
  }
}
