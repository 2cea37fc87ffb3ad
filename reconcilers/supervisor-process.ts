/**
 * The supervisor of one person: one process per account, up while it is needed (rules 3.3, supervisor rule 1). It is needed for longer than the
 * session: a wanted backend must be kept alive after its person left, and a click needs a supervisor to execute it. Its own failures have a separate
 * backoff and never count for an app.
 */
import { doubledMs } from '../schema/backoff.ts';
import { limits } from './limits.ts';
import type { Reason } from '../schema/backend.ts';
import type { AppSnapshot } from '../schema/supervisor-lines.ts';
import type { Action } from './actions.ts';
import { unseenReason, type BackendMemory, type Reachability } from './backend-types.ts';
import { earliest, stampConditions, type ConditionMemory } from './conditions.ts';
import type { Decision } from './decision.ts';
import { fields, flag, number, orNull, remember, since, type MemoryShape } from './memory.ts';

export interface SupervisorDesired {
  readonly person: string;
  /** The person's document is gone: reconcilers/leaving.ts starts and ends it. */
  readonly leaving: boolean;
  /** Their apps go to another server, and nothing of them runs on this one any more: it was ended. Absent: no. */
  readonly moves?: boolean;
  readonly session: boolean;
  /** False: the store knows of no sign-in of this person. */
  readonly everSignedIn: boolean;
  /** Some intent of the person is pending, or some document says `ligado`. */
  readonly wished: boolean;
  /** Some backend of the person was last seen wanted or with a process. */
  readonly wanted: boolean;
}

export interface SupervisorObserved {
  readonly host: Reachability;
  readonly status: 'up' | 'starting' | 'down';
  /** Why the last attempt to start or reach it failed; while it is up, why it can't write to its home; '' otherwise. */
  readonly message: string;
  /** The reason of that failure; null or absent: it is no more known than that. */
  readonly reason?: Reason | null;
}

export interface SupervisorMemory {
  /** Starts ordered since it was last stable. */
  readonly attempts: number;
  readonly nextAttemptAtMs: number;
  readonly upSinceMs: number | null;
  readonly unwantedSinceMs: number | null;
  readonly wasUp: boolean;
  readonly since: ConditionMemory;
}

export const supervisorMemory: MemoryShape<SupervisorMemory> = {
  version: 1,
  read: fields<SupervisorMemory>({
    attempts: number,
    nextAttemptAtMs: number,
    upSinceMs: orNull(number),
    unwantedSinceMs: orNull(number),
    wasUp: flag,
    since,
  }),
};

export type SupervisorState = 'up' | 'starting' | 'backoff' | 'ended' | 'unknown';
export interface SupervisorDecision extends Decision<SupervisorMemory> {
  readonly state: SupervisorState;
}

/** Wait after the n-th start in a row: 1, 2, 4, 8, 10, 10… s. */
export function supervisorWaitMs(attempts: number): number {
  return doubledMs(1_000, attempts, limits.supervisorRestartMsMax);
}

type Status = { readonly state: SupervisorState; readonly reason: Reason; readonly message: string };
type Part = Omit<SupervisorMemory, 'since'>;

export function decideSupervisor(
  desired: SupervisorDesired,
  observed: SupervisorObserved,
  memory: SupervisorMemory | null,
  nowMs: number,
): SupervisorDecision {
  const before: Part = memory ?? { attempts: 0, nextAttemptAtMs: 0, upSinceMs: null, unwantedSinceMs: null, wasUp: false };
  const needed = desired.session || desired.wished || desired.wanted;
  const step = stepOf(desired, observed, before, needed, nowMs);
  const ready = step.status.state === 'unknown' ? 'Unknown' : step.status.state === 'up' ? 'True' : 'False';
  const drafts = [{ type: 'Ready', status: ready, reason: step.status.reason, message: step.status.message }] as const;
  const stamped = stampConditions(drafts, memory?.since, 0, nowMs);
  const next: SupervisorMemory = { ...step.part, since: stamped.memory };
  return {
    ...step.status,
    actions: step.action === null ? [] : [step.action],
    conditions: stamped.conditions,
    nextDeadlineMs: earliest(nowMs, [step.deadlineMs]),
    memory: remember(memory, next),
  };
}

interface Step {
  readonly status: Status;
  readonly action: Action | null;
  readonly part: Part;
  readonly deadlineMs: number | null;
}

