/**
 * Which order the supervisor gets: documents are enforced as a level, intents are one-shot commands, and the rest (services, windows)
 * follows spec 3.3. At most one order a decision; an order that was sent is repeated only after the reply deadline passed unconfirmed.
 */
import { limits } from '../schema/limits.ts';
import { closePolicy, startsWithSession } from '../schema/manifest/manifest.ts';
import type { AppSnapshot, Reason } from '../schema/backend.ts';
import type { Action, StopReason } from './actions.ts';
import type { BackendDesired, BackendMemory, BackendObserved, Cause, IntentOutcome, PendingIntent, SentOrder } from './backend-types.ts';

export interface Order {
  readonly action: Action | null;
  readonly sent: SentOrder | null;
  /** The order under way makes the state this, whatever the snapshot still says. */
  readonly towards: { readonly state: 'starting' | 'stopping'; readonly reason: Reason } | null;
  readonly finished: { readonly requestId: string; readonly outcome: IntentOutcome; readonly message: string } | null;
  /** When the order is given again unless it was confirmed by then; null when none is under way. */
  readonly resendAtMs: number | null;
  /** See BackendMemory. */
  readonly startedAtMs: number | null;
  /** When windows end the app; null when nothing counts down. */
  readonly closeAtMs: number | null;
}

export interface OrderInput {
  readonly desired: BackendDesired;
  readonly observed: BackendObserved;
  readonly memory: BackendMemory | null;
  readonly stale: boolean;
  /** See BackendMemory; already brought up to this decision. */
  readonly failedHash: string | null;
  readonly nowMs: number;
}

type Want =
  | { readonly op: 'start'; readonly cause: Cause; readonly requestId: string | null; readonly reason: Reason }
  | { readonly op: 'stop'; readonly cause: Cause; readonly requestId: string | null; readonly reason: StopReason }
  | { readonly op: 'pin'; readonly cause: Cause; readonly requestId: string; readonly pinned: boolean };

export function decideOrder(input: OrderInput): Order {
  const { desired, observed, memory, nowMs } = input;
  const finished = desired.intent === null ? null : finish(desired.intent, input);
  const startedAtMs = startedAt(desired.intent, finished, memory);
  const closeAtMs = closeDeadline(desired, observed.snapshot, startedAtMs);
  const common = { finished, startedAtMs, closeAtMs };
  const want = (finished === null ? intentWant(input) : null) ?? levelWant(input, closeAtMs) ?? pinWant(desired, observed.snapshot);
  if (want === null) return { ...common, action: null, sent: memory?.sent ?? null, towards: null, resendAtMs: null };
  return { ...common, ...send(want, input), closeAtMs: closeAtMs !== null && closeAtMs > nowMs ? closeAtMs : null };
}

/** Time of the newest start that was carried out, this decision included. */
function startedAt(intent: PendingIntent | null, finished: Order['finished'], memory: BackendMemory | null): number | null {
  const carriedOut = finished?.outcome === 'done' && intent !== null && intent.wish !== 'stop';
  return carriedOut ? intent.atMs : (memory?.startedAtMs ?? null);
}

/** Whether the intent is over: carried out, refused, or too old. Decision: docs/decisions/0026-intents-are-one-shot.md */
function finish(intent: PendingIntent, { desired, observed, memory, nowMs }: OrderInput): Order['finished'] {
  const { requestId } = intent;
  const { snapshot, refused } = observed;
  if (refused?.requestId === requestId) return { requestId, outcome: 'refused', message: refused.message };
  if (snapshot?.requestId === requestId) return { requestId, outcome: 'done', message: '' };
  if (intent.wish === 'stop') {
    if (desired.document === 'ligado')
      return { requestId, outcome: 'refused', message: 'a Backend document pins it running (estado: ligado)' };
    // Nothing to stop and nothing under way that could still start it.
    if (snapshot === null && memory?.sent?.op !== 'start') return { requestId, outcome: 'done', message: '' };
    return null;
  }
  if (desired.document === 'desligado')
    return { requestId, outcome: 'refused', message: 'a Backend document pins it stopped (estado: desligado)' };
  if (desired.removing === true) return { requestId, outcome: 'refused', message: `${desired.app} is being removed` };
  if (desired.manifest === null && (snapshot?.installed ?? null) === null) {
    return { requestId, outcome: 'refused', message: `${desired.app} is not installed for ${desired.person}` };
  }
  if (expired(intent, nowMs)) return { requestId, outcome: 'expired', message: 'could not be carried out in time' };
  return null;
}

