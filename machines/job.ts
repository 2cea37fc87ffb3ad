/**
 * A job of the queue, as data: from held back to its end, and its remains on the cluster after that. Each pass sends the machine the
 * current observation of the job; states follow from that alone, so that a lost memory never runs a job twice. Only deadlines are
 * remembered. Effects order work on the cluster; nothing here does I/O or knows the time. Decision: docs/decisions/0211-the-queue.md
 */
import { doubledMs } from '../schema/backoff.ts';
import type { EndState, JobState } from '../schema/jobs.ts';
import { and, setup } from 'xstate';
import { limits } from './limits.ts';
import { stepsOf } from './step.ts';

export interface JobContext {
  /** Acts on the cluster since the job last changed its state, and when the next one may be. */
  readonly attempts: number;
  readonly nextAtMs: number;
  /** The cluster took it and does not list it since then. */
  readonly missingSinceMs: number | null;
  /** The cluster says that it is over, and the wrapper has not said so, since then. */
  readonly endedSinceMs: number | null;
}

export interface JobLife extends JobContext {
  readonly state: JobState;
}

/** Observation of the job at this moment. */
export type JobSight =
  /** The portal holds it back. */
  | 'held'
  /** Let go, and never handed to a cluster that can't be read. */
  | 'unsent'
  /** The cluster can't be read, or was last read before the last attempt ended. */
  | 'unread'
  /** A list made after the last attempt does not have it. */
  | 'absent'
  /** The same, and the cluster took it before. */
  | 'missing'
  /** The cluster said no for good. */
  | 'refused'
  | 'waiting'
  | 'running'
  /** The wrapper sends outputs. */
  | 'sending'
  /** The cluster says that it is over. */
  | 'ended'
  /** The wrapper says that everything arrived. */
  | 'finished';

/** Observation of a job that has its outcome. */
export type JobRest =
  /** It runs on the cluster all the same. */
  | 'alive'
  /** The cluster may keep something of it. */
  | 'kept'
  /** Nothing of it is left there. */
  | 'clean'
  /** The same, and nobody may see it any longer. */
  | 'expired';

type JobEvent =
  | { readonly type: JobSight; readonly cancel: boolean; readonly waitedTooLong: boolean; readonly nowMs: number }
  | { readonly type: 'settled'; readonly state: EndState; readonly nowMs: number }
  | { readonly type: JobRest; readonly nowMs: number };

/** `settle`: how it ended is written down, in the word that says why. */
export type JobEffect =
  | { readonly kind: 'submit' | 'cancel' | 'forget' | 'drop' }
  | { readonly kind: 'settle'; readonly as: 'ended' | 'cancelled' | 'refused' | 'missing' | 'waited' };

export const newJob: JobLife = { state: 'em-espera', attempts: 0, nextAtMs: 0, missingSinceMs: null, endedSinceMs: null };

/** After attempt n at the cluster the next one waits for 1 s, 2 s, 4 s … a minute. */
export function jobBackoffMs(attempts: number): number {
  return doubledMs(500, attempts, limits.jobRetryMsMax);
}

const base = setup({
  types: { context: {} as JobContext, events: {} as JobEvent, input: {} as JobContext },
  actions: {
    submit: () => {},
    cancel: () => {},
    forget: () => {},
    drop: () => {},
    settle: (_action, _params: { readonly as: 'ended' | 'cancelled' | 'refused' | 'missing' | 'waited' }) => {},
  },
  guards: {
    cancelled: ({ event }) => 'cancel' in event && event.cancel,
    waitedTooLong: ({ event }) => 'waitedTooLong' in event && event.waitedTooLong,
    // Further ahead than the longest wait: the clock was set back.
    due: ({ context, event }) => event.nowMs >= context.nextAtMs || context.nextAtMs - event.nowMs > limits.jobRetryMsMax,
    missingTooLong: ({ context, event }) =>
      context.missingSinceMs !== null && event.nowMs - context.missingSinceMs >= limits.jobMissingMsMax,
    collected: ({ context, event }) => context.endedSinceMs !== null && event.nowMs - context.endedSinceMs >= limits.jobCollectMsMax,
    done: ({ event }) => event.type === 'settled' && event.state === 'terminado',
    failed: ({ event }) => event.type === 'settled' && event.state === 'falhou',
  },
});

