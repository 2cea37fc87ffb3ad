/**
 * The backend of one person and app: desired + observed + memory -> order, probe, state, conditions (rules 3.2, 3.3). Pure and idempotent: unchanged
 * inputs give the same decision with no action and the same memory object, and every `*AtMs` is an absolute wall time. The loop calls it on every
 * edge and at least every limits.resyncMs; `svc plan` and the simulator call the same.
 */
import { advanceBackend, seen, type BackendAdvance, type BackendEffect, type BackendEvent, type BackendLife } from '../machines/backend.ts';
import { windowsEndAtMs, type Facts, type Wish } from '../machines/backend-order.ts';
import type { BackendState } from '../schema/backend.ts';
import { limits } from '../machines/limits.ts';
import { startsWithSession } from '../schema/manifest/manifest.ts';
import { silent } from '../schema/reasons/derived.ts';
import type { Action } from './actions.ts';
import { endToldMs, expired, wishOf, type Wished } from './backend-orders.ts';
import { unobservable, isLiving, assess, settingUp, type Assessment } from './backend-assessment.ts';
import {
  unseenReason,
  type BackendDecision,
  type BackendDesired,
  type BackendMemory,
  type BackendObserved,
  type BackendStatusMemory,
  type Bound,
} from './backend-types.ts';
import { earliest, stampConditions, type ConditionDraft } from './conditions.ts';
import { remember } from './memory.ts';

const unseen: BackendLife = { state: 'unknown', reason: 'NotObservedYet', start: null, sent: null };

type Derived = Assessment & { readonly state: BackendState };

export function decideBackend(
  desired: BackendDesired,
  observed: BackendObserved,
  memory: BackendMemory | null,
  nowMs: number,
): BackendDecision {
  const blind = unobservable(desired, observed, memory);
  if (blind !== null) return decideUnobservable(desired, observed, memory, blind, nowMs);

  const stale = isStale(desired, observed);
  const failedHash = failedHashOf(desired, observed, memory);
  const wished = wishOf({ desired, observed, memory, stale, failedHash, nowMs });
  const { derived, life } = drive(desired, observed, memory, wished, nowMs);
  const stamped = stampConditions(conditionsOf(derived, observed, stale), memory?.since, desired.generation, nowMs);
  const next = remember(memory, {
    ...memoryOf(memory, derived, life, nowMs),
    autostartedFor: autostarted(desired, observed, memory),
    startedAtMs: wished.startedAtMs,
    failedHash,
    bound: wished.bound,
    since: stamped.memory,
  });
  const { finished } = wished;
  const { state, reason, message } = derived;
  return {
    actions: life.effects.map((effect) => actionOf(effect, desired)),
    state,
    reason,
    message: finished === null || finished.message === '' ? message : `${message}; request ${finished.outcome}: ${finished.message}`,
    ready: isReady(derived),
    stale,
    endsAtMs: wished.bound !== null && toldAtMs(wished.bound) <= nowMs ? wished.bound.endAtMs : null,
    finishedIntent: finished?.requestId ?? null,
    outcome: finished?.outcome ?? null,
    conditions: stamped.conditions,
    nextDeadlineMs: earliest(nowMs, deadlinesOf(life, wished, observed, nowMs)),
    memory: next,
  };
}

/** Sends the desired state and the observation to the machine. */
function drive(
  desired: BackendDesired,
  observed: BackendObserved,
  memory: BackendMemory | null,
  wished: Wished,
  nowMs: number,
): { readonly derived: Derived; readonly life: BackendAdvance } {
  const { snapshot, probe, probing } = observed;
  const process = processOf(observed);
  const facts: Facts = {
    process: snapshot !== null && snapshot.process !== null,
    living: snapshot !== null && isLiving(snapshot),
    over: snapshot === null || (snapshot.process === null && snapshot.state === 'stopped'),
    confirmed: snapshot?.requestId ?? null,
  };
  const advance = advanceBackend(lifeOf(memory), nowMs);
  const events: BackendEvent[] = [{ ...wished.wish, ...facts }];
  if (process === null) events.push({ type: 'noProcess' });
  else {
    const { pid, startTicks } = process;
    events.push({ type: 'process', pid, startTicks, listening: snapshot?.socket === 'listening' });
    if (probe !== null) events.push({ type: 'answered', ...probe });
    events.push({ type: 'tick', inFlight: probing });
  }
  const { start } = advance(...events);
  const assessment = assess(desired, observed, memory, start);
  const life = advance(seen(assessment.saw, assessment.reason));
  const message = life.ordered === null ? assessment.message : `the ${life.ordered} was ordered`;
  const { disk = '' } = observed;
  if (life.ordered === 'start' && disk !== '')
    return { derived: { saw: assessment.saw, state: life.state, reason: 'DiskFull', message: disk }, life };
  return { derived: { saw: assessment.saw, state: life.state, reason: life.reason, message }, life };
}

