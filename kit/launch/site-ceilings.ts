/**
 * Ceilings of the administrator for a backend, and for all backends of its person together. The portal writes it into the env file at each start.
 * Decision: docs/decisions/0414-ceilings-of-the-administrator.md
 */
import { execFile } from 'node:child_process';
import { totalmem } from 'node:os';
import { readFileSync } from 'node:fs';
import { usableResources } from '../../schema/manifest/minimum.ts';
import type { Resources, SiteResources } from '../../schema/resources.ts';
import { ceilingsVariable } from '../../schema/supervisor-protocol.ts';
import { limits } from '../limits.ts';
import type { Variables } from './env-file.ts';
import { LaunchRefused } from './refusal.ts';

/** The totals that percentages refer to. */
export interface Machine {
  readonly memoryBytes: number;
  readonly tasks: number;
}

export function thisMachine(): Machine {
  return { memoryBytes: totalmem(), tasks: readTasksMax() };
}

/** The kernel's own maximum, for machines where it can't be read. */
const tasksAnywhere = 4_194_304;

function readTasksMax(): number {
  try {
    return Number.parseInt(readFileSync('/proc/sys/kernel/pid_max', 'utf8'), 10) || tasksAnywhere;
  } catch {
    return tasksAnywhere;
  }
}

/** Empty where nothing is said. Throws LaunchRefused EnvFileDamaged, on which the portal writes the file anew. */
export function readSiteCeilings(wish: Variables): SiteResources {
  const text = wish.get(ceilingsVariable);
  if (text === undefined) return {};
  try {
    const value = JSON.parse(text) as unknown;
    if (typeof value !== 'object' || value === null) throw new TypeError('no object');
    const said = value as Readonly<Partial<Record<keyof SiteResources, unknown>>>;
    return Object.fromEntries(
      (['default', 'ceiling', 'person'] as const).flatMap((name) =>
        said[name] === undefined ? [] : [[name, usableResources(said[name])]],
      ),
    ) as SiteResources;
  } catch {
    throw new LaunchRefused('EnvFileDamaged', `the env file can't be used: ${ceilingsVariable} holds no ceilings`);
  }
}

const units: Readonly<Record<string, number>> = { '': 1, K: 1_024, M: 1_024 ** 2, G: 1_024 ** 3, T: 1_024 ** 4 };

/** As a number that can be compared; `none` is more than any. */
function amountOf(field: keyof Resources, value: string, machine: Machine): number {
  if (value === 'none') return Infinity;
  const amount = Number.parseFloat(value);
  if (!value.endsWith('%')) return amount * (units[/[KMGT]$/.exec(value)?.[0] ?? ''] ?? 1);
  if (field === 'cpuQuota') return amount;
  return (amount / 100) * (field === 'tasksMax' ? machine.tasks : machine.memoryBytes);
}

/** The lower one, as it is written. */
export function lower(field: keyof Resources, wanted: string, ceiling: string | undefined, machine: Machine): string {
  if (ceiling === undefined) return wanted;
  return amountOf(field, ceiling, machine) < amountOf(field, wanted, machine) ? ceiling : wanted;
}

/** Holds the scopes of all backends of a person, in their own service manager. */
export const personSlice = 'svc.slice';

/** Names of the ceilings in systemd. `none` is an empty assignment for a quota. */
export function propertiesOf({
  memoryHigh,
  memoryMax,
  tasksMax,
  cpuQuota,
}: Partial<Record<keyof Resources, string | null>>): readonly string[] {
  const infinite = (value: string): string => (value === 'none' ? 'infinity' : value);
  return [
    ...(memoryHigh == null ? [] : [`MemoryHigh=${infinite(memoryHigh)}`]),
    ...(memoryMax == null ? [] : [`MemoryMax=${infinite(memoryMax)}`]),
    ...(tasksMax == null ? [] : [`TasksMax=${infinite(tasksMax)}`]),
    ...(cpuQuota == null ? [] : [`CPUQuota=${cpuQuota === 'none' ? '' : cpuQuota}`]),
  ];
}

/** All of them, so that one that was taken back holds no longer. Until the manager ends: each start says it again. */
export function sliceArgv(person: Resources): readonly string[] {
  const all = { memoryHigh: 'none', memoryMax: 'none', tasksMax: 'none', cpuQuota: 'none', ...person };
  return ['--user', 'set-property', '--runtime', personSlice, ...propertiesOf(all)];
}

/** Null when the manager took it, otherwise what it said. */
export function setSlice(systemctl: string, person: Resources, variables: ReadonlyMap<string, string>): Promise<string | null> {
  const env = { ...Object.fromEntries(variables), LC_ALL: 'C' };
  return new Promise((resolve) => {
    execFile(systemctl, sliceArgv(person), { env, timeout: limits.sliceMsMax, killSignal: 'SIGKILL' }, (error, _out, said) => {
      resolve(error === null ? null : (said.trim().split('\n', 1)[0] ?? '').slice(0, 200) || error.message.slice(0, 200));
    });
  });
}
