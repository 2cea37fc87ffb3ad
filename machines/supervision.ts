/**
 * Keeping one app of one person alive, as data (rules 3.3 with its backoff). Nothing here does I/O or knows the time: every event carries
 * `nowMs`, every wait is an absolute deadline in the state, and all work comes out as effects. The supervisor (kit/supervise) and the
 * simulator drive the same machine.
 *
 * `Supervision` is plain JSON: status.json keeps it across a death of the supervisor, and a simulator clones it.
 */
import { doubledMs } from '../schema/backoff.ts';
import { setup } from 'xstate';
import type { Reason } from '../schema/backend.ts';
import type { RetryClass } from '../schema/errors.ts';
import { limits } from './limits.ts';
import { limits as sharedLimits } from '../schema/limits.ts';
import { stepsOf } from './step.ts';

export type SupervisionState = 'stopped' | 'starting' | 'running' | 'stopping' | 'backoff' | 'failed';

interface Context {
  /** Why the app is in this state. */
  readonly reason: Reason;
  /** Consecutive failures. */
  readonly failures: number;
  readonly lastFailureAtMs: number | null;
  /** In backoff and failed: when to launch again. Null in failed: not before a request or a change. */
  readonly nextAttemptAtMs: number | null;
  /** In stopping: when SIGKILL is due. */
  readonly killAtMs: number | null;
  /** In stopping: start again once the old process is gone. */
  readonly relaunch: boolean;
}

export interface Supervision extends Context {
  readonly state: SupervisionState;
}

export type SupervisionEvent =
  /**
   * A start was requested. Legal in every state and always resets the failures. `isMend`: not requested, the portal rewrote a damaged env
   * file.
   */
  | { readonly type: 'START'; readonly reason: Reason; readonly isMend?: boolean }
  /** The env file is there and no process is: found by a scan, so it resets nothing. Source: rules 3.3, supervisor rule 2. */
  | { readonly type: 'WANTED' }
  /** A living process of the app was found that this supervisor did not launch, or the launched one is listening. */
  | { readonly type: 'PROCESS_SEEN'; readonly listening: boolean }
  /** The process ended while it was wanted. `reason` is Crashed, ExitedAtOnce, OutOfMemory… */
  | { readonly type: 'PROCESS_DIED'; readonly reason: Reason }
  /** The launcher refused. terminal: until asked; waiting: look again later, costs no failure; transient: a failure. */
  | { readonly type: 'LAUNCH_REFUSED'; readonly reason: Reason; readonly retry: RetryClass }
  /** The cause of a terminal refusal changed (package, secrets, engine on disk). */
  | { readonly type: 'WAKE' }
  /** Legal in every state. */
  | { readonly type: 'STOP'; readonly reason: Reason }
  /** The running code or token is not the wanted one: end the process and start again. Source: rules 3.3, last row. */
  | { readonly type: 'REPLACE'; readonly reason: Reason }
  /** No process of the group is left. */
  | { readonly type: 'GONE' }
  /** Time passed; sent at or after `nextDeadlineMs`. Harmless at any other time. */
  | { readonly type: 'TICK' };

export type SupervisionEffect =
  /** Run the steps of rules 3.1. Answered by PROCESS_SEEN, PROCESS_DIED or LAUNCH_REFUSED. */
  | { readonly kind: 'launch' }
  /** SIGTERM to the whole group. Answered by GONE, at once when there is nothing to end. */
  | { readonly kind: 'terminate' }
  /** SIGKILL to the whole group. Answered by GONE. */
  | { readonly kind: 'kill' }
  /**
   * Removes the env file, which stands for the desired run. Always the first effect of a stop, so that the app is not restarted. Source:
   * rules 3.3.
   */
  | { readonly kind: 'deleteEnv' }
  /** SIGKILL to what a dead leader left behind in its group: never two processes of one app. */
  | { readonly kind: 'sweep' };

type Timed = SupervisionEvent & { readonly nowMs: number };

export const stoppedSupervision: Supervision = {
  state: 'stopped',
  reason: 'NeverStarted',
  failures: 0,
  lastFailureAtMs: null,
  nextAttemptAtMs: null,
  killAtMs: null,
  relaunch: false,
};

