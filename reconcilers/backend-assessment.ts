/**
 * Assesses what the supervisor reported and what the probes found: an observation with a reason and a sentence. machines/backend.ts derives the
 * state.
 * Source: rules 3.2 and 3.3.
 */
import { probeVerdict, unbound } from '../machines/probe-verdict.ts';
import { limits } from '../schema/limits.ts';
import type { Saw } from '../machines/backend.ts';
import type { Reason } from '../schema/backend.ts';
import { stopped } from '../schema/reasons/backends.ts';
import { answering, silent } from '../schema/reasons/derived.ts';
import { rowOf } from '../schema/reasons/rows.ts';
import type { AppSnapshot } from '../schema/supervisor-lines.ts';
import {
  unseenReason,
  type BackendDesired,
  type BackendMemory,
  type BackendObserved,
  type Drain,
  type ProbeResult,
} from './backend-types.ts';
import { drainMessage, shutMessage } from './backend-orders.ts';
import { keepsSupervisor } from './supervisor-process.ts';

export interface Assessment {
  readonly saw: Saw;
  readonly reason: Reason;
  readonly message: string;
}

type Start = NonNullable<BackendMemory['start']>;

/** The assessment while the app can't be observed; null when it can. Unknown never becomes stopped. */
export function unobservable(desired: BackendDesired, observed: BackendObserved, memory: BackendMemory | null): Assessment | null {
  const { host, supervisor } = observed;
  if (host.status === 'unreachable') {
    const said = host.cause?.reason == null ? `the server does not answer: ${host.message}` : host.message;
    return { saw: 'sightLost', reason: unseenReason(host), message: withLast(said, memory) };
  }
  if (host.status === 'unknown')
    return { saw: 'sightLost', reason: 'NotObservedYet', message: withLast('the server was not looked at yet', memory) };
  const { snapshot } = observed;
  if (supervisor === 'up') {
    // The supervisor itself can't look. A stop is carried out all the same: it needs no file.
    if (snapshot?.state !== 'unknown' || desired.intent?.wish === 'stop') return null;
    return { saw: 'sightLost', reason: snapshot.reason, message: withLast(snapshot.message, memory) };
  }
  const needed = desired.session || desired.document === 'ligado' || desired.intent !== null || keepsSupervisor(snapshot, memory);
  if (supervisor === 'starting' || needed) {
    const trouble = observed.trouble ?? null;
    if (trouble?.reason != null) return { saw: 'sightLost', reason: trouble.reason, message: withLast(trouble.message, memory) };
    const why = trouble === null ? '' : `: ${trouble.message}`;
    return {
      saw: 'sightLost',
      reason: 'SupervisorStarting',
      message: withLast(`the supervisor of ${desired.person} is not up yet${why}`, memory),
    };
  }
  // The supervisor was ended because nothing was wanted, and nothing else starts apps: the last snapshot still holds.
  if (snapshot !== null) return { ...assessStopped(desired, snapshot, memory), saw: 'supervisorEnded' };
  // A remembered state is assessed alike; without one the app never needed a supervisor: no sign-in, or no start since it was installed.
  return { ...unheardOf(desired, memory), saw: 'supervisorEnded' };
}

function withLast(message: string, memory: BackendMemory | null): string {
  const last = memory?.context.last ?? null;
  return last === null ? message : `${message}; last known: ${last.state} (${last.reason})`;
}

/** Steps before the process image is the app: it can't answer yet, and no attempt is counted. Source: rules 3.1 steps 4 to 6. */
const setUpSteps = new Set(['package', 'install', 'gpu']);

export function settingUp(snapshot: AppSnapshot): boolean {
  return (snapshot.step !== null && setUpSteps.has(snapshot.step.name)) || isAway(snapshot);
}

/** It runs as a job of a cluster, and its socket is not here: no attempt is counted. Decision: docs/decisions/0437-backends-on-a-cluster.md */
const isAway = ({ job, socket }: AppSnapshot): boolean => job !== undefined && socket !== 'listening';

function assessJob({ state, place, words }: NonNullable<AppSnapshot['job']>): Assessment {
  if (state === 'running') return { saw: 'sawComing', reason: 'JobStarting', message: `runs on ${words}; its socket is not here yet` };
  const where = place === null ? '' : `, place ${place}`;
  return { saw: 'sawComing', reason: 'InQueue', message: `in the queue of the cluster${where}${words === '' ? '' : `: ${words}`}` };
}