function asksNothing(wish: Wish, nowMs: number): boolean {
  return wish.type === 'nothing' || (wish.type === 'windowsClosed' && nowMs < windowsEndAtMs(wish.sinceMs));
}

/** The process that can answer a probe. */
function processOf({ snapshot }: BackendObserved): { readonly pid: number; readonly startTicks: number } | null {
  return snapshot === null || !isLiving(snapshot) || settingUp(snapshot) ? null : snapshot.process;
}

const toAction: {
  readonly [Kind in BackendEffect['kind']]: (effect: Extract<BackendEffect, { readonly kind: Kind }>, desired: BackendDesired) => Action;
} = {
  start: ({ requestId, isMend }, { person, app, document }) => {
    const order = { pinned: document === 'ligado', requestId };
    return { kind: 'backend/start', person, app, order: isMend ? { ...order, isMend } : order };
  },
  stop: ({ requestId, reason }, { person, app }) => ({
    kind: 'backend/stop',
    person,
    app,
    requestId,
    // A supervisor of an older kit knows no other word for it; the id of the order says which stop it was.
    reason: reason === 'TimeLimit' ? 'StoppedByAdmin' : reason,
  }),
  pin: ({ pinned }, { person, app }) => ({ kind: 'backend/pin', person, app, pinned }),
  probe: ({ attempt }, { person, app }) => ({ kind: 'backend/probe', person, app, attempt }),
};

function actionOf<Kind extends BackendEffect['kind']>(
  effect: Extract<BackendEffect, { readonly kind: Kind }>,
  desired: BackendDesired,
): Action {
  return toAction[effect.kind](effect, desired);
}

const toldAtMs = ({ msMax, endAtMs }: Bound): number => endAtMs - endToldMs(msMax);

function deadlinesOf(life: BackendAdvance, wished: Wished, { snapshot, probing }: BackendObserved, nowMs: number): (number | null)[] {
  const { start, sent } = life;
  const probeAtMs = start === null || start.value === 'ready' || probing ? null : start.context.nextAtMs;
  const resendAtMs = asksNothing(wished.wish, nowMs) || sent === null ? null : sent.atMs + limits.supervisorReplyMsMax;
  const { bound, closeAtMs, drainAtMs } = wished;
  const endsMs = bound === null ? [] : [toldAtMs(bound), bound.endAtMs];
  return [probeAtMs, resendAtMs, closeAtMs, drainAtMs, ...endsMs, snapshot?.nextAttemptAtMs ?? null, snapshot?.idleDeadlineMs ?? null];
}

/** The app can't be observed: no action, no counting, the last known state is kept. */
function decideUnobservable(
  desired: BackendDesired,
  observed: BackendObserved,
  memory: BackendMemory | null,
  assessment: Assessment,
  nowMs: number,
): BackendDecision {
  const { saw, reason, message } = assessment;
  const isSame = memory !== null && memory.context.saw === saw;
  const life = isSame ? { ...lifeOf(memory), ordered: null, effects: [] } : advanceBackend(lifeOf(memory), nowMs)(seen(saw, reason));
  const derived: Derived = { ...assessment, state: life.state };
  const stamped = stampConditions(conditionsOf(derived, observed, false), memory?.since, desired.generation, nowMs);
  const over = expired(desired.intent, nowMs);
  return {
    actions: [],
    state: derived.state,
    reason,
    message,
    ready: false,
    stale: false,
    endsAtMs: null,
    finishedIntent: over ? (desired.intent?.requestId ?? null) : null,
    outcome: over ? 'expired' : null,
    conditions: stamped.conditions,
    nextDeadlineMs: null,
    memory: remember(memory, {
      ...memoryOf(memory, derived, life, nowMs),
      autostartedFor: memory?.autostartedFor ?? null,
      startedAtMs: memory?.startedAtMs ?? null,
      failedHash: memory?.failedHash ?? null,
      bound: memory?.bound ?? null,
      since: stamped.memory,
    }),
  };
}

function lifeOf(memory: BackendMemory | null): BackendLife {
  return memory === null ? unseen : { state: memory.state, reason: memory.context.reason, start: memory.start, sent: memory.sent };
}

