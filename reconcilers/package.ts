/**
 * One installed package: what stands on the server against what is wanted and what the repository holds (spec 1, 9.1; design 4).
 * Install is idempotent per version, so the version alone decides. Failures back off, except terminal ones, which wait for a change of
 * the document or the source.
 */
import { limits } from '../schema/limits.ts';
import type { Reason } from '../schema/backend.ts';
import type { RetryClass } from '../schema/errors.ts';
import type { Action } from './actions.ts';
import type { HostSight } from './backend-types.ts';
import { earliest, stampConditions, type ConditionMemory } from './conditions.ts';
import type { Decision } from './decision.ts';

export interface PackageDesired {
  readonly server: string;
  readonly app: string;
  readonly scope: 'sistema' | 'pessoa';
  readonly person: string | null;
  /** Version to install; null when the package is to be removed. */
  readonly version: string | null;
  readonly generation: number;
}

export interface PackageObserved {
  readonly host: HostSight;
  /** What stands there; null when nothing does. */
  readonly installed: { readonly version: string; readonly hash: string } | null;
  /** What the repository holds of this app; null when it holds nothing. */
  readonly source: { readonly version: string } | null;
  /** An install or removal of this package is under way. */
  readonly busy: boolean;
  /** How the last attempt failed; null after a success. */
  readonly failure: { readonly reason: Reason; readonly message: string; readonly retry: RetryClass; readonly atMs: number } | null;
}

export interface PackageMemory {
  readonly attempts: number;
  readonly nextAttemptAtMs: number;
  /** What was attempted: another wish or another source starts anew. */
  readonly attempted: string | null;
  readonly since: ConditionMemory;
}

export type PackageState = 'installed' | 'installing' | 'outdated' | 'missing' | 'failed' | 'removing' | 'removed' | 'unknown';
export interface PackageDecision extends Decision<PackageMemory> {
  readonly state: PackageState;
}

interface Step {
  readonly state: PackageState;
  readonly reason: Reason;
  readonly message: string;
  /** The change that is wanted now. */
  readonly action: Action | null;
}

export function decidePackage(
  desired: PackageDesired,
  observed: PackageObserved,
  memory: PackageMemory | null,
  nowMs: number,
): PackageDecision {
  const attempt = JSON.stringify([desired.version, observed.source?.version ?? null, observed.installed?.version ?? null]);
  const goal = goalOf(desired, observed);
  const tried = memory !== null && memory.attempted === attempt ? memory : null;
  const step = goal.action === null ? goal : paced(goal, observed, tried, nowMs);
  const attempts = step.action === null ? (tried?.attempts ?? 0) : (tried?.attempts ?? 0) + 1;
  const nextAttemptAtMs = step.action === null ? (tried?.nextAttemptAtMs ?? 0) : nowMs + packageWaitMs(attempts);
  const done = goal.action === null && !observed.busy;
  const stamped = stampConditions(conditionsOf(step), memory?.since, desired.generation, nowMs);
  const next: PackageMemory = done
    ? { attempts: 0, nextAttemptAtMs: 0, attempted: null, since: stamped.memory }
    : { attempts, nextAttemptAtMs, attempted: attempt, since: stamped.memory };
  return {
    state: step.state,
    reason: step.reason,
    message: step.message,
    actions: step.action === null ? [] : [step.action],
    conditions: stamped.conditions,
    nextDeadlineMs: done || observed.busy ? null : earliest(nowMs, [nextAttemptAtMs]),
    memory: memory !== null && equal(memory, next) ? memory : next,
  };
}

/** Wait after the n-th attempt that did not lead to the wanted version. */
export function packageWaitMs(attempts: number): number {
  return Math.min(2 ** attempts * 1_000, limits.packageRetryMsMax);
}

function goalOf(desired: PackageDesired, observed: PackageObserved): Step {
  const { server, app, scope, person, version } = desired;
  const { host, installed, source } = observed;
  if (host.status !== 'reachable') {
    const reason: Reason = host.status === 'unreachable' ? 'ServerUnreachable' : 'NotObservedYet';
    return { state: 'unknown', reason, message: host.message, action: null };
  }
  if (version === null) {
    if (installed === null) return { state: 'removed', reason: 'Uninstalled', message: 'nothing of it is on the server', action: null };
    const action: Action = { kind: 'package/remove', server, app, scope, person };
    return { state: 'removing', reason: 'Uninstalled', message: `${installed.version} is being removed`, action };
  }
  if (installed?.version === version) return { state: 'installed', reason: 'Installed', message: `version ${version}`, action: null };
  if (source?.version !== version) {
    const held = source === null ? 'nothing of it' : `version ${source.version}`;
    const runs = installed === null ? '' : `; ${installed.version} stays installed`;
    const message = `version ${version} is wanted and the repository holds ${held}${runs}`;
    return { state: installed === null ? 'missing' : 'outdated', reason: 'SourceMissing', message, action: null };
  }
  const action: Action = { kind: 'package/install', server, app, version, scope, person };
  if (installed === null) return { state: 'installing', reason: 'Installing', message: `version ${version}`, action };
  return { state: 'outdated', reason: 'Outdated', message: `${installed.version} is installed, ${version} is wanted`, action };
}

/** Holds the change back while one is under way, during a backoff, and after a terminal failure. */
function paced(goal: Step, observed: PackageObserved, tried: PackageMemory | null, nowMs: number): Step {
  if (observed.busy) return { ...goal, action: null };
  if (tried === null || tried.attempts === 0) return goal;
  const { failure } = observed;
  if (failure !== null && failure.retry === 'terminal') {
    return { state: 'failed', reason: failure.reason, message: failure.message, action: null };
  }
  // Further away than the longest wait: the clock was set back.
  if (nowMs >= tried.nextAttemptAtMs || tried.nextAttemptAtMs - nowMs > limits.packageRetryMsMax) return goal;
  if (failure === null) return { ...goal, action: null };
  return { state: 'failed', reason: failure.reason, message: failure.message, action: null };
}

function conditionsOf({ state, reason, message }: Step) {
  const unknown = state === 'unknown';
  const is = (truth: boolean) => (unknown ? ('Unknown' as const) : truth ? ('True' as const) : ('False' as const));
  return [
    { type: 'Ready', status: is(state === 'installed' || state === 'removed'), reason, message },
    { type: 'Installed', status: is(state === 'installed' || state === 'outdated' || state === 'removing'), reason, message },
    { type: 'Progressing', status: is(state === 'installing' || state === 'removing'), reason, message },
  ] as const;
}

function equal(a: PackageMemory, b: PackageMemory): boolean {
  return a.attempts === b.attempts && a.nextAttemptAtMs === b.nextAttemptAtMs && a.attempted === b.attempted && a.since === b.since;
}
