/**
 * A server: reachable or not, and, where the portal may act as its administrator, whether it holds the portal's server kit and its accounts are
 * ready (rules 3.3, supervisor rule 5). A connection that breaks is the host driver's to mend.
 */
import { doubledMs } from '../schema/backoff.ts';
import { limits } from './limits.ts';
import type { Reason } from '../schema/backend.ts';
import type { Cause } from '../schema/cause.ts';
import type { RetryClass } from '../schema/errors.ts';
import { keys } from '../schema/keys.ts';
import type { Words } from '../schema/texts/reasons.ts';
import { someNames } from '../schema/texts/names.ts';
import type { Action } from './actions.ts';
import { unseenReason, type Drain, type Reachability } from './backend-types.ts';
import { earliest, stampConditions, type ConditionDraft, type ConditionMemory } from './conditions.ts';
import type { Decision } from './decision.ts';
import type { Turn } from './kit-rollout.ts';
import { fields, flag, number, orNull, remember, since, text, type MemoryShape } from './memory.ts';

export interface AccountObservation {
  readonly name: string;
  readonly found: boolean;
  /** Its service manager outlives its logins; without it nothing that runs is sure to live on. */
  readonly linger: boolean;
  /** The service manager runs now. */
  readonly manager: boolean;
  /** The key of the portal opens it; true as well when the portal signs in with another one. */
  readonly key: boolean;
}

/** Observation by the administrator; `unknown` before the first one, with the reason why there is none. */
export type KitObservation =
  | { readonly status: 'unknown'; readonly message: string; readonly cause?: Cause }
  | {
      readonly status: 'seen';
      /** Kit in place; null for none, and for one that does not run. */
      readonly id: string | null;
      readonly origins: string;
      /** The server knows the portal's present key. */
      readonly key: boolean;
      readonly accounts: readonly AccountObservation[];
      /** False: no service manager can be had there, and no lingering. Absent: it runs. */
      readonly systemd?: boolean;
      /** How far its clock and the portal's are apart, in words; absent: not worth a word. */
      readonly clock?: string;
      /** Recent changes by another portal to the keys that this portal installed; null when there are none. */
      readonly rival: string | null;
    };

export interface KitBusy {
  /** `accounts`: only they are made ready, and what is served goes on. */
  readonly act: 'kit' | 'accounts';
  readonly message: string;
}

export interface KitFailure {
  readonly message: string;
  /** Null or absent: no more is known than that it failed. */
  readonly reason?: Reason | null;
  readonly fix?: Words | null;
  readonly retry: RetryClass;
  readonly atMs: number;
}

export interface ServerDesired {
  readonly name: string;
  readonly generation: number;
  /** Its document is gone. */
  readonly leaving: boolean;
  /** Its machine was given up. */
  readonly lost: boolean;
  /** Nothing is started there any more; null or absent: it is in use. */
  readonly drain?: Drain | null;
  /** Null where the portal brings no kit: a local server. */
  readonly kit: {
    /** Null while it is not known which one belongs there. */
    readonly id: string | null;
    /** An administrator took the kit off and it stays off. */
    readonly removed: boolean;
    /** Kit that an administrator went back from: it is not put there again. */
    readonly held: string | null;
    /** A pending request of an administrator; `remove-forced`: although apps run there. */
    readonly pending: 'rollback' | 'remove' | 'remove-forced' | null;
    readonly origins: 'subdomain' | 'path';
    /** The key that the portal is changing to, where this server does not have it yet. */
    readonly newKey?: string | null;
  } | null;
}

export interface ServerObserved {
  readonly host: Reachability;
  /** Why it takes no new connection, although it answers over those that are there; null or absent: it does, or nobody knows. */
  readonly door?: Cause | null;
  /** People or packages of the documents are there, also those that leave. */
  readonly occupied: boolean;
  readonly kit: KitObservation;
  /** Apps that run there; asked for while it is drained. */
  readonly running?: number;
  /** The action that runs on the kit; null when there is none. */
  readonly busy: KitBusy | null;
  readonly failure: KitFailure | null;
  /** Whether a server with another kit gets the portal's now; absent: it does. */
  readonly turn?: Turn;
}

