/**
 * A server: reachable or not, and, where the portal may act as its administrator, whether it holds the portal's server kit and its accounts
 * are ready (design 5; spec 3.3, supervisor rule 5). A connection that breaks is the host driver's to mend (design 3 rule 6).
 */
import { limits } from '../schema/limits.ts';
import type { Reason } from '../schema/backend.ts';
import type { RetryClass } from '../schema/errors.ts';
import type { Action } from './actions.ts';
import type { HostSight } from './backend-types.ts';
import { earliest, stampConditions, type ConditionDraft, type ConditionMemory } from './conditions.ts';
import type { Decision } from './decision.ts';

export interface AccountSight {
  readonly name: string;
  readonly found: boolean;
  /** Its service manager outlives its logins; without it nothing that runs is sure to live on. */
  readonly linger: boolean;
  /** The service manager runs now. */
  readonly manager: boolean;
  /** The key of the portal opens it; true as well when the portal signs in with another one. */
  readonly key: boolean;
}

/** What the administrator's look found; `unknown` until there was one, with the reason why there is none. */
export type KitSight =
  | { readonly status: 'unknown'; readonly message: string }
  | {
      readonly status: 'seen';
      /** Kit in place; null for none, and for one that does not run. */
      readonly id: string | null;
      readonly origins: string;
      /** The server knows the portal's present key. */
      readonly key: boolean;
      readonly accounts: readonly AccountSight[];
    };

export interface KitFailure {
  readonly message: string;
  readonly retry: RetryClass;
  readonly atMs: number;
}

export interface ServerDesired {
  readonly name: string;
  readonly generation: number;
  /** Null where the portal brings no kit: a local server. */
  readonly kit: {
    /** Null while it is not known which one belongs there. */
    readonly id: string | null;
    /** An administrator took the kit off and it stays off. */
    readonly removed: boolean;
    /** Kit that an administrator went back from: it is not put there again. */
    readonly held: string | null;
    readonly origins: 'subdomain' | 'path';
  } | null;
}

export interface ServerObserved {
  readonly host: HostSight;
  readonly kit: KitSight;
  /** What is being done there, in words; null when nothing is. */
  readonly busy: string | null;
  readonly failure: KitFailure | null;
}

export interface ServerMemory {
  readonly since: ConditionMemory;
  readonly attempts: number;
  readonly nextAttemptAtMs: number;
  /** What was attempted: another wish or another sight starts anew. */
  readonly attempted: string | null;
}

interface Step {
  readonly state: 'ready' | 'unknown' | 'installing' | 'outdated' | 'missing' | 'failed' | 'removed';
  readonly ready: 'True' | 'False' | 'Unknown';
  readonly reason: Reason;
  readonly message: string;
  readonly action: Action | null;
}

/** Wait after the n-th attempt that did not lead there. */
export function kitWaitMs(attempts: number): number {
  return Math.min(2 ** attempts * 5_000, limits.kitRetryMsMax);
}

export function decideServer(
  desired: ServerDesired,
  observed: ServerObserved,
  memory: ServerMemory | null,
  nowMs: number,
): Decision<ServerMemory> {
  const wanted = stepOf(desired, observed);
  const attempted = wanted.action === null ? null : JSON.stringify(wanted.action);
  const tried = memory !== null && memory.attempted === attempted && attempted !== null ? memory : null;
  const step = wanted.action === null ? wanted : paced(wanted, observed, tried, nowMs);
  const attempts = (tried?.attempts ?? 0) + (step.action === null ? 0 : 1);
  const nextAttemptAtMs = step.action === null ? (tried?.nextAttemptAtMs ?? 0) : nowMs + kitWaitMs(attempts);
  const stamped = stampConditions(conditionsOf(desired, observed, step), memory?.since, desired.generation, nowMs);
  const next: ServerMemory = { since: stamped.memory, attempts, nextAttemptAtMs, attempted };
  return {
    actions: step.action === null ? [] : [step.action],
    state: step.state,
    reason: step.reason,
    message: step.message,
    conditions: stamped.conditions,
    nextDeadlineMs: attempted === null || observed.busy !== null ? null : earliest(nowMs, [nextAttemptAtMs]),
    memory: memory !== null && same(memory, next) ? memory : next,
  };
}

const sights = {
  reachable: { state: 'ready', truth: 'True', reason: 'Reachable' },
  unreachable: { state: 'unknown', truth: 'False', reason: 'ServerUnreachable' },
  unknown: { state: 'unknown', truth: 'Unknown', reason: 'NotObservedYet' },
} as const satisfies Record<HostSight['status'], { state: string; truth: 'True' | 'False' | 'Unknown'; reason: Reason }>;

