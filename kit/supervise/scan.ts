/** The resync: every 10 s everything is observed as if no edge had ever come (rules 3.3, supervisor rules 2 and 3). */
import { readdirSync, statSync } from 'node:fs';
import { limits } from '../limits.ts';
import { limits as sharedLimits } from '../../schema/limits.ts';
import { accountPaths } from '../../schema/server-paths.ts';
import { heldToClock, nextDeadlineMs } from '../../machines/supervision.ts';
import { trimRunLog } from '../launch/run-log.ts';
import { installedIds } from '../launch/package.ts';
import { isMissing, pathState } from '../atomic-file.ts';
import { isAppId } from '../../schema/app-id.ts';
import { errorCode } from '../../schema/system-error.ts';
import { isCalm } from './calm.ts';
import { observeJob } from './cluster-job.ts';
import { observeScope, watchUntilGone, whyUnwanted } from './ending.ts';
import { noteBusy, observeHealth, observeHealthAtRest } from './health.ts';
import { oomKillCount } from './oom.ts';
import { wakeGpuWaiters } from './gpu-wait.ts';
import { ended, observePidFile } from './launching.ts';
import { keepRecord, detectLostSocket } from './lost-socket.ts';
import { observePackage, observeSocket, observeWish, observeTcpPorts, socketsOf, wakeStamp } from './observe.ts';
import { observeSecrets } from './secrets.ts';
import { restoreWish } from './operations.ts';
import { isReadable, checkReadable } from './readable-files.ts';
import { idleDeadlineMs, writeStatus } from './snapshot.ts';
import type { SocketUse } from './unix-sockets.ts';
import { appOf, guarded, type App, type Supervisor } from './app-state.ts';

/** Ids with a folder of their own below ~/.svc-apps; null when it can't be listed. */
export function foldersOf(supervisor: Supervisor): readonly string[] | null {
  try {
    return readdirSync(accountPaths(supervisor.place).root, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && isAppId(entry.name))
      .map((entry) => entry.name);
  } catch (error) {
    return isMissing(error) ? [] : null;
  }
}

export function scan(supervisor: Supervisor): void {
  supervisor.oomKills = oomKillCount();
  // Packages and app folders come and go by rename: an unchanged folder holds the same names.
  const folders = folderStamps(supervisor);
  const isChanged = folders !== supervisor.folderStamps;
  supervisor.folderStamps = folders;
  if (isChanged) {
    const [installed, own] = [installedIds(supervisor.place), foldersOf(supervisor)];
    for (const id of [...installed.ids, ...(own ?? [])]) appOf(supervisor, id);
    // A folder that could not be listed is read again, regardless of its times.
    if (!installed.isWhole || own === null) supervisor.folderStamps = '';
  }
  void wakeGpuWaiters(supervisor);
  // The list is of the whole machine: where nothing runs, nobody reads it.
  const table = [...supervisor.apps.values()].some(({ process: live }) => live !== null) ? socketsOf(supervisor) : null;
  for (const app of supervisor.apps.values()) {
    if (isChanged || !app.packageObserved || app.packageUnseen !== '') void observePackage(supervisor, app);
    guarded(supervisor, app, 'scan', () => scanApp(supervisor, app, table));
  }
}

function folderStamps(supervisor: Supervisor): string {
  const paths = accountPaths(supervisor.place);
  return [paths.root, paths.personApps, paths.systemApps]
    .map((path) => {
      try {
        return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? '-';
      } catch (error) {
        return errorCode(error);
      }
    })
    .join(' ');
}