/** A start must not surprise anybody long after it was asked for; a stop stays legal for ever. */
export function expired(intent: PendingIntent | null, nowMs: number): boolean {
  return intent !== null && intent.wish !== 'stop' && nowMs - intent.atMs >= limits.startIntentMsMax;
}

function intentWant({ desired, observed, memory, stale }: OrderInput): Want | null {
  const { intent } = desired;
  if (intent === null) return null;
  const { snapshot } = observed;
  if (intent.wish === 'stop') return { op: 'stop', cause: 'intent', requestId: intent.requestId, reason: stopReasonOf(intent) };
  const start: Want = { op: 'start', cause: 'intent', requestId: intent.requestId, reason: 'StartRequested' };
  const living = snapshot !== null && snapshot.process !== null;
  // Once the second half of a restart was ordered there is no way back to the first (a stale snapshot must not stop the new process).
  if (memory?.sent?.op === 'start' && memory.sent.requestId === intent.requestId) return start;
  if (living && (intent.wish === 'restart' || stale)) {
    // Source: spec 3.3 row 11: other code on disk, so the old process ends and the next start uses it.
    return {
      op: 'stop',
      cause: 'intent',
      requestId: `${intent.requestId}:stop`,
      reason: intent.wish === 'restart' ? stopReasonOf(intent) : 'HashChanged',
    };
  }
  return start;
}

function stopReasonOf(intent: PendingIntent): StopReason {
  if (intent.by === 'admin') return 'StoppedByAdmin';
  return intent.by === 'windows' ? 'LastWindowClosed' : 'StoppedByPerson';
}

function levelWant(input: OrderInput, closeAtMs: number | null): Want | null {
  const { desired, observed, memory, nowMs } = input;
  const { snapshot } = observed;
  const wanted = snapshot?.wanted ?? false;
  const living = snapshot !== null && snapshot.process !== null && snapshot.state !== 'stopping';
  if (desired.removing === true) {
    return wanted || living ? { op: 'stop', cause: 'uninstalled', requestId: null, reason: 'Uninstalled' } : null;
  }
  if (desired.document === 'desligado') {
    return wanted || living ? { op: 'stop', cause: 'desligado', requestId: null, reason: 'PinnedStopped' } : null;
  }
  // Both the portal's list and the supervisor's own look at the disk must miss the package before anything is ended.
  if (desired.manifest === null) {
    const gone = snapshot !== null && snapshot.installed === null && (wanted || living);
    return gone ? { op: 'stop', cause: 'uninstalled', requestId: null, reason: 'Uninstalled' } : null;
  }
  const failed = snapshot?.state === 'failed';
  // Waiting on X wakes when X changes (design 3 rule 7): other code is worth another try.
  if (failed && (wanted || desired.document === 'ligado') && input.failedHash !== null && desired.installedHash !== input.failedHash) {
    return { op: 'start', cause: 'mended', requestId: null, reason: 'StartRequested' };
  }
  if (desired.document === 'ligado' && !wanted && !failed)
    return { op: 'start', cause: 'ligado', requestId: null, reason: 'PinnedRunning' };
  if (serviceDue(desired, memory, wanted, failed)) {
    return { op: 'start', cause: 'service', requestId: `sessao-${desired.sessionSinceMs}`, reason: 'ServiceStart' };
  }
  if (closeAtMs !== null && nowMs >= closeAtMs) {
    return { op: 'stop', cause: 'windows', requestId: `janelas-${desired.windows?.zeroSinceMs ?? 0}`, reason: 'LastWindowClosed' };
  }
  return null;
}

