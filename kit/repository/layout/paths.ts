/**
 * kit/repository/: what a repository is (layout/), how it is read (reading/: by the portal offers.ts, by the installer find.ts) and how a
 * version gets in (publishing/: the author's command publish.ts, bytes that come over HTTP receive.ts; both end in folder.ts). Serving it is
 * api/repository. These two know the layout, and nothing else does (setup/arrows.ts).
 *
 * This file: the layout of a repository, which is also its URLs: a plain web server that serves the folder serves a repository.
 * Names are checked against the grammar of the records, so that no name leaves its folder or hides in it.
 */
import { appIdPattern } from '../../../schema/app-id.ts';
import { extensionFile } from '../../../schema/extensions/file.ts';
import { limits } from '../../../schema/limits.ts';
import { type PictureType, pictureTypes } from './picture.ts';

/** Media type of an icon, by the end of its name. */
export const iconMediaTypes = { svg: 'image/svg+xml', png: 'image/png', jpg: 'image/jpeg', jpeg: 'image/jpeg' } as const;
export type IconType = keyof typeof iconMediaTypes;
export const iconTypes = Object.keys(iconMediaTypes) as readonly IconType[];

export const namePatterns = {
  id: appIdPattern,
  version: `^[0-9A-Za-z][0-9A-Za-z.+_-]{0,${limits.repositoryNameCharsMax - 1}}$`,
  /** Source: rules 2.3. */
  nome: '^[a-z][a-z0-9-]{0,31}$',
  versao: '^[0-9A-Za-z][0-9A-Za-z.+_-]{0,63}$',
} as const;

const grammar = {
  id: new RegExp(namePatterns.id),
  version: new RegExp(namePatterns.version),
  nome: new RegExp(namePatterns.nome),
  versao: new RegExp(namePatterns.versao),
};

/** Relative to the folder, and what begins with `v1/` below the address, with a slash before. */
export const repositoryPaths = {
  /** Folder of the publisher and the server: 0700, and never served. */
  own: '.svc',
  staging: '.svc/tmp',
  lock: '.svc/lock',
  tokens: '.svc/tokens.json',
  catalogue: 'v1/catalogo.json',
  /** Written by an administrator; no command does. */
  extensions: `v1/${extensionFile}`,
  /** All signatures; made from those beside the records. */
  signatures: 'v1/assinaturas.json',
  /** Made from the pages of all versions. */
  shopPages: 'v1/loja.json',
  shop: 'v1/loja',
  packages: 'v1/pacote',
  schemas: 'v1/esquema/svc-app',
  engines: 'v1/motor',
  engineRecords: 'v1/registro-motor',
  /** Schema of `svc-app.json`, by the version of svc; `atual` is the newest one. Source: rules 9. */
  schema: (version: string): string => `v1/esquema/svc-app/${version}.json`,
  tarball: (id: string, version: string): string => `v1/pacote/${id}/${version}.tgz`,
  record: (id: string, version: string): string => `v1/pacote/${id}/${version}.json`,
  signature: (id: string, version: string): string => `v1/pacote/${id}/${version}.minisig`,
  icon: (id: string, version: string, type: IconType): string => `v1/pacote/${id}/${version}.${type}`,
  shopPage: (id: string, version: string): string => `v1/loja/${id}/${version}.json`,
  /** By its bytes: versions share it. */
  picture: (id: string, sha256: string, type: PictureType): string => `v1/loja/${id}/${sha256}.${type}`,
  engine: (nome: string, versao: string): string => `v1/motor/${nome}/${versao}`,
  /** Not beside the tarball: `1.0.json` is a version of an engine too. */
  engineRecord: (nome: string, versao: string): string => `v1/registro-motor/${nome}/${versao}.json`,
} as const;