function memoryOf(
  memory: BackendMemory | null,
  { state, reason, saw }: Derived,
  { start, sent, ordered }: BackendAdvance,
  nowMs: number,
): Pick<BackendMemory, 'state' | 'context' | 'start' | 'sent'> {
  const before = memory?.context;
  const isSameStart = start !== null && memory?.start?.value === start.value && memory.start.context === start.context;
  const context: BackendStatusMemory = {
    reason,
    sinceMs: memory?.state === state && before !== undefined ? before.sinceMs : nowMs,
    last: state === 'unknown' ? (before?.last ?? null) : { state, reason },
    saw: ordered === null ? saw : null,
  };
  const isSame = before?.reason === reason && before.saw === context.saw && memory?.state === state;
  return { state, context: isSame ? before : context, start: isSameStart ? memory.start : start, sent };
}

/** Other code on disk than in the process. Source: rules 3.3 row 11. */
function isStale(desired: BackendDesired, observed: BackendObserved): boolean {
  const runs = observed.snapshot?.process?.hash ?? null;
  return runs !== null && desired.installedHash !== null && runs !== desired.installedHash;
}

function autostarted(desired: BackendDesired, observed: BackendObserved, memory: BackendMemory | null): number | null {
  const before = memory?.autostartedFor ?? null;
  const { manifest, session, sessionSinceMs } = desired;
  if (manifest === null || !startsWithSession(manifest) || !session || sessionSinceMs === null) return before;
  const { snapshot } = observed;
  return snapshot !== null && (snapshot.wanted || snapshot.requestId === `sessao-${sessionSinceMs}`) ? sessionSinceMs : before;
}

/** The code that failed; forgotten with the failure, renewed once another try was confirmed. */
function failedHashOf(desired: BackendDesired, observed: BackendObserved, memory: BackendMemory | null): string | null {
  const { snapshot } = observed;
  if (snapshot?.state !== 'failed') return null;
  const before = memory?.failedHash ?? null;
  const retried = memory?.sent?.cause === 'mended' && memory.sent.requestId === snapshot.requestId;
  return before === null || retried ? desired.installedHash : before;
}

function isReady({ state, reason }: Derived): boolean {
  return state === 'running' && !silent.includes(reason);
}

function conditionsOf(derived: Derived, observed: BackendObserved, stale: boolean): readonly ConditionDraft[] {
  const { state, reason, message } = derived;
  const unknown = state === 'unknown';
  const ready = unknown ? 'Unknown' : isReady(derived) ? 'True' : 'False';
  const moving = state === 'starting' || state === 'stopping' || state === 'backoff';
  const progressing = unknown ? 'Unknown' : moving ? 'True' : 'False';
  return [
    { type: 'Ready', status: ready, reason, message },
    { type: 'Progressing', status: progressing, reason, message },
    reachable(observed),
    contained(derived, observed),
    staleness(derived, stale),
  ];
}

function reachable({ host, supervisor, trouble }: BackendObserved): ConditionDraft {
  if (host.status === 'unreachable') return { type: 'Reachable', status: 'False', reason: unseenReason(host), message: host.message };
  if (host.status === 'unknown') return { type: 'Reachable', status: 'Unknown', reason: 'NotObservedYet', message: '' };
  if (supervisor === 'up') return { type: 'Reachable', status: 'True', reason: 'Reachable', message: '' };
  const message = 'the server answers, the supervisor does not yet';
  return { type: 'Reachable', status: 'Unknown', reason: trouble?.reason ?? 'SupervisorStarting', message };
}

function contained(derived: Derived, { snapshot }: BackendObserved): ConditionDraft {
  if (derived.state === 'unknown' || snapshot === null || snapshot.process === null) {
    return { type: 'Contained', status: 'Unknown', reason: derived.reason, message: 'no process to contain' };
  }
  if (snapshot.contained && snapshot.containedReason !== '')
    return { type: 'Contained', status: 'False', reason: 'CeilingIgnored', message: snapshot.containedReason };
  return snapshot.contained
    ? { type: 'Contained', status: 'True', reason: 'Healthy', message: '' }
    : { type: 'Contained', status: 'False', reason: 'LingerBroken', message: snapshot.containedReason };
}

function staleness(derived: Derived, stale: boolean): ConditionDraft {
  if (derived.state === 'unknown') return { type: 'Stale', status: 'Unknown', reason: derived.reason, message: '' };
  return stale
    ? {
        type: 'Stale',
        status: 'True',
        reason: 'HashChanged',
        message: 'runs other code than what is installed; a start brings the new code',
      }
    : { type: 'Stale', status: 'False', reason: 'Installed', message: '' };
}