function stepOf(desired: SupervisorDesired, observed: SupervisorObserved, before: Part, needed: boolean, nowMs: number): Step {
  const { person } = desired;
  if (observed.host.status !== 'reachable') {
    const { host } = observed;
    return {
      status: { state: 'unknown', reason: unseenReason(host), message: host.message },
      action: null,
      part: before,
      deadlineMs: null,
    };
  }
  if ((desired.leaving || desired.moves === true) && observed.status !== 'starting') {
    const state = observed.status === 'up' ? 'up' : 'ended';
    const why = desired.leaving
      ? ({ reason: 'PersonRemoved', message: 'the person is leaving' } as const)
      : ({ reason: 'PersonMoves', message: 'their apps go to another server' } as const);
    return { status: { state, ...why }, action: null, part: before, deadlineMs: null };
  }
  if (observed.status === 'up') return whileUp(person, observed.message, before, needed, nowMs);
  const base: Part = { ...before, upSinceMs: null, unwantedSinceMs: null };
  if (observed.status === 'starting') {
    const reason = observed.reason ?? 'SupervisorStarting';
    return { status: { state: 'starting', reason, message: observed.message }, action: null, part: base, deadlineMs: null };
  }
  if (!needed) {
    const status: Status = desired.everSignedIn
      ? { state: 'ended', reason: 'SessionEnded', message: 'nothing of this person has to be kept alive' }
      : { state: 'ended', reason: 'NeverSignedIn', message: `${person} has not signed in yet: none was needed` };
    return { status, action: null, part: { ...base, attempts: 0, nextAttemptAtMs: 0, wasUp: false }, deadlineMs: null };
  }
  const reason: Reason = observed.reason ?? (before.wasUp ? 'SupervisorLost' : 'SupervisorStarting');
  // A wait longer than the longest one is a clock that was set back: it must not keep the person's apps unwatched.
  if (nowMs < before.nextAttemptAtMs && before.nextAttemptAtMs - nowMs <= limits.supervisorRestartMsMax) {
    const status: Status = { state: 'backoff', reason, message: observed.message };
    return { status, action: null, part: base, deadlineMs: before.nextAttemptAtMs };
  }
  const attempts = before.attempts + 1;
  const nextAttemptAtMs = nowMs + supervisorWaitMs(attempts);
  return {
    status: { state: 'starting', reason, message: observed.message },
    action: { kind: 'supervisor/ensure', person },
    part: { ...base, attempts, nextAttemptAtMs },
    deadlineMs: nextAttemptAtMs,
  };
}

function whileUp(person: string, disk: string, before: Part, needed: boolean, nowMs: number): Step {
  const upSinceMs = before.upSinceMs ?? nowMs;
  const stableAtMs = upSinceMs + limits.supervisorStableMs;
  const stable = nowMs >= stableAtMs;
  const part: Part = {
    attempts: stable ? 0 : before.attempts,
    nextAttemptAtMs: stable ? 0 : before.nextAttemptAtMs,
    upSinceMs,
    unwantedSinceMs: needed ? null : (before.unwantedSinceMs ?? nowMs),
    wasUp: true,
  };
  const status: Status = { state: 'up', reason: disk === '' ? 'Provisioned' : 'DiskFull', message: disk };
  if (part.unwantedSinceMs === null) return { status, action: null, part, deadlineMs: stable ? null : stableAtMs };
  const endAtMs = part.unwantedSinceMs + limits.supervisorUnwantedMs;
  if (nowMs < endAtMs) return { status, action: null, part, deadlineMs: endAtMs };
  // Asked again at each resync while it is still there: ending twice is harmless.
  return { status, action: { kind: 'supervisor/end', person }, part: { ...part, unwantedSinceMs: nowMs }, deadlineMs: null };
}

/**
 * Whether a backend needs its person's supervisor (`SupervisorDesired.wanted`): by the newest snapshot, or, before the first one since the
 * portal started, by what was known last. After a reboot of the server this restores its wanted apps.
 */
export function keepsSupervisor(snapshot: AppSnapshot | null, memory: BackendMemory | null): boolean {
  if (snapshot !== null) return snapshot.wanted || snapshot.process !== null;
  const last = memory?.context.last ?? null;
  return last !== null && last.state !== 'stopped';
}