export interface ServerMemory {
  readonly since: ConditionMemory;
  readonly attempts: number;
  readonly nextAttemptAtMs: number;
  /** The attempted action: a different wish or observation restarts the count. */
  readonly attempted: string | null;
  /** Something was being done there: the wait begins with its end. */
  readonly busy: boolean;
  /** When the kit that belongs there was first seen in place; null: it is not there. */
  readonly placedAtMs: number | null;
  /** Why what was attempted failed last: the next portal knows it, too. */
  readonly failure: string | null;
}

const first = { since, attempts: number, nextAttemptAtMs: number, attempted: orNull(text), busy: flag } as const;
const readFirst = fields<Omit<ServerMemory, 'placedAtMs' | 'failure'>>(first);

export const serverMemory: MemoryShape<ServerMemory> = {
  version: 2,
  read: fields<ServerMemory>({ ...first, placedAtMs: orNull(number), failure: orNull(text) }),
  older: { 1: (value) => ({ ...readFirst(value), placedAtMs: null, failure: null }) },
};

interface Step {
  readonly state: 'ready' | 'unknown' | 'installing' | 'outdated' | 'missing' | 'failed' | 'removed' | 'leaving' | 'draining' | 'drained';
  readonly ready: 'True' | 'False' | 'Unknown';
  readonly reason: Reason;
  readonly message: string;
  readonly action: Action | null;
  /** The trouble that the action mends, so that another trouble does not wait for this one; '' when the action implies it. */
  readonly trouble: string;
}

/** Wait after the n-th attempt that did not lead there. */
export function kitWaitMs(attempts: number): number {
  return doubledMs(10_000, attempts, limits.kitRetryMsMax);
}

export function decideServer(
  desired: ServerDesired,
  observed: ServerObserved,
  memory: ServerMemory | null,
  nowMs: number,
): Decision<ServerMemory> {
  const wanted = desired.leaving ? leavingStep(desired, observed) : drained(desired, observed, stepOf(desired, observed));
  const { busy } = observed;
  const aim = wanted.action === null ? null : `${JSON.stringify(wanted.action)}${wanted.trouble}`;
  // Running work, or a server that can't be observed for a while, does not reset the attempts: the backoff would start over each time.
  const holds = busy !== null || observed.kit.status === 'unknown';
  const tried = memory !== null && (holds || (memory.attempted === aim && aim !== null)) ? memory : null;
  const attempted = holds ? (tried?.attempted ?? null) : aim;
  const ended = tried !== null && tried.busy && busy === null;
  const dueAtMs = ended ? nowMs + kitWaitMs(tried.attempts) : (tried?.nextAttemptAtMs ?? 0);
  const step =
    wanted.action === null || wanted.action.kind === 'object/forget'
      ? wanted
      : paced(wanted, observed, tried?.attempts ?? 0, dueAtMs, nowMs);
  const attempts = (tried?.attempts ?? 0) + (step.action === null ? 0 : 1);
  const nextAttemptAtMs = step.action === null ? dueAtMs : nowMs + kitWaitMs(attempts);
  const stamped = stampConditions(conditionsOf(desired, observed, step), memory?.since, desired.generation, nowMs);
  const placedAtMs = placedOf(desired, observed.kit, memory?.placedAtMs ?? null, nowMs);
  const failure = attempted === null ? null : ((holds ? null : observed.failure?.message) ?? tried?.failure ?? null);
  const next: ServerMemory = { since: stamped.memory, attempts, nextAttemptAtMs, attempted, busy: busy !== null, placedAtMs, failure };
  return {
    actions: step.action === null ? [] : [step.action],
    state: step.state,
    reason: step.reason,
    message: step.message,
    conditions: stamped.conditions,
    nextDeadlineMs: earliest(nowMs, [
      aim === null || busy !== null ? null : nextAttemptAtMs,
      step.reason === 'KitWaits' && observed.turn?.is === 'waits' ? observed.turn.untilMs : null,
    ]),
    memory: remember(memory, next),
  };
}