/**
 * Wait before the relaunch that follows so many failures in a row: 1 s, 2 s, 4 s, 8 s, … up to 60 s. Source: rules 3.3 (`2^n` capped at 60 s; n
 * counts the relaunches before, Decision: docs/decisions/0361-when-an-app-is-relaunched.md).
 */
export function backoffMs(failures: number): number {
  return doubledMs(1_000, failures, sharedLimits.restartBackoffMsMax);
}

const replacing: ReadonlySet<Reason> = new Set<Reason>(['HashChanged', 'SocketLost']);

const idle = { nextAttemptAtMs: null, killAtMs: null, relaunch: false } as const;
const forgiven = { failures: 0, lastFailureAtMs: null } as const;

/** Failures counting this one; 600 s of silence before it make it the first again. */
function failuresWith(context: Context, nowMs: number): number {
  const silent = context.lastFailureAtMs !== null && nowMs - context.lastFailureAtMs >= sharedLimits.failureResetMs;
  return silent ? 1 : context.failures + 1;
}

const isDue = (deadlineMs: number | null, nowMs: number): boolean => deadlineMs !== null && nowMs >= deadlineMs;
const silenceEndsMs = (context: Context): number | null =>
  context.lastFailureAtMs === null ? null : context.lastFailureAtMs + sharedLimits.failureResetMs;

const base = setup({
  types: { context: {} as Context, events: {} as Timed, input: {} as Supervision },
  actions: { launch: () => {}, terminate: () => {}, kill: () => {}, deleteEnv: () => {}, sweep: () => {} },
  guards: {
    fifthFailure: ({ context, event }) => failuresWith(context, event.nowMs) >= sharedLimits.restartFailuresMax,
    /**
     * The service manager of the account went and took the app with it, or the installer ended it because its code changed (rules 3.3
     * `--force`): neither costs a failure.
     */
    notItsFault: ({ event }) => event.type === 'PROCESS_DIED' && (event.reason === 'LingerBroken' || event.reason === 'HashChanged'),
    terminal: ({ event }) => event.type === 'LAUNCH_REFUSED' && event.retry === 'terminal',
    waiting: ({ event }) => event.type === 'LAUNCH_REFUSED' && event.retry === 'waiting',
    listening: ({ event }) => event.type === 'PROCESS_SEEN' && event.listening,
    attemptDue: ({ context, event }) => isDue(context.nextAttemptAtMs, event.nowMs),
    killDue: ({ context, event }) => isDue(context.killAtMs, event.nowMs),
    silent: ({ context, event }) => isDue(silenceEndsMs(context), event.nowMs),
    waitsForChange: ({ context }) => context.nextAttemptAtMs === null,
    relaunch: ({ context }) => context.relaunch,
  },
});

const reasonOf = (event: Timed, otherwise: Reason): Reason => ('reason' in event ? event.reason : otherwise);