function scanApp(supervisor: Supervisor, app: App, table: ReadonlyMap<string, SocketUse> | null): void {
  // Its end is always an event of the process table; a stop that lost its timer goes on here.
  watchUntilGone(supervisor, app);
  if (isCalm(app)) {
    scanCalm(supervisor, app, table);
    return;
  }
  if (!checkReadable(supervisor, app)) {
    checkAdopted(supervisor, app);
    return;
  }
  followWish(supervisor, app);
  observeSecrets(supervisor, app);
  if (app.process !== null) {
    checkAdopted(supervisor, app);
    capRunLog(supervisor, app);
  }
  if (app.process !== null) {
    observePidFile(supervisor, app);
    observeJob(supervisor, app);
    observeScope(app);
    const listening = table?.get(app.paths.socket)?.listening === true;
    const isConsistent = app.socket === (listening ? 'listening' : 'absent');
    if (!isConsistent || (!listening && pathState(app.paths.socket).kind !== 'absent')) void observeSocket(supervisor, app, table);
    detectLostSocket(supervisor, app, table);
    keepRecord(supervisor, app);
    observeTcpPorts(supervisor, app);
    countConnections(supervisor, app, table);
    // After the count: what it asks is over before the next one.
    observeHealth(supervisor, app);
  } else {
    relaunchIfLost(supervisor, app);
  }
  wakeIfChanged(supervisor, app);
  // Writes a status.json that a full disk once prevented: a stopped app may not change for days.
  if (!app.statusDue) writeStatus(app, supervisor.log);
}

/** Observes the facts that show in no file of the app's folder. */
function scanCalm(supervisor: Supervisor, app: App, table: ReadonlyMap<string, SocketUse> | null): void {
  checkAdopted(supervisor, app);
  if (app.process === null) return;
  observeScope(app);
  if (table?.get(app.paths.socket)?.listening !== true) void observeSocket(supervisor, app, table);
  countConnections(supervisor, app, table);
  observeHealthAtRest(supervisor, app);
}

/** The wish came or went without a request: a person or a script wrote or deleted the env file. Source: rules 2.6. */
export function followWish(supervisor: Supervisor, app: App): void {
  if (!checkReadable(supervisor, app) || app.wishEnds) return;
  const { kind } = pathState(app.paths.env);
  const { state } = app.supervision;
  if (kind === 'absent' && app.wish !== null) {
    app.wish = null;
    if (state !== 'stopped' && state !== 'stopping') supervisor.apply(app, { type: 'STOP', reason: whyUnwanted(app) });
  } else if (kind === 'present' && (app.wish === null || app.wish.variables === null)) {
    // A damaged env file may have been mended since: token, pin and request stand in it.
    const isNew = app.wish === null;
    observeWish(app);
    if (!isNew) supervisor.changed(app);
    else if (state === 'stopped') supervisor.apply(app, { type: 'WANTED' });
  } else if (kind === 'present') restoreWish(supervisor, app);
}

/** An adopted process gives no exit event: its end is seen here and by the quicker poll. */
export function checkAdopted(supervisor: Supervisor, app: App): void {
  const live = app.process;
  if (live?.watch && !live.watch.alive()) ended(supervisor, app, live, null, null);
}

/** Starting, and no process is at work: another launcher was, and left nothing. */
function relaunchIfLost(supervisor: Supervisor, app: App): void {
  if (app.supervision.state !== 'starting' || app.pending !== null) return;
  observePidFile(supervisor, app);
  if (app.process === null && app.supervision.state === 'starting') supervisor.apply(app, { type: 'PROCESS_DIED', reason: 'Crashed' });
}

export function wakeIfChanged(supervisor: Supervisor, app: App): void {
  const { state, reason } = app.supervision;
  if (state === 'backoff' && reason === 'FilesUnreadable' && isReadable(supervisor, app)) supervisor.apply(app, { type: 'WAKE' });
  if (state === 'backoff' && reason === 'DiskFull' && supervisor.disk === '') supervisor.apply(app, { type: 'WAKE' });
  if (app.wakeStamp === null || state !== 'failed') return;
  if (wakeStamp(supervisor, app, reason) !== app.wakeStamp) supervisor.apply(app, { type: 'WAKE' });
}

