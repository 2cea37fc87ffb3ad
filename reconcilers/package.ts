/**
 * An installed package: the installed version against the wanted one and the offers of the repository (rules 1, 9). Install is idempotent per
 * version, so only the version and drift decide. Failures back off, except terminal ones, which wait for a change of the wish or the source.
 */
import { doubledMs } from '../schema/backoff.ts';
import { keys } from '../schema/keys.ts';
import { sourceChanged } from '../schema/texts/source-changed.ts';
import type { Action } from './actions.ts';
import { limits } from './limits.ts';
import { earliest, stampConditions } from './conditions.ts';
import { remember } from './memory.ts';
import { aimedVersion, goalOf, repairsOf, type Step } from './package-goal.ts';
import type { PackageDecision, PackageDesired, PackageMemory, PackageObserved } from './package-types.ts';

const fresh: Omit<PackageMemory, 'since'> = {
  attempts: 0,
  nextAttemptAtMs: 0,
  attempted: null,
  seen: null,
  before: null,
  driftSinceMs: null,
  repairs: 0,
  repairedAtMs: 0,
  endingSinceMs: null,
  confirmAtMs: 0,
};

export function decidePackage(
  desired: PackageDesired,
  observed: PackageObserved,
  memory: PackageMemory | null,
  nowMs: number,
): PackageDecision {
  const attempt = attemptOf(desired, observed);
  const goal = goalOf(desired, observed, memory, nowMs);
  const changes =
    goal.action?.kind === 'package/install' || goal.action?.kind === 'package/remove' || goal.action?.kind === 'package/roll-back';
  const tried = memory !== null && memory.attempted === attempt ? memory : null;
  const step = changes ? paced(goal, observed, tried, nowMs) : goal;
  const acts = changes && step.action !== null;
  const attempts = acts ? (tried?.attempts ?? 0) + 1 : (tried?.attempts ?? 0);
  const nextAttemptAtMs = acts ? nowMs + packageWaitMs(attempts) : (tried?.nextAttemptAtMs ?? 0);
  const over = !changes && observed.busy === null;
  const stamped = stampConditions(conditionsOf(desired, observed, step), memory?.since, desired.generation, nowMs);
  const next: PackageMemory = {
    ...follow(desired, observed, memory, step, nowMs),
    ...(over ? { attempts: 0, nextAttemptAtMs: 0, attempted: null } : { attempts, nextAttemptAtMs, attempted: attempt }),
    since: stamped.memory,
  };
  return {
    state: step.state,
    reason: step.reason,
    message: step.message,
    actions: [...overtaken(desired, observed), ...(step.action === null ? [] : [step.action]), ...(step.notes ?? [])],
    conditions: stamped.conditions,
    nextDeadlineMs: earliest(nowMs, [over || observed.busy !== null ? null : nextAttemptAtMs, step.deadlineMs]),
    memory: remember(memory, next),
  };
}

/** Wishes that another one has overtaken: a rollback from a version that is wanted no longer, a removal that a document is against. */
function overtaken({ name, app, version, rollback }: PackageDesired, { overruled }: PackageObserved): readonly Action[] {
  const isOver = rollback !== null && rollback.from !== version;
  return [
    ...(isOver ? [{ kind: 'rollback/end', key: keys.package(name), requestId: rollback.requestId } as const] : []),
    ...(overruled === null ? [] : [{ kind: 'wish/end', app, ...overruled, outcome: 'overruled' } as const]),
  ];
}

/** Wait after the n-th attempt that did not lead to the wanted version. */
export function packageWaitMs(attempts: number): number {
  return doubledMs(2_000, attempts, limits.packageRetryMsMax);
}

/** A change of any of these resets the backoff. */
function attemptOf(desired: PackageDesired, { offer, installed, refusal }: PackageObserved): string {
  const { requestId, rollback, version } = desired;
  const there = installed === null ? null : [installed.version, installed.drift];
  return JSON.stringify([
    aimedVersion(desired),
    requestId,
    rollback?.from === version ? rollback.requestId : null,
    offer?.mark ?? null,
    there,
    refusal?.reason ?? null,
    desired.place ?? null,
  ]);
}

