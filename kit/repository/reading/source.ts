/** Where the tarball or the folder of an offered version is, for who has it installed. */
import path from 'node:path';
import { SvcError } from '../../../schema/errors.ts';
import type { OfferSignature } from '../../../schema/shop-view.ts';
import { repositoryPaths } from '../layout/paths.ts';
import { isRepositoryFolder, repositoryFolders, type Repository } from './location.ts';
import { readSource } from './unpacked.ts';

/** From the portal's machine, or from an address that the server itself reaches. */
export type PackageSource =
  | { readonly kind: 'folder'; readonly path: string }
  | ({ readonly kind: 'tarball'; readonly path: string; readonly sha256: string } & MaybeSigned)
  | ({
      readonly kind: 'url';
      readonly repository: string;
      readonly app: string;
      readonly version: string;
      readonly sha256: string;
    } & MaybeSigned);

interface MaybeSigned {
  /** The signature that the installer has to judge, too; absent: the repository needs none. */
  readonly signed?: { readonly key: string; readonly signature: string };
}

interface Offered {
  readonly app: string;
  readonly version: string;
  /** Null when it was not packed. */
  readonly sha256: string | null;
  readonly signature?: OfferSignature | undefined;
  /** The place of the repository that offers it. */
  readonly place: string | null;
}

/** Rejects PACKAGE_SOURCE_MISSING when it is not there any more. */
export async function offeredSource(
  repositories: readonly Repository[],
  { app, version, sha256, place, signature }: Offered,
): Promise<PackageSource> {
  const location = repositories.find((one) => one.place === place);
  if (!location) throw new SvcError('PACKAGE_SOURCE_MISSING', 'the Portal document names its repository no longer');
  const signed = signedBy(location, signature);
  if (location.kind === 'url') {
    if (sha256 !== null) return { kind: 'url', repository: location.url, app, version, sha256, ...signed };
    throw new SvcError('PACKAGE_SOURCE_MISSING', `${location.url} does not tell the sha256 of ${app} ${version}`);
  }
  if (sha256 !== null && (await isRepositoryFolder(location.folder))) {
    return { kind: 'tarball', path: path.join(location.folder, repositoryPaths.tarball(app, version)), sha256, ...signed };
  }
  const folder = path.join(location.folder, app);
  const manifest = await readSource(folder);
  if (manifest?.id === app && manifest.version === version) return { kind: 'folder', path: folder };
  throw new SvcError('PACKAGE_SOURCE_MISSING', `${app} in the repository is not ${version} any more`);
}

/** Throws SIGNATURE_MISSING where the repository needs a signature and the offer has none that is good. */
function signedBy({ key, place }: Repository, signature: OfferSignature | undefined): MaybeSigned {
  if (key === null) return {};
  if (signature !== undefined && 'text' in signature) return { signed: { key, signature: signature.text } };
  throw new SvcError('SIGNATURE_MISSING', signature?.refused ?? `${place} has a key now: its signatures were not judged yet`);
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
