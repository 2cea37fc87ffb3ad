/**
 * Derives the desired state of the app at this moment: documents are enforced as a level, intents are one-shot commands, and the rest (services,
 * windows) follows rules 3.3. machines/backend.ts decides which order follows, and when it is repeated.
 */
import { windowsEndAtMs, type Wish } from '../machines/backend-order.ts';
import type { Reason } from '../schema/backend.ts';
import type { StopReason } from '../schema/reasons/derived.ts';
import { limits } from './limits.ts';
import { limits as sharedLimits } from '../schema/limits.ts';
import { closePolicy, startsWithSession } from '../schema/manifest/manifest.ts';
import type { AppSnapshot } from '../schema/supervisor-lines.ts';
import type { BackendDesired, BackendMemory, BackendObserved, Bound, Drain, IntentOutcome, PendingIntent } from './backend-types.ts';

export interface Wished {
  readonly wish: Wish;
  readonly finished: { readonly requestId: string; readonly outcome: IntentOutcome; readonly message: string } | null;
  /** See BackendMemory. */
  readonly startedAtMs: number | null;
  /** When windows end the app; null when nothing counts down. */
  readonly closeAtMs: number | null;
  /** See BackendMemory. */
  readonly bound: Bound | null;
  /** When the drain of its server ends the app; null when it does not, or not yet. */
  readonly drainAtMs: number | null;
}

export interface WishInput {
  readonly desired: BackendDesired;
  readonly observed: BackendObserved;
  readonly memory: BackendMemory | null;
  readonly stale: boolean;
  /** See BackendMemory; already brought up to this decision. */
  readonly failedHash: string | null;
  readonly nowMs: number;
}

export function wishOf(input: WishInput): Wished {
  const { desired, observed, memory, nowMs } = input;
  const finished = desired.intent === null ? null : finish(desired.intent, input);
  const startedAtMs = startedAt(desired, finished, memory, nowMs);
  const closedSinceMs = windowsClosedSince(desired, observed.snapshot, startedAtMs, nowMs);
  const closeAtMs = closedSinceMs === null ? null : windowsEndAtMs(closedSinceMs);
  const drainAtMs = drainedAtMs(desired, observed.snapshot, nowMs);
  const bound = boundOf(desired, observed.snapshot, memory?.bound ?? null, nowMs);
  const wish =
    (desired.leaving === true ? nothing : null) ??
    (finished === null ? intentWish(input) : null) ??
    levelWish(input, bound) ??
    (closeAtMs !== null && closeAtMs <= nowMs ? null : pinWish(desired, observed.snapshot)) ??
    (closedSinceMs === null ? nothing : { type: 'windowsClosed', sinceMs: closedSinceMs });
  return { wish, finished, startedAtMs, closeAtMs, drainAtMs, bound };
}

type StartWish = Extract<Wish, { readonly type: 'start' }>;

const nothing: Wish = { type: 'nothing' };

/**
 * Time of the newest start that was carried out, this decision included. Windows that closed far ahead closed before the clock was set back, and so
 * before a start of now: it counts as after them.
 */
function startedAt(
  { intent, windows }: BackendDesired,
  finished: Wished['finished'],
  memory: BackendMemory | null,
  nowMs: number,
): number | null {
  const carriedOut = finished?.outcome === 'done' && intent !== null && intent.wish !== 'stop';
  if (!carriedOut) return memory?.startedAtMs ?? null;
  const closedMs = windows?.zeroSinceMs ?? 0;
  return isAhead(closedMs, nowMs) && !isAhead(intent.atMs, nowMs) ? closedMs + 1 : intent.atMs;
}

/** Whether the intent is over: carried out, refused, or too old. Decision: docs/decisions/0026-intents-are-one-shot.md */
function finish(intent: PendingIntent, { desired, observed, memory, nowMs }: WishInput): Wished['finished'] {
  const { requestId } = intent;
  const { snapshot, refused } = observed;
  if (refused?.requestId === requestId) return { requestId, outcome: 'refused', message: refused.message };
  if (snapshot?.requestId === requestId) return { requestId, outcome: 'done', message: '' };
  if (desired.leaving === true) return { requestId, outcome: 'refused', message: `the document of ${desired.person} was removed` };
  if (intent.wish === 'stop') {
    if (desired.document === 'ligado')
      return { requestId, outcome: 'refused', message: 'a Backend document pins it running (estado: ligado)' };
    // Nothing to stop and nothing under way that could still start it.
    if (snapshot === null && memory?.sent?.op !== 'start') return { requestId, outcome: 'done', message: '' };
    return null;
  }
  const { shutBy } = desired;
  if (shutBy != null) return { requestId, outcome: 'refused', message: shutMessage(desired.person, shutBy) };
  if (desired.document === 'desligado')
    return { requestId, outcome: 'refused', message: 'a Backend document pins it stopped (estado: desligado)' };
  if (desired.removing === true) return { requestId, outcome: 'refused', message: `${desired.app} is being removed` };
  if (desired.drain != null) return { requestId, outcome: 'refused', message: drainMessage(desired.drain) };
  if (desired.manifest === null && (snapshot?.installed ?? null) === null) {
    return { requestId, outcome: 'refused', message: `${desired.app} is not installed for ${desired.person}` };
  }
  if (expired(intent, nowMs)) return { requestId, outcome: 'expired', message: 'could not be carried out in time' };
  return null;
}

