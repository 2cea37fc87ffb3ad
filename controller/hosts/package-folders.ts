/**
 * Packages of one folder, for an account that can read it. Unchanged packages are not read again; packages that can't be read keep their
 * last known state. Used by the portal for the system, and by a door for a person's own packages (account-door-main.ts).
 */
import { readdir, realpath } from 'node:fs/promises';
import path from 'node:path';
import { isAppId } from '../../schema/app-id.ts';
import { SvcError } from '../../schema/errors.ts';
import type { InstalledPackage } from './host.ts';
import { deliveredHash, hashPackage, isAbsent, markBeside, previousVersion, readPackageManifest, walkPackage } from './package-folder.ts';

export interface PackageFolders {
  read(folder: string, app: string, scope: InstalledPackage['scope']): Promise<InstalledPackage | null>;
  list(folder: string, scope: InstalledPackage['scope']): Promise<readonly InstalledPackage[]>;
}

interface Known {
  readonly mark: string;
  readonly found: InstalledPackage;
}

/** `onBadPackage`: packages that are there and can't be read; the others are listed all the same. */
export function createPackageFolders(onBadPackage: (folder: string, error: unknown) => void): PackageFolders {
  const known = new Map<string, Known>();
  const listed = new Map<string, readonly InstalledPackage[]>();
  const read: PackageFolders['read'] = async (folder, app, scope) => {
    const root = path.join(folder, app);
    const seen = await readOne(folder, app, scope, known.get(root));
    if (seen === null) known.delete(root);
    else known.set(root, seen);
    return seen?.found ?? null;
  };
  const list: PackageFolders['list'] = async (folder, scope) => {
    let names: readonly string[];
    try {
      names = await readdir(folder);
    } catch (error) {
      if (isAbsent(error)) names = [];
      else {
        // A person's home that can't be read proves nothing about the server, nor about what they installed.
        if (scope === 'sistema') throw error;
        onBadPackage(folder, error);
        return (listed.get(folder) ?? []).map((last) => unread(last, error));
      }
    }
    const found: InstalledPackage[] = [];
    for (const name of names.filter(isAppId).sort()) {
      try {
        const one = await read(folder, name, scope);
        if (one) found.push(one);
      } catch (error) {
        onBadPackage(path.join(folder, name), error);
        const last = known.get(path.join(folder, name))?.found;
        // The disk refuses to say what is there: that is not "gone", and what was there is not put there again.
        if (last !== undefined && isUnreadable(error)) found.push(unread(last, error));
      }
    }
    listed.set(folder, found);
    return found;
  };
  return { read, list };
}

/** As it was seen last. */
export function unread(last: InstalledPackage, error: unknown): InstalledPackage {
  return { ...last, unread: (error as Error).message };
}

/** Refused by the operating system: EACCES, EIO, ESTALE, ELOOP… */
function isUnreadable(error: unknown): boolean {
  return !(error instanceof SvcError) && typeof (error as NodeJS.ErrnoException).code === 'string' && !isAbsent(error);
}

/** Null when there is none. An unchanged package is not hashed again. */
async function readOne(folder: string, app: string, scope: InstalledPackage['scope'], before: Known | undefined): Promise<Known | null> {
  const root = path.join(folder, app);
  for (let attempt = 1; ; attempt += 1) {
    const walk = await walkPackage(root).catch((error: unknown) => {
      if (isAbsent(error)) return null;
      throw error;
    });
    if (walk === null) return null;
    const mark = `${walk.mark} ${await markBeside(walk, folder, app)}`;
    if (before?.mark === mark) return before;
    const manifest = await readPackageManifest(walk.real);
    if (manifest !== null && manifest.id !== app)
      throw new SvcError('PACKAGE_REFUSED', `the package in ${root} calls itself ${JSON.stringify(manifest.id)}`);
    const hash = await hashPackage(walk);
    const delivered = await deliveredHash(walk, hash);
    // Another version took its place meanwhile: what was read may be some of each.
    if (attempt < 3 && (await realpath(root).catch(() => null)) !== walk.real) continue;
    if (manifest === null) return null;
    const previous = await previousVersion(folder, app);
    return { mark, found: { app, version: manifest.version, hash, delivered, scope, previous, manifest } };
  }
}
