/** The meaning of `Portal.spec.repository`: an address, a folder with packed versions, or one with unpacked packages. */
import { access } from 'node:fs/promises';
import path from 'node:path';
import type { PortalDocument } from '../../../schema/desired/documents.ts';
import { repositoryPaths } from '../layout/paths.ts';

export type RepositoryLocation =
  | { readonly kind: 'url'; readonly url: string }
  /** Packed or not: `isRepositoryFolder` decides. */
  | { readonly kind: 'folder'; readonly folder: string };

interface PlacedPortal {
  readonly document: PortalDocument;
  readonly place: { readonly file: string };
}

/** Null without a Portal and when it names none. A folder is relative to the file that says so. */
export function repositoryLocation(dir: string, portal: PlacedPortal | null): RepositoryLocation | null {
  const repository = portal?.document.spec.repository;
  if (!portal || repository === undefined) return null;
  if (/^https?:\/\//i.test(repository)) return { kind: 'url', url: repository.replace(/(?<!\/)\/+$/, '') };
  return { kind: 'folder', folder: path.resolve(dir, path.dirname(portal.place.file), repository) };
}

/** Whether the folder holds packed versions: `svc repository DIR` and publishing make it so. */
export async function isRepositoryFolder(folder: string): Promise<boolean> {
  return await access(path.join(folder, repositoryPaths.packages)).then(
    () => true,
    () => false,
  );
}
