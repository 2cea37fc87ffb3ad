/**
 * The repository as data: what `v1/catalogo.json` and the record of each version hold, as types, as JSON Schema, and with
 * the readers that refuse anything else. A catalogue holds nothing that the records don't: it can be built again at any time.
 * Source: rules 2.1, 2.3. Decision: docs/decisions/0055-repository-on-disk.md
 */
import { appIdRule } from '../../../schema/app-id.ts';
import { SvcError } from '../../../schema/errors.ts';
import { limits } from '../../../schema/limits.ts';
import type { Manifest } from '../../../schema/manifest/manifest.ts';
import { catalogueFields, type CatalogueManifest } from '../../../schema/manifest/offered.ts';
import { manifestSchema } from '../../../schema/manifest/schema.ts';
import { decodeText } from '../../../schema/positions/decode.ts';
import { readJson } from '../../../schema/positions/json.ts';
import { clip } from '../../../schema/positions/node.ts';
import { type Wire, fields, list, oneOf, pattern } from '../../../schema/static.ts';
import { compileShape } from '../../../schema/compile-shape.ts';
import { type Shape, shapeProblems } from '../../../schema/shape.ts';
import { compareVersions } from '../../../schema/versions.ts';
import { iconTypes, namePatterns } from './paths.ts';

const formato = { type: 'integer', const: 1 } as const;
const published = {
  /** Hash of the tarball in lowercase hex, and its size in bytes. */
  sha256: pattern('^[0-9a-f]{64}$', '64 lowercase hexadecimal digits'),
  tamanho: { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
  /** ISO 8601 in UTC. */
  publicadoEm: pattern('^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]{3})?Z$', 'a time as 2026-11-21T05:00:00.000Z'),
} as const;
const publishedNames = ['sha256', 'tamanho', 'publicadoEm'] as const;
/** Changelog text of this version; '' when none was given. */
const novidades = { type: 'string', maxLength: limits.novidadesCharsMax } as const;
/** Type of the icon file beside the tarball, `<version>.<icone>`. */
const icone = oneOf(iconTypes);
const engine = {
  nome: pattern(namePatterns.nome, 'a lowercase name of at most 32 characters'),
  versao: pattern(namePatterns.versao, 'a version of at most 64 characters'),
  ...published,
} as const;
const engineNames = ['nome', 'versao', ...publishedNames] as const;
const { properties } = manifestSchema;
const manifestSubset = Object.fromEntries(catalogueFields.map((name) => [name, properties[name]])) as Pick<
  typeof properties,
  (typeof catalogueFields)[number]
>;
const version = fields(
  {
    version: pattern(namePatterns.version, 'a version such as 1.4.2'),
    ...published,
    manifest: fields(manifestSubset),
    novidades,
    icone,
  },
  ['version', ...publishedNames, 'manifest', 'novidades'],
);
/** Newest first. */
const versions = { type: 'array', minItems: 1, items: version } as const;
const app = fields({ id: pattern(namePatterns.id, appIdRule), versions }, ['id', 'versions']);

const named = <Body extends object>(name: string, title: string, body: Body) => ({
  $schema: 'http://json-schema.org/draft-07/schema#',
  $id: `urn:svc:schema:${name}:v1`,
  title,
  ...body,
});

export const catalogueSchema = named(
  'catalogue',
  'a catalogue',
  fields({ formato, apps: list(app), motores: list(fields(engine, engineNames)) }, ['formato', 'apps', 'motores']),
);
export type Catalogue = Wire<typeof catalogueSchema>;
/** A published version. */
export type CatalogueVersion = Wire<typeof version>;

/** The manifest is whole there and was judged when it was published; who installs judges it again. */
const recordedManifest = {
  type: 'object',
  properties: { id: pattern(namePatterns.id, appIdRule), version: pattern(namePatterns.version, 'a version'), backend: { type: 'object' } },
  required: ['id', 'version', 'backend'],
} as const;
export const packageRecordSchema = named(
  'package-record',
  'the record of a package',
  fields({ formato, manifest: recordedManifest, ...published, novidades, icone }, ['formato', 'manifest', ...publishedNames, 'novidades']),
);
/** `v1/pacote/<id>/<version>.json`: as in the catalogue, with the whole manifest. */
export type PackageRecord = Omit<Wire<typeof packageRecordSchema>, 'manifest'> & { readonly manifest: Manifest };

export const engineRecordSchema = named(
  'engine-record',
  'the record of an engine',
  fields({ formato, ...engine }, ['formato', ...engineNames]),
);
/** `v1/registro-motor/<nome>/<versao>.json`. */
export type EngineRecord = Wire<typeof engineRecordSchema>;

type Json = Readonly<Record<string, unknown>>;
const shapes = new Map<Json, Shape>();

/** Throws REPOSITORY_INVALID, naming the first thing that is wrong, or TOO_LARGE. */
export function readDocument(what: string, schema: Json, bytes: Uint8Array | string, bytesMax: number): unknown {
  const { text, problems } = decodeText(bytes, bytesMax);
  if (problems[0]) return refuse(what, problems[0].path, problems[0].message);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return refuse(what, '', readJson(text).problems[0]?.message ?? 'not JSON');
  }
  let shape = shapes.get(schema);
  if (!shape) shapes.set(schema, (shape = compileShape(schema)));
  if (shape(value)) return value;
  const format: unknown = (value as Json | null)?.['formato'];
  if (typeof format === 'number' && format > 1) refuse(what, '/formato', `it has format ${format}; this svc reads format 1: update svc`);
  const { node } = readJson(text);
  const problem = node ? shapeProblems(shape, value, node)[0] : undefined;
  return refuse(what, problem?.path ?? '', problem?.message ?? 'it does not have the expected shape');
}

