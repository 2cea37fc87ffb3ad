/**
 * Whether a running app still answers, once it was ready: a cheap check now and then, three unanswered ones before it counts as silent, and
 * one answer to revoke that. Pure: events carry observations, deadlines are absolute, and the output is whether to ask the app now. No
 * process is ended: an app that computes for minutes in one thread looks the same. Decision: docs/decisions/0137-what-runs-still-answers.md
 */
import { limits } from './limits.ts';

export interface Health {
  /** silent: asked and not answered. suspended: its process is stopped by a signal, and is not asked. */
  readonly verdict: 'well' | 'silent' | 'suspended';
  /** Looks in a row without an answer. */
  readonly misses: number;
  readonly nextCheckMs: number;
  /** Since when each check found the process stopped. */
  readonly stoppedSinceMs: number | null;
  /** Time of the last answer; at first the time from which it was watched. */
  readonly answeredAtMs: number;
}

export type HealthEvent =
  /** A pass of the supervisor, a deadline of this machine, or (doubted) a request that waits for the app. */
  | {
      readonly type: 'CHECKED';
      readonly isStopped: boolean;
      readonly isAsking: boolean;
      readonly isUsed: boolean;
      readonly isDoubted: boolean;
    }
  | { readonly type: 'ANSWERED' }
  | { readonly type: 'MISSED' };

export interface HealthStep {
  readonly next: Health;
  /** Ask the app now, and wait so long for its first byte; null: do not. */
  readonly askMsMax: number | null;
}

/** `spread` from 0 to 1 distributes the first checks of many apps. */
export function freshHealth(nowMs: number, spread: number): Health {
  const nextCheckMs = nowMs + limits.healthFirstCheckMs * (1 + spread);
  return { verdict: 'well', misses: 0, nextCheckMs, stoppedSinceMs: null, answeredAtMs: nowMs };
}

export function advanceHealth(health: Health, event: HealthEvent, nowMs: number): HealthStep {
  if (event.type === 'CHECKED') return event.isStopped ? whileStopped(health, nowMs) : whileGoing(health, event, nowMs);
  if (event.type === 'ANSWERED') {
    const next: Health = {
      verdict: 'well',
      misses: 0,
      nextCheckMs: nowMs + limits.healthCheckMs,
      stoppedSinceMs: null,
      answeredAtMs: nowMs,
    };
    return { next, askMsMax: null };
  }
  const misses = health.misses + 1;
  const verdict = misses >= limits.healthMissesMax || health.verdict === 'suspended' ? 'silent' : health.verdict;
  return { next: { ...health, verdict, misses, nextCheckMs: nowMs + limits.healthAgainMs }, askMsMax: null };
}

/** Checked every second: a debugger stops a process for moments, and SIGCONT has to be seen soon. */
function whileStopped(health: Health, nowMs: number): HealthStep {
  const stoppedSinceMs = Math.min(health.stoppedSinceMs ?? nowMs, nowMs);
  const verdict = nowMs - stoppedSinceMs >= limits.healthAgainMs ? 'suspended' : health.verdict;
  return { next: { ...health, verdict, stoppedSinceMs, nextCheckMs: nowMs + limits.healthAgainMs }, askMsMax: null };
}

function whileGoing(before: Health, event: Extract<HealthEvent, { readonly type: 'CHECKED' }>, nowMs: number): HealthStep {
  const health: Health = before.stoppedSinceMs === null ? before : { ...before, stoppedSinceMs: null };
  // A slow request asks again and again: an answer holds for a while.
  const holdsMs = event.isDoubted ? limits.healthDoubtMs : event.isUsed ? limits.healthUsedCheckMs : Infinity;
  const dueMs = Math.min(health.nextCheckMs, health.answeredAtMs + holdsMs);
  const isDue = isPast(dueMs, nowMs);
  if (event.isAsking || !isDue) return { next: health, askMsMax: null };
  // A single question stays open while the app is silent: many would fill its backlog, and this one is answered as soon as it goes on.
  const askMsMax = health.verdict === 'silent' ? limits.healthSilentAskMsMax : limits.healthAskMsMax;
  return { next: { ...health, nextCheckMs: nowMs + askMsMax }, askMsMax };
}

/** A deadline further away than the longest wait is a clock that was set back. */
const isPast = (dueMs: number, nowMs: number): boolean => nowMs >= dueMs || dueMs - nowMs > limits.healthCheckMs;

/** Well, and no question is due: as long as nobody uses the app, only its process could be stopped. */
export function isLeftAlone(health: Health, nowMs: number): boolean {
  return nextHealthMs(health) === null && !isPast(health.nextCheckMs, nowMs);
}

/** Time of a check that is due before the next pass, or null. */
export function nextHealthMs(health: Health): number | null {
  return health.verdict === 'well' && health.misses === 0 && health.stoppedSinceMs === null ? null : health.nextCheckMs;
}
