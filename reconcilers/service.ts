/**
 * A server-scope app (rules 2.1 `escopo: servidor`): one backend for all people of a server, kept by the server's service manager. The portal starts
 * and stops nothing: it sees whether the app answers (rules 3.2), shows every person the same, and keeps its portal credential (decision 0203).
 */
import { probeVerdict } from '../machines/probe-verdict.ts';
import { limits } from '../schema/limits.ts';
import { backendStates, type BackendState, type Reason } from '../schema/backend.ts';
import type { Action } from './actions.ts';
import { unseenReason, type BackendDecision, type BackendDesired, type BackendMemory, type Reachability } from './backend-types.ts';
import { stampConditions, type ConditionMemory } from './conditions.ts';
import type { Decision } from './decision.ts';
import { fields, among, number, orNull, remember, since, type MemoryShape } from './memory.ts';

export interface ServiceProbe {
  /** 0 is the spec's 000. */
  readonly code: number;
  readonly atMs: number;
}

/** State of the service's portal credential. */
export interface ServiceCredential {
  readonly unit: 'active' | 'stopped' | 'changing';
  /** A start of the unit has read what is written. */
  readonly taken: boolean;
  /** Scopes of the credential that is written; null: none is, or one that is not in force. */
  readonly scopes: string | null;
  /** Something is written, be it in force or not. */
  readonly written: boolean;
}

export interface ServiceDesired {
  readonly server: string;
  readonly app: string;
  /** Scopes of the portal credential that the manifest declares, separated by spaces; '' for none. */
  readonly scopes: string;
}

export interface ServiceObserved {
  readonly host: Reachability;
  /** Newest probe; null before the first one, or when no account is there to probe as. */
  readonly probe: ServiceProbe | null;
  /** Null: not known now. */
  readonly credential: ServiceCredential | null;
}

export interface ServiceMemory {
  readonly state: BackendState;
  readonly sinceMs: number;
  /** First probe of the silence that lasts; null while it answers. */
  readonly silentSinceMs: number | null;
  readonly since: ConditionMemory;
}

export const serviceMemory: MemoryShape<ServiceMemory> = {
  version: 1,
  read: fields<ServiceMemory>({ state: among(backendStates), sinceMs: number, silentSinceMs: orNull(number), since }),
};

export interface ServiceDecision extends Decision<ServiceMemory> {
  readonly state: BackendState;
  readonly ready: boolean;
}

export function decideService(
  desired: ServiceDesired,
  observed: ServiceObserved,
  memory: ServiceMemory | null,
  nowMs: number,
): ServiceDecision {
  const { host, probe } = observed;
  const answers = probe !== null && probeVerdict(probe.code).ready;
  const silentSinceMs = probe === null || answers ? null : (memory?.silentSinceMs ?? probe.atMs);
  const status = statusOf(host, probe, answers, silentSinceMs, nowMs);
  const ready = status.state === 'running';
  const truth = status.state === 'unknown' ? 'Unknown' : ready ? 'True' : 'False';
  const stamped = stampConditions(
    [{ type: 'Ready', status: truth, reason: status.reason, message: status.message }],
    memory?.since,
    0,
    nowMs,
  );
  const sinceMs = memory?.state === status.state ? memory.sinceMs : nowMs;
  const next: ServiceMemory = { state: status.state, sinceMs, silentSinceMs, since: stamped.memory };
  const actions = credentialActions(desired, observed);
  return { actions, ...status, ready, conditions: stamped.conditions, nextDeadlineMs: null, memory: remember(memory, next) };
}

/** The credential that a process had ends with it: the next start finds another. Decision: docs/decisions/0203-server-scope-credential.md */
function credentialActions({ server, app, scopes }: ServiceDesired, { host, credential }: ServiceObserved): readonly Action[] {
  if (credential === null || host.status !== 'reachable') return [];
  const { unit, taken, scopes: given, written } = credential;
  if (scopes === '') return written ? [{ kind: 'service/take', server, app }] : [];
  if (given !== scopes || (unit === 'stopped' && taken)) return [{ kind: 'service/give', server, app }];
  return unit === 'active' && !taken ? [{ kind: 'service/restart', server, app }] : [];
}

interface Status {
  readonly state: BackendState;
  readonly reason: Reason;
  readonly message: string;
}

function statusOf(host: Reachability, probe: ServiceProbe | null, answers: boolean, silentSinceMs: number | null, nowMs: number): Status {
  if (host.status === 'unreachable') return { state: 'unknown', reason: unseenReason(host), message: host.message };
  if (host.status === 'unknown' || probe === null) {
    return { state: 'unknown', reason: 'NotObservedYet', message: 'it was not asked yet, or no person has an account there to ask as' };
  }
  if (answers) return { state: 'running', reason: 'Healthy', message: `answers its health probe with ${probe.code}` };
  const unit = 'its unit is kept by the service manager of the server';
  const isSlow = silentSinceMs !== null && nowMs - silentSinceMs >= limits.serviceSocketMsMax;
  if (probe.code === 0) {
    const message = `nothing answers on its socket; ${unit}`;
    return isSlow ? { state: 'failed', reason: 'SocketRefused', message } : { state: 'starting', reason: 'Probing', message };
  }
  return { state: isSlow ? 'failed' : 'starting', reason: 'AnswersError', message: `answers its health probe with ${probe.code}` };
}

const unheardOf = { state: 'unknown', reason: 'NotObservedYet', message: 'its server was not looked at yet', ready: false } as const;

/** The status for one person. A wish to start or stop it ends at once: only the service manager does that. */
export function decideShared(
  desired: BackendDesired,
  service: ServiceDecision | null,
  memory: BackendMemory | null,
  nowMs: number,
): BackendDecision {
  const { state, reason, message, ready } = service ?? unheardOf;
  const status = state === 'unknown' ? 'Unknown' : ready ? 'True' : 'False';
  const stamped = stampConditions([{ type: 'Ready', status, reason, message }], memory?.since, desired.generation, nowMs);
  const told = { reason, sinceMs: service?.memory.sinceMs ?? nowMs, last: null, saw: null };
  const same = memory?.context.reason === reason && memory.state === state;
  const next: BackendMemory = {
    state,
    context: same ? memory.context : told,
    start: null,
    sent: null,
    autostartedFor: null,
    startedAtMs: null,
    failedHash: null,
    bound: null,
    since: stamped.memory,
  };
  return {
    actions: [],
    state,
    reason,
    message,
    ready,
    stale: false,
    endsAtMs: null,
    finishedIntent: desired.intent?.requestId ?? null,
    outcome: desired.intent === null ? null : 'refused',
    conditions: stamped.conditions,
    nextDeadlineMs: null,
    memory: remember(memory, next),
  };
}
