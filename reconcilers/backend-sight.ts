/**
 * The state that people see, from what the supervisor said, the order under way and the probes. Every answer carries a reason.
 * Source: spec 3.2 and 3.3; design 3 rules 5 to 7.
 */
import { probeVerdict } from '../machines/probe-verdict.ts';
import { limits } from '../schema/limits.ts';
import type { AppSnapshot, BackendState, Reason } from '../schema/backend.ts';
import type { BackendDesired, BackendMemory, BackendObserved } from './backend-types.ts';
import { settingUp } from './backend-probe.ts';
import { keepsSupervisor } from './supervisor-process.ts';
import type { Order } from './backend-orders.ts';

export interface Sight {
  readonly state: BackendState;
  readonly reason: Reason;
  readonly message: string;
}

type Start = NonNullable<BackendMemory['start']>;

/** What is said while nobody can look; null when one can. Unknown never becomes stopped. Source: design 3 rule 6. */
export function blindness(desired: BackendDesired, observed: BackendObserved, memory: BackendMemory | null): Sight | null {
  const { host, supervisor } = observed;
  if (host.status === 'unreachable') {
    return { state: 'unknown', reason: 'ServerUnreachable', message: withLast(`the server does not answer: ${host.message}`, memory) };
  }
  if (host.status === 'unknown')
    return { state: 'unknown', reason: 'NotObservedYet', message: withLast('the server was not looked at yet', memory) };
  if (supervisor === 'up') return null;
  const { snapshot } = observed;
  const needed = desired.session || desired.document === 'ligado' || desired.intent !== null || keepsSupervisor(snapshot, memory);
  if (supervisor === 'starting' || needed) {
    return {
      state: 'unknown',
      reason: 'SupervisorStarting',
      message: withLast(`the supervisor of ${desired.person} is not up yet`, memory),
    };
  }
  // The supervisor was ended because nothing was wanted, and nobody else starts anything: the last look still holds.
  if (snapshot !== null) return stoppedSight(desired, snapshot);
  const last = memory?.context.last ?? null;
  if (last !== null) return { state: 'stopped', reason: last.reason, message: stoppedMessage(last.reason) };
  return { state: 'unknown', reason: 'SessionEnded', message: `no supervisor of ${desired.person} runs outside a session` };
}

function withLast(message: string, memory: BackendMemory | null): string {
  const last = memory?.context.last ?? null;
  return last === null ? message : `${message}; last known: ${last.state} (${last.reason})`;
}

export function look(
  desired: BackendDesired,
  observed: BackendObserved,
  memory: BackendMemory | null,
  order: Order,
  start: Start | null,
): Sight {
  const { snapshot } = observed;
  const living = snapshot !== null && snapshot.process !== null && snapshot.state !== 'stopping';
  const { towards } = order;
  // A start asked of an app that lives already changes nothing that one sees.
  if (towards !== null && !(towards.state === 'starting' && living)) {
    const verb = towards.state === 'starting' ? 'start' : 'stop';
    return { state: towards.state, reason: towards.reason, message: `the ${verb} was ordered` };
  }
  if (snapshot === null) return unheardOf(desired, memory);
  if (living) return livingSight(snapshot, start);
  return deadSight(desired, snapshot);
}

function unheardOf(desired: BackendDesired, memory: BackendMemory | null): Sight {
  if (desired.manifest === null) return { state: 'stopped', reason: 'NotInstalled', message: stoppedMessage('NotInstalled') };
  const last = memory?.context.last;
  const ended = last?.state === 'stopped' && last.reason !== 'NotInstalled' ? endedReason(last.reason, desired) : 'NeverStarted';
  const reason = desired.document === 'desligado' ? 'PinnedStopped' : ended;
  return { state: 'stopped', reason, message: stoppedMessage(reason) };
}

function livingSight(snapshot: AppSnapshot, start: Start | null): Sight {
  if (snapshot.state === 'unknown') return { state: 'unknown', reason: snapshot.reason, message: snapshot.message };
  if (start === null) return { state: 'starting', reason: 'SettingUp', message: snapshot.step?.detail ?? 'the app is being set up' };
  const { attempts, code } = start.context;
  if (start.value === 'ready') {
    const adopted =
      attempts <= 1 && start.context.sinceMs - (snapshot.process?.startedAtMs ?? 0) > limits.probeAttemptsMax * limits.probeIntervalMs;
    return adopted
      ? { state: 'running', reason: 'Adopted', message: 'found running and answering' }
      : { state: 'running', reason: 'Healthy', message: `answers its health probe with ${code ?? 0}` };
  }
  if (start.value === 'probing') {
    const said = code === null ? 'no answer yet' : `last code ${code === 0 ? '000' : code}`;
    return { state: 'starting', reason: 'Probing', message: `probe ${attempts}/${limits.probeAttemptsMax}, ${said}` };
  }
  return { state: 'starting', ...slowness(snapshot, code) };
}

