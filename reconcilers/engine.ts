/**
 * An engine artefact on a server: declared by an installed package or not, on the disk or not (rules 2.3). Derived from manifests: there is no wish
 * for an engine. Missing ones are fetched and undeclared ones removed, both by the installer of the app.
 */
import type { Reason } from '../schema/backend.ts';
import { limits } from './limits.ts';
import type { EngineState } from '../schema/packages.ts';
import type { Action } from './actions.ts';
import { unseenReason, type Reachability } from './backend-types.ts';
import { earliest, stampConditions, type ConditionMemory } from './conditions.ts';
import type { Decision } from './decision.ts';
import { packageWaitMs } from './package.ts';
import type { PackageObserved } from './package-types.ts';
import { fields, number, remember, since, type MemoryShape } from './memory.ts';

export interface EngineDesired {
  readonly server: string;
  readonly app: string;
  readonly nome: string;
  readonly versao: string;
  /** A package that is installed there needs it (with `quando: gpu` only where there is one). */
  readonly declared: boolean;
  /** Its app is installed for the whole server. */
  readonly appInstalled: boolean;
  /** A document holds every change of the package. */
  readonly paused: boolean;
  /** The package is to go, and takes its engines along. */
  readonly leaving: boolean;
}

export interface EngineObserved {
  readonly host: Reachability;
  readonly present: boolean;
  /** The installer works on the app; null: it does not. */
  readonly busy: { readonly reason: Reason; readonly message: string } | null;
  readonly failure: PackageObserved['failure'];
}

export interface EngineMemory {
  readonly attempts: number;
  readonly nextAttemptAtMs: number;
  readonly since: ConditionMemory;
}

export const engineMemory: MemoryShape<EngineMemory> = {
  version: 1,
  read: fields<EngineMemory>({ attempts: number, nextAttemptAtMs: number, since }),
};

export interface EngineDecision extends Decision<EngineMemory> {
  readonly state: EngineState;
}

interface Status {
  readonly state: EngineState;
  readonly reason: Reason;
  readonly message: string;
}

export function decideEngine(desired: EngineDesired, observed: EngineObserved, memory: EngineMemory | null, nowMs: number): EngineDecision {
  const { server, app, declared, appInstalled: installed } = desired;
  const seen = observed.host.status === 'reachable';
  const right = declared === observed.present;
  const attempts = right ? 0 : (memory?.attempts ?? 0);
  const nextAttemptAtMs = right ? 0 : (memory?.nextAttemptAtMs ?? 0);
  // Further away than the longest wait: the clock was set back.
  const waits = nowMs < nextAttemptAtMs && nextAttemptAtMs - nowMs <= limits.packageRetryMsMax;
  const acts = seen && !right && observed.busy === null && !desired.paused && !desired.leaving && !waits;
  const action: Action = { kind: 'engine/mend', server, app, installed };
  const status = statusOf(desired, observed);
  const stamped = stampConditions(conditionsOf(status, observed), memory?.since, 0, nowMs);
  const next: EngineMemory = {
    attempts: acts ? attempts + 1 : attempts,
    nextAttemptAtMs: acts ? nowMs + packageWaitMs(attempts + 1) : nextAttemptAtMs,
    since: stamped.memory,
  };
  return {
    ...status,
    actions: acts ? [action] : [],
    conditions: stamped.conditions,
    nextDeadlineMs: right || observed.busy !== null || desired.paused || desired.leaving ? null : earliest(nowMs, [next.nextAttemptAtMs]),
    memory: remember(memory, next),
  };
}

function statusOf({ declared, paused, leaving, nome, versao }: EngineDesired, { host, present, busy, failure }: EngineObserved): Status {
  if (host.status === 'unreachable') return { state: 'unknown', reason: unseenReason(host), message: host.message };
  if (host.status === 'unknown') return { state: 'unknown', reason: 'NotObservedYet', message: host.message };
  if (declared && present) return { state: 'present', reason: 'Installed', message: `${nome} ${versao}` };
  const state = declared ? 'missing' : 'undeclared';
  if (busy !== null) return { state, ...busy };
  if (leaving) return { state, reason: 'Uninstalled', message: 'it goes with its package' };
  if (paused) return { state, reason: 'Paused', message: `paused: ${declared ? 'it is not fetched' : 'it is not removed'}` };
  if (failure !== null) return { state, reason: failure.reason, message: failure.message };
  if (declared) return { state, reason: 'EngineMissing', message: `${nome} ${versao} is declared and not on the disk; it is fetched` };
  return { state, reason: 'Undeclared', message: `no installed package declares ${nome} ${versao}; it is removed` };
}

function conditionsOf({ state, reason, message }: Status, { busy }: EngineObserved) {
  const is = (truth: boolean) => (state === 'unknown' ? ('Unknown' as const) : truth ? ('True' as const) : ('False' as const));
  return [
    { type: 'Ready', status: is(state === 'present'), reason, message },
    { type: 'Progressing', status: is(busy !== null), reason, message },
  ] as const;
}
