/**
 * The hash of an installed package (rules 2.6 `SVC_APP_INSTALLED_HASH`, rules 3.1 step 5): the same on the portal, which installs, and on the
 * server, which decides whether set-up is due. Pure: the caller walks the files. Folders, owners and times don't count; of the mode only the owner's
 * execute bit does, so that another umask is no new release.
 */
import { createHash } from 'node:crypto';

export interface PackageEntry {
  /** Relative to the package root, with '/', without a leading './'. */
  readonly path: string;
  /** The owner may execute it. */
  readonly executable: boolean;
  /** sha256 of the bytes, hex. */
  readonly sha256: string;
}

/** Hex sha256 over the regular files of a package, in any order given. */
export function packageHash(entries: readonly PackageEntry[]): string {
  const lines = entries.map((entry) => `${entry.path}\0${entry.executable ? 'x' : '-'}\0${entry.sha256}\n`);
  lines.sort((left, right) => Buffer.compare(Buffer.from(left), Buffer.from(right)));
  const hash = createHash('sha256');
  for (const line of lines) hash.update(line);
  return hash.digest('hex');
}
