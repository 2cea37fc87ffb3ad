/** A package by its id, as `svc-app-install` finds it: of the catalogue it reads the minimum, without a JSON Schema engine. */
import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { SvcError } from '../../../schema/errors.ts';
import { readPlainFile } from '../../../schema/plain-file.ts';
import { limits } from '../../../schema/limits.ts';
import { isMissing } from '../../atomic-file.ts';
import { readOfferedApps } from '../layout/minimum.ts';
import { repositoryPaths } from '../layout/paths.ts';

export type PackagePlace =
  | { readonly kind: 'folder'; readonly path: string }
  | { readonly kind: 'tarball'; readonly path: string; readonly sha256: string | null }
  | {
      readonly kind: 'url';
      readonly url: string;
      readonly app: string;
      readonly version: string;
      readonly sha256: string;
      readonly bytes: number;
    };

export interface FoundPackage {
  readonly source: PackagePlace;
  readonly version: string | null;
  /** Apps of the repository by the capability that their newest version provides. */
  readonly offers: ReadonlyMap<string, readonly string[]>;
}

interface Asked {
  readonly app: string;
  /** Null: the newest one. */
  readonly version: string | null;
  /** The one that is expected; null: any. */
  readonly sha256: string | null;
}

/** A document, whole; rejects with coded errors. */
type FetchDocument = (url: string, bytesMax: number) => Promise<Uint8Array>;

const isUrl = (text: string): boolean => /^https?:\/\//.test(text);

/** `repository` is an address or a folder. Rejects PACKAGE_SOURCE_MISSING, CHECKSUM_MISMATCH, REPOSITORY_INVALID or TOO_LARGE. */
export async function findPackage(repository: string, asked: Asked, fetchDocument: FetchDocument): Promise<FoundPackage> {
  const unpacked = join(repository, asked.app);
  if (!isUrl(repository) && statSync(join(unpacked, 'svc-app.json'), { throwIfNoEntry: false }) !== undefined)
    return { source: { kind: 'folder', path: resolve(unpacked) }, version: asked.version, offers: new Map() };
  return await fromCatalogue(repository, asked, fetchDocument);
}

async function fromCatalogue(repository: string, { app, version, sha256 }: Asked, fetchDocument: FetchDocument): Promise<FoundPackage> {
  const base = isUrl(repository) ? repository.replace(/(?<!\/)\/+$/, '') : repository;
  const apps = readOfferedApps(await readCatalogueBytes(base, fetchDocument));
  const entry = apps.find(({ id }) => id === app);
  const chosen = version === null ? entry?.versions[0] : entry?.versions.find((one) => one.version === version);
  if (chosen === undefined)
    throw new SvcError(
      'PACKAGE_SOURCE_MISSING',
      `the repository has no ${app}${version === null || entry === undefined ? '' : ` ${version}`}`,
      entry === undefined ? { unknown: app } : {},
    );
  if (sha256 !== null && sha256 !== chosen.sha256)
    throw new SvcError('CHECKSUM_MISMATCH', `the repository has another ${app} ${chosen.version} than the one that was asked for`);
  const offers = new Map<string, string[]>();
  for (const { id, versions } of apps) for (const one of versions[0]?.provides ?? []) offers.set(one, [...(offers.get(one) ?? []), id]);
  const path = repositoryPaths.tarball(app, chosen.version);
  const source: PackagePlace = isUrl(base)
    ? { kind: 'url', url: `${base}/${path}`, app, version: chosen.version, sha256: chosen.sha256, bytes: chosen.tamanho }
    : { kind: 'tarball', path: resolve(base, path), sha256: chosen.sha256 };
  return { source, version: chosen.version, offers };
}

async function readCatalogueBytes(base: string, fetchDocument: FetchDocument): Promise<Uint8Array> {
  const path = repositoryPaths.catalogue;
  if (isUrl(base)) return await fetchDocument(`${base}/${path}`, limits.catalogueBytesMax);
  const file = join(base, path);
  const bytes = await readPlainFile(file, limits.catalogueBytesMax).catch((error: unknown) => {
    if (isMissing(error)) throw new SvcError('PACKAGE_SOURCE_MISSING', `${base} is no repository: it holds no ${path}`);
    throw error;
  });
  if (bytes.length > limits.catalogueBytesMax) throw new SvcError('TOO_LARGE', `${file} is larger than ${limits.catalogueBytesMax} bytes`);
  return bytes;
}
