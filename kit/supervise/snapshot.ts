/** The state of an app for others: the snapshot on the socket and in status.json (rules 2.6), written only when it changed. */
import type { Reason } from '../../schema/backend.ts';
import type { AppSnapshot } from '../../schema/supervisor-lines.ts';
import { limits } from '../../schema/limits.ts';
import { unbound } from '../../machines/probe-verdict.ts';
import type { Supervision } from '../../machines/supervision.ts';
import { pathState, readIfThere, writeFileAtomic } from '../atomic-file.ts';
import { faultPoint } from '../faults.ts';
import { pinnedVariable } from '../launch/env-file.ts';
import type { App } from './app-state.ts';

/** status.json: the snapshot for readers, and the machine's state for the next supervisor. */
export interface StatusFile extends AppSnapshot {
  readonly supervision: Supervision;
}

export function isPinned(app: App): boolean {
  return app.wish?.variables?.get(pinnedVariable) === '1';
}

/** When the idle policy stops the app; null while it is used, pinned, or not of that policy. Source: rules 3.3. */
export function idleDeadlineMs(app: App): number | null {
  if (app.policy?.kind !== 'ocioso' || app.process === null || app.connections !== 0 || app.busy !== null || isPinned(app)) return null;
  if (app.supervision.state !== 'running' && app.supervision.state !== 'starting') return null;
  return app.lastUseMs + app.policy.minutes * 60_000;
}

/** While an app comes up the reason says what it waits for. */
function reasonNow(app: App, nowMs: number): Reason {
  const { state, reason } = app.supervision;
  const health = app.watched?.health;
  if (health?.verdict === 'suspended' && (state === 'running' || (state === 'starting' && health.stoppedSinceMs !== null)))
    return 'Suspended';
  if (health?.verdict === 'silent' && state === 'running') return 'NotAnswering';
  if (state !== 'starting' || app.job !== null) return reason;
  if (app.tcpPorts.length > 0) return 'BoundTcp';
  if (app.process === null) return reason;
  if (app.step?.name === 'install') return 'SettingUp';
  return nowMs - app.process.startedAtMs >= limits.probeAttemptsMax * limits.probeIntervalMs ? 'NeverBound' : reason;
}

export function snapshotOf(app: App, nowMs: number): AppSnapshot {
  const { supervision, process } = app;
  const known = reasonNow(app, nowMs);
  const unseen = app.packageObserved ? app.unseen : app.unseen || app.packageUnseen;
  const [state, reason, message] =
    unseen === '' ? [supervision.state, known, messageFor(app, known)] : (['unknown', 'FilesUnreadable', unseen] as const);
  return {
    app: app.id,
    state,
    reason,
    message: message.slice(0, 4_096),
    sinceMs: app.sinceMs,
    wanted: app.wish !== null,
    pinned: isPinned(app),
    requestId: app.requestId,
    installed: app.installed,
    process:
      process === null ? null : { ...process.identity, startedAtMs: Math.max(0, Math.round(process.startedAtMs)), hash: process.hash },
    socket: app.socket,
    tcpPorts: app.tcpPorts,
    step: app.step,
    failures: supervision.failures,
    nextAttemptAtMs: supervision.nextAttemptAtMs,
    restarts: app.restarts,
    lastExit: app.lastExit,
    connections: app.connections,
    busy: app.busy,
    idleDeadlineMs: idleDeadlineMs(app),
    contained: app.contained,
    containedReason: app.containedReason,
    secrets: app.secrets,
    gpu: app.gpu,
    ...(app.job !== null && { job: app.job }),
  };
}

function messageFor(app: App, reason: Reason): string {
  if (reason === 'BoundTcp' || reason === 'NeverBound') return unbound(app.tcpPorts).message;
  if (reason === 'Suspended')
    return `its process ${app.process?.identity.pid ?? ''} is stopped by a signal (SIGSTOP, or a debugger); it goes on with SIGCONT`;
  if (reason === 'NotAnswering') {
    const since = new Date(app.watched?.health.answeredAtMs ?? 0).toISOString();
    return `its process runs and does not answer GET ${app.healthPath.slice(0, 128)}; last known to answer at ${since}`;
  }
  return app.message;
}

/** The new snapshot when something changed since the last call, otherwise null. */
export function changedSnapshot(app: App, nowMs: number): AppSnapshot | null {
  const snapshot = snapshotOf(app, nowMs);
  const text = JSON.stringify({ ...snapshot, supervision: app.supervision } satisfies StatusFile);
  if (text === app.published) return null;
  app.published = text;
  return snapshot;
}

/** Updates status.json. An app that was never started has no folder and needs none; a full disk blocks nothing. */
export function writeStatus(app: App, log: (event: string, fields: Record<string, unknown>) => void): void {
  if (app.written === app.published || pathState(app.paths.dir).kind !== 'present') return;
  try {
    writeFileAtomic(app.paths.status, `${app.published}\n`);
    app.written = app.published;
    app.isUnwritten = false;
    faultPoint('status-written');
  } catch (error) {
    // Logged once: the next passes retry.
    if (app.isUnwritten) return;
    app.isUnwritten = true;
    log('status-not-written', { app: app.id, error: String(error) });
  }
}

/** The file of an earlier supervisor; null when missing or damaged. Only the fields that the next one needs are checked. */
export function readStatus(app: App): StatusFile | null {
  try {
    const value = JSON.parse(readIfThere(app.paths.status) ?? 'null') as Partial<StatusFile> | null;
    const known = value?.supervision;
    if (typeof known !== 'object' || !['stopped', 'starting', 'running', 'stopping', 'backoff', 'failed'].includes(known.state))
      return null;
    const times = [known.lastFailureAtMs, known.nextAttemptAtMs, known.killAtMs];
    if (!times.every((time) => time === null || Number.isFinite(time)) || !Number.isSafeInteger(known.failures)) return null;
    return value as StatusFile;
  } catch {
    return null;
  }
}
