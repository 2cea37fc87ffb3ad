/**
 * The ceilings of a backend (rules 2.1 `resources`, 3.1 step 7): a scope of the person's own service manager, or, without one, no limits and the
 * reason why in limits.json.
 */
import { connect } from 'node:net';
import { readFileSync } from 'node:fs';
import type { Manifest } from '../../schema/manifest/manifest.ts';
import { containmentSentences } from '../../schema/texts/containment.ts';
import { fillIn } from '../../schema/texts/sentences.ts';
import { errorCode } from '../../schema/system-error.ts';
import { pathState } from '../atomic-file.ts';
import { findExecutable } from '../place.ts';

/**
 * Spec 2.1 says that every app has a default ceiling on memory and tasks and does not show it. An office or notebook backend fits; a model
 * server declares more. Per app and person: twenty apps of one person can promise 40 GB together, and their sum is the administrator's
 * (`user-UID.slice`). There is no default for the processor (`cpuQuota`). A value of the manifest outside its alphabet is left out alone.
 */
export const defaultCeilings = { memoryHigh: '1536M', memoryMax: '2G', tasksMax: '512' } as const;

export interface Ceilings {
  readonly memoryHigh: string;
  readonly memoryMax: string;
  readonly cpuQuota: string | null;
  readonly tasksMax: string;
}

/** `manifest.resources` holds only values of the right alphabet (parseManifest dropped the others). */
export function ceilingsOf(manifest: Manifest): Ceilings {
  const declared = manifest.resources ?? {};
  return {
    memoryHigh: declared.memoryHigh ?? defaultCeilings.memoryHigh,
    memoryMax: declared.memoryMax ?? defaultCeilings.memoryMax,
    cpuQuota: declared.cpuQuota ?? null,
    tasksMax: declared.tasksMax ?? defaultCeilings.tasksMax,
  };
}

/** Put in front of the command; systemd-run registers the scope and becomes the command, so the pid stays. */
export function scopeArgv(systemdRun: string, unit: string, ceilings: Ceilings): readonly string[] {
  const infinite = (value: string): string => (value === 'none' ? 'infinity' : value);
  const properties = [
    `MemoryHigh=${infinite(ceilings.memoryHigh)}`,
    `MemoryMax=${infinite(ceilings.memoryMax)}`,
    `TasksMax=${infinite(ceilings.tasksMax)}`,
    // "none" is an empty assignment for a quota.
    ...(ceilings.cpuQuota === null ? [] : [`CPUQuota=${ceilings.cpuQuota === 'none' ? '' : ceilings.cpuQuota}`]),
  ];
  return [
    systemdRun,
    '--user',
    '--scope',
    '--quiet',
    '--collect',
    `--unit=${unit}`,
    ...properties.flatMap((property) => ['-p', property]),
    '--',
  ];
}

/** A name that no earlier scope can still hold. */
export function scopeUnit(app: string, nowMs: number): string {
  return `svc-app-${app}-${nowMs.toString(36)}.scope`;
}

export type Containment =
  | { readonly contained: true; readonly systemdRun: string; readonly variables: ReadonlyMap<string, string> }
  | { readonly contained: false; readonly reason: string };

/** Decision: docs/decisions/0068-lingering.md */
export const lostManager: Containment = {
  contained: false,
  reason: containmentSentences.lostManager.en,
};

/** Whether the person's service manager answers and has the controllers that ceilings need. */
export async function containment(runtimeDir: string | undefined, searchPath: string): Promise<Containment> {
  const uid = process.getuid?.() ?? 0;
  const folder = runtimeDir ?? `/run/user/${uid}`;
  const systemdRun = findExecutable('systemd-run', searchPath);
  if (systemdRun === null) return { contained: false, reason: containmentSentences.noSystemdRun.en };
  const managerSocket = `${folder}/systemd/private`;
  if (pathState(managerSocket).kind === 'absent') {
    if (pathState('/run/systemd/system').kind === 'absent') return { contained: false, reason: containmentSentences.noSystemd.en };
    return { contained: false, reason: fillIn(containmentSentences.noManager.en, { socket: managerSocket }) };
  }
  const code = await connectCode(managerSocket);
  if (code !== '') return { contained: false, reason: fillIn(containmentSentences.silentManager.en, { code }) };
  const controllers = readControllers(uid);
  const missing = ['memory', 'pids'].filter((name) => !controllers.includes(name));
  if (missing.length > 0) {
    return { contained: false, reason: fillIn(containmentSentences.noDelegation.en, { missing: missing.join(', ') }) };
  }
  const variables = new Map([['XDG_RUNTIME_DIR', folder]]);
  return { contained: true, systemdRun, variables };
}

function readControllers(uid: number): readonly string[] {
  try {
    const path = `/sys/fs/cgroup/user.slice/user-${uid}.slice/user@${uid}.service/cgroup.controllers`;
    return readFileSync(path, 'utf8').trim().split(' ');
  } catch {
    return [];
  }
}

function connectCode(path: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(path);
    const done = (code: string): void => {
      socket.destroy();
      resolve(code);
    };
    socket.setTimeout(1_000, () => done('ETIMEDOUT'));
    socket.once('connect', () => done(''));
    socket.once('error', (error) => done(errorCode(error) || 'EIO'));
  });
}
