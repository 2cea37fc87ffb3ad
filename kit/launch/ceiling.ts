/**
 * The ceilings of a backend (rules 2.1 `resources`, 3.1 step 7): a scope of the person's own service manager, or, without one, no limits and the
 * reason why in limits.json.
 */
import { connect } from 'node:net';
import { readFileSync } from 'node:fs';
import type { Manifest } from '../../schema/manifest/manifest.ts';
import type { SiteResources } from '../../schema/resources.ts';
import { containmentSentences } from '../../schema/texts/containment.ts';
import { fillIn } from '../../schema/texts/sentences.ts';
import { errorCode } from '../../schema/system-error.ts';
import { pathState } from '../atomic-file.ts';
import { findExecutable } from '../place.ts';
import { lower, propertiesOf, setSlice, personSlice, thisMachine, type Machine } from './site-ceilings.ts';

/**
 * Spec 2.1 says that every app has a default ceiling on memory and tasks and does not show it. An office or notebook backend fits; a model
 * server declares more. Per app and person: twenty apps of one person can promise 40 GB together, and their sum is the administrator's
 * (`Portal.spec.resources.person`). There is no default for the processor (`cpuQuota`). A value of the manifest outside its alphabet is left out alone.
 */
export const defaultCeilings = { memoryHigh: '1536M', memoryMax: '2G', tasksMax: '512' } as const;

export interface Ceilings {
  readonly memoryHigh: string;
  readonly memoryMax: string;
  readonly cpuQuota: string | null;
  readonly tasksMax: string;
}

/**
 * Ceilings by the manifest or else the site's default, at most the administrator's. `manifest.resources` holds only values of the right alphabet
 * (parseManifest dropped the others).
 */
export function ceilingsOf(
  manifest: Manifest,
  { default: byDefault, ceiling = {} }: SiteResources = {},
  machine: Machine = thisMachine(),
): Ceilings {
  const wanted = { ...defaultCeilings, ...byDefault, ...manifest.resources };
  const memoryMax = lower('memoryMax', wanted.memoryMax, ceiling.memoryMax, machine);
  const quota = ceiling.cpuQuota === undefined ? wanted.cpuQuota : lower('cpuQuota', wanted.cpuQuota ?? 'none', ceiling.cpuQuota, machine);
  return {
    // Below a lower ceiling memory would never be taken back before the end.
    memoryHigh: lower('memoryHigh', wanted.memoryHigh, ceiling.memoryHigh ?? ceiling.memoryMax, machine),
    memoryMax,
    cpuQuota: quota ?? null,
    tasksMax: lower('tasksMax', wanted.tasksMax, ceiling.tasksMax, machine),
  };
}

/** Put in front of the command; systemd-run registers the scope and becomes the command, so the pid stays. */
export function scopeArgv(systemdRun: string, unit: string, ceilings: Ceilings, slice: string | null = null): readonly string[] {
  return [
    systemdRun,
    '--user',
    '--scope',
    '--quiet',
    '--collect',
    ...(slice === null ? [] : [`--slice=${slice}`]),
    `--unit=${unit}`,
    ...propertiesOf({ ...ceilings }).flatMap((property) => ['-p', property]),
    '--',
  ];
}

/** A name that no earlier scope can still hold. */
export function scopeUnit(app: string, nowMs: number): string {
  return `svc-app-${app}-${nowMs.toString(36)}.scope`;
}

export type Containment =
  | {
      readonly contained: true;
      readonly systemdRun: string;
      readonly variables: ReadonlyMap<string, string>;
      /** Whether `cpuQuota` holds. */
      readonly hasCpu: boolean;
    }
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
  return { contained: true, systemdRun, variables, hasCpu: controllers.includes('cpu') };
}

/** Puts the person's slice under the ceilings of the site. Answers what does not hold, the first of it, as one sentence; '' when all does. */
export async function unheld(held: Containment, ceilings: Ceilings, { person }: SiteResources, searchPath: string): Promise<string> {
  if (!held.contained) return held.reason;
  const hasQuota = [ceilings.cpuQuota, person?.cpuQuota].some((quota) => quota != null && quota !== 'none');
  const noCpu = hasQuota && !held.hasCpu ? containmentSentences.noCpu.en : '';
  if (person === undefined) return noCpu;
  const systemctl = findExecutable('systemctl', searchPath);
  const said = systemctl === null ? 'systemctl is not there' : await setSlice(systemctl, person, held.variables);
  return said === null ? noCpu : fillIn(containmentSentences.noSlice.en, { said });
}

/** The slice that a scope goes into. */
export const sliceOf = ({ person }: SiteResources): string | null => (person === undefined ? null : personSlice);

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
