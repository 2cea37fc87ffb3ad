/** The supervisor put together: records, machine, effects, level and edges. */
import { chmodSync, mkdirSync } from 'node:fs';
import type { SupervisionEffect, SupervisionEvent } from '../../machines/supervision.ts';
import { limits as machineLimits } from '../../machines/limits.ts';
import { advance, restartsAfter } from '../../machines/supervision.ts';
import { limits } from './limits.ts';
import { limits as sharedLimits } from '../../schema/limits.ts';
import { accountPaths, type ServerPlace } from '../../schema/server-paths.ts';
import { pathState, unlinkIfThere } from '../atomic-file.ts';
import { faultPoint } from '../faults.ts';
import { identityOf, markedProcesses } from '../processes.ts';
import { appendToRunLog } from '../launch/run-log.ts';
import { quietCollector } from './collect.ts';
import { watchStops } from './health.ts';
import { diskTrouble } from './disk.ts';
import { endStrays, signalApp, watchUntilGone } from './ending.ts';
import { launch, sweep } from './launching.ts';
import { createFence } from './fence.ts';
import { lockAt } from './lock.ts';
import { observePackage } from './observe.ts';
import { checkAdopted, foldersOf, runDeadlines, scan } from './scan.ts';
import { serve, type ProtocolServer } from './server.ts';
import { takeOver } from './readable-files.ts';
import { changedSnapshot, writeStatus } from './snapshot.ts';
import { watchEdges } from './watch.ts';
import { appOf, guarded, later, type App, type Live, type Supervisor } from './app-state.ts';

export interface SupervisorOptions {
  readonly place: ServerPlace;
  readonly kitRoot: string;
  readonly binDir: string;
  readonly version: string;
  readonly isOutdated: () => boolean;
  readonly nowMs: () => number;
  readonly log: Supervisor['log'];
  readonly quit: () => void;
  /** Another supervisor has the lock of this home: we end without touching what is its own now. */
  readonly replaced: () => void;
}

/** Processes whose kill is in their log. */
const killed = new WeakSet<Live>();
const killedLine = `it did not end within ${machineLimits.stopGraceMs / 1_000} s of SIGTERM: it is killed`;

/** Exhaustive: an effect without an executor does not compile. */
const executors: { readonly [Kind in SupervisionEffect['kind']]: (supervisor: Supervisor, app: App) => void } = {
  launch,
  terminate: (supervisor, app) => {
    if (app.pending !== null) app.pending.cancelled = true;
    signalApp(app, 'SIGTERM');
    faultPoint('stop-terminated');
    queueMicrotask(() => watchUntilGone(supervisor, app));
  },
  kill: (supervisor, app) => {
    const live = app.process;
    signalApp(app, 'SIGKILL');
    faultPoint('stop-killed');
    // The end of the log of this run: the next one begins its own.
    if (live === null || live.launcher || killed.has(live)) return;
    killed.add(live);
    guarded(supervisor, app, 'log', () => appendToRunLog(app.paths.runLog, killedLine));
  },
  deleteEnv: (_supervisor, app) => {
    app.wish = null;
    app.wishEnds = true;
    try {
      unlinkIfThere(app.paths.env);
      app.wishEnds = false;
    } finally {
      // Without a leader there is no SIGTERM to follow: the machine is at the end of the stop already.
      if (app.supervision.state === 'stopped') endStrays(app);
    }
    faultPoint('stop-env-deleted');
  },
  sweep: (_supervisor, app) => sweep(app),
};

/** Takes over what is there, then serves. The answer ends the supervisor; every backend lives on. */
export async function startSupervisor(options: SupervisorOptions): Promise<() => void> {
  const self = identityOf(process.pid);
  if (self === null) throw new Error('/proc is not readable');
  closeRoot(options.place);
  const dirty = new Set<App>();
  let server: ProtocolServer | null = null;
  let deadlineTimer: NodeJS.Timeout | null = null;
  let isFlushDue = false;

  const supervisor: Supervisor = {
    ...options,
    self,
    apps: new Map(),
    oomKills: 0,
    folderStamps: '',
    disk: '',
    isResumed: false,
    fence: createFence({ file: accountPaths(options.place).leader, nowMs: Date.now, log: options.log }),
    apply: (app, event) => applyEvent(supervisor, app, event),
    changed: (app) => {
      dirty.add(app);
      if (isFlushDue) return;
      isFlushDue = true;
      setImmediate(flush);
    },
  };
  const poll = adoptedPoll(supervisor);
  const quiet = quietCollector();
  /** Publishes and checks the deadlines once per turn, for any number of changes. */
  const flush = (): void => {
    isFlushDue = false;
    const apps = [...dirty];
    dirty.clear();
    for (const app of apps) if (publish(supervisor, app, server)) quiet.stir();
    armDeadlines();
    poll.arm();
  };
  const armDeadlines = (): void => {
    const next = runDeadlines(supervisor);
    if (deadlineTimer) clearTimeout(deadlineTimer);
    // A clock that was set back must not keep a deadline away for long: never further than a pass.
    deadlineTimer =
      next === null ? null : setTimeout(armDeadlines, Math.min(Math.max(0, next - supervisor.nowMs()), sharedLimits.supervisorScanMs));
  };

  const edges = watchEdges(supervisor, (app) => server?.logChanged(app));
  const endStops = watchStops(supervisor);
  const lock = lockAt(accountPaths(options.place).supervisorLock);
  const round = (): void => {
    remakeRoot(supervisor);
    if (lock.check() === 'lost') return options.replaced();
    level(supervisor);
    poll.arm();
    edges.refresh();
    quiet.round();
    server?.keep().catch((error: unknown) => supervisor.log('socket-not-made', { error: String(error) }));
  };
  round();
  const known = Promise.all([...supervisor.apps.values()].map((app) => observePackage(supervisor, app))).then(() => undefined);
  server = await serve(supervisor, { version: options.version, isOutdated: options.isOutdated, known, quit: options.quit });
  const scanTimer = setInterval(round, sharedLimits.supervisorScanMs);
  return () => {
    clearInterval(scanTimer);
    poll.end();
    if (deadlineTimer) clearTimeout(deadlineTimer);
    edges.close();
    endStops();
    server.close();
    for (const app of supervisor.apps.values()) writeStatus(app, supervisor.log);
  };
}

