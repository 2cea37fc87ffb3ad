/** Step 1: the installed package and its manifest (rules 3.1). */
import { readdirSync, realpathSync, statSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { SvcError } from '../../schema/errors.ts';
import { isNoPlainFile, readPlainFileSync, whyUnread } from '../../schema/plain-file.ts';
import { limits } from '../../schema/limits.ts';
import type { Manifest } from '../../schema/manifest/manifest.ts';
import { parseManifest } from '../../schema/manifest/minimum.ts';
import { accountPaths, type ServerPlace } from '../../schema/server-paths.ts';
import { isMissing } from '../atomic-file.ts';
import { isAppId } from '../../schema/app-id.ts';
import { LaunchRefused } from './refusal.ts';

export interface InstalledFolder {
  readonly app: string;
  readonly dir: string;
  readonly scope: 'sistema' | 'pessoa';
}

const scopes = (place: ServerPlace): readonly (readonly ['pessoa' | 'sistema', string])[] => {
  const paths = accountPaths(place);
  return [
    ['pessoa', paths.personApps],
    ['sistema', paths.systemApps],
  ];
};

/**
 * A person's own package shadows the system's: they chose it later and for themself (docs/server.md).
 * The folder is that of the version itself: a start that meets an installation runs one version, not some of each.
 */
export function findPackage(place: ServerPlace, app: string): InstalledFolder | null {
  for (const [scope, folder] of scopes(place)) {
    const dir = join(folder, app);
    try {
      if (statSync(join(dir, 'svc-app.json')).isFile()) return { app, dir: realpathSync(dir), scope };
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }
  return null;
}

/** Ids of all packages that the person can run, in order; not whole when a folder that holds some can't be listed. */
export function installedIds(place: ServerPlace): { readonly ids: readonly string[]; readonly isWhole: boolean } {
  let isWhole = true;
  const ids = scopes(place).flatMap(([, folder]) => {
    try {
      return readdirSync(folder);
    } catch (error) {
      if (!isMissing(error)) isWhole = false;
      return [];
    }
  });
  return { ids: [...new Set(ids.filter(isAppId))].sort(), isWhole };
}

/** Rejects NotInstalled and InvalidManifest with the field at fault. */
export function readManifest(dir: string, app: string): Manifest {
  const path = join(dir, 'svc-app.json');
  let bytes: Uint8Array;
  try {
    bytes = readPlainFileSync(path, limits.manifestBytesMax);
  } catch (error) {
    if (isMissing(error)) throw new LaunchRefused('NotInstalled', `the app ${app} is not installed on this server`);
    if (isNoPlainFile(error)) throw new LaunchRefused('InvalidManifest', `svc-app.json: ${whyUnread(error)}`);
    throw error;
  }
  if (bytes.length > limits.manifestBytesMax) throw new LaunchRefused('InvalidManifest', 'svc-app.json is larger than the limit');
  let manifest: Manifest;
  try {
    manifest = parseManifest(bytes);
  } catch (error) {
    if (error instanceof SvcError) throw new LaunchRefused('InvalidManifest', error.message);
    throw error;
  }
  if (manifest.id !== app) throw new LaunchRefused('InvalidManifest', `svc-app.json: "id" is "${manifest.id}" in the folder of ${app}`);
  return manifest;
}

/** Whether its `installCommand` may make the entrypoint: until it ran, a missing one is no fault. */
export const mayMakeEntrypoint = ({ backend }: Manifest): boolean => (backend.installCommand ?? '').trim() !== '';

/** The entrypoint as an absolute path inside the package that exists; for `binary` also executable. */
export function entrypointOf(dir: string, manifest: Manifest): string {
  const path = resolve(dir, manifest.backend.entrypoint);
  if (!path.startsWith(dir + sep)) throw new LaunchRefused('InvalidManifest', 'svc-app.json: "backend.entrypoint" leaves the package');
  let mode: number;
  try {
    const stat = statSync(path);
    if (!stat.isFile()) throw new LaunchRefused('InvalidManifest', `the entrypoint ${manifest.backend.entrypoint} is not a file`);
    mode = stat.mode;
  } catch (error) {
    if (!isMissing(error)) throw error;
    throw new LaunchRefused('InvalidManifest', `the entrypoint ${manifest.backend.entrypoint} is missing in the package`);
  }
  if (manifest.backend.runtime === 'binary' && (mode & 0o111) === 0) {
    throw new LaunchRefused('InvalidManifest', `the entrypoint ${manifest.backend.entrypoint} is not executable`);
  }
  return path;
}