export function capRunLog(supervisor: Supervisor, app: App): void {
  try {
    const stat = statSync(app.paths.runLog, { throwIfNoEntry: false });
    if (stat !== undefined && stat.size > limits.runLogBytesMax && trimRunLog(app.paths.runLog))
      supervisor.log('run-log-cut', { app: app.id });
  } catch (error) {
    supervisor.log('run-log-not-cut', { app: app.id, error: String(error) });
  }
}

/** Probes of a starting app are ours and do not count as use. They end with this time after the start. Source: rules 3.2. */
const probingMs = sharedLimits.probeAttemptsMax * sharedLimits.probeIntervalMs + sharedLimits.probeTimeoutMs;

/**
 * Open connections on the socket. While probes may come, one that is there in two passes counts (no probe lives that long); afterwards every one
 * does. Unreadable is unknown, and unknown is use. Decision: docs/decisions/0024-idle-connections.md
 */
export function countConnections(supervisor: Supervisor, app: App, table: ReadonlyMap<string, SocketUse> | null): void {
  const live = app.process;
  const nowMs = supervisor.nowMs();
  const before = app.connections;
  const listed = table?.get(app.paths.socket);
  // The kernel lists them piece by piece: while others come and go one may be left out, which is not its end.
  const use = listed?.listening !== true && live !== null && before !== null ? socketsOf(supervisor)?.get(app.paths.socket) : listed;
  if (live === null || use?.listening !== true) {
    app.connections = null;
    app.lastRound = new Set();
    app.lastUseMs = nowMs;
    if (before !== null) supervisor.changed(app);
    return;
  }
  const probing = nowMs - live.startedAtMs < probingMs;
  const counted = probing ? use.connections.filter((inode) => app.lastRound.has(inode)) : use.connections;
  if (use.connections.length > 0 || app.lastRound.size > 0) app.lastRound = new Set(use.connections);
  if (counted.length > 0) app.lastUseMs = nowMs;
  app.connections = counted.length;
  // Whoever is busy holds a connection to its own socket (kit/wrap/busy.c): without one the work has ended since it said so.
  if (use.connections.length === 0) noteBusy(supervisor, app, null);
  if (app.connections !== before) supervisor.changed(app);
}

/** Everything whose time has come. Answers when to look again, or null. */
export function runDeadlines(supervisor: Supervisor): number | null {
  let next: number | null = null;
  for (const app of supervisor.apps.values()) {
    holdToClock(app, supervisor.nowMs());
    // An app that can't be observed is left as it is; only a running stop continues to its end.
    if (app.unseen !== '' && app.supervision.state !== 'stopping') continue;
    const machine = nextDeadlineMs(app.supervision);
    if (machine !== null && machine <= supervisor.nowMs()) supervisor.apply(app, { type: 'TICK' });
    const idle = idleDeadlineMs(app);
    if (idle !== null && idle <= supervisor.nowMs()) guarded(supervisor, app, 'idle', () => stopIfStillIdle(supervisor, app));
    for (const deadline of [nextDeadlineMs(app.supervision), idleDeadlineMs(app)]) {
      if (deadline !== null && (next === null || deadline < next)) next = deadline;
    }
  }
  return next;
}

/** The wall clock may be set back at any time; an idle app waits its minutes from then on. */
function holdToClock(app: App, nowMs: number): void {
  app.supervision = heldToClock(app.supervision, nowMs);
  app.lastUseMs = Math.min(app.lastUseMs, nowMs);
}

function stopIfStillIdle(supervisor: Supervisor, app: App): void {
  countConnections(supervisor, app, socketsOf(supervisor));
  const idle = idleDeadlineMs(app);
  if (idle === null || idle > supervisor.nowMs()) return;
  const minutes = app.policy?.kind === 'ocioso' ? app.policy.minutes : 0;
  app.message = `no open connection for ${minutes} min`;
  supervisor.apply(app, { type: 'STOP', reason: 'Idle' });
}
