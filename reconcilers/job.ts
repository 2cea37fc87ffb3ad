/**
 * A job of the queue: desired is the stored submission with its wishes, observed is what the cluster lists under the job's own name and what the
 * wrapper said. A job is looked for by name before it is handed over again, and one whose cluster can't be read is unknown, never failed.
 * Decision: docs/decisions/0211-the-queue.md
 */
import { advanceJob, jobDeadlineMs, newJob, type JobEffect, type JobLife, type JobRest, type JobSight } from '../machines/job.ts';
import type { Condition, Reason } from '../schema/backend.ts';
import { endStates, jobStates, type JobOutcome, type JobState, type ReportState } from '../schema/jobs.ts';
import type { Action } from './actions.ts';
import { earliest, stampConditions, type ConditionMemory } from './conditions.ts';
import type { Decision } from './decision.ts';
import { limits } from './limits.ts';
import { among, fields, number, orNull, remember, since, type MemoryShape } from './memory.ts';

export interface JobDesired {
  readonly id: string;
  readonly cluster: string;
  readonly createdAtMs: number;
  readonly released: boolean;
  readonly attemptAtMs: number | null;
  readonly accepted: boolean;
  readonly cancel: boolean;
  readonly outcome: JobOutcome | null;
  readonly forgotten: boolean;
  readonly expiresAtMs: number | null;
  /** How long it is kept once it ended. */
  readonly keptMs: number;
}

/** A job as a cluster lists it. Source: controller/clusters/cluster.ts. */
export interface JobSeen {
  readonly state: 'waiting' | 'running' | 'ended' | 'failed' | 'cancelled';
  readonly note: string;
  readonly exitCode: number | null;
  readonly startedAtMs: number | null;
  readonly endedAtMs: number | null;
}

export interface JobObserved {
  /** `missing`: no document says what this cluster is. `changed`: the document names another engine than the one that the job was handed to. */
  readonly cluster: 'reachable' | 'unreachable' | 'unknown' | 'missing' | 'changed';
  readonly clusterMessage: string;
  /** The last list was begun after the last attempt had ended. */
  readonly listed: boolean;
  readonly seen: JobSeen | null;
  readonly report: { readonly estado: ReportState; readonly codigo: number | null; readonly atMs: number } | null;
  readonly startedAtMs: number | null;
  /** Outputs that were announced and did not arrive, or were not taken. */
  readonly outputsMissing: boolean;
  /** Message of the cluster that refused the job. */
  readonly refused: string | null;
}

export interface JobMemory extends JobLife {
  readonly since: ConditionMemory;
}

export const jobMemory: MemoryShape<JobMemory> = {
  version: 1,
  read: fields<JobMemory>({
    state: among(jobStates),
    attempts: number,
    nextAtMs: number,
    missingSinceMs: orNull(number),
    endedSinceMs: orNull(number),
    since,
  }),
};

export interface JobDecision extends Decision<JobMemory> {
  readonly state: JobState;
}

export function decideJob(desired: JobDesired, observed: JobObserved, memory: JobMemory | null, nowMs: number): JobDecision {
  const { next, effects } = advanceJob(lifeOf(memory), eventsOf(desired, observed, nowMs));
  const actions = effects.map((effect) => actionOf(effect, desired, observed, nowMs));
  const { reason, message } = statusOf(next.state, desired, observed);
  const ready: Condition['status'] = next.state === 'desconhecido' ? 'Unknown' : next.state === 'terminado' ? 'True' : 'False';
  const progressing: Condition['status'] = desired.outcome === null ? (next.state === 'desconhecido' ? 'Unknown' : 'True') : 'False';
  // Nothing else comes of a write that the store refused.
  const isWritten = actions.some(({ kind }) => kind === 'job/settle' || kind === 'job/drop');
  const stamped = stampConditions(
    [
      { type: 'Ready', status: ready, reason, message },
      { type: 'Progressing', status: progressing, reason, message },
    ],
    memory?.since,
    0,
    nowMs,
  );
  return {
    state: next.state,
    reason,
    message,
    actions,
    conditions: stamped.conditions,
    nextDeadlineMs: earliest(nowMs, [deadlineOf(next, desired, observed, nowMs), isWritten ? nowMs + limits.jobWriteRetryMs : null]),
    memory: remember(memory, { ...next, since: stamped.memory }),
  };
}