const begin = base.assign(({ event }) => ({ ...idle, ...forgiven, reason: reasonOf(event, 'StartRequested') }));
const retry = base.assign({ ...idle });
const resumeWish = base.assign({ ...idle, reason: 'StartRequested' });
const forgive = base.assign({ ...forgiven });
const countFailure = base.assign(({ context, event }) => ({
  ...idle,
  reason: reasonOf(event, 'Crashed'),
  failures: failuresWith(context, event.nowMs),
  lastFailureAtMs: event.nowMs,
}));
const noteLoss = base.assign(({ event }) => ({ ...idle, reason: reasonOf(event, 'LingerBroken') }));
const wait = base.assign(({ context, event }) => ({ nextAttemptAtMs: event.nowMs + backoffMs(context.failures) }));
const giveUp = base.assign(({ event }) => ({ nextAttemptAtMs: event.nowMs + sharedLimits.failureResetMs }));
const refuse = base.assign(({ event }) => ({ ...idle, reason: reasonOf(event, 'Invalid') }));
const refuseForNow = base.assign(({ event }) => ({
  ...idle,
  reason: reasonOf(event, 'DiskFull'),
  nextAttemptAtMs: event.nowMs + sharedLimits.restartBackoffMsMax,
}));
const beginStop = base.assign(({ event }) => ({
  ...idle,
  ...forgiven,
  reason: reasonOf(event, 'StoppedByPerson'),
  killAtMs: event.nowMs + limits.stopGraceMs,
}));
/** Other code gets a new chance; the same code, whose socket was lost, neither a failure nor forgiveness. */
const beginReplace = base.assign(({ event }) => ({
  ...idle,
  ...(reasonOf(event, 'HashChanged') === 'SocketLost' ? {} : forgiven),
  reason: reasonOf(event, 'HashChanged'),
  killAtMs: event.nowMs + limits.stopGraceMs,
  relaunch: true,
}));
const stopInstead = base.assign(({ context, event }) => ({
  relaunch: false,
  reason: context.relaunch ? reasonOf(event, 'StoppedByPerson') : context.reason,
}));
/** A replacement stays the reason of the start; a stop that was withdrawn does not. */
const relaunched = base.assign(({ context }) => ({ ...idle, reason: replacing.has(context.reason) ? context.reason : 'StartRequested' }));
const ended = base.assign(({ context, event }) => ({ ...idle, ...forgiven, reason: reasonOf(event, context.reason) }));
const adopt = base.assign({ ...idle, reason: 'Adopted' });
const nowListening = base.assign(({ context }) => ({ ...idle, reason: context.reason === 'Adopted' ? 'Adopted' : 'Listening' }) as const);

/** Transitions after a death or a failed launch. */
const failure = [
  { guard: 'notItsFault', target: 'starting', actions: ['sweep', noteLoss, 'launch'] },
  { guard: 'fifthFailure', target: 'failed', actions: ['sweep', countFailure, giveUp] },
  { target: 'backoff', actions: ['sweep', countFailure, wait] },
] as const;
const refusal = [
  { guard: 'terminal', target: 'failed', actions: [refuse] },
  { guard: 'waiting', target: 'backoff', actions: [refuseForNow] },
  ...failure,
] as const;
const stopLiving = { target: 'stopping', actions: [beginStop, 'deleteEnv', 'terminate'] } as const;
const stopDead = { target: 'stopped', actions: [ended, 'deleteEnv'] } as const;
const replace = { target: 'stopping', actions: [beginReplace, 'terminate'] } as const;
const startNow = { target: 'starting', actions: [begin, 'launch'] } as const;
const seen = [
  { guard: 'listening', target: 'running', actions: [adopt] },
  { target: 'starting', actions: [adopt] },
] as const;

/** The table of rules 3.3 as far as the supervisor moves it; probes and windows are the controller's. */
export const supervisionMachine = base.createMachine({
  id: 'supervision',
  initial: 'stopped',
  context: ({ input }) => input,
  states: {
    stopped: {
      on: {
        START: startNow,
        WANTED: { target: 'starting', actions: [resumeWish, 'launch'] },
        PROCESS_SEEN: seen,
        STOP: stopDead,
      },
    },
    starting: {
      on: {
        START: { actions: [forgive] },
        PROCESS_SEEN: { guard: 'listening', target: 'running', actions: [nowListening] },
        PROCESS_DIED: failure,
        LAUNCH_REFUSED: refusal,
        STOP: stopLiving,
        REPLACE: replace,
        TICK: { guard: 'silent', actions: [forgive] },
      },
    },
    running: {
      on: {
        START: { actions: [forgive] },
        PROCESS_DIED: failure,
        STOP: stopLiving,
        REPLACE: replace,
        TICK: { guard: 'silent', actions: [forgive] },
      },
    },
    stopping: {
      on: {
        START: { actions: [base.assign({ relaunch: true })] },
        WANTED: { actions: [base.assign({ relaunch: true })] },
        // Where it was being replaced this is what ends it.
        STOP: { actions: [stopInstead, 'deleteEnv'] },
        GONE: [
          { guard: 'relaunch', target: 'starting', actions: [relaunched, 'launch'] },
          { target: 'stopped', actions: [ended] },
        ],
        // A process that outlives SIGKILL (uninterruptible sleep) is killed again until it is gone.
        TICK: {
          guard: 'killDue',
          actions: [base.assign(({ event }) => ({ killAtMs: event.nowMs + limits.stopKillMsMax - limits.stopGraceMs })), 'kill'],
        },
      },
    },
    backoff: {
      on: {
        START: startNow,
        PROCESS_SEEN: seen,
        WAKE: { target: 'starting', actions: [retry, 'launch'] },
        STOP: stopDead,
        TICK: { guard: 'attemptDue', target: 'starting', actions: [retry, 'launch'] },
      },
    },
    failed: {
      on: {
        START: startNow,
        PROCESS_SEEN: seen,
        WAKE: { guard: 'waitsForChange', target: 'starting', actions: [retry, 'launch'] },
        STOP: stopDead,
        // A further chance with a clean counter. Source: rules 3.3.
        TICK: { guard: 'attemptDue', target: 'starting', actions: [retry, forgive, 'launch'] },
      },
    },
  },
});

