/**
 * The backend of one person and app: desired + observed + memory -> order, probe, state, conditions (spec 3.2, 3.3; design 3).
 * Pure and idempotent: an unchanged world gives the same decision with no action and the very same memory object, and every `*AtMs` is an
 * absolute wall time. The loop calls it on every edge and at least every limits.resyncMs; `svc plan` and the simulator call the same.
 */
import { transition } from 'xstate';
import { backendMachine, eventOfState, type BackendContext } from '../machines/backend.ts';
import type { Action } from './actions.ts';
import { decideOrder, expired } from './backend-orders.ts';
import { followProbes } from './backend-probe.ts';
import { blindness, look, type Sight } from './backend-sight.ts';
import type { BackendDecision, BackendDesired, BackendMemory, BackendObserved } from './backend-types.ts';
import { earliest, stampConditions, type ConditionDraft } from './conditions.ts';

const noActions: readonly Action[] = [];
const unseen: BackendContext = { reason: 'NotObservedYet', sinceMs: 0, last: null };

export function decideBackend(
  desired: BackendDesired,
  observed: BackendObserved,
  memory: BackendMemory | null,
  nowMs: number,
): BackendDecision {
  const blind = blindness(desired, observed, memory);
  if (blind !== null) return decideBlind(desired, observed, memory, blind, nowMs);

  const stale = isStale(desired, observed);
  const failedHash = failedHashOf(desired, observed, memory);
  const order = decideOrder({ desired, observed, memory, stale, failedHash, nowMs });
  const { start, probe } = followProbes(memory?.start ?? null, observed, nowMs);
  const sight = look(desired, observed, memory, order, start);
  const { person, app } = desired;
  const actions: Action[] = [];
  if (order.action !== null) actions.push(order.action);
  if (probe !== null) actions.push({ kind: 'backend/probe', person, app, attempt: probe });

  const stamped = stampConditions(conditionsOf(sight, observed, stale), memory?.since, desired.generation, nowMs);
  const next = remember(memory, {
    ...advance(memory, sight, nowMs),
    start,
    sent: order.sent,
    autostartedFor: autostarted(desired, observed, memory),
    startedAtMs: order.startedAtMs,
    failedHash,
    since: stamped.memory,
  });
  const probeAtMs = start === null || start.value === 'ready' || observed.probing ? null : start.context.nextAtMs;
  const { snapshot } = observed;
  return {
    actions: actions.length === 0 ? noActions : actions,
    ...sight,
    message:
      order.finished === null || order.finished.message === ''
        ? sight.message
        : `${sight.message}; request ${order.finished.outcome}: ${order.finished.message}`,
    ready: sight.state === 'running',
    stale,
    finishedIntent: order.finished?.requestId ?? null,
    outcome: order.finished?.outcome ?? null,
    conditions: stamped.conditions,
    nextDeadlineMs: earliest(nowMs, [probeAtMs, order.resendAtMs, order.closeAtMs, snapshot?.nextAttemptAtMs, snapshot?.idleDeadlineMs]),
    memory: next,
  };
}

/** Nobody can look: nothing is done, nothing is counted, what was known stays known. Source: design 3 rule 6. */
function decideBlind(
  desired: BackendDesired,
  observed: BackendObserved,
  memory: BackendMemory | null,
  sight: Sight,
  nowMs: number,
): BackendDecision {
  const stamped = stampConditions(conditionsOf(sight, observed, false), memory?.since, desired.generation, nowMs);
  const over = expired(desired.intent, nowMs);
  return {
    actions: noActions,
    ...sight,
    ready: false,
    stale: false,
    finishedIntent: over ? (desired.intent?.requestId ?? null) : null,
    outcome: over ? 'expired' : null,
    conditions: stamped.conditions,
    nextDeadlineMs: null,
    memory: remember(memory, {
      ...advance(memory, sight, nowMs),
      start: memory?.start ?? null,
      // Whether the order arrived is not known either: it is given again as soon as somebody answers.
      sent: null,
      autostartedFor: memory?.autostartedFor ?? null,
      startedAtMs: memory?.startedAtMs ?? null,
      failedHash: memory?.failedHash ?? null,
      since: stamped.memory,
    }),
  };
}