/** The remembered form of an attempt to bring a kit there. */
export const kitAim = (server: string, id: string): string => JSON.stringify(kitAction(server, id));

const kitAction = (server: string, id: string): Action => ({ kind: 'server/kit', server, id });

function placedOf({ kit: wish }: ServerDesired, kit: KitObservation, before: number | null, nowMs: number): number | null {
  // While the kit can't be observed, the earlier time stays.
  if (wish === null || wish.id === null || kit.status === 'unknown') return before;
  return kit.id === wish.id ? (before ?? nowMs) : null;
}

const statusOfHost = {
  reachable: { state: 'ready', truth: 'True' },
  unreachable: { state: 'unknown', truth: 'False' },
  unknown: { state: 'unknown', truth: 'Unknown' },
} as const satisfies Record<Reachability['status'], { state: string; truth: 'True' | 'False' | 'Unknown' }>;

function reachableOf(host: Reachability, door: Cause | null): ConditionDraft {
  if (host.status === 'reachable' && door !== null)
    return { type: 'Reachable', status: 'False', reason: door.reason ?? 'ServerUnreachable', message: door.message };
  return { type: 'Reachable', status: statusOfHost[host.status].truth, reason: hostReason(host), message: host.message };
}

const hostReason = (host: Reachability): Reason => (host.status === 'reachable' ? 'Reachable' : unseenReason(host));

/** The server serves leaving people until they are gone. */
function leavingStep(desired: ServerDesired, observed: ServerObserved): Step {
  const leaves = { state: 'leaving', ready: 'False', reason: 'DocumentRemoved' } as const;
  const unseen = observed.host.status === 'unreachable' ? `; ${desired.name} does not answer: ${observed.host.message}` : '';
  const first = `its people and packages leave first${unseen}`;
  if (observed.occupied && desired.lost) return { ...leaves, message: first, action: null, trouble: '' };
  if (observed.occupied) return { ...stepOf(desired, observed), ...leaves, message: first };
  const key = keys.server(desired.name);
  const action: Action = desired.lost
    ? { kind: 'object/forget', key, stays: 'nothing on it is ended or removed' }
    : { kind: 'object/forget', key };
  return { ...leaves, message: 'no person and no package is there any more', action, trouble: '' };
}

/** A trouble of the server wins. */
function drained({ drain }: ServerDesired, { running = 0 }: ServerObserved, step: Step): Step {
  if (drain == null || step.state !== 'ready' || step.reason !== 'Reachable' || step.action !== null) return step;
  if (running === 0) return { ...step, state: 'drained', reason: 'Drained', message: 'nothing runs there, and nothing is started' };
  const until =
    drain.deadlineMs === null
      ? `until nobody uses ${running === 1 ? 'it' : 'them'}`
      : `until ${new Date(drain.deadlineMs).toISOString()} at the latest`;
  return {
    ...step,
    state: 'draining',
    reason: 'Draining',
    message: `${running} ${running === 1 ? 'app runs' : 'apps run'} there ${until}`,
  };
}