function lifeOf(memory: JobMemory | null): JobLife {
  if (memory === null) return newJob;
  const { state, attempts, nextAtMs, missingSinceMs, endedSinceMs } = memory;
  return { state, attempts, nextAtMs, missingSinceMs, endedSinceMs };
}

type Events = Parameters<typeof advanceJob>[1];

function eventsOf(desired: JobDesired, observed: JobObserved, nowMs: number): Events {
  const { outcome, createdAtMs } = desired;
  if (outcome !== null)
    return [
      { type: 'settled', state: outcome.estado, nowMs },
      { type: restOf(desired, observed, nowMs), nowMs },
    ];
  const type = sightOf(desired, observed, nowMs);
  // A job that has just succeeded is not cancelled any more.
  const cancel = desired.cancel && !(type === 'finished' && observed.report?.codigo === 0);
  return [{ type, cancel, waitedTooLong: nowMs - createdAtMs >= limits.jobWaitMsMax, nowMs }];
}

export function sightOf(desired: JobDesired, observed: JobObserved, nowMs: number): JobSight {
  const { released, attemptAtMs, accepted } = desired;
  const { cluster, listed, seen, report, refused } = observed;
  if (!released) return 'held';
  if (report?.estado === 'terminado') return 'finished';
  const isReadable = cluster === 'reachable';
  if (isReadable && listed && seen !== null && isOver(seen)) return 'ended';
  const heard = report !== null && nowMs - report.atMs < limits.jobHeardMs;
  if (heard) return report.estado === 'a-enviar' ? 'sending' : 'running';
  if (seen === null && refused !== null) return 'refused';
  if (seen === null && attemptAtMs === null && !accepted) return isReadable ? 'absent' : 'unsent';
  // Nobody will ever say more of it: only a wish to cancel leads on.
  if (isLost(cluster) && desired.cancel) return 'absent';
  if (!isReadable || (!listed && seen === null)) return 'unread';
  if (seen !== null) return seen.state === 'waiting' ? 'waiting' : report?.estado === 'a-enviar' ? 'sending' : 'running';
  return accepted || report !== null ? 'missing' : 'absent';
}

const isLost = (cluster: JobObserved['cluster']): boolean => cluster === 'missing' || cluster === 'changed';

const isOver = ({ state }: JobSeen): boolean => state === 'ended' || state === 'failed' || state === 'cancelled';

function restOf(
  { attemptAtMs, accepted, forgotten, expiresAtMs }: JobDesired,
  { cluster, seen, listed }: JobObserved,
  nowMs: number,
): JobRest {
  const expired = expiresAtMs !== null && nowMs >= expiresAtMs;
  // A cluster that no document names any more keeps what it keeps.
  const clean = forgotten || isLost(cluster) || (attemptAtMs === null && !accepted);
  if (seen !== null && listed && !isOver(seen)) return 'alive';
  if (clean) return expired ? 'expired' : 'clean';
  return cluster === 'reachable' && listed ? 'kept' : 'clean';
}

function actionOf(effect: JobEffect, desired: JobDesired, observed: JobObserved, nowMs: number): Action {
  const job = desired.id;
  if (effect.kind !== 'settle') return { kind: `job/${effect.kind}`, job };
  const outcome = outcomeOf(effect.as, desired, observed, nowMs);
  return { kind: 'job/settle', job, outcome, expiresAtMs: nowMs + desired.keptMs };
}

type SettledAs = Extract<JobEffect, { readonly kind: 'settle' }>['as'];

function outcomeOf(as: SettledAs, { cluster }: JobDesired, observed: JobObserved, nowMs: number): JobOutcome {
  const { seen, report } = observed;
  const times = {
    iniciadoEm: observed.startedAtMs ?? seen?.startedAtMs ?? null,
    terminadoEm: report?.estado === 'terminado' ? report.atMs : (seen?.endedAtMs ?? nowMs),
  };
  const codigo = report?.codigo ?? seen?.exitCode ?? null;
  if (as === 'cancelled') {
    const message = isLost(observed.cluster) ? `the cluster ${cluster} is gone, and could not confirm it` : 'cancelled on request';
    return { estado: 'cancelado', reason: 'JobCancelled', message, codigo, ...times };
  }
  if (as === 'waited')
    return { estado: 'cancelado', reason: 'JobWaitedTooLong', message: 'its turn did not come in a month', codigo: null, ...times };
  if (as === 'refused') return { estado: 'falhou', reason: 'JobRefused', message: observed.refused ?? '', codigo: null, ...times };
  if (as === 'missing') {
    const message = `the cluster ${cluster} took it and does not know it any more, and it said nothing of its end`;
    return { estado: 'falhou', reason: 'JobLost', message, codigo, ...times };
  }
  return { ...endOf(codigo, observed), codigo, ...times };
}

