/** Where the tarball or the folder of an offered version is, for who has it installed. */
import path from 'node:path';
import { SvcError } from '../../../schema/errors.ts';
import { repositoryPaths } from '../layout/paths.ts';
import { isRepositoryFolder, repositoryFolders, type Repository } from './location.ts';
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
  /** The place of the repository that offers it. */
  readonly place: string | null;
}

/** Rejects PACKAGE_SOURCE_MISSING when it is not there any more. */
export async function offeredSource(repositories: readonly Repository[], { app, version, sha256, place }: Offered): Promise<PackageSource> {
  const location = repositories.find((one) => one.place === place);
  if (!location) throw new SvcError('PACKAGE_SOURCE_MISSING', 'the Portal document names its repository no longer');
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

/** Why an unpacked package is not offered, by the first folder that refuses it; null when there is none, and for other repositories. */
export async function whyNotOffered(repositories: readonly Repository[], app: string): Promise<string | null> {
  for (const folder of repositoryFolders(repositories)) {
    const why = await readSource(path.join(folder, app)).then(
      () => null,
      (error: unknown) => (error as Error).message.split('\n')[0] ?? '',
    );
    if (why !== null) return why;
  }
  return null;
}
