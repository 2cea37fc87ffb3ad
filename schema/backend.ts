/**
 * Words for the life of a backend, shared by the supervisor (on the server), the controller and the pages: states, reasons, conditions and the
 * snapshot that a supervisor publishes. Source: rules 3.3 and 2.6.
 */
import type { reasonRows } from './reasons/rows.ts';

/**
 * Spec 3.3 names stopped, starting, running and failed; the rest is ours. The same seven words are used in status.json, the API, the pages
 * and the command line. `backoff`: the process ended and the next start is due at `nextAttemptAtMs`. `unknown`: the server can't be seen,
 * which is never shown as `stopped`.
 */
export const backendStates = ['stopped', 'starting', 'running', 'stopping', 'backoff', 'failed', 'unknown'] as const;
export type BackendState = (typeof backendStates)[number];

/** schema/reasons/rows.ts has a row for each. */
export type Reason = keyof typeof reasonRows;

export const conditionTypes = ['Ready', 'Progressing', 'Reachable', 'Contained', 'Stale', 'Installed', 'Drift', 'Paused'] as const;

/** Kubernetes-like condition. `sinceMs` is the wall time of the last change of `status`; 0: nobody knows. */
export interface Condition {
  readonly type: (typeof conditionTypes)[number];
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: Reason;
  readonly message: string;
  readonly observedGeneration: number;
  readonly sinceMs: number;
}

/** Identity of a process: the pid alone proves nothing. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Field 22 of /proc/PID/stat, clock ticks after boot. */
  readonly startTicks: number;
  readonly bootId: string;
}

export const startSteps = ['package', 'install', 'gpu', 'spawn', 'socket', 'probe'] as const;
export type StartStep = (typeof startSteps)[number];

/** In the message of an app that left the process which is watched (rules 3.1 step 7: run.pid is the backend). */
export const wentToBackground = 'went to the background';

export function howItEnded({ code, signal }: { readonly code: number | null; readonly signal: string | null }): string {
  if (signal !== null) return `ended by ${signal}`;
  return code === null ? 'the process ended' : `exit code ${code}`;
}