export const shutMessage = (person: string, groups: readonly string[]): string =>
  `${person} is in none of the groups that it is for: ${groups.join(', ')}`;

export const drainMessage = ({ server, to }: Drain): string =>
  to === undefined
    ? `${server} is taken out of use: nothing is started there`
    : `the apps of this person go from ${server} to ${to}: nothing is started until they are there`;

/** When the drain stops what lives: at its deadline, or once nobody uses it. A reload of the page closes its windows for a moment. */
function drainedAtMs({ drain, windows }: BackendDesired, snapshot: AppSnapshot | null, nowMs: number): number | null {
  if (drain == null || snapshot === null || !(snapshot.wanted || isAlive(snapshot))) return null;
  const { deadlineMs } = drain;
  // Connections that could not be counted may be there.
  const isUsed = (snapshot.process !== null && snapshot.connections !== 0) || (windows?.open ?? 0) > 0;
  if (isUsed) return deadlineMs;
  const unusedAtMs = windows?.zeroSinceMs == null ? 0 : windowsEndAtMs(closedSince(windows.zeroSinceMs, nowMs));
  return Math.min(unusedAtMs, deadlineMs ?? Infinity);
}

/** How long before its end the person is told. */
export const endToldMs = (msMax: number): number => Math.min(limits.endToldMsMax, msMax * limits.endToldPart);

/**
 * When the administrator's `maximo` ends the process that lives. A document that comes, or becomes shorter, while it runs leaves the time to
 * tell its person; an app that a document pins on has no such end.
 */
function boundOf({ maximoMs, document }: BackendDesired, snapshot: AppSnapshot | null, before: Bound | null, nowMs: number): Bound | null {
  if (maximoMs == null || document === 'ligado' || snapshot?.process == null || !isAlive(snapshot)) return null;
  const { pid, startTicks, startedAtMs } = snapshot.process;
  const isSame = before?.pid === pid && before.startTicks === startTicks && before.msMax === maximoMs;
  // A clock that was set back makes it no longer.
  if (isSame && before.endAtMs <= nowMs + maximoMs) return before;
  const endAtMs = Math.max(Math.min(startedAtMs, nowMs) + maximoMs, nowMs + endToldMs(maximoMs));
  return { pid, startTicks, msMax: maximoMs, endAtMs };
}

const isAlive = ({ process, state }: AppSnapshot): boolean => process !== null && state !== 'stopping';

/** A start must not happen long after it was requested; a stop stays valid. */
export function expired(intent: PendingIntent | null, nowMs: number): boolean {
  return intent !== null && intent.wish !== 'stop' && nowMs - intent.atMs >= limits.startIntentMsMax;
}

function intentWish({ desired: { intent }, stale }: WishInput): Wish | null {
  if (intent === null) return null;
  const { requestId } = intent;
  if (intent.wish === 'stop') return { type: 'stop', cause: 'intent', requestId, reason: stopReasonOf(intent) };
  // Source: rules 3.3 row 11: other code on disk.
  const replace = intent.wish === 'restart' ? stopReasonOf(intent) : stale ? 'HashChanged' : null;
  return { type: 'start', cause: 'intent', requestId, reason: 'StartRequested', replace };
}

function stopReasonOf(intent: PendingIntent): StopReason {
  if (intent.by === 'admin') return 'StoppedByAdmin';
  return intent.by === 'windows' ? 'LastWindowClosed' : 'StoppedByPerson';
}

function start(cause: StartWish['cause'], reason: StartWish['reason']): StartWish {
  return { type: 'start', cause, requestId: null, reason, replace: null };
}

function stop(cause: StartWish['cause'], reason: StopReason): Wish {
  return { type: 'stop', cause, requestId: null, reason };
}

/** A job that ended is submitted again when somebody asks for it. Decision: docs/decisions/0437-backends-on-a-cluster.md */
const jobEnds: ReadonlySet<Reason> = new Set(['JobTimeOver', 'JobEnded', 'ClusterCancelled', 'ClusterRefused']);

