/**
 * The life of one backend as the portal drives it (rules 3.3 with the probes of 3.2). The part that the person's supervisor drives, keeping
 * a process alive, is machines/supervision.ts. Data only: reconcilers/backend.ts sends the desired state and the observations as events and
 * gets the state, the verdict and the effects back; the value and context are rebuilt from its memory for each decision.
 *
 * Three regions: `life` is what people are shown, `probes` the health of the current process, `orders` the orders to the supervisor. The
 * events of one decision come in that order: the desired state, the process with its probes, then the supervisor's report about the app.
 */
import { and, not, setup, stateIn } from 'xstate';
import type { BackendState, Reason } from '../schema/backend.ts';
import { limits } from '../schema/limits.ts';
import { endsFirst, orderOf, windowsEndAtMs, type Facts, type SentOrder, type Wish } from './backend-order.ts';
import type { StopReason } from '../schema/reasons/derived.ts';
import { freshStart, isAheadOfClock, probeWaitMs, type StartContext, type StartValue } from './backend-start.ts';
import { probeVerdict } from './probe-verdict.ts';
import { stepsOf } from './step.ts';
import type { EffectOf } from './effects.ts';

interface Context {
  /** Why `life` is what it is. */
  readonly reason: Reason;
  /** Probing of the current process; null while `probes` is none. */
  readonly start: StartContext | null;
  readonly sent: SentOrder | null;
}

/** The supervisor's state of the app. Source: states of machines/supervision.ts; rules 3.3. */
export type Saw =
  | 'sawStopped'
  /** The env file is there and no process yet, or one is being set up. */
  | 'sawComing'
  | 'sawLiving'
  | 'sawEnding'
  | 'sawBackoff'
  | 'sawFailed'
  /** The supervisor can't read what is the app's. */
  | 'sawNothing'
  /** The app can't be observed at all. */
  | 'sightLost'
  /** The supervisor was ended because nothing was wanted. */
  | 'supervisorEnded';

type Because<Type extends string> = Type extends string ? { readonly type: Type; readonly reason: Reason } : never;
export type BackendEvent =
  | (Wish & Facts)
  | Because<Saw>
  | { readonly type: 'process'; readonly pid: number; readonly startTicks: number; readonly listening: boolean }
  /**
   * No process could answer: there is none, it is ending, or set-up before the process image is the app. Source: rules 3.1 steps 4 to 6.
   */
  | { readonly type: 'noProcess' }
  | { readonly type: 'answered'; readonly pid: number; readonly attempt: number; readonly code: number; readonly atMs: number }
  /** Time passes. `inFlight`: a probe is out, so that none is sent. */
  | { readonly type: 'tick'; readonly inFlight: boolean };
type Timed = BackendEvent & { readonly nowMs: number };
type Args = { readonly context: Context; readonly event: Timed };

type WishEvent = Extract<Timed, Facts>;
const isWish = (event: Timed): event is WishEvent => 'confirmed' in event;

const base = setup({
  types: { context: {} as Context, events: {} as Timed, input: {} as Context },
  actions: {
    /** `isMend`: not on request, but because a damaged env file is rewritten. */
    start: (_action, _params: { readonly requestId: string; readonly isMend: boolean }) => undefined,
    stop: (_action, _params: { readonly requestId: string; readonly reason: StopReason }) => undefined,
    pin: (_action, _params: { readonly pinned: boolean }) => undefined,
    /** Send probe number `attempt`. */
    probe: (_action, _params: { readonly attempt: number }) => undefined,
  },
  guards: {
    endsFirst: ({ context, event }) => isWish(event) && endsFirst(context.sent, event, event),
    living: ({ event }) => isWish(event) && event.living,
    over: ({ event }) => isWish(event) && event.over,
    due: ({ context, event }) => isWish(event) && orderOf(context.sent, event, event, event.nowMs) !== null,
    graceOver: ({ event }) => event.type === 'windowsClosed' && event.nowMs >= windowsEndAtMs(event.sinceMs),
    /** A process started from a rewritten file: the next damage is a new case. */
    rewritten: ({ context, event }) => isWish(event) && event.process && context.sent?.cause === 'rewritten',
    another: ({ context: { start }, event }) =>
      event.type === 'process' && (start === null || start.pid !== event.pid || start.startTicks !== event.startTicks),
    aheadOfClock: ({ context: { start }, event }) => start !== null && isAheadOfClock(start, event.nowMs),
    socketAppeared: ({ context: { start }, event }) => event.type === 'process' && event.listening && start?.listening === false,
    socketGone: ({ context: { start }, event }) => event.type === 'process' && !event.listening && start?.listening === true,
    probeDue: ({ context: { start }, event }) =>
      event.type === 'tick' && !event.inFlight && start !== null && event.nowMs >= start.nextAtMs,
    exhausted: ({ context: { start } }) => start !== null && start.attempts >= limits.probeAttemptsMax,
    /** Answers of an earlier process, or older than the start, or taken in already, say nothing. */
    news: ({ context: { start }, event }) =>
      event.type === 'answered' &&
      start !== null &&
      event.pid === start.pid &&
      event.atMs >= start.sinceMs &&
      event.attempt > start.answered &&
      event.attempt <= start.attempts,
    ready: ({ event }) => event.type === 'answered' && probeVerdict(event.code).ready,
    lastAttempt: ({ event }) => event.type === 'answered' && event.attempt >= limits.probeAttemptsMax,
  },
});