/** Names one culprit of a start that outlived its 15 probes (anchors B16). Decision: docs/decisions/0027-slow-start.md */
function slowness(snapshot: AppSnapshot, code: number | null): { readonly reason: Reason; readonly message: string } {
  const after = `not ready after ${limits.probeAttemptsMax} probes`;
  if (code === null) return { reason: 'SlowStart', message: after };
  if (code !== 0) {
    const { reason } = probeVerdict(code);
    const said = reason === 'RefusesToken' ? 'refuses the token' : 'answers with an error';
    return { reason, message: `${after}: ${said} (${code})` };
  }
  if (snapshot.socket === 'listening') return { reason: 'SlowStart', message: `${after}: its socket listens but nothing answers` };
  if (snapshot.tcpPorts.length > 0) {
    return { reason: 'BoundTcp', message: `${after}: it listens on TCP port ${snapshot.tcpPorts.join(', ')} instead of SVC_APP_SOCKET` };
  }
  return { reason: 'NeverBound', message: `${after}: it has not bound SVC_APP_SOCKET` };
}

function deadSight(desired: BackendDesired, snapshot: AppSnapshot): Sight {
  const { state, reason, message } = snapshot;
  switch (state) {
    case 'stopped':
      return snapshot.wanted
        ? { state: 'starting', reason: 'StartRequested', message: 'wanted; its launch is under way' }
        : stoppedSight(desired, snapshot);
    case 'starting':
    case 'running':
      // Alive by word but without a process: between two looks of the supervisor.
      return {
        state: 'starting',
        reason: settingUp(snapshot) ? 'SettingUp' : startingReason(reason),
        message: snapshot.step?.detail ?? message,
      };
    case 'failed': {
      const exit = snapshot.lastExit;
      const last = exit === null || exit.reason === reason ? '' : `; last: ${exit.reason}`;
      return { state, reason, message: `${message}${last}` };
    }
    default:
      return { state, reason, message };
  }
}

/** Reasons of a living app say nothing about one whose process is gone. */
const ofLiving: ReadonlySet<Reason> = new Set(['Healthy', 'Adopted', 'Listening', 'Probing']);

function startingReason(reason: Reason): Reason {
  return ofLiving.has(reason) ? 'StartRequested' : reason;
}

function stoppedSight(desired: BackendDesired, snapshot: AppSnapshot): Sight {
  if (desired.manifest === null && snapshot.installed === null) {
    const reason = desired.document === 'ligado' ? 'PackageMissing' : 'NotInstalled';
    return { state: 'stopped', reason, message: stoppedMessage(reason) };
  }
  const reason = desired.document === 'desligado' ? 'PinnedStopped' : endedReason(snapshot.reason, desired);
  return { state: 'stopped', reason, message: stoppedMessage(reason) };
}

function endedReason(reason: Reason, { manifest, removing }: BackendDesired): Reason {
  // The supervisor keeps the reason of the stop; a document that is gone or says something else pins nothing any more.
  if (reason === 'PinnedStopped') return 'StoppedByAdmin';
  // Installed again, or of the person only while the server has one for everybody.
  if (reason === 'Uninstalled' && manifest !== null && removing !== true) return 'HashChanged';
  return ofLiving.has(reason) ? 'SupervisorLost' : reason;
}

/** One sentence for each way to be stopped; the snapshot's own words for the rest would change with every look. */
function stoppedMessage(reason: Reason): string {
  switch (reason) {
    case 'NeverStarted':
      return 'was never started';
    case 'StoppedByPerson':
      return 'the person stopped it';
    case 'StoppedByAdmin':
      return 'an administrator stopped it';
    case 'LastWindowClosed':
      return 'its last window was closed for two minutes';
    case 'Idle':
      return 'no connection was open for the time of its idle policy';
    case 'PinnedStopped':
      return 'a Backend document pins it stopped (estado: desligado)';
    case 'HashChanged':
      return 'other code was installed; the next start uses it';
    case 'Uninstalled':
      return 'its package was removed';
    case 'SupervisorLost':
      return 'it ended while no supervisor watched';
    case 'NotInstalled':
    case 'PackageMissing':
      return 'its package is not installed';
    default:
      return `stopped: ${reason}`;
  }
}