export type RepositoryItem =
  | { readonly kind: 'catalogue' }
  | { readonly kind: 'extensions' }
  | { readonly kind: 'signatures' }
  | { readonly kind: 'shopPages' }
  | { readonly kind: 'picture'; readonly id: string; readonly sha256: string; readonly type: PictureType }
  | { readonly kind: 'schema'; readonly version: string }
  | { readonly kind: 'tarball'; readonly id: string; readonly version: string }
  | { readonly kind: 'record'; readonly id: string; readonly version: string }
  | { readonly kind: 'signature'; readonly id: string; readonly version: string }
  | { readonly kind: 'icon'; readonly id: string; readonly version: string; readonly type: IconType }
  | { readonly kind: 'engine'; readonly nome: string; readonly versao: string }
  | { readonly kind: 'engine-record'; readonly nome: string; readonly versao: string };

export function isPackageName(id: string, version: string): boolean {
  return grammar.id.test(id) && grammar.version.test(version);
}

/** Also `atual`. */
export function isSchemaName(version: string): boolean {
  return grammar.version.test(version);
}

export function isEngineName(nome: string, versao: string): boolean {
  return grammar.nome.test(nome) && grammar.versao.test(versao);
}

/** Parses a path, percent-encoded as in a URL and without query; null for anything else. */
export function parseRepositoryPath(rawPath: string): RepositoryItem | null {
  let path: string;
  try {
    path = decodeURIComponent(rawPath);
  } catch {
    return null;
  }
  if (path === `/${repositoryPaths.catalogue}`) return { kind: 'catalogue' };
  if (path === `/${repositoryPaths.extensions}`) return { kind: 'extensions' };
  if (path === `/${repositoryPaths.signatures}`) return { kind: 'signatures' };
  if (path === `/${repositoryPaths.shopPages}`) return { kind: 'shopPages' };
  const schema = new RegExp(`^/${repositoryPaths.schemas}/([^/]+)\\.json$`).exec(path)?.[1];
  if (schema !== undefined) return isSchemaName(schema) ? { kind: 'schema', version: schema } : null;
  const [empty, v1, kind, name = '', file = '', ...rest] = path.split('/');
  if (empty !== '' || v1 !== 'v1' || rest.length > 0) return null;
  if (kind === 'motor') return isEngineName(name, file) ? { kind: 'engine', nome: name, versao: file } : null;
  const [, stem = '', suffix = ''] = /^(.+)\.([a-z]+)$/.exec(file) ?? [];
  if (kind === 'registro-motor' && suffix === 'json') {
    return isEngineName(name, stem) ? { kind: 'engine-record', nome: name, versao: stem } : null;
  }
  if (kind === 'loja') return pictureAt(name, stem, suffix);
  if (kind !== 'pacote' || !isPackageName(name, stem)) return null;
  if (suffix === 'tgz') return { kind: 'tarball', id: name, version: stem };
  if (suffix === 'json') return { kind: 'record', id: name, version: stem };
  if (suffix === 'minisig') return { kind: 'signature', id: name, version: stem };
  const type = iconTypes.find((one) => one === suffix);
  return type === undefined ? null : { kind: 'icon', id: name, version: stem, type };
}

function pictureAt(id: string, sha256: string, suffix: string): RepositoryItem | null {
  const type = pictureTypes.find((one) => one === suffix);
  return type === undefined || !grammar.id.test(id) || !/^[0-9a-f]{64}$/.test(sha256) ? null : { kind: 'picture', id, sha256, type };
}

/** The path of an item below the folder of the repository. */
export function pathOfItem(item: RepositoryItem): string {
  if (item.kind === 'catalogue' || item.kind === 'extensions' || item.kind === 'signatures' || item.kind === 'shopPages')
    return repositoryPaths[item.kind];
  if (item.kind === 'picture') return repositoryPaths.picture(item.id, item.sha256, item.type);
  if (item.kind === 'schema') return repositoryPaths.schema(item.version);
  if (item.kind === 'icon') return repositoryPaths.icon(item.id, item.version, item.type);
  if (item.kind === 'engine') return repositoryPaths.engine(item.nome, item.versao);
  if (item.kind === 'engine-record') return repositoryPaths.engineRecord(item.nome, item.versao);
  return repositoryPaths[item.kind](item.id, item.version);
}
