/** State of a process from its appearance to the verdict, and when it is probed (rules 3.2). Driven by machines/backend.ts. */
import { doubledMs } from '../schema/backoff.ts';
import { limits } from './limits.ts';
import { limits as sharedLimits } from '../schema/limits.ts';

export interface StartContext {
  /** Identity of the process the attempts count for. */
  readonly pid: number;
  readonly startTicks: number;
  /** When the first attempt became due. */
  readonly sinceMs: number;
  /** Probes sent so far. */
  readonly attempts: number;
  /** Number of the last attempt whose answer was taken in. */
  readonly answered: number;
  /** Code of that answer; null before the first. */
  readonly code: number | null;
  readonly nextAtMs: number;
  /** The socket was seen listening; the first time, the next probe is sent earlier. */
  readonly listening: boolean;
}

export type StartValue = 'probing' | 'slow' | 'ready';

/** Wait before the attempt after the n-th: 1 s within the fifteen of the spec, then 5, 10, 20, 30, 30… s. */
export function probeWaitMs(attempts: number): number {
  if (attempts < sharedLimits.probeAttemptsMax) return sharedLimits.probeIntervalMs;
  return doubledMs(limits.probeSlowIntervalMs, attempts - sharedLimits.probeAttemptsMax + 1, limits.probeSlowIntervalMsMax);
}

/** The first probe is due at once. */
export function freshStart(process: Pick<StartContext, 'pid' | 'startTicks' | 'listening'>, nowMs: number): StartContext {
  const { pid, startTicks, listening } = process;
  return { pid, startTicks, sinceMs: nowMs, attempts: 0, answered: 0, code: null, nextAtMs: nowMs, listening };
}

/** After the clock was set back: the schedule would wait for years, and every answer would be older than the start. */
export function isAheadOfClock({ sinceMs, nextAtMs }: StartContext, nowMs: number): boolean {
  return sinceMs > nowMs || nextAtMs - nowMs > limits.probeSlowIntervalMsMax;
}