function stepOf(desired: ServerDesired, observed: ServerObserved): Step {
  const { host, kit, busy } = observed;
  const { state, truth, reason } = sights[host.status];
  const plain: Step = { state, ready: truth, reason, message: host.message, action: null };
  if (desired.kit === null) return plain;
  if (kit.status === 'unknown') {
    // People's accounts may be reached while the administrator's is not.
    if (host.status === 'reachable') return plain;
    return { ...plain, message: kit.message === '' ? host.message : kit.message };
  }
  const { id, removed, held } = desired.kit;
  const said = (step: Omit<Step, 'action'>, action: Action | null = null): Step => ({ ...step, action });
  if (busy !== null) return said({ state: 'installing', ready: readyNow(observed), reason: 'Installing', message: busy });
  if (removed)
    return said({
      state: 'removed',
      ready: 'False',
      reason: 'Uninstalled',
      message: 'the server kit was taken off; svc server add brings it back',
    });
  const install: Action | null = id === null ? null : { kind: 'server/kit', server: desired.name, id };
  if (kit.id === null) {
    return said(
      { state: 'missing', ready: 'False', reason: 'NotInstalled', message: `the server kit ${id ?? ''} is not there`.replace('  ', ' ') },
      install,
    );
  }
  if (id !== null && kit.id !== id && id !== held) {
    return said(
      { state: 'outdated', ready: readyNow(observed), reason: 'Outdated', message: `the server kit is ${kit.id}, the portal's is ${id}` },
      install,
    );
  }
  const unready = unreadyAccounts(desired.kit.origins, kit);
  if (unready !== null) {
    const action: Action = { kind: 'server/accounts', server: desired.name };
    return said({ state: 'ready', ready: readyNow(observed), reason: unready.reason, message: unready.message }, action);
  }
  const note = id !== null && kit.id !== id ? `the server kit is held at ${kit.id}; svc server add takes ${id} again` : host.message;
  return { ...plain, message: note };
}

/** A server that answers serves with an older kit, too. */
function readyNow({ host }: ServerObserved): Step['ready'] {
  return sights[host.status].truth;
}

function unreadyAccounts(
  origins: string,
  kit: Extract<KitSight, { status: 'seen' }>,
): { readonly reason: Reason; readonly message: string } | null {
  const there = kit.accounts.filter(({ found }) => found);
  const names = (of: readonly AccountSight[]): string => of.map(({ name }) => name).join(', ');
  const lost = there.filter(({ linger, manager }) => !linger || !manager);
  if (lost.length > 0) return { reason: 'LingerBroken', message: `no lasting service manager for ${names(lost)}` };
  const closed = there.filter(({ key }) => !key);
  if (closed.length > 0 || !kit.key)
    return { reason: 'Reachable', message: `the key of the portal is not there for ${names(closed) || 'the server'}` };
  return kit.origins === origins ? null : { reason: 'Reachable', message: `apps are to be served by ${origins}` };
}

/** Holds an attempt back during the pause after one that failed, and after a failure that waits for somebody. */
function paced(goal: Step, observed: ServerObserved, tried: ServerMemory | null, nowMs: number): Step {
  const { failure } = observed;
  if (tried === null || tried.attempts === 0) return goal;
  const over = nowMs >= tried.nextAttemptAtMs || tried.nextAttemptAtMs - nowMs > limits.kitRetryMsMax;
  if (over && failure?.retry !== 'terminal') return goal;
  if (failure === null) return { ...goal, action: null };
  // A server that serves goes on serving, whatever failed beside it.
  const state = goal.state === 'ready' || goal.state === 'outdated' ? goal.state : 'failed';
  return {
    ...goal,
    state,
    reason: goal.reason === 'LingerBroken' ? 'LingerBroken' : 'InstallFailed',
    message: failure.message,
    action: null,
  };
}

function conditionsOf(desired: ServerDesired, observed: ServerObserved, step: Step): readonly ConditionDraft[] {
  const { host, kit, busy } = observed;
  const { truth, reason } = sights[host.status];
  const drafts: ConditionDraft[] = [
    { type: 'Ready', status: step.ready, reason: step.reason, message: step.message },
    { type: 'Reachable', status: truth, reason, message: host.message },
  ];
  if (desired.kit === null) return drafts;
  const { id } = desired.kit;
  if (kit.status === 'unknown') {
    drafts.push({ type: 'Installed', status: 'Unknown', reason: 'NotObservedYet', message: kit.message });
    return drafts;
  }
  const isThere = kit.id !== null && (id === null || kit.id === id);
  const kitReason: Reason = isThere ? 'Installed' : kit.id === null ? 'NotInstalled' : 'Outdated';
  drafts.push({ type: 'Installed', status: kit.id === null ? 'False' : 'True', reason: kitReason, message: kit.id ?? '' });
  drafts.push({
    type: 'Progressing',
    status: busy === null ? 'False' : 'True',
    reason: busy === null ? kitReason : 'Installing',
    message: busy ?? '',
  });
  const lost = kit.accounts.filter(({ found, linger, manager }) => found && (!linger || !manager));
  drafts.push(
    lost.length === 0
      ? { type: 'Contained', status: 'True', reason: 'Provisioned', message: '' }
      : { type: 'Contained', status: 'False', reason: 'LingerBroken', message: lost.map(({ name }) => name).join(', ') },
  );
  return drafts;
}

function same(a: ServerMemory, b: ServerMemory): boolean {
  return a.since === b.since && a.attempts === b.attempts && a.nextAttemptAtMs === b.nextAttemptAtMs && a.attempted === b.attempted;
}