/** Services start with the session, once in it: whoever stops one is not contradicted. Source: spec 2.1 `kind`. */
function serviceDue(desired: BackendDesired, memory: BackendMemory | null, wanted: boolean, failed: boolean): boolean {
  if (wanted || failed || desired.intent !== null || desired.manifest === null) return false;
  if (!desired.session || desired.sessionSinceMs === null || desired.sessionSinceMs === memory?.autostartedFor) return false;
  return startsWithSession(desired.manifest);
}

/** Absolute time at which the closed windows end the app. Source: spec 3.3 row 7; limits.lastWindowGraceMs. */
function closeDeadline(desired: BackendDesired, snapshot: AppSnapshot | null, startedAtMs: number | null): number | null {
  const { windows, manifest, document } = desired;
  if (snapshot === null || !snapshot.wanted || document === 'ligado' || manifest === null) return null;
  if (windows === null || windows.open > 0 || windows.zeroSinceMs === null) return null;
  if (closePolicy(manifest).kind !== 'encerrar') return null;
  // A start asked for after the last window closed is not undone by that closing (decision 0025).
  if (startedAtMs !== null && startedAtMs > windows.zeroSinceMs) return null;
  return windows.zeroSinceMs + limits.lastWindowGraceMs;
}

function pinWant(desired: BackendDesired, snapshot: AppSnapshot | null): Want | null {
  const pinned = desired.document === 'ligado';
  if (snapshot === null || !snapshot.wanted || snapshot.pinned === pinned) return null;
  return { op: 'pin', cause: 'ligado', requestId: `pin-${pinned}`, pinned };
}

function send(want: Want, { desired, observed, memory, nowMs }: OrderInput): Pick<Order, 'action' | 'sent' | 'towards' | 'resendAtMs'> {
  const previous = memory?.sent ?? null;
  const same =
    previous !== null &&
    previous.op === want.op &&
    previous.cause === want.cause &&
    (want.requestId ?? previous.requestId) === previous.requestId;
  const towards = towardsOf(want, observed.snapshot);
  // Sent in the future: the clock was set back, and nothing says how long ago it was.
  if (same && previous.atMs <= nowMs && nowMs < previous.atMs + limits.supervisorReplyMsMax)
    return { action: null, sent: previous, towards, resendAtMs: previous.atMs + limits.supervisorReplyMsMax };
  const confirmed = same && observed.snapshot?.requestId === previous.requestId;
  const requestId = want.requestId ?? (same && !confirmed ? previous.requestId : `${want.cause}-${nowMs}`);
  const sent: SentOrder = { op: want.op, cause: want.cause, requestId, atMs: nowMs };
  const action = actionOf(want, desired, requestId);
  return { action, sent, towards, resendAtMs: nowMs + limits.supervisorReplyMsMax };
}

function actionOf(want: Want, { person, app, document }: BackendDesired, requestId: string): Action {
  if (want.op === 'pin') return { kind: 'backend/pin', person, app, pinned: want.pinned };
  if (want.op === 'stop') return { kind: 'backend/stop', person, app, requestId, reason: want.reason };
  return { kind: 'backend/start', person, app, order: { pinned: document === 'ligado', requestId } };
}

function towardsOf(want: Want, snapshot: AppSnapshot | null): Order['towards'] {
  if (want.op === 'pin') return null;
  if (want.op === 'start') return { state: 'starting', reason: want.reason };
  const over = snapshot === null || (snapshot.process === null && snapshot.state === 'stopped');
  return over ? null : { state: 'stopping', reason: want.reason };
}
