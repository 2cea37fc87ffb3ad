/** The level: every 10 s everything is looked at as if no edge had ever come (spec 3.3, supervisor rules 2 and 3). */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { limits } from '../../schema/limits.ts';
import { accountPaths } from '../../schema/server-paths.ts';
import { heldToClock, nextDeadlineMs } from '../../machines/supervision.ts';
import { fileAt } from '../launch/socket.ts';
import { trimRunLog } from '../launch/run-log.ts';
import { installedIds } from '../launch/package.ts';
import { isAppId } from '../place.ts';
import { lookAtScope } from './ending.ts';
import { oomKillCount } from './oom.ts';
import { wakeGpuWaiters } from './gpu-wait.ts';
import { ended, lookAtPidFile } from './launching.ts';
import { lookAtPackage, lookAtSocket, lookAtWish, lookForTcp, wakeStamp } from './observe.ts';
import { lookAtSecrets } from './secrets.ts';
import { idleDeadlineMs, writeStatus } from './snapshot.ts';
import { readUnixSockets, type SocketUse } from './unix-sockets.ts';
import { appOf, guarded, type App, type Supervisor } from './world.ts';

/** Ids with a folder of their own below ~/.svc-apps. */
export function foldersOf(supervisor: Supervisor): readonly string[] {
  try {
    return readdirSync(accountPaths(supervisor.place).root, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && isAppId(entry.name))
      .map((entry) => entry.name);
  } catch {
    return [];
  }
}

export function scan(supervisor: Supervisor): void {
  supervisor.oomKills = oomKillCount();
  // Packages and app folders come and go by rename: an unchanged folder holds the same names.
  const folders = folderStamps(supervisor);
  const isChanged = folders !== supervisor.folderStamps;
  supervisor.folderStamps = folders;
  if (isChanged) for (const id of [...installedIds(supervisor.place), ...foldersOf(supervisor)]) appOf(supervisor, id);
  void wakeGpuWaiters(supervisor);
  const table = readUnixSockets();
  for (const app of supervisor.apps.values()) {
    if (isChanged || !app.looked) void lookAtPackage(supervisor, app);
    guarded(supervisor, app, 'scan', () => scanApp(supervisor, app, table));
  }
}

function folderStamps(supervisor: Supervisor): string {
  const paths = accountPaths(supervisor.place);
  return [paths.root, paths.personApps, paths.systemApps]
    .map((path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? '-')
    .join(' ');
}

function scanApp(supervisor: Supervisor, app: App, table: ReadonlyMap<string, SocketUse> | null): void {
  followWish(supervisor, app);
  lookAtSecrets(supervisor, app);
  if (app.process !== null) {
    checkAdopted(supervisor, app);
    capRunLog(supervisor, app);
  }
  if (app.process !== null) {
    lookAtPidFile(supervisor, app);
    lookAtScope(app);
    const listening = table?.get(app.paths.socket)?.listening === true;
    const isSettled = app.socket === (listening ? 'listening' : 'absent');
    if (!isSettled || (!listening && fileAt(app.paths.socket) !== 'absent')) void lookAtSocket(supervisor, app, table);
    lookForTcp(supervisor, app);
    countConnections(supervisor, app, table);
  } else {
    relaunchIfLost(supervisor, app);
  }
  wakeIfChanged(supervisor, app);
  // What a full disk kept out of status.json once: a stopped app may not change for days.
  if (!app.statusDue) writeStatus(app, supervisor.log);
}

/** The wish came or went without a request: a person or a script wrote or deleted the env file. Source: spec 2.6. */
export function followWish(supervisor: Supervisor, app: App): void {
  const isThere = existsSync(app.paths.env);
  const { state } = app.supervision;
  if (!isThere && app.wish !== null) {
    app.wish = null;
    if (state !== 'stopped' && state !== 'stopping') supervisor.apply(app, { type: 'STOP', reason: 'StoppedByPerson' });
  } else if (isThere && app.wish === null) {
    lookAtWish(app);
    if (state === 'stopped') supervisor.apply(app, { type: 'WANTED' });
  }
}

/** An adopted process gives no exit event: its end is seen here and by the quicker poll. */
export function checkAdopted(supervisor: Supervisor, app: App): void {
  const live = app.process;
  if (live?.watch && !live.watch.alive()) ended(supervisor, app, live, null, null);
}

/** Starting, and nobody at work: another launcher was, and left nothing. */
function relaunchIfLost(supervisor: Supervisor, app: App): void {
  if (app.supervision.state !== 'starting' || app.pending !== null) return;
  lookAtPidFile(supervisor, app);
  if (app.process === null && app.supervision.state === 'starting') supervisor.apply(app, { type: 'PROCESS_DIED', reason: 'Crashed' });
}

export function wakeIfChanged(supervisor: Supervisor, app: App): void {
  if (app.wakeStamp === null || app.supervision.state !== 'failed') return;
  if (wakeStamp(supervisor, app, app.supervision.reason) !== app.wakeStamp) supervisor.apply(app, { type: 'WAKE' });
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

/** Probes of a starting app are ours, not somebody's use. They end with this time after the start. Source: spec 3.2. */
const probingMs = limits.probeAttemptsMax * limits.probeIntervalMs + limits.probeTimeoutMs;

/**
 * Open connections on the socket. While probes may come, one that is there in two rounds counts (no probe lives that long);
 * afterwards every one does. Unreadable is unknown, and unknown is use. Decision: docs/decisions/0024-idle-connections.md
 */
export function countConnections(supervisor: Supervisor, app: App, table: ReadonlyMap<string, SocketUse> | null): void {
  const live = app.process;
  const use = table?.get(app.paths.socket);
  const nowMs = supervisor.nowMs();
  const before = app.connections;
  if (live === null || use?.listening !== true) {
    app.connections = null;
    app.lastRound = new Set();
    app.lastUseMs = nowMs;
    if (before !== null) supervisor.changed(app);
    return;
  }
  const probing = nowMs - live.startedAtMs < probingMs;
  const counted = probing ? use.connections.filter((inode) => app.lastRound.has(inode)) : use.connections;
  app.lastRound = new Set(use.connections);
  if (counted.length > 0) app.lastUseMs = nowMs;
  app.connections = counted.length;
  if (app.connections !== before) supervisor.changed(app);
}

/** Everything whose time has come. Answers when to look again, or null. */
export function runDeadlines(supervisor: Supervisor): number | null {
  let next: number | null = null;
  for (const app of supervisor.apps.values()) {
    holdToClock(app, supervisor.nowMs());
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
  countConnections(supervisor, app, readUnixSockets());
  const idle = idleDeadlineMs(app);
  if (idle === null || idle > supervisor.nowMs()) return;
  const minutes = app.policy?.kind === 'ocioso' ? app.policy.minutes : 0;
  app.message = `no open connection for ${minutes} min`;
  supervisor.apply(app, { type: 'STOP', reason: 'Idle' });
}