const steps = stepsOf(supervisionMachine);

/** Advances by one event: the next state and the effects, in this order. Pure; events that mean nothing in a state change nothing. */
export function advance(
  supervision: Supervision,
  event: SupervisionEvent,
  nowMs: number,
): { readonly next: Supervision; readonly effects: readonly SupervisionEffect[] } {
  const { state, ...context } = supervision;
  const { value, context: after, effects } = steps(state, context)([{ ...event, nowMs }]);
  return { next: { state: value, ...after }, effects };
}

/**
 * How often the app was relaunched without a request, after `event` in `before`. A request resets it; other code on the disk is no fault of
 * the app; a repaired file continues the launch that was counted already.
 */
export function restartsAfter(
  restarts: number,
  before: Supervision,
  event: SupervisionEvent,
  effects: readonly SupervisionEffect[],
): number {
  const isAsked = (event.type === 'START' && event.isMend !== true) || event.type === 'WANTED';
  const isLaunch = effects.some(({ kind }) => kind === 'launch');
  // A start that comes while the app is being stopped is carried out when it is gone.
  if (isAsked && (isLaunch || (before.state === 'stopping' && !before.relaunch))) return 0;
  if (!isLaunch) return restarts;
  const isOwn =
    event.type === 'TICK' ||
    (event.type === 'PROCESS_DIED' && event.reason !== 'HashChanged') ||
    (event.type === 'GONE' && before.reason === 'SocketLost');
  return isOwn ? restarts + 1 : restarts;
}

/**
 * The same with no deadline further ahead than its longest wait and no failure in the future: after the wall clock was set back (or a
 * status.json of another clock was taken over) an app waits its wait once more, never the years between the clocks.
 */
export function heldToClock(supervision: Supervision, nowMs: number): Supervision {
  const waitMsMax = supervision.state === 'failed' ? sharedLimits.failureResetMs : sharedLimits.restartBackoffMsMax;
  const atMost = (timeMs: number | null, aheadMs: number): number | null => (timeMs === null ? null : Math.min(timeMs, nowMs + aheadMs));
  const lastFailureAtMs = atMost(supervision.lastFailureAtMs, 0);
  const nextAttemptAtMs = atMost(supervision.nextAttemptAtMs, waitMsMax);
  const killAtMs = atMost(supervision.killAtMs, limits.stopGraceMs);
  const isHeld =
    lastFailureAtMs === supervision.lastFailureAtMs && nextAttemptAtMs === supervision.nextAttemptAtMs && killAtMs === supervision.killAtMs;
  return isHeld ? supervision : { ...supervision, lastFailureAtMs, nextAttemptAtMs, killAtMs };
}

/** When TICK is due next, or null when only an event can change something. */
export function nextDeadlineMs(supervision: Supervision): number | null {
  const { state } = supervision;
  if (state === 'stopped') return null;
  if (state === 'stopping') return supervision.killAtMs;
  if (state === 'backoff' || state === 'failed') return supervision.nextAttemptAtMs;
  return silenceEndsMs(supervision);
}