/** A process that we did not start gives no exit event. Without one there is nothing to poll. */
function adoptedPoll(supervisor: Supervisor): { readonly arm: () => void; readonly end: () => void } {
  let timer: NodeJS.Timeout | null = null;
  const isNeeded = (): boolean => [...supervisor.apps.values()].some(({ process: live }) => live !== null && live.watch !== null);
  const arm = (): void => {
    if (timer !== null || !isNeeded()) return;
    timer = setTimeout(() => {
      timer = null;
      for (const app of supervisor.apps.values()) guarded(supervisor, app, 'poll', () => checkAdopted(supervisor, app));
      arm();
    }, limits.adoptedPollMs);
  };
  return {
    arm,
    end: () => {
      if (timer !== null) clearTimeout(timer);
    },
  };
}

function resumeAll(supervisor: Supervisor): void {
  const folders = foldersOf(supervisor);
  if (folders === null) return;
  const processes = markedProcesses();
  for (const id of folders) takeOver(supervisor, appOf(supervisor, id), processes);
  supervisor.isResumed = true;
}

/** A pass over everything. */
function level(supervisor: Supervisor): void {
  const disk = diskTrouble(supervisor);
  if (disk !== supervisor.disk) supervisor.log(disk === '' ? 'disk-writable' : 'disk-full', { why: disk });
  supervisor.disk = disk;
  if (!supervisor.isResumed) resumeAll(supervisor);
  scan(supervisor);
}

/** Answers whether there was something to say. */
function publish(supervisor: Supervisor, app: App, server: ProtocolServer | null): boolean {
  const snapshot = changedSnapshot(app, supervisor.nowMs());
  if (snapshot !== null) {
    server?.push(snapshot);
    dueStatus(supervisor, app);
  }
  if (isGone(supervisor, app) && supervisor.apps.delete(app.id)) server?.gone(app.id);
  return snapshot !== null;
}

/** Source: rules 5. */
function closeRoot(place: ServerPlace): void {
  const { root } = accountPaths(place);
  mkdirSync(root, { recursive: true, mode: 0o700 });
  chmodSync(root, 0o700);
}

/** The folder was deleted; lock and socket need an empty one. */
function remakeRoot(supervisor: Supervisor): void {
  if (pathState(accountPaths(supervisor.place).root).kind !== 'absent') return;
  try {
    closeRoot(supervisor.place);
    supervisor.log('folder-made-again');
  } catch (error) {
    supervisor.log('folder-not-made', { error: String(error) });
  }
}

/** Pushes go at once; the file may lag: a start changes the state several times within milliseconds. */
function dueStatus(supervisor: Supervisor, app: App): void {
  if (app.statusDue) return;
  app.statusDue = true;
  later(app, limits.statusFileLagMs, () => {
    app.statusDue = false;
    writeStatus(app, supervisor.log);
  });
}

/** Nothing of it is left: no package, no wish, no process and no folder. */
function isGone(supervisor: Supervisor, app: App): boolean {
  if (!app.packageObserved || app.unseen !== '' || app.resumeDue || app.queued > 0) return false;
  if (app.installed !== null || app.wish !== null || app.process !== null || app.pending !== null) return false;
  return app.supervision.state === 'stopped' && foldersOf(supervisor)?.includes(app.id) === false;
}

function applyEvent(supervisor: Supervisor, app: App, event: SupervisionEvent): void {
  const nowMs = supervisor.nowMs();
  const before = app.supervision;
  const { next, effects } = advance(before, event, nowMs);
  app.supervision = next;
  app.restarts = restartsAfter(app.restarts, before, event, effects);
  if (next.state !== before.state || next.reason !== before.reason) {
    app.sinceMs = nowMs;
    supervisor.log('state', { app: app.id, on: event.type, from: before.state, to: next.state, reason: next.reason });
  }
  if (event.type === 'PROCESS_DIED') faultPoint('death-noted');
  // An effect that fails keeps no other away: a wish that can't be deleted must not keep the process alive.
  for (const effect of effects) guarded(supervisor, app, effect.kind, () => executors[effect.kind](supervisor, app));
  supervisor.changed(app);
}
