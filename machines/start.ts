/**
 * The start of one process, from its appearance to the verdict (spec 3.2, rows 2 and 3 of table 3.3). Data only: used through
 * xstate's pure `transition` by reconcilers/backend-probe.ts, rebuilt each time from what was remembered. No timers: `nextAtMs` is the
 * absolute time of the next probe, and an effect `probe` comes out when it is due.
 */
import { assign, setup } from 'xstate';
import { limits } from '../schema/limits.ts';
import { probeVerdict } from './probe-verdict.ts';

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
  /** The socket was seen listening; its first sight pulls the next probe forward. */
  readonly listening: boolean;
}

export type StartEvent =
  /** Time passes. `inFlight`: a probe is out, so that none is sent. */
  | { readonly type: 'tick'; readonly nowMs: number; readonly inFlight: boolean }
  | { readonly type: 'listening'; readonly nowMs: number }
  | { readonly type: 'deaf' }
  | { readonly type: 'answered'; readonly attempt: number; readonly code: number; readonly nowMs: number };

/** Wait before the attempt after the n-th: 1 s within the fifteen of the spec, then 5, 10, 20, 30, 30… s. */
export function probeWaitMs(attempts: number): number {
  if (attempts < limits.probeAttemptsMax) return limits.probeIntervalMs;
  return Math.min(limits.probeSlowIntervalMs * 2 ** Math.min(attempts - limits.probeAttemptsMax, 10), limits.probeSlowIntervalMsMax);
}

export type StartValue = 'probing' | 'slow' | 'ready';

export function freshStart(process: { readonly pid: number; readonly startTicks: number }, nowMs: number): StartContext {
  return {
    pid: process.pid,
    startTicks: process.startTicks,
    sinceMs: nowMs,
    attempts: 0,
    answered: 0,
    code: null,
    nextAtMs: nowMs,
    listening: false,
  };
}

const base = setup({
  types: { context: {} as StartContext, events: {} as StartEvent, input: {} as StartContext },
  actions: {
    /** The one effect: send probe number `attempt`. */
    probe: (_action, _params: { readonly attempt: number }) => undefined,
  },
  guards: {
    due: ({ context, event }) => event.type === 'tick' && !event.inFlight && event.nowMs >= context.nextAtMs,
    dueAndExhausted: ({ context, event }) =>
      event.type === 'tick' && !event.inFlight && event.nowMs >= context.nextAtMs && context.attempts >= limits.probeAttemptsMax,
    saysReady: ({ event }) => event.type === 'answered' && probeVerdict(event.code).ready,
    lastAttempt: ({ event }) => event.type === 'answered' && event.attempt >= limits.probeAttemptsMax,
  },
});

const takeAnswer = base.assign(({ event }) => (event.type === 'answered' ? { answered: event.attempt, code: event.code } : {}));
const countAttempt = base.assign(({ context, event }) =>
  event.type === 'tick' ? { attempts: context.attempts + 1, nextAtMs: event.nowMs + probeWaitMs(context.attempts + 1) } : {},
);
const sendProbe = { type: 'probe', params: ({ context }: { readonly context: StartContext }) => ({ attempt: context.attempts }) } as const;

export const startMachine = base.createMachine({
  id: 'start',
  context: ({ input }) => input,
  initial: 'probing',
  on: {
    // Edge of the socket: the answer may be there already, so that no second is lost (decision 0027).
    listening: { actions: assign(({ event }) => ({ listening: true, nextAtMs: event.nowMs })) },
    deaf: { actions: assign({ listening: false }) },
  },
  states: {
    probing: {
      on: {
        tick: [
          // The answer to the fifteenth was lost (portal restarted): the schedule goes on all the same.
          { guard: 'dueAndExhausted', target: 'slow', actions: [countAttempt, sendProbe] },
          { guard: 'due', actions: [countAttempt, sendProbe] },
        ],
        answered: [
          // Source: spec 3.3 row 2: a ready code within 15 attempts.
          { guard: 'saysReady', target: 'ready', actions: takeAnswer },
          // Source: spec 3.3 row 3: 15 attempts exhausted, starting with ready: false.
          { guard: 'lastAttempt', target: 'slow', actions: takeAnswer },
          { actions: takeAnswer },
        ],
      },
    },
    slow: {
      on: {
        tick: { guard: 'due', actions: [countAttempt, sendProbe] },
        answered: [{ guard: 'saysReady', target: 'ready', actions: takeAnswer }, { actions: takeAnswer }],
      },
    },
    // Stays until the process is another one: from here on the supervisor watches it.
    ready: {},
  },
});
