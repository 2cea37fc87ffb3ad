/** Reads repositories for tests elsewhere: the catalogue, as strictly as the portal, and packages put there by hand. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Manifest } from '../../../schema/manifest/manifest.ts';
import { packFolder } from '../../archive/pack.ts';
import { repositoryPaths } from '../layout/paths.ts';
import { type Catalogue, catalogueOf, type PackageRecord, readCatalogue } from '../layout/records.ts';

export const catalogueFrom = (bytes: Uint8Array): Catalogue => readCatalogue(bytes);

export const catalogueIn = (repository: string): Catalogue => catalogueFrom(readFileSync(join(repository, repositoryPaths.catalogue)));

export const tarballIn = (repository: string, id: string, version: string): string =>
  join(repository, repositoryPaths.tarball(id, version));

/** Tarballs and catalogue only, as a plain web server has them. */
export async function putPackages(repository: string, folders: readonly string[]): Promise<void> {
  const records: PackageRecord[] = [];
  for (const folder of folders) {
    const manifest = JSON.parse(readFileSync(join(folder, 'svc-app.json'), 'utf8')) as Manifest;
    const out = tarballIn(repository, manifest.id, manifest.version);
    mkdirSync(dirname(out), { recursive: true });
    const { sha256, bytes } = await packFolder(folder, { root: `${manifest.id}-${manifest.version}`, out });
    records.push({ formato: 1, manifest, sha256, tamanho: bytes, publicadoEm: '2026-11-21T05:00:00.000Z', novidades: '' });
  }
  writeFileSync(join(repository, repositoryPaths.catalogue), JSON.stringify(catalogueOf(records, [])));
}
