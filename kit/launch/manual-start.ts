/**
 * The manual start of rules 3.1: `svc-app-run ID` at a shell, for an app that is not wanted yet. The env file is the wish (rules 2.6), so it is
 * written here as the portal would write it (a token of 32 random bytes, the base path by `/etc/svc-kit/origins`); portal and supervisor find the
 * token in it, a crash is restarted, `svc stop` ends it. Without an env file the supervisor would end the app as not wanted. A launcher that the
 * supervisor started (`SVC_APP_LAUNCHED`) writes none: there a missing file means that a stop came in between. Nothing is written for an app that is
 * not installed or is run by the service manager. If the portal serves the app under another base path, its first start order replaces the process.
 */
import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { appPaths, serverOriginsFile, type ServerPlace } from '../../schema/server-paths.ts';
import { readIfThere, writeFileAtomic } from '../atomic-file.ts';
import { writeEnvText } from './env-file.ts';
import { launchedVariable } from './environment.ts';
import { findPackage, readManifest } from './package.ts';
import { LaunchRefused } from './refusal.ts';

const tokenBytes = 32;

/**
 * Writes the wish when there is none. Not for a launcher that the supervisor started: there a missing wish is a stop that came in between. Apps that
 * are not installed, or that the service manager starts, are refused later. Throws when the wish can't be read or written.
 */
export function wishByHand(place: ServerPlace, app: string, environment: Readonly<Record<string, string | undefined>>): void {
  const paths = appPaths(place, app);
  if (environment[launchedVariable] !== undefined || readIfThere(paths.env) !== null) return;
  if (!isPersonal(place, app)) return;
  const wish = new Map([
    ['SVC_APP_TOKEN', randomBytes(tokenBytes).toString('base64url')],
    ['SVC_APP_BASE_PATH', basePath(app)],
  ]);
  mkdirSync(paths.dir, { recursive: true, mode: 0o700 });
  writeFileAtomic(paths.env, writeEnvText(wish), { mode: 0o600, durable: true });
}

function isPersonal(place: ServerPlace, app: string): boolean {
  try {
    const folder = findPackage(place, app);
    return folder !== null && readManifest(folder.dir, app).escopo !== 'servidor';
  } catch (error) {
    // The start itself says what is wrong with the manifest.
    if (error instanceof LaunchRefused) return false;
    throw error;
  }
}

/** With one origin for all apps, the prefix that the proxy serves it under. */
export function basePath(app: string): string {
  return readIfThere(serverOriginsFile)?.trim() === 'path' ? `/proxy/app/${app}/` : '/';
}