/** `start`: of the living process, already brought up to this decision. */
export function assess(
  desired: BackendDesired,
  { snapshot, probe }: BackendObserved,
  memory: BackendMemory | null,
  start: Start | null,
): Assessment {
  if (snapshot === null) return unheardOf(desired, memory);
  return isLiving(snapshot) ? assessLiving(snapshot, start, probe) : assessDead(desired, snapshot, memory);
}

/** A process is there and does not end. */
export function isLiving(snapshot: AppSnapshot): boolean {
  return snapshot.process !== null && snapshot.state !== 'stopping';
}

function unheardOf(desired: BackendDesired, memory: BackendMemory | null): Assessment {
  if (desired.shutBy != null) return shutOut(desired.person, desired.shutBy);
  if (desired.drain != null && desired.manifest !== null) return drainedOut(desired.drain);
  if (desired.manifest === null) return { saw: 'sawStopped', reason: 'NotInstalled', message: stoppedMessage('NotInstalled') };
  const reason = desired.document === 'desligado' ? 'PinnedStopped' : rememberedReason(desired, memory);
  return { saw: 'sawStopped', reason, message: stoppedMessage(reason) };
}

function assessLiving(snapshot: AppSnapshot, start: Start | null, probe: ProbeResult | null): Assessment {
  if (snapshot.state === 'unknown') return { saw: 'sawNothing', reason: snapshot.reason, message: snapshot.message };
  if (snapshot.job !== undefined && isAway(snapshot)) return assessJob(snapshot.job);
  if (silent.includes(snapshot.reason)) {
    // Whether it was ready before is no news to who waits for it: nothing answers now.
    return { saw: 'sawLiving', reason: snapshot.reason, message: snapshot.message };
  }
  if (start === null) return { saw: 'sawComing', reason: 'SettingUp', message: snapshot.step?.detail ?? 'the app is being set up' };
  const { attempts, code } = start.context;
  if (start.value === 'ready') {
    const adopted =
      snapshot.job === undefined &&
      attempts <= 1 &&
      start.context.sinceMs - (snapshot.process?.startedAtMs ?? 0) > limits.probeAttemptsMax * limits.probeIntervalMs;
    return adopted
      ? { saw: 'sawLiving', reason: 'Adopted', message: 'found running and answering' }
      : { saw: 'sawLiving', reason: 'Healthy', message: `answers its health probe with ${code ?? 0}` };
  }
  if (start.value === 'probing') {
    const said = code === null ? 'no answer yet' : `last code ${code === 0 ? '000' : code}`;
    return { saw: 'sawLiving', reason: 'Probing', message: `probe ${attempts}/${limits.probeAttemptsMax}, ${said}` };
  }
  return { saw: 'sawLiving', ...slowness(snapshot, code, probe?.byGate === true) };
}

/** Names one culprit of a start that outlived its 15 probes. Decision: docs/decisions/0137-what-runs-still-answers.md */
function slowness(snapshot: AppSnapshot, code: number | null, byGate: boolean): { readonly reason: Reason; readonly message: string } {
  const after = `not ready after ${limits.probeAttemptsMax} probes`;
  if (code === null) return { reason: 'SlowStart', message: after };
  if (code !== 0) {
    const { reason } = probeVerdict(code, byGate);
    const said = reason === 'RefusesToken' ? 'refuses the token' : 'answers with an error';
    return { reason, message: `${after}: ${said} (${code})` };
  }
  if (snapshot.socket === 'listening') return { reason: 'SlowStart', message: `${after}: its socket listens but nothing answers` };
  const { reason, message } = unbound(snapshot.tcpPorts);
  return { reason, message: `${after}: ${message}` };
}

