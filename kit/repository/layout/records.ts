/**
 * The repository as data: what `v1/catalogo.json` and the record of each version hold, as types, as JSON Schema, and with
 * the readers that refuse anything else. A catalogue holds nothing that the records don't: it can be built again at any time.
 * Source: issue 3; spec 2.1, 2.3. Decision: docs/decisions/0055-repository-on-disk.md
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
import { compileShape } from '../../../schema/compile-shape.ts';
import { type Shape, shapeProblems } from '../../../schema/shape.ts';
import { compareVersions } from '../../../schema/versions.ts';
import { type IconType, iconTypes, namePatterns } from './paths.ts';

interface Published {
  /** Of the tarball: lowercase hex, and bytes. */
  readonly sha256: string;
  readonly tamanho: number;
  /** ISO 8601 in UTC. */
  readonly publicadoEm: string;
}

/** One published version. */
export interface CatalogueVersion extends Published {
  readonly version: string;
  readonly manifest: CatalogueManifest;
  /** Changelog text of this version; '' when none was given. */
  readonly novidades: string;
  /** Type of the icon file beside the tarball, `<version>.<icone>`. */
  readonly icone?: IconType;
}

export interface CatalogueApp {
  readonly id: string;
  /** Newest first, never empty. */
  readonly versions: readonly CatalogueVersion[];
}

export interface CatalogueEngine extends Published {
  readonly nome: string;
  readonly versao: string;
}

export interface Catalogue {
  readonly formato: 1;
  readonly apps: readonly CatalogueApp[];
  readonly motores: readonly CatalogueEngine[];
}

/** `v1/pacote/<id>/<version>.json`: as in the catalogue, with the whole manifest. */
export interface PackageRecord extends Published {
  readonly formato: 1;
  readonly manifest: Manifest;
  readonly novidades: string;
  readonly icone?: IconType;
}

/** `v1/registro-motor/<nome>/<versao>.json`. */
export interface EngineRecord extends CatalogueEngine {
  readonly formato: 1;
}

type Json = Readonly<Record<string, unknown>>;
const closed = (properties: Json, required: readonly string[]): Json => ({
  type: 'object',
  properties,
  additionalProperties: false,
  required,
});
const pattern = (source: string, title: string): Json => ({ type: 'string', pattern: source, title });

const formato = { type: 'integer', const: 1 };
const published = {
  sha256: pattern('^[0-9a-f]{64}$', '64 lowercase hexadecimal digits'),
  tamanho: { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
  publicadoEm: pattern('^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]{3})?Z$', 'a time as 2026-11-21T05:00:00.000Z'),
};
const publishedNames = Object.keys(published);
const novidades = { type: 'string', maxLength: limits.novidadesCharsMax };
const icone = { type: 'string', enum: iconTypes };
const engine = {
  nome: pattern(namePatterns.nome, 'a lowercase name of at most 32 characters'),
  versao: pattern(namePatterns.versao, 'a version of at most 64 characters'),
  ...published,
};
const manifestProperties = (manifestSchema as unknown as { readonly properties: Json }).properties;
const manifestSubset = closed(Object.fromEntries(catalogueFields.map((name) => [name, manifestProperties[name]])), []);
const version = closed(
  { version: pattern(namePatterns.version, 'a version such as 1.4.2'), ...published, manifest: manifestSubset, novidades, icone },
  ['version', ...publishedNames, 'manifest', 'novidades'],
);
const app = closed({ id: pattern(namePatterns.id, appIdRule), versions: { type: 'array', minItems: 1, items: version } }, [
  'id',
  'versions',
]);

const named = (name: string, title: string, body: Json): Json => ({
  $schema: 'http://json-schema.org/draft-07/schema#',
  $id: `urn:svc:schema:${name}:v1`,
  title,
  ...body,
});

export const catalogueSchema = named(
  'catalogue',
  'a catalogue',
  closed({ formato, apps: { type: 'array', items: app }, motores: { type: 'array', items: closed(engine, Object.keys(engine)) } }, [
    'formato',
    'apps',
    'motores',
  ]),
);
/** The manifest is whole there and was judged when it was published; who installs judges it again. */
export const packageRecordSchema = named(
  'package-record',
  'the record of a package',
  closed(
    {
      formato,
      manifest: {
        type: 'object',
        properties: {
          id: pattern(namePatterns.id, appIdRule),
          version: pattern(namePatterns.version, 'a version'),
          backend: { type: 'object' },
        },
        required: ['id', 'version', 'backend'],
      },
      ...published,
      novidades,
      icone,
    },
    ['formato', 'manifest', ...publishedNames, 'novidades'],
  ),
);
export const engineRecordSchema = named(
  'engine-record',
  'the record of an engine',
  closed({ formato, ...engine }, ['formato', ...Object.keys(engine)]),
);

const shapes = new Map<Json, Shape>();

/** Throws REPOSITORY_INVALID, naming the first thing that is wrong, or TOO_LARGE. */
function read(what: string, schema: Json, bytes: Uint8Array | string, bytesMax: number): unknown {
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
  const catalogue = read('catalogo.json', catalogueSchema, bytes, limits.catalogueBytesMax) as Catalogue;
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
    if (seen.has(name)) refuse('catalogo.json', '', `${what} ${clip(name)} stands there twice`);
    seen.add(name);
  }
}

/** `id` and `version` are those of the path that it was found at: a record that tells other ones is refused. */
export function readPackageRecord(bytes: Uint8Array | string, id: string, version: string): PackageRecord {
  const what = `the record of ${id} ${version}`;
  const record = read(what, packageRecordSchema, bytes, limits.packageRecordBytesMax) as PackageRecord;
  if (record.manifest.id !== id || record.manifest.version !== version) {
    refuse(what, '/manifest', `it tells of ${clip(record.manifest.id)} ${clip(record.manifest.version)}`);
  }
  return record;
}

export function readEngineRecord(bytes: Uint8Array | string, nome: string, versao: string): EngineRecord {
  const what = `the record of the engine ${nome} ${versao}`;
  const record = read(what, engineRecordSchema, bytes, limits.packageRecordBytesMax) as EngineRecord;
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