/** Holds the change back during a backoff and after a terminal failure. */
function paced(goal: Step, { failure, installed }: PackageObserved, tried: PackageMemory | null, nowMs: number): Step {
  if (tried === null || tried.attempts === 0) return goal;
  const failed: Step | null = failure && { state: 'failed', reason: failure.reason, message: failure.message, action: null };
  const stays =
    failed !== null && installed !== null ? { ...failed, message: `${failed.message}; ${installed.version} is installed` } : failed;
  if (stays !== null && failure?.retry === 'terminal') return stays;
  // Further away than the longest wait: the clock was set back.
  if (nowMs >= tried.nextAttemptAtMs || tried.nextAttemptAtMs - nowMs > limits.packageRetryMsMax) return goal;
  return stays ?? { ...goal, action: null };
}

/** Updates the memory with the observed versions, drift and ending instances. */
function follow(
  desired: PackageDesired,
  { installed, living, busy }: PackageObserved,
  memory: PackageMemory | null,
  step: Step,
  nowMs: number,
): Omit<PackageMemory, 'since'> {
  const before = memory ?? { ...fresh, since: {} };
  const kind = step.action?.kind;
  // Gone for a while and there again is no other version: what it goes back to is what was there before it.
  const seen = installed?.version ?? before.seen;
  const moved = seen !== before.seen;
  const drift = installed?.drift === true;
  const repairs = kind === 'package/install' && drift;
  const ending = desired.version === null && living > 0 && busy === null;
  return {
    ...before,
    seen,
    before: moved ? before.seen : before.before,
    driftSinceMs: !drift || repairs ? null : (before.driftSinceMs ?? nowMs),
    repairs: repairs ? repairsOf(memory, nowMs) + 1 : before.repairs,
    repairedAtMs: repairs ? nowMs : before.repairedAtMs,
    endingSinceMs: ending ? (before.endingSinceMs ?? nowMs) : null,
    confirmAtMs: kind === 'package/confirm' ? nowMs + limits.confirmRetryMs : before.confirmAtMs,
  };
}

/** Decision: docs/decisions/0414-ceilings-of-the-administrator.md */
const ofUnit = (app: string): string =>
  `its ceilings are those of its manifest (escopo: servidor): bound it by a drop-in of svc-app-${app}.service on the server`;

function conditionsOf(desired: PackageDesired, { installed, otherSource, unbounded }: PackageObserved, { state, reason, message }: Step) {
  const is = (truth: boolean) => (state === 'unknown' ? ('Unknown' as const) : truth ? ('True' as const) : ('False' as const));
  const drift = installed?.drift === true;
  const changed = drift ? ({ reason: 'Drift', message: 'files were changed on the server' } as const) : ({ reason, message: '' } as const);
  return [
    { type: 'Ready', status: is(state === 'installed' || state === 'removed'), reason, message },
    { type: 'Installed', status: is(installed !== null), reason, message },
    { type: 'Progressing', status: is(state === 'installing' || state === 'removing'), reason, message },
    { type: 'Drift', status: is(drift), ...changed },
    // Not put back by itself: each release has a version of its own. Source: rules 2.1, docs/decisions/0333-a-source-that-changed.md
    ...(otherSource !== undefined && state === 'installed'
      ? [{ type: 'Stale', status: 'True', reason: 'SourceChanged', message: sourceChanged(otherSource).en } as const]
      : []),
    ...(unbounded === true
      ? [{ type: 'Contained', status: 'False', reason: 'CeilingIgnored', message: ofUnit(desired.app) } as const]
      : []),
    ...(desired.paused ? [{ type: 'Paused', status: 'True', reason: 'Paused', message: 'nothing of it is changed' } as const] : []),
  ] as const;
}
