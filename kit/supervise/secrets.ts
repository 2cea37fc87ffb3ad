/** Observes an app's secrets: which of the manifest's are missing in the vault, and whether the process has those of the vault. */
import type { Variables } from '../launch/env-file.ts';
import { pathState } from '../atomic-file.ts';
import { givenSecrets, readSecrets } from '../launch/secrets.ts';
import { environOf } from '../processes.ts';
import { noSecrets, type App, type SecretDeclaration, type Supervisor } from './app-state.ts';

/**
 * Updates the snapshot when vault, manifest or process changed since the last observation. A vault that can't be used is reported by the
 * refused start; here nothing of it counts as missing.
 */
export function observeSecrets(supervisor: Supervisor, app: App): void {
  const stamp = app.declaredSecrets.length === 0 ? '' : `${stampOf(app.paths.secrets)} ${app.packageStamp} ${processStamp(app)}`;
  if (stamp === app.secretsStamp) return;
  app.secretsStamp = stamp;
  app.secrets = stamp === '' ? noSecrets : summary(app);
  supervisor.changed(app);
}

function summary(app: App): App['secrets'] {
  const { declaredSecrets } = app;
  let vault: Variables;
  try {
    vault = readSecrets(app.paths.secrets);
  } catch {
    return { declared: declaredSecrets.length, missing: [], restartNeeded: false };
  }
  const missing = declaredSecrets.filter(({ name, required }) => required === true && !vault.has(name)).map(({ name }) => name);
  return { declared: declaredSecrets.length, missing, restartNeeded: isStale(app, declaredSecrets, vault) };
}

/** By what the process was really started with, so no clock is asked and an adopted process is judged as well. */
export function isStale(app: App, declared: readonly SecretDeclaration[], vault: Variables): boolean {
  if (app.process === null || app.process.launcher) return false;
  const environ = environOf(app.process.identity.pid);
  if (environ === null || environ.size === 0) return false;
  const given = givenSecrets(environ, [...vault.keys(), ...declared.map(({ name }) => name)]);
  return given.size !== vault.size || [...vault].some(([name, value]) => given.get(name) !== value);
}

function processStamp({ process }: App): string {
  return process === null ? '-' : `${process.identity.pid} ${process.identity.startTicks} ${process.launcher}`;
}

function stampOf(path: string): string {
  const file = pathState(path);
  if (file.kind !== 'present') return file.kind;
  const { stat } = file;
  return `${stat.ino} ${stat.mtimeMs} ${stat.ctimeMs} ${stat.size} ${stat.mode}`;
}
