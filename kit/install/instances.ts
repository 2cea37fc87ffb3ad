/**
 * Ends the instances of every account that run other code than the installed one, or all of them (rules 3.3, `--force`). A process counts when its
 * environ names the app, a socket of this app below a home, and an installed hash; instances elsewhere (another prefix, a person with their own
 * package) are left alone. Checked again before each signal.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ProcessIdentity } from '../../schema/backend.ts';
import { limits } from '../../machines/limits.ts';
import { serverAppPaths } from '../../schema/server-paths.ts';
import { pathState } from '../atomic-file.ts';
import { environOf, identityOf, isAlive, livingPids, signal } from '../processes.ts';
import type { Scope } from '../../schema/install-events.ts';

export interface Instances {
  readonly app: string;
  readonly scope: Scope;
  readonly prefix: string;
  /** Home of the installing account: the only one in scope `pessoa`. */
  readonly home: string;
  /** Hash that the launcher gives to instances of the version now in place; '' matches none. */
  readonly hash: string;
}

/** The home of an instance of this installation, or null when the environ is not that of one. */
export function instanceHome(environ: ReadonlyMap<string, string>, wanted: Instances): string | null {
  const socket = environ.get('SVC_APP_SOCKET') ?? '';
  if (wanted.scope === 'sistema' && wanted.prefix === '' && socket === serverAppPaths(wanted.app).socket)
    return serverAppPaths(wanted.app).state;
  const suffix = `/.svc-apps/${wanted.app}/app.sock`;
  if (environ.get('SVC_APP_ID') !== wanted.app || !socket.startsWith('/') || !socket.endsWith(suffix)) return null;
  const home = socket.slice(0, -suffix.length);
  if (wanted.scope === 'pessoa') return home === wanted.home ? home : null;
  // A package of the person's own shadows this one; what can't be read may be there, and its process is left alone.
  if (pathState(`${home}/.local/share/svc-apps/${wanted.app}/svc-app.json`).kind !== 'absent') return null;
  return wanted.prefix === '' || home === wanted.prefix || home.startsWith(`${wanted.prefix}/`) ? home : null;
}

function isOutdated(pid: number, wanted: Instances): boolean {
  const environ = environOf(pid);
  // Only what the launcher started carries the hash; the launcher itself is no instance.
  const hash = environ?.get('SVC_APP_INSTALLED_HASH');
  return environ !== null && hash !== undefined && hash !== wanted.hash && instanceHome(environ, wanted) !== null;
}

function outdatedInstances(wanted: Instances): readonly ProcessIdentity[] {
  return livingPids().flatMap((pid) => {
    if (pid === process.pid || !isOutdated(pid, wanted)) return [];
    const identity = identityOf(pid);
    return identity === null ? [] : [identity];
  });
}

/** SIGTERM, the grace, then SIGKILL. Resolves with how many processes were ended; they are gone then. */
export async function endOutdated(wanted: Instances): Promise<number> {
  const found = outdatedInstances(wanted);
  signalAll(found, wanted, 'SIGTERM');
  if (await gone(found, limits.stopGraceMs)) return found.length;
  signalAll(found, wanted, 'SIGKILL');
  await gone(found, limits.stopKillMsMax - limits.stopGraceMs);
  return found.length;
}

function signalAll(instances: readonly ProcessIdentity[], wanted: Instances, name: 'SIGTERM' | 'SIGKILL'): void {
  for (const identity of instances) if (isAlive(identity) && isOutdated(identity.pid, wanted)) signal(identity.pid, name);
}

async function gone(instances: readonly ProcessIdentity[], msMax: number): Promise<boolean> {
  const endMs = performance.now() + msMax;
  while (instances.some(isAlive)) {
    if (performance.now() > endMs) return false;
    await sleep(20);
  }
  return true;
}