/** Other code on disk than in the process. Source: spec 3.3 row 11. */
function isStale(desired: BackendDesired, observed: BackendObserved): boolean {
  const runs = observed.snapshot?.process?.hash ?? null;
  return runs !== null && desired.installedHash !== null && runs !== desired.installedHash;
}

/** Moves machines/backend.ts by what was seen; costs nothing while nothing changes. */
function advance(memory: BackendMemory | null, sight: Sight, nowMs: number): Pick<BackendMemory, 'state' | 'context'> {
  if (memory !== null && memory.state === sight.state && memory.context.reason === sight.reason) return memory;
  const before = backendMachine.resolveState({
    value: memory?.state ?? 'unknown',
    context: memory?.context ?? { ...unseen, sinceMs: nowMs },
  });
  const [after] = transition(backendMachine, before, { type: eventOfState[sight.state], reason: sight.reason, nowMs });
  return { state: after.value, context: after.context };
}

function autostarted(desired: BackendDesired, observed: BackendObserved, memory: BackendMemory | null): number | null {
  const before = memory?.autostartedFor ?? null;
  const { sessionSinceMs } = desired;
  if (desired.manifest?.kind !== 'service' || !desired.session || sessionSinceMs === null || sessionSinceMs === before) return before;
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

function remember(before: BackendMemory | null, next: BackendMemory): BackendMemory {
  const same =
    before !== null &&
    before.state === next.state &&
    before.context === next.context &&
    before.start === next.start &&
    before.sent === next.sent &&
    before.autostartedFor === next.autostartedFor &&
    before.startedAtMs === next.startedAtMs &&
    before.failedHash === next.failedHash &&
    before.since === next.since;
  return same ? before : next;
}

function conditionsOf(sight: Sight, observed: BackendObserved, stale: boolean): readonly ConditionDraft[] {
  const { state, reason, message } = sight;
  const unknown = state === 'unknown';
  const ready = unknown ? 'Unknown' : state === 'running' ? 'True' : 'False';
  const moving = state === 'starting' || state === 'stopping' || state === 'backoff';
  const progressing = unknown ? 'Unknown' : moving ? 'True' : 'False';
  return [
    { type: 'Ready', status: ready, reason, message },
    { type: 'Progressing', status: progressing, reason, message },
    reachable(observed),
    contained(sight, observed),
    staleness(sight, stale),
  ];
}

function reachable({ host, supervisor }: BackendObserved): ConditionDraft {
  if (host.status === 'unreachable') return { type: 'Reachable', status: 'False', reason: 'ServerUnreachable', message: host.message };
  if (host.status === 'unknown') return { type: 'Reachable', status: 'Unknown', reason: 'NotObservedYet', message: '' };
  if (supervisor === 'up') return { type: 'Reachable', status: 'True', reason: 'Reachable', message: '' };
  return { type: 'Reachable', status: 'Unknown', reason: 'SupervisorStarting', message: 'the server answers, the supervisor does not yet' };
}

function contained(sight: Sight, { snapshot }: BackendObserved): ConditionDraft {
  if (sight.state === 'unknown' || snapshot === null || snapshot.process === null) {
    return { type: 'Contained', status: 'Unknown', reason: sight.reason, message: 'no process to contain' };
  }
  return snapshot.contained
    ? { type: 'Contained', status: 'True', reason: 'Healthy', message: snapshot.containedReason }
    : { type: 'Contained', status: 'False', reason: 'LingerBroken', message: snapshot.containedReason };
}

function staleness(sight: Sight, stale: boolean): ConditionDraft {
  if (sight.state === 'unknown') return { type: 'Stale', status: 'Unknown', reason: sight.reason, message: '' };
  return stale
    ? {
        type: 'Stale',
        status: 'True',
        reason: 'HashChanged',
        message: 'runs other code than what is installed; a start brings the new code',
      }
    : { type: 'Stale', status: 'False', reason: 'Installed', message: '' };
}