const setReason = base.assign(({ event }) => ('reason' in event ? { reason: event.reason } : {}));
const setReplaceReason = base.assign(({ event }) => (event.type === 'start' && event.replace !== null ? { reason: event.replace } : {}));
const setClosedReason = base.assign({ reason: 'LastWindowClosed' });

const note = base.assign(({ context, event }) => (isWish(event) ? { sent: orderOf(context.sent, event, event, event.nowMs) } : {}));
const forget = base.assign({ sent: null });
const sentId = ({ context }: Args): string => context.sent?.requestId ?? '';
const start = {
  type: 'start',
  params: (args: Args) => ({ requestId: sentId(args), isMend: args.context.sent?.cause === 'rewritten' }),
} as const;
const stopFor = (reasonOf: (event: Timed) => StopReason) =>
  ({ type: 'stop', params: (args: Args) => ({ requestId: sentId(args), reason: reasonOf(args.event) }) }) as const;
const stop = stopFor((event) => (event.type === 'stop' ? event.reason : 'LastWindowClosed'));
const stopFirst = stopFor((event) => (event.type === 'start' && event.replace !== null ? event.replace : 'HashChanged'));
const pin = { type: 'pin', params: ({ event }: Args) => ({ pinned: event.type === 'pin' && event.pinned }) } as const;

const changeStart = (change: (start: StartContext, event: Timed) => Partial<StartContext>) =>
  base.assign(({ context, event }) => (context.start === null ? {} : { start: { ...context.start, ...change(context.start, event) } }));
const begin = base.assign(({ event }) => (event.type === 'process' ? { start: freshStart(event, event.nowMs) } : {}));
const drop = base.assign({ start: null });
// The answer may be there already, so that no second is lost.
const pullProbe = changeStart((_, { nowMs }) => ({ listening: true, nextAtMs: nowMs }));
const goDeaf = changeStart(() => ({ listening: false }));
const takeAnswer = changeStart((_, event) => (event.type === 'answered' ? { answered: event.attempt, code: event.code } : {}));
const countAttempt = changeStart(({ attempts }, { nowMs }) => ({ attempts: attempts + 1, nextAtMs: nowMs + probeWaitMs(attempts + 1) }));
const probe = { type: 'probe', params: ({ context }: Args) => ({ attempt: context.start?.attempts ?? 0 }) } as const;

const socket = [
  { guard: 'aheadOfClock', target: 'probing', actions: [begin] },
  { guard: and([not('another'), 'socketAppeared']), actions: [pullProbe] },
  { guard: and([not('another'), 'socketGone']), actions: [goDeaf] },
] as const;

