/**
 * Ends the instances that still run another code than the installed one, of every account (spec 3.3, `--force`). A process is one
 * of ours when its environ names the app, a socket of this app below a home, and an installed hash; whoever stands elsewhere
 * (another prefix, a person with a package of their own) is left alone. Checked again before each signal.
 */
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ProcessIdentity } from '../../schema/backend.ts';
import { limits } from '../../schema/limits.ts';
import { environOf, identityOf, isAlive, livingPids, signal } from '../processes.ts';
import type { Scope } from './requirements.ts';

export interface Outdated {
  readonly app: string;
  readonly scope: Scope;
  readonly prefix: string;
  /** Home of whoever installs: the only one in scope `pessoa`. */
  readonly home: string;
  /** Hash that the launcher gives to instances of the version that is now in place. */
  readonly hash: string;
}

function isOutdated(pid: number, wanted: Outdated): boolean {
  const environ = environOf(pid);
  const socket = environ?.get('SVC_APP_SOCKET') ?? '';
  const suffix = `/.svc-apps/${wanted.app}/app.sock`;
  if (environ?.get('SVC_APP_ID') !== wanted.app || !socket.startsWith('/') || !socket.endsWith(suffix)) return false;
  // Only what the launcher started carries the hash; the launcher itself and a set-up that is under way do not count as instances.
  const hash = environ.get('SVC_APP_INSTALLED_HASH');
  if (hash === undefined || hash === wanted.hash) return false;
  const home = socket.slice(0, -suffix.length);
  if (wanted.scope === 'pessoa') return home === wanted.home;
  if (existsSync(`${home}/.local/share/svc-apps/${wanted.app}/svc-app.json`)) return false;
  return wanted.prefix === '' || home === wanted.prefix || home.startsWith(`${wanted.prefix}/`);
}

function outdatedInstances(wanted: Outdated): readonly ProcessIdentity[] {
  return livingPids().flatMap((pid) => {
    if (pid === process.pid || !isOutdated(pid, wanted)) return [];
    const identity = identityOf(pid);
    return identity === null ? [] : [identity];
  });
}

/** SIGTERM, the grace, then SIGKILL. Resolves with how many processes were ended; they are gone then. */
export async function endOutdated(wanted: Outdated): Promise<number> {
  const found = outdatedInstances(wanted);
  tell(found, wanted, 'SIGTERM');
  if (await gone(found, limits.stopGraceMs)) return found.length;
  tell(found, wanted, 'SIGKILL');
  await gone(found, limits.stopKillMsMax - limits.stopGraceMs);
  return found.length;
}

function tell(instances: readonly ProcessIdentity[], wanted: Outdated, name: 'SIGTERM' | 'SIGKILL'): void {
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