function stepOf(desired: ServerDesired, observed: ServerObserved): Step {
  const { host, kit, busy } = observed;
  const { state, truth } = statusOfHost[host.status];
  const plain: Step = { state, ready: truth, reason: hostReason(host), message: host.message, action: null, trouble: '' };
  if (host.status === 'reachable' && observed.door != null) return shutStep(observed.door);
  if (desired.kit === null) return plain;
  const { newKey = null } = desired.kit;
  const unseen = (message: string): Step => ({ ...plain, message: newKey === null ? message : `${message}; ${keepsOldKey}` });
  if (kit.status === 'unknown') {
    // People's accounts may be reached while the administrator's is not.
    if (host.status === 'reachable') return newKey === null ? plain : unseen(host.message);
    return unseen(kit.message === '' ? host.message : kit.message);
  }
  const { id, removed, held, pending } = desired.kit;
  const said = (step: Omit<Step, 'action' | 'trouble'>, action: Action | null = null, trouble = ''): Step => ({ ...step, action, trouble });
  const isRight = kit.id !== null && (id === null || kit.id === id || id === held);
  if (busy !== null && (busy.act === 'kit' || !isRight))
    return said({ state: 'installing', ready: readyNow(observed), reason: 'Installing', message: busy.message });
  if (pending === 'rollback')
    return said(
      { state: 'outdated', ready: readyNow(observed), reason: 'RolledBack', message: 'the server kit before comes back' },
      { kind: 'server/roll-back', server: desired.name },
    );
  if (pending !== null)
    return said(
      { state: 'removed', ready: 'False', reason: 'Uninstalled', message: 'the server kit is taken off' },
      { kind: 'server/take-off', server: desired.name, force: pending === 'remove-forced' },
    );
  const change: Action | null = newKey === null ? null : { kind: 'server/key', server: desired.name, key: newKey };
  if (removed) {
    const message = 'the server kit was taken off; svc server add brings it back';
    return said({ state: 'removed', ready: 'False', reason: 'Uninstalled', message }, change);
  }
  const install: Action | null = id === null ? null : kitAction(desired.name, id);
  if (kit.id === null) {
    // A version that was rolled back from is installed again only on request, also where the version before does not run.
    const isHeld = id !== null && id === held;
    const message = isHeld
      ? `the server kit before does not run; svc server add takes ${id} again`
      : `the server kit ${id ?? ''} is not there`.replace('  ', ' ');
    return said({ state: 'missing', ready: 'False', reason: 'NotInstalled', message }, isHeld ? null : install);
  }
  if (id !== null && kit.id !== id && id !== held) {
    const message = `the server kit is ${kit.id}, the portal's is ${id}`;
    const { turn = { is: 'due' } } = observed;
    if (turn.is === 'due') return said({ state: 'outdated', ready: readyNow(observed), reason: 'Outdated', message }, install);
    // It serves meanwhile, and whoever comes new is let in.
    const unready = unreadyAccounts(desired.name, desired.kit.origins, kit);
    const why: Reason = turn.is === 'waits' ? 'KitWaits' : 'KitStopped';
    const waiting = { state: 'outdated', ready: readyNow(observed), reason: why, message: `${message}: ${turn.message}` } as const;
    return said(waiting, change ?? unready?.action, unready?.trouble);
  }
  // Older observations of a server with the right kit do not explain why it does not answer.
  if (host.status === 'unreachable') return newKey === null ? plain : unseen(host.message);
  if (change !== null) return said({ state: 'ready', ready: readyNow(observed), reason: hostReason(host), message: keepsOldKey }, change);
  const unready = unreadyAccounts(desired.name, desired.kit.origins, kit);
  const action = unready?.action ?? null;
  if (kit.rival !== null)
    return said({ state: 'ready', ready: readyNow(observed), reason: 'OtherPortal', message: kit.rival }, action, unready?.trouble);
  if (kit.clock !== undefined && action === null)
    return said({ state: 'ready', ready: readyNow(observed), reason: 'ClockOff', message: kit.clock });
  if (unready !== null) {
    const { reason: why, message, trouble } = unready;
    return said({ state: 'ready', ready: readyNow(observed), reason: why, message }, action, trouble);
  }
  const note = id !== null && kit.id !== id ? `the server kit is held at ${kit.id}; svc server add takes ${id} again` : host.message;
  return { ...plain, message: note };
}

/** Message about a server while the portal's key is being changed. */
export const keepsOldKey = 'it keeps the old ssh key of the portal until it has the new one';

/** Begins the message of such a server. */
export const shut = 'it takes no new connection, what is connected goes on';

/** Open connections continue and new ones are refused: sign-ins, apps after a cut. The kit is not changed meanwhile. */
function shutStep({ reason, message }: Cause): Step {
  const said = `${shut}: ${message}`;
  return { state: 'failed', ready: 'False', reason: reason ?? 'ServerUnreachable', message: said, action: null, trouble: '' };
}