export const backendMachine = base.createMachine({
  id: 'backend',
  context: ({ input }) => input,
  type: 'parallel',
  states: {
    life: {
      initial: 'seen',
      on: {
        start: [
          // Source: rules 3.3 row 11: other code on disk, so the old process ends and the next start uses it.
          { guard: 'endsFirst', target: '.stopOrdered', actions: [setReplaceReason] },
          // Source: rules 3.3 row 1. A start requested for a living app changes nothing visible.
          { guard: not('living'), target: '.startOrdered', actions: [setReason] },
        ],
        stop: { guard: not('over'), target: '.stopOrdered', actions: [setReason] },
        // Source: rules 3.3 row 7.
        windowsClosed: { guard: and(['graceOver', not('over')]), target: '.stopOrdered', actions: [setClosedReason] },
        sightLost: { target: '.seen.unknown', actions: [setReason] },
        supervisorEnded: { target: '.seen.stopped', actions: [setReason] },
      },
      states: {
        seen: {
          initial: 'unknown',
          on: {
            sawStopped: { target: '.stopped', actions: [setReason] },
            sawComing: { target: '.starting', actions: [setReason] },
            sawLiving: [
              // Source: rules 3.3 row 2: a ready code within 15 attempts; a later one is as good.
              { guard: stateIn({ probes: 'ready' }), target: '.running', actions: [setReason] },
              // Source: rules 3.3 row 3: exhausted attempts leave it starting.
              { target: '.starting', actions: [setReason] },
            ],
            sawEnding: { target: '.stopping', actions: [setReason] },
            // Source: rules 3.3 rows 4 to 6; the supervisor counts and waits.
            sawBackoff: { target: '.backoff', actions: [setReason] },
            sawFailed: { target: '.failed', actions: [setReason] },
            sawNothing: { target: '.unknown', actions: [setReason] },
          },
          states: { stopped: {}, starting: {}, running: {}, stopping: {}, backoff: {}, failed: {}, unknown: {} },
        },
        // The order is shown, regardless of the supervisor's last report; left when the desired state is withdrawn or reached.
        startOrdered: {},
        stopOrdered: {},
      },
    },
    probes: {
      initial: 'none',
      on: {
        // A dead pid ends probing at once.
        noProcess: { target: '.none', actions: [drop] },
        process: { guard: 'another', target: '.probing', actions: [begin] },
      },
      states: {
        none: {},
        probing: {
          on: {
            process: socket,
            tick: [
              // The answer to the fifteenth was lost (portal restarted): the schedule goes on all the same.
              { guard: and(['probeDue', 'exhausted']), target: 'slow', actions: [countAttempt, probe] },
              { guard: 'probeDue', actions: [countAttempt, probe] },
            ],
            answered: [
              { guard: and(['news', 'ready']), target: 'ready', actions: [takeAnswer] },
              { guard: and(['news', 'lastAttempt']), target: 'slow', actions: [takeAnswer] },
              { guard: 'news', actions: [takeAnswer] },
            ],
          },
        },
        slow: {
          on: {
            process: socket,
            tick: { guard: 'probeDue', actions: [countAttempt, probe] },
            answered: [
              { guard: and(['news', 'ready']), target: 'ready', actions: [takeAnswer] },
              { guard: 'news', actions: [takeAnswer] },
            ],
          },
        },
        // Stays until the process is another one: from here on the supervisor watches it.
        ready: {},
      },
    },
    orders: {
      initial: 'open',
      // The last order is data (`sent`): the same order waits for its confirmation and is sent again after that.
      states: {
        open: {
          on: {
            start: [
              { guard: and(['due', 'endsFirst']), actions: [note, stopFirst] },
              { guard: 'due', actions: [note, start] },
            ],
            stop: { guard: 'due', actions: [note, stop] },
            windowsClosed: [
              { guard: and(['due', 'graceOver']), actions: [note, stop] },
              { guard: 'rewritten', actions: [forget] },
            ],
            pin: { guard: 'due', actions: [note, pin] },
            nothing: { guard: 'rewritten', actions: [forget] },
            // Whether an order arrived is unknown: it is sent again as soon as the supervisor answers.
            sightLost: { actions: [forget] },
            supervisorEnded: { actions: [forget] },
          },
        },
      },
    },
  },
});

export type BackendEffect = EffectOf<typeof backendMachine>;

/** The machine's state as a decision remembers it. */
export interface BackendLife {
  readonly state: BackendState;
  readonly reason: Reason;
  readonly start: { readonly value: StartValue; readonly context: StartContext } | null;
  readonly sent: SentOrder | null;
}

export interface BackendAdvance extends BackendLife {
  /** The state rests on an order that is under way and not on what was seen. */
  readonly ordered: 'start' | 'stop' | null;
  /** To be carried out in this order. */
  readonly effects: readonly BackendEffect[];
}

export function seen(type: Saw, reason: Reason): BackendEvent {
  // Each of them has just a reason; TypeScript does not try that many combinations.
  return { type, reason } as BackendEvent;
}

const steps = stepsOf(backendMachine);

/** Takes the events of one decision in their order; each call says where all events so far have led. Pure. */
export function advanceBackend(before: BackendLife, nowMs: number): (...events: readonly BackendEvent[]) => BackendAdvance {
  const { state, reason, start: known, sent } = before;
  const take = steps(
    { life: { seen: state }, probes: known?.value ?? 'none', orders: 'open' },
    { reason, start: known?.context ?? null, sent },
  );
  const timed = (event: BackendEvent): Timed => ({ ...event, nowMs });
  return (...events) => {
    const { value, context, effects } = take(events.map(timed));
    const { life, probes } = value;
    const ordered = life === 'startOrdered' ? 'start' : life === 'stopOrdered' ? 'stop' : null;
    return {
      state: typeof life === 'object' ? life.seen : ordered === 'start' ? 'starting' : 'stopping',
      reason: context.reason,
      start: probes === 'none' || context.start === null ? null : { value: probes, context: context.start },
      sent: context.sent,
      ordered,
      effects,
    };
  };
}
