/**
 * The minimum of a catalogue that `svc-app-install` checks before it acts on it, by hand and without a JSON Schema engine, as manifest/minimum.ts
 * does for manifests: what becomes a path, a number of bytes, a hash or the name of an app. The portal and publishing check everything (records.ts).
 */
import { isAppId } from '../../../schema/app-id.ts';
import { SvcError } from '../../../schema/errors.ts';
import { limits } from '../../../schema/limits.ts';
import { decodeText } from '../../../schema/positions/decode.ts';
import { readJson } from '../../../schema/positions/json.ts';
import { clip } from '../../../schema/positions/node.ts';
import { compareVersions } from '../../../schema/versions.ts';
import { namePatterns } from './paths.ts';

interface OfferedVersion {
  readonly version: string;
  readonly sha256: string;
  readonly tamanho: number;
  readonly provides: readonly string[];
}

export interface OfferedApp {
  readonly id: string;
  /** Newest first, never empty. */
  readonly versions: readonly OfferedVersion[];
}

type Fields = Readonly<Record<string, unknown>>;

/** Throws REPOSITORY_INVALID, naming the first thing that is wrong, or TOO_LARGE. */
export function readOfferedApps(bytes: Uint8Array | string): readonly OfferedApp[] {
  const { text, problems } = decodeText(bytes, limits.catalogueBytesMax);
  if (problems[0]) refuse(problems[0].path, problems[0].message);
  const { formato, apps } = fields(parsed(text), '');
  if (typeof formato === 'number' && formato > 1) refuse('/formato', `it has format ${formato}; this svc reads format 1: update svc`);
  if (formato !== 1) refuse('/formato', 'expected 1');
  const offered = list(apps, '/apps').map((app, index) => appAt(app, `/apps/${index}`));
  unique(
    offered.map(({ id }) => id),
    'the app',
  );
  return offered;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return refuse('', readJson(text).problems[0]?.message ?? 'not JSON');
  }
}

function appAt(value: unknown, path: string): OfferedApp {
  const { id, versions } = fields(value, path);
  if (typeof id !== 'string' || !isAppId(id)) return refuse(`${path}/id`, 'expected the id of an app');
  const all = list(versions, `${path}/versions`).map((version, index) => versionAt(version, `${path}/versions/${index}`));
  if (all.length === 0) return refuse(`${path}/versions`, 'expected at least one version');
  unique(
    all.map(({ version }) => `${id} ${version}`),
    'the version',
  );
  return { id, versions: all.toSorted((a, b) => compareVersions(b.version, a.version)) };
}

const versionPattern = new RegExp(namePatterns.version);

function versionAt(value: unknown, path: string): OfferedVersion {
  const { version, sha256, tamanho, manifest } = fields(value, path);
  if (typeof version !== 'string' || !versionPattern.test(version)) return refuse(`${path}/version`, 'expected a version such as 1.4.2');
  if (typeof sha256 !== 'string' || !/^[0-9a-f]{64}$/.test(sha256))
    return refuse(`${path}/sha256`, 'expected 64 lowercase hexadecimal digits');
  if (!Number.isSafeInteger(tamanho) || (tamanho as number) < 1) return refuse(`${path}/tamanho`, 'expected a whole number of at least 1');
  const { provides = [] } = fields(manifest, `${path}/manifest`);
  const names = list(provides, `${path}/manifest/provides`);
  if (!names.every((name) => typeof name === 'string')) return refuse(`${path}/manifest/provides`, 'expected texts');
  return { version, sha256, tamanho: tamanho as number, provides: names };
}

function fields(value: unknown, path: string): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : refuse(path, 'expected an object');
}

function list(value: unknown, path: string): readonly unknown[] {
  return Array.isArray(value) ? value : refuse(path, 'expected a list');
}

function unique(names: readonly string[], what: string): void {
  const seen = new Set<string>();
  for (const name of names) {
    if (seen.has(name)) refuse('', `${what} ${clip(name)} occurs twice`);
    seen.add(name);
  }
}

function refuse(path: string, message: string): never {
  throw new SvcError('REPOSITORY_INVALID', `catalogo.json${path === '' ? '' : ` at ${clip(path)}`}: ${message}`, { path });
}
