/**
 * kit/: what runs on each server as the person. Programs that share these files: `svc-app-run` (kit/launch, the seven steps of rules 3.1),
 * `svc-app-supervisor` (kit/supervise, rules 3.3) and `svc-app-install` (kit/install, which runs as root, too). Nothing here knows the portal beyond
 * the wire types of schema/, and nothing here trusts a pid file, a socket file or an environment that it did not check.
 *
 * This file: where the account and the kit stand.
 */
import { lstatSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import type { ServerPlace } from '../schema/server-paths.ts';
import { pathState } from './atomic-file.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** HOME and SVC_PREFIX as the programs were given them; throws with a sentence for the person when they can't be used. */
export function placeFrom(environment: Environment): ServerPlace {
  const home = environment['HOME'] ?? '';
  const prefix = environment['SVC_PREFIX'] ?? '';
  if (!isAbsolute(home)) throw new Error('HOME must be an absolute folder');
  if (prefix !== '' && !isAbsolute(prefix)) throw new Error('SVC_PREFIX must be empty or an absolute folder');
  return { home: trimSlash(home), prefix: trimSlash(prefix) };
}

const trimSlash = (path: string): string => (path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path);

/** The folder that holds `sdk/`: above kit/ in the sources and above build/ in the bundles; SVC_KIT wins. */
export function kitRoot(environment: Environment, from: string): string {
  const given = environment['SVC_KIT'];
  if (given !== undefined && isAbsolute(given)) return trimSlash(given);
  for (let folder = from; folder !== dirname(folder); folder = dirname(folder)) {
    if (pathState(join(folder, 'sdk')).kind === 'present') return folder;
  }
  return '/opt/svc';
}

/**
 * The runtime libraries. Beside the versions of an installed kit there is a link to those of the current one: /opt/svc/sdk, as rules 2.6 says, so
 * that an app that outlives an upgrade does not point into a removed version.
 */
export function sdkFolder(kit: string): string {
  const shared = join(dirname(kit), 'sdk');
  return lstatSync(shared, { throwIfNoEntry: false })?.isSymbolicLink() === true ? shared : join(kit, 'sdk');
}

/** Arguments of Node that make `import 'svc'` work in a backend. A kit without libraries still runs backends that need none. */
export function importFlags(kit: string): readonly string[] {
  const file = join(sdkFolder(kit), 'node/svc/import.cjs');
  return isThere(file) ? ['--require', file] : [];
}

const systemFolders = ['/usr/local/bin', '/usr/bin', '/bin', '/usr/local/sbin', '/usr/sbin', '/sbin'];

/** The search path of every app and set-up: never the caller's. Decision: docs/decisions/0021-environment-of-a-backend.md */
export function searchPath(place: ServerPlace, nodeExecutable: string): string {
  const nodeFolder = dirname(nodeExecutable);
  const first = systemFolders.includes(nodeFolder) ? [] : [nodeFolder];
  return [...first, ...systemFolders, `${place.home}/.local/bin`].join(':');
}

/** First executable of that name, or null. */
export function findExecutable(name: string, path: string): string | null {
  for (const folder of path.split(':')) if (folder !== '' && isThere(join(folder, name))) return join(folder, name);
  return null;
}

/** As a shell looks for a command: a folder of the path that can't be read hides none of the others. */
function isThere(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}
