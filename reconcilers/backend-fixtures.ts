/** Builders for the tests of this folder: a running, answering app of ana, and what to change of it. */
import type { AppSnapshot } from '../schema/supervisor-lines.ts';
import type { Manifest } from '../schema/manifest/manifest.ts';
import { decideBackend } from './backend.ts';
import type { BackendDecision, BackendDesired, BackendMemory, BackendObserved, PendingIntent } from './backend-types.ts';

export const notas: Manifest = { id: 'notas', version: '1.0.0', backend: { runtime: 'node', entrypoint: 'backend/main.js' } };

export function desired(changes: Partial<BackendDesired> = {}): BackendDesired {
  return {
    person: 'ana',
    app: 'notas',
    manifest: notas,
    installedHash: 'hash-1',
    document: null,
    generation: 1,
    intent: null,
    windows: null,
    session: true,
    sessionSinceMs: 500,
    ...changes,
  };
}

export function intent(wish: PendingIntent['wish'], changes: Partial<PendingIntent> = {}): PendingIntent {
  return { wish, by: 'person', requestId: 'r1', atMs: 1_000, ...changes };
}

export const process = { pid: 41, startTicks: 7, bootId: 'boot', startedAtMs: 900, hash: 'hash-1' } as const;

/** Stopped, never started, installed. */
export function stopped(changes: Partial<AppSnapshot> = {}): AppSnapshot {
  return {
    app: 'notas',
    state: 'stopped',
    reason: 'NeverStarted',
    message: '',
    sinceMs: 0,
    wanted: false,
    pinned: false,
    requestId: null,
    installed: { version: '1.0.0', hash: 'hash-1', scope: 'sistema' },
    process: null,
    socket: 'absent',
    tcpPorts: [],
    step: null,
    failures: 0,
    nextAttemptAtMs: null,
    restarts: 0,
    lastExit: null,
    connections: 0,
    idleDeadlineMs: null,
    contained: true,
    containedReason: '',
    secrets: { declared: 0, missing: [], restartNeeded: false },
    gpu: null,
    ...changes,
  };
}

export function alive(changes: Partial<AppSnapshot> = {}): AppSnapshot {
  return stopped({ state: 'running', reason: 'Listening', wanted: true, process, socket: 'listening', ...changes });
}

export function observed(snapshot: AppSnapshot | null, changes: Partial<BackendObserved> = {}): BackendObserved {
  return { host: { status: 'reachable', message: '' }, supervisor: 'up', snapshot, probe: null, probing: false, ...changes };
}

/** The memory of an app that was seen alive at 1,000 and answered its first probe. */
export function answering(want: BackendDesired = desired(), snapshot: AppSnapshot = alive()): BackendMemory {
  const first = decideBackend({ ...want, intent: null }, observed(snapshot), null, 1_000);
  const probe = { pid: process.pid, attempt: 1, code: 200, byGate: false, atMs: 1_010 };
  return decideBackend({ ...want, intent: null }, observed(snapshot, { probe }), first.memory, 1_020).memory;
}

/** Orders and probes of a decision in short: `start r1`, `stop r1 StoppedByPerson`, `pin true`, `probe 1`. */
export function acts(decision: BackendDecision): readonly string[] {
  return decision.actions.map((action) => {
    if (action.kind === 'backend/start') return `start ${action.order.requestId}${action.order.pinned ? ' pinned' : ''}`;
    if (action.kind === 'backend/stop') return `stop ${action.requestId} ${action.reason}`;
    if (action.kind === 'backend/pin') return `pin ${action.pinned}`;
    return action.kind === 'backend/probe' ? `probe ${action.attempt}` : action.kind;
  });
}