function assessDead(desired: BackendDesired, snapshot: AppSnapshot, memory: BackendMemory | null): Assessment {
  const { state, message } = snapshot;
  const reason = reasonOf(snapshot);
  switch (state) {
    case 'stopped':
      return snapshot.wanted
        ? { saw: 'sawComing', reason: 'StartRequested', message: 'wanted; its launch is under way' }
        : assessStopped(desired, snapshot, memory);
    case 'starting':
    case 'running':
      // The state says alive, but no process was seen yet (between two scans).
      return {
        saw: 'sawComing',
        reason: settingUp(snapshot) ? 'SettingUp' : startingReason(reason),
        message: snapshot.step?.detail ?? message,
      };
    case 'failed': {
      const exit = snapshot.lastExit;
      const last = exit === null || exit.reason === reason ? '' : `; last: ${exit.reason}`;
      return { saw: 'sawFailed', reason, message: `${message}${last}` };
    }
    case 'stopping':
      return { saw: 'sawEnding', reason, message };
    case 'backoff':
      return { saw: 'sawBackoff', reason, message };
    default:
      return { saw: 'sawNothing', reason, message };
  }
}

/** The order of backend.ts that says `TimeLimit` in an older kit's words. */
const reasonOf = ({ reason, requestId }: AppSnapshot): Reason =>
  reason === 'StoppedByAdmin' && requestId?.startsWith('maximo-') === true ? 'TimeLimit' : reason;

/** Reasons of a living app say nothing about one whose process is gone. */
const ofLiving: ReadonlySet<Reason> = new Set([...answering, 'Probing']);

function startingReason(reason: Reason): Reason {
  return ofLiving.has(reason) ? 'StartRequested' : reason;
}

const shutOut = (person: string, groups: readonly string[]): Assessment => ({
  saw: 'sawStopped',
  reason: 'NotInGroup',
  message: shutMessage(person, groups),
});

const drainedOut = (drain: Drain): Assessment => ({
  saw: 'sawStopped',
  reason: drain.to === undefined ? 'Drained' : 'PersonMoves',
  message: drainMessage(drain),
});

function assessStopped(desired: BackendDesired, snapshot: AppSnapshot, memory: BackendMemory | null): Assessment {
  if (desired.shutBy != null) return shutOut(desired.person, desired.shutBy);
  if (desired.manifest === null && snapshot.installed === null) {
    const reason = desired.document === 'ligado' ? 'PackageMissing' : 'NotInstalled';
    return { saw: 'sawStopped', reason, message: stoppedMessage(reason) };
  }
  if (desired.drain != null) return drainedOut(desired.drain);
  // A supervisor whose records were deleted with the wish knows of no start.
  const ended = snapshot.reason === 'NeverStarted' ? rememberedReason(desired, memory) : endedReason(reasonOf(snapshot), desired);
  const reason = desired.document === 'desligado' ? 'PinnedStopped' : ended;
  const { stoppedBy } = desired;
  const who = reason === 'StoppedByAdmin' && stoppedBy != null && snapshot.requestId === stoppedBy.requestId ? `: ${stoppedBy.who}` : '';
  return { saw: 'sawStopped', reason, message: `${stoppedMessage(reason)}${who}` };
}

/** Reasons of the moment: they do not say how the app ended. */
const passing: ReadonlySet<Reason> = new Set(['NotInstalled', 'PackageMissing', 'Drained', 'PersonMoves']);

/** Why it ended as far as the portal knows, when the supervisor does not. */
function rememberedReason(desired: BackendDesired, memory: BackendMemory | null): Reason {
  const last = memory?.context.last;
  const isKnown = last?.state === 'stopped' || last?.state === 'running';
  return isKnown && !passing.has(last.reason) ? endedReason(last.reason, desired) : 'NeverStarted';
}

function endedReason(reason: Reason, { manifest, removing }: BackendDesired): Reason {
  // The supervisor keeps the reason of the stop; a document that is gone or says something else pins nothing any more.
  if (reason === 'PinnedStopped') return 'StoppedByAdmin';
  // Installed again, or of the person only while the server has one for everybody.
  if (reason === 'Uninstalled' && manifest !== null && removing !== true) return 'Reinstalled';
  return ofLiving.has(reason) ? 'SupervisorLost' : reason;
}
/** Fixed for each reason to be stopped; the snapshot's own words change with every observation. */
function stoppedMessage(reason: Reason): string {
  const row = rowOf(reason);
  return row.stopped ?? (Object.hasOwn(stopped, reason) ? row.because : `stopped: ${reason}`);
}