const count = base.assign(({ context, event }) => ({
  attempts: context.attempts + 1,
  nextAtMs: event.nowMs + jobBackoffMs(context.attempts + 1),
}));
const seen = base.assign({ missingSinceMs: null, endedSinceMs: null });
const over = base.assign({ attempts: 0, nextAtMs: 0, missingSinceMs: null, endedSinceMs: null });
const noteMissing = base.assign(({ context, event }) => ({ missingSinceMs: context.missingSinceMs ?? event.nowMs }));
const noteEnded = base.assign(({ context, event }) => ({ missingSinceMs: null, endedSinceMs: context.endedSinceMs ?? event.nowMs }));
const settle = <As extends 'ended' | 'cancelled' | 'refused' | 'missing' | 'waited'>(as: As) =>
  ({ type: 'settle', params: { as } }) as const;

/** On the cluster, in that state; a requested cancel is repeated until the cluster reports the end. */
const on = <Target extends string>(target: Target) =>
  [
    { guard: and(['cancelled', 'due']), target: `#job.open.${target}`, actions: [seen, count, 'cancel'] },
    { target: `#job.open.${target}`, actions: [seen] },
  ] as const;

export const jobMachine = base.createMachine({
  id: 'job',
  initial: 'open',
  context: ({ input }) => input,
  states: {
    open: {
      initial: 'em-espera',
      on: {
        held: [
          { guard: 'cancelled', actions: [settle('cancelled')] },
          { guard: 'waitedTooLong', actions: [settle('waited')] },
          { target: '.em-espera' },
        ],
        unsent: [{ guard: 'cancelled', actions: [settle('cancelled')] }, { target: '.a-submeter' }],
        unread: on('desconhecido'),
        absent: [
          { guard: 'cancelled', actions: [settle('cancelled')] },
          { guard: 'due', target: '.a-submeter', actions: [seen, count, 'submit'] },
          { target: '.a-submeter', actions: [seen] },
        ],
        missing: [
          { guard: 'cancelled', actions: [settle('cancelled')] },
          { guard: 'missingTooLong', actions: [settle('missing')] },
          { actions: [noteMissing] },
        ],
        refused: [{ guard: 'cancelled', actions: [settle('cancelled')] }, { actions: [settle('refused')] }],
        waiting: on('na-fila'),
        running: on('a-correr'),
        sending: on('a-recolher'),
        ended: [
          { guard: 'cancelled', actions: [settle('cancelled')] },
          { guard: 'collected', actions: [settle('ended')] },
          { target: '.a-recolher', actions: [noteEnded] },
        ],
        finished: [
          { guard: 'cancelled', actions: [settle('cancelled')] },
          { target: '.a-recolher', actions: [settle('ended')] },
        ],
        settled: [
          { guard: 'done', target: 'over.terminado', actions: [over] },
          { guard: 'failed', target: 'over.falhou', actions: [over] },
          { target: 'over.cancelado', actions: [over] },
        ],
      },
      states: { 'em-espera': {}, 'a-submeter': {}, 'na-fila': {}, 'a-correr': {}, 'a-recolher': {}, desconhecido: {} },
    },
    over: {
      initial: 'terminado',
      on: {
        alive: [{ guard: 'due', actions: [count, 'cancel'] }],
        kept: [{ guard: 'due', actions: [count, 'forget'] }],
        expired: [{ actions: ['drop'] }],
      },
      states: { terminado: {}, falhou: {}, cancelado: {} },
    },
  },
});

const steps = stepsOf(jobMachine);
const ends: readonly JobState[] = ['terminado', 'falhou', 'cancelado'] satisfies readonly EndState[];

/** Where the job is after these events, and what is to be done, in this order. */
export function advanceJob(
  { state, ...context }: JobLife,
  events: readonly JobEvent[],
): { readonly next: JobLife; readonly effects: readonly JobEffect[] } {
  const value = (ends.includes(state) ? { over: state } : { open: state }) as Parameters<typeof steps>[0];
  const { value: at, context: after, effects } = steps(value, context)(events);
  return { next: { state: Object.values(at)[0] as JobState, ...after }, effects };
}

/** When the machine has something to do without news; null: only news can change something. */
export function jobDeadlineMs({ state, missingSinceMs, endedSinceMs, nextAtMs }: JobLife, nowMs: number): number | null {
  const times = [
    missingSinceMs === null ? null : missingSinceMs + limits.jobMissingMsMax,
    endedSinceMs === null ? null : endedSinceMs + limits.jobCollectMsMax,
    state === 'em-espera' ? null : nextAtMs,
  ].filter((time): time is number => time !== null && time > nowMs);
  return times.length === 0 ? null : Math.min(...times);
}
