/** The meaning of `Portal.spec.repository`: each an address, a folder with packed versions, or one with unpacked packages. Decision: docs/decisions/0434-several-repositories.md */
import { access } from 'node:fs/promises';
import path from 'node:path';
import type { PortalDocument } from '../../../schema/desired/documents.ts';
import { repositoryItems } from '../../../schema/desired/repositories.ts';
import type { OfferingRepository } from '../../../schema/shop-view.ts';
import { repositoryPaths } from '../layout/paths.ts';

export type RepositoryLocation =
  | { readonly kind: 'url'; readonly url: string }
  /** Packed or not: `isRepositoryFolder` decides. */
  | { readonly kind: 'folder'; readonly folder: string };

/** A repository of the portal. The order of the list is their rank. */
export type Repository = RepositoryLocation & OfferingRepository;

interface PlacedPortal {
  readonly document: PortalDocument;
  readonly place: { readonly file: string };
}

/** None without a Portal and when it names none. A folder is relative to the file that says so. */
export function repositoriesOf(dir: string, portal: PlacedPortal | null): readonly Repository[] {
  const named = portal?.document.spec.repository;
  if (!portal || named === undefined) return [];
  const base = path.resolve(dir, path.dirname(portal.place.file));
  return repositoryItems(named).map(({ url: where, chave: key = null, grupos: groups = null }): Repository => {
    if (/^https?:\/\//i.test(where)) {
      const url = where.replace(/(?<!\/)\/+$/, '');
      return { kind: 'url', url, place: url, key, groups };
    }
    const folder = path.resolve(base, where);
    return { kind: 'folder', folder, place: folder, key, groups };
  });
}

/** The repositories that are folders of this machine. */
export function repositoryFolders(repositories: readonly Repository[]): readonly string[] {
  return repositories.flatMap((one) => (one.kind === 'folder' ? [one.folder] : []));
}

/** Whether the folder holds packed versions: `svc repository DIR` and publishing make it so. */
export async function isRepositoryFolder(folder: string): Promise<boolean> {
  return await access(path.join(folder, repositoryPaths.packages)).then(
    () => true,
    () => false,
  );
}