function refuse(what: string, path: string, message: string): never {
  throw new SvcError('REPOSITORY_INVALID', `${what}${path === '' ? '' : ` at ${clip(path)}`}: ${message}`, { path });
}

/** Versions come out newest first whatever the file says. Rejects an app or a version that is in it twice. */
export function readCatalogue(bytes: Uint8Array | string): Catalogue {
  const catalogue = readDocument('catalogo.json', catalogueSchema, bytes, limits.catalogueBytesMax) as Catalogue;
  unique(
    catalogue.apps.map(({ id }) => id),
    'the app',
  );
  for (const { id, versions } of catalogue.apps)
    unique(
      versions.map((one) => `${id} ${one.version}`),
      'the version',
    );
  unique(
    catalogue.motores.map(({ nome, versao }) => `${nome} ${versao}`),
    'the engine',
  );
  return {
    ...catalogue,
    apps: catalogue.apps.map(({ id, versions }) => ({ id, versions: versions.toSorted((a, b) => compareVersions(b.version, a.version)) })),
  };
}

function unique(names: readonly string[], what: string): void {
  const seen = new Set<string>();
  for (const name of names) {
    if (seen.has(name)) refuse('catalogo.json', '', `${what} ${clip(name)} occurs twice`);
    seen.add(name);
  }
}

/** `id` and `version` are those of the path that it was found at: a record with other ones is refused. */
export function readPackageRecord(bytes: Uint8Array | string, id: string, version: string): PackageRecord {
  const what = `the record of ${id} ${version}`;
  const record = readDocument(what, packageRecordSchema, bytes, limits.packageRecordBytesMax) as PackageRecord;
  if (record.manifest.id !== id || record.manifest.version !== version) {
    refuse(what, '/manifest', `it tells of ${clip(record.manifest.id)} ${clip(record.manifest.version)}`);
  }
  return record;
}

export function readEngineRecord(bytes: Uint8Array | string, nome: string, versao: string): EngineRecord {
  const what = `the record of the engine ${nome} ${versao}`;
  const record = readDocument(what, engineRecordSchema, bytes, limits.packageRecordBytesMax) as EngineRecord;
  if (record.nome !== nome || record.versao !== versao) refuse(what, '', `it tells of ${record.nome} ${record.versao}`);
  return record;
}

/** The catalogue that these records make, and no other: the same records give the same text. */
export function catalogueOf(packages: readonly PackageRecord[], engines: readonly EngineRecord[]): Catalogue {
  const byId = Map.groupBy(packages, ({ manifest }) => manifest.id);
  const apps = [...byId].map(([id, records]) => ({
    id,
    versions: records.map((record) => versionOf(record)).sort((a, b) => compareVersions(b.version, a.version)),
  }));
  const motores = engines.map(({ nome, versao, sha256, tamanho, publicadoEm }) => ({ nome, versao, sha256, tamanho, publicadoEm }));
  return {
    formato: 1,
    apps: apps.sort((a, b) => order(a.id, b.id)),
    motores: motores.sort((a, b) => order(a.nome, b.nome) || compareVersions(b.versao, a.versao)),
  };
}

function versionOf(record: PackageRecord): CatalogueVersion {
  const { manifest, sha256, tamanho, publicadoEm, novidades, icone } = record;
  const subset = Object.fromEntries(catalogueFields.flatMap((name) => (manifest[name] === undefined ? [] : [[name, manifest[name]]])));
  const version = { version: manifest.version, sha256, tamanho, publicadoEm, manifest: subset as CatalogueManifest, novidades };
  return icone === undefined ? version : { ...version, icone };
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
