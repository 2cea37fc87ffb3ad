/** Where the tarball or the folder of an offered version is, for who has it installed. */
import path from 'node:path';
import { SvcError } from '../../../schema/errors.ts';
import { repositoryPaths } from '../layout/paths.ts';
import { isRepositoryFolder, type RepositoryLocation } from './location.ts';
import { readSource } from './unpacked.ts';

/** From the portal's machine, or from an address that the server itself reaches. */
export type PackageSource =
  | { readonly kind: 'folder'; readonly path: string }
  | { readonly kind: 'tarball'; readonly path: string; readonly sha256: string }
  | { readonly kind: 'url'; readonly repository: string; readonly app: string; readonly version: string; readonly sha256: string };

interface Offered {
  readonly app: string;
  readonly version: string;
  /** Null when it was not packed. */
  readonly sha256: string | null;
}

/** Rejects PACKAGE_SOURCE_MISSING when it is not there any more. */
export async function offeredSource(location: RepositoryLocation | null, { app, version, sha256 }: Offered): Promise<PackageSource> {
  if (!location) throw new SvcError('PACKAGE_SOURCE_MISSING', 'the Portal document names no repository');
  if (location.kind === 'url') {
    if (sha256 !== null) return { kind: 'url', repository: location.url, app, version, sha256 };
    throw new SvcError('PACKAGE_SOURCE_MISSING', `${location.url} does not tell the sha256 of ${app} ${version}`);
  }
  if (sha256 !== null && (await isRepositoryFolder(location.folder))) {
    return { kind: 'tarball', path: path.join(location.folder, repositoryPaths.tarball(app, version)), sha256 };
  }
  const folder = path.join(location.folder, app);
  const manifest = await readSource(folder);
  if (manifest?.id === app && manifest.version === version) return { kind: 'folder', path: folder };
  throw new SvcError('PACKAGE_SOURCE_MISSING', `${app} in the repository is not ${version} any more`);
}

/** Why an unpacked package is not offered; null when there is none, and for other repositories. */
export async function whyNotOffered(location: RepositoryLocation | null, app: string): Promise<string | null> {
  if (location?.kind !== 'folder') return null;
  return await readSource(path.join(location.folder, app)).then(
    () => null,
    (error: unknown) => (error as Error).message.split('\n')[0] ?? '',
  );
}