/** Rules that hold over any earlier request. */
function levelWish(input: WishInput, bound: Bound | null): Wish | null {
  const { desired, observed, memory, nowMs } = input;
  const { snapshot } = observed;
  const wanted = snapshot?.wanted ?? false;
  const living = snapshot !== null && isAlive(snapshot);
  if (desired.removing === true) {
    return wanted || living ? stop('uninstalled', 'Uninstalled') : null;
  }
  // Decision: docs/decisions/0412-who-sees-a-package.md
  if (desired.shutBy != null) {
    return wanted || living ? stop('shut', 'NotInGroup') : null;
  }
  if (desired.document === 'desligado') {
    return wanted || living ? stop('desligado', 'PinnedStopped') : null;
  }
  // An app is ended only if both the portal's list and the supervisor's own observation miss the package; and a package that a Package
  // object wants may have been deleted by hand and is about to be restored: then the running app is left alone.
  if (desired.manifest === null) {
    if (typeof desired.packageKey === 'string') return null;
    const gone = snapshot !== null && snapshot.installed === null && (wanted || living);
    return gone ? stop('uninstalled', 'Uninstalled') : null;
  }
  if (desired.drain != null) {
    const dueAtMs = drainedAtMs(desired, snapshot, nowMs);
    return dueAtMs !== null && dueAtMs <= nowMs ? stop('drained', 'StoppedByAdmin') : null;
  }
  if (bound !== null && bound.endAtMs <= nowMs) return stop('maximo', 'TimeLimit');
  const failed = snapshot?.state === 'failed';
  // Waiting on X wakes when X changes: other code is worth another try.
  if (failed && (wanted || desired.document === 'ligado') && input.failedHash !== null && desired.installedHash !== input.failedHash) {
    return start('mended', 'StartRequested');
  }
  if (envFileDue(snapshot, memory, nowMs)) return start('rewritten', 'StartRequested');
  const isJobOver = snapshot !== null && jobEnds.has(snapshot.reason);
  if (desired.document === 'ligado' && !wanted && !failed && !isJobOver) return start('ligado', 'PinnedRunning');
  if (serviceDue(desired, memory, wanted, failed)) {
    return { ...start('service', 'ServiceStart'), requestId: `sessao-${desired.sessionSinceMs}` };
  }
  return null;
}

/**
 * The app is wanted and its env file can't be read: a start rewrites it. Once per failure: if it is damaged at once again, rewriting would
 * not help.
 * Decision: docs/decisions/0026-intents-are-one-shot.md
 */
function envFileDue(snapshot: AppSnapshot | null, memory: BackendMemory | null, nowMs: number): boolean {
  if (snapshot?.state !== 'failed' || !snapshot.wanted || snapshot.reason !== 'EnvFileDamaged') return false;
  const last = memory?.sent ?? null;
  const isTried = last?.cause === 'rewritten' && last.requestId === snapshot.requestId;
  return !isTried || nowMs - last.atMs >= sharedLimits.failureResetMs;
}

/** Services start with the session, once in it: a person's stop is not overridden. Source: rules 2.1 `kind`. */
function serviceDue(desired: BackendDesired, memory: BackendMemory | null, wanted: boolean, failed: boolean): boolean {
  if (wanted || failed || desired.intent !== null || desired.manifest === null) return false;
  if (!desired.session || desired.sessionSinceMs === null || desired.sessionSinceMs === memory?.autostartedFor) return false;
  return startsWithSession(desired.manifest);
}

/** It was before the clock was set back, nobody knows how long. */
const isAhead = (atMs: number, nowMs: number): boolean => atMs - nowMs > sharedLimits.lastWindowGraceMs;

/** The grace of a closing that lies ahead is over. */
const closedSince = (zeroSinceMs: number, nowMs: number): number =>
  isAhead(zeroSinceMs, nowMs) ? nowMs - sharedLimits.lastWindowGraceMs : zeroSinceMs;

/** Since when no window keeps the app; null while that ends nothing. Source: rules 3.3 rows 7 to 9, supervisor rule 4. */
function windowsClosedSince(
  desired: BackendDesired,
  snapshot: AppSnapshot | null,
  startedAtMs: number | null,
  nowMs: number,
): number | null {
  const { windows, manifest, document } = desired;
  if (snapshot === null || !snapshot.wanted || document === 'ligado' || manifest === null) return null;
  if (windows === null || windows.open > 0 || windows.zeroSinceMs === null) return null;
  if (closePolicy(manifest).kind !== 'encerrar') return null;
  // A start far ahead was before the clock was set back, and windows closed since.
  const isOfAnotherClock = startedAtMs !== null && isAhead(startedAtMs, nowMs) && windows.zeroSinceMs <= nowMs;
  // A start asked for after the last window closed is not undone by that closing (decision 0025).
  const isStartedAfter = startedAtMs !== null && startedAtMs > windows.zeroSinceMs && !isOfAnotherClock;
  return isStartedAfter ? null : closedSince(windows.zeroSinceMs, nowMs);
}

function pinWish(desired: BackendDesired, snapshot: AppSnapshot | null): Wish | null {
  const pinned = desired.document === 'ligado';
  return snapshot === null || !snapshot.wanted || snapshot.pinned === pinned ? null : { type: 'pin', pinned };
}