function endOf(codigo: number | null, { seen, report, outputsMissing }: JobObserved): Pick<JobOutcome, 'estado' | 'reason' | 'message'> {
  // Its wrapper ends one whose time is over with the code of `timeout`, and reports it before the cluster was observed again.
  const known = seen !== null && seen.note !== '' ? seen.note : codigo === 124 ? 'its time was over: limites.segundos, or timeout' : '';
  const note = known === '' ? '' : ` (${known})`;
  if (report?.estado !== 'terminado' && seen?.state === 'cancelled')
    return { estado: 'cancelado', reason: 'JobCancelled', message: `cancelled on the cluster${note}` };
  if (codigo !== null && codigo !== 0) return { estado: 'falhou', reason: 'CommandFailed', message: `exit code ${codigo}${note}` };
  if (report?.estado !== 'terminado' && seen?.state !== 'ended')
    return { estado: 'falhou', reason: 'JobFailed', message: `the cluster ended it${note}` };
  const whole = report?.estado === 'terminado' && !outputsMissing;
  return whole
    ? { estado: 'terminado', reason: 'JobDone', message: 'exit code 0' }
    : { estado: 'terminado', reason: 'OutputsIncomplete', message: `exit code ${codigo ?? 0}; not all of its outputs are here` };
}

interface Told {
  readonly reason: Reason;
  readonly message: string;
}

function statusOf(state: JobState, desired: JobDesired, observed: JobObserved): Told {
  if (desired.outcome !== null) return { reason: desired.outcome.reason, message: desired.outcome.message };
  if (state === 'desconhecido' || (state === 'a-submeter' && observed.cluster !== 'reachable')) return whyUnread(desired, observed);
  if (desired.cancel && state !== 'em-espera') return { reason: 'CancelRequested', message: 'the cluster is asked to end it' };
  const note = observed.seen?.note ?? '';
  const told: Readonly<Record<Exclude<JobState, (typeof endStates)[number] | 'desconhecido'>, Told>> = {
    'em-espera': { reason: 'JobHeld', message: `waits for its turn on ${desired.cluster}` },
    'a-submeter': { reason: 'JobSubmitting', message: `is handed to ${desired.cluster}` },
    'na-fila': { reason: 'JobQueued', message: note },
    'a-correr': { reason: 'JobRunning', message: `on ${desired.cluster}` },
    'a-recolher': { reason: 'JobCollecting', message: 'its outputs come in' },
  };
  return told[state as keyof typeof told] ?? { reason: 'JobCollecting', message: '' };
}

function whyUnread({ cluster }: JobDesired, { cluster: is, clusterMessage }: JobObserved): Told {
  if (is === 'missing') return { reason: 'ClusterMissing', message: `no document names the cluster ${cluster}` };
  if (is === 'changed')
    return {
      reason: 'ClusterChanged',
      message: `${cluster} is another engine now than the one that took it, which can't be asked any more`,
    };
  if (is === 'unreachable') return { reason: 'ClusterUnreachable', message: clusterMessage };
  return { reason: 'NotObservedYet', message: `the jobs of ${cluster} are being read` };
}

function deadlineOf(
  next: JobLife,
  { outcome, expiresAtMs, createdAtMs, released }: JobDesired,
  { report }: JobObserved,
  nowMs: number,
): number | null {
  if (outcome !== null) return earliest(nowMs, [expiresAtMs, jobDeadlineMs(next, nowMs)]);
  const held = released ? null : createdAtMs + limits.jobWaitMsMax;
  const silent = report === null ? null : report.atMs + limits.jobHeardMs;
  return earliest(nowMs, [jobDeadlineMs(next, nowMs), held, silent]);
}