/** A server that answers serves with an older kit, too. */
function readyNow({ host }: ServerObserved): Step['ready'] {
  return statusOfHost[host.status].truth;
}

interface Unready {
  readonly reason: Reason;
  readonly message: string;
  readonly trouble: string;
  /** Null: nothing that svc does there mends it. */
  readonly action: Action | null;
}

/** Recognized by `svc why`, which has another fix for it. */
export const withoutSystemd = 'systemd does not run there: apps have no ceilings, and nothing starts them with the machine';

function unreadyAccounts(server: string, origins: string, kit: Extract<KitObservation, { status: 'seen' }>): Unready | null {
  const there = kit.accounts.filter(({ found }) => found);
  const list = (of: readonly AccountObservation[]): readonly string[] => of.map(({ name }) => name);
  const mayLast = kit.systemd !== false;
  const lost = list(there.filter(({ linger, manager }) => mayLast && (!linger || !manager)));
  const closed = list(there.filter(({ key }) => !key));
  const isRight = closed.length === 0 && kit.key && kit.origins === origins;
  if (isRight && !mayLast) return { reason: 'LingerBroken', message: withoutSystemd, trouble: '', action: null };
  if (isRight && lost.length === 0) return null;
  const trouble = JSON.stringify([lost.join(', '), closed.join(', '), kit.key, kit.origins === origins]);
  const action: Action = { kind: 'server/accounts', server };
  const told = (reason: Reason, message: string): Unready => ({ reason, message, trouble, action });
  if (lost.length > 0) return told('LingerBroken', `no lasting service manager for ${accountsIn(lost)}`);
  if (closed.length > 0 || !kit.key)
    return told('Reachable', `the key of the portal is not there for ${closed.length === 0 ? 'the server' : accountsIn(closed)}`);
  return told('Reachable', `apps are to be served by ${origins}`);
}

/** A cell of a table holds them, however many they are. */
const accountsIn = (names: readonly string[]): string =>
  names.length === 1 ? (names[0] ?? '') : `${names.length} accounts: ${someNames(names).en}`;

/** Reasons whose message wins over the failure of another action on the server. */
const isTurn = (reason: Reason): boolean => reason === 'KitWaits' || reason === 'KitStopped';

/** Postpones an attempt while one is under way, during the backoff, and after a failure that waits for a change. */
function paced(goal: Step, { busy, failure }: ServerObserved, attempts: number, dueAtMs: number, nowMs: number): Step {
  if (attempts === 0) return busy === null ? goal : { ...goal, action: null };
  // Further away than the longest wait: the clock was set back.
  const over = nowMs >= dueAtMs || dueAtMs - nowMs > limits.kitRetryMsMax;
  const action = over && busy === null && failure?.retry !== 'terminal' ? goal.action : null;
  if (failure === null || isTurn(goal.reason)) return { ...goal, action };
  // A server that serves goes on serving, regardless of other failures.
  const state = goal.state === 'ready' || goal.state === 'outdated' ? goal.state : 'failed';
  return {
    ...goal,
    state,
    reason: goal.reason === 'LingerBroken' ? 'LingerBroken' : (failure.reason ?? 'InstallFailed'),
    message: failure.message,
    action,
  };
}

function conditionsOf(desired: ServerDesired, observed: ServerObserved, step: Step): readonly ConditionDraft[] {
  const { host, kit, busy } = observed;
  const drafts: ConditionDraft[] = [
    { type: 'Ready', status: step.ready, reason: step.reason, message: step.message },
    reachableOf(host, observed.door ?? null),
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
    message: busy?.message ?? '',
  });
  const lost = kit.accounts.filter(({ found, linger, manager }) => found && (!linger || !manager)).map(({ name }) => name);
  const message = kit.systemd === false ? withoutSystemd : someNames(lost).en;
  drafts.push(
    lost.length === 0 && kit.systemd !== false
      ? { type: 'Contained', status: 'True', reason: 'Provisioned', message: '' }
      : { type: 'Contained', status: 'False', reason: 'LingerBroken', message },
  );
  return drafts;
}
