/** The supervisor put together: records, machine, effects, level and edges. */
import { chmodSync, mkdirSync } from 'node:fs';
import type { SupervisionEffect, SupervisionEvent } from '../../machines/supervision.ts';
import { advance } from '../../machines/supervision.ts';
import { limits } from '../../schema/limits.ts';
import { accountPaths, type ServerPlace } from '../../schema/server-paths.ts';
import { unlinkIfThere } from '../atomic-file.ts';
import { faultPoint } from '../faults.ts';
import { identityOf, markedProcesses } from '../processes.ts';
import { endStrays, signalApp, watchUntilGone } from './ending.ts';
import { launch, sweep } from './launching.ts';
import { lookAtPackage } from './observe.ts';
import { resume } from './resume.ts';
import { checkAdopted, foldersOf, runDeadlines, scan } from './scan.ts';
import { serve, type ProtocolServer } from './server.ts';
import { changedSnapshot, writeStatus } from './snapshot.ts';
import { watchEdges } from './watch.ts';
import { appOf, guarded, later, type App, type Supervisor } from './world.ts';

export interface SupervisorOptions {
  readonly place: ServerPlace;
  readonly kitRoot: string;
  readonly binDir: string;
  readonly version: string;
  readonly nowMs: () => number;
  readonly log: Supervisor['log'];
  readonly quit: () => void;
}

/** Exhaustive: an effect without an executor does not compile (design 3 rule 2). */
const executors: { readonly [Kind in SupervisionEffect['kind']]: (supervisor: Supervisor, app: App) => void } = {
  launch,
  terminate: (supervisor, app) => {
    if (app.pending !== null) app.pending.cancelled = true;
    signalApp(app, 'SIGTERM');
    faultPoint('stop-terminated');
    queueMicrotask(() => watchUntilGone(supervisor, app));
  },
  kill: (_supervisor, app) => {
    signalApp(app, 'SIGKILL');
    faultPoint('stop-killed');
  },
  deleteEnv: (_supervisor, app) => {
    unlinkIfThere(app.paths.env);
    app.wish = null;
    // Without a leader there is no SIGTERM to follow: the machine is at the end of the stop already.
    if (app.supervision.state === 'stopped') endStrays(app);
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
    apply: (app, event) => applyEvent(supervisor, app, event),
    changed: (app) => {
      dirty.add(app);
      if (isFlushDue) return;
      isFlushDue = true;
      setImmediate(flush);
    },
  };
  /** One publication and one look at the deadlines a turn, however many changes there were. */
  const flush = (): void => {
    isFlushDue = false;
    const apps = [...dirty];
    dirty.clear();
    for (const app of apps) {
      const snapshot = changedSnapshot(app, supervisor.nowMs());
      if (snapshot !== null) {
        server?.push(snapshot);
        dueStatus(supervisor, app);
      }
      forgetIfGone(app);
    }
    armDeadlines();
  };
  const forgetIfGone = (app: App): void => {
    if (!app.looked || app.queued > 0 || app.installed !== null || app.wish !== null || app.process !== null || app.pending !== null)
      return;
    if (app.supervision.state !== 'stopped' || !isEmpty(app, foldersOf(supervisor))) return;
    if (supervisor.apps.delete(app.id)) server?.gone(app.id);
  };
  const armDeadlines = (): void => {
    const next = runDeadlines(supervisor);
    if (deadlineTimer) clearTimeout(deadlineTimer);
    // A clock that was set back must not keep a deadline away for long: never further than a round.
    deadlineTimer =
      next === null ? null : setTimeout(armDeadlines, Math.min(Math.max(0, next - supervisor.nowMs()), limits.supervisorScanMs));
  };

  resumeAll(supervisor);
  const edges = watchEdges(supervisor, (app) => server?.logChanged(app));
  const round = (): void => {
    scan(supervisor);
    edges.refresh();
  };
  round();
  const known = Promise.all([...supervisor.apps.values()].map((app) => lookAtPackage(supervisor, app))).then(() => undefined);
  server = await serve(supervisor, { version: options.version, known, quit: options.quit });
  const scanTimer = setInterval(round, limits.supervisorScanMs);
  const pollTimer = setInterval(() => {
    for (const app of supervisor.apps.values()) guarded(supervisor, app, 'poll', () => checkAdopted(supervisor, app));
  }, limits.adoptedPollMs);
  return () => {
    clearInterval(scanTimer);
    clearInterval(pollTimer);
    if (deadlineTimer) clearTimeout(deadlineTimer);
    edges.close();
    server.close();
    for (const app of supervisor.apps.values()) writeStatus(app, supervisor.log);
  };
}

function resumeAll(supervisor: Supervisor): void {
  const processes = markedProcesses();
  for (const id of foldersOf(supervisor)) {
    const app = appOf(supervisor, id);
    guarded(supervisor, app, 'resume', () => resume(supervisor, app, processes));
  }
}

/** Source: spec 5.2. */
function closeRoot(place: ServerPlace): void {
  const { root } = accountPaths(place);
  mkdirSync(root, { recursive: true, mode: 0o700 });
  chmodSync(root, 0o700);
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

function isEmpty(app: App, folders: readonly string[]): boolean {
  return !folders.includes(app.id);
}

function applyEvent(supervisor: Supervisor, app: App, event: SupervisionEvent): void {
  const nowMs = supervisor.nowMs();
  const before = app.supervision;
  const { next, effects } = advance(before, event, nowMs);
  app.supervision = next;
  if (next.state !== before.state || next.reason !== before.reason) {
    app.sinceMs = nowMs;
    supervisor.log('state', { app: app.id, on: event.type, from: before.state, to: next.state, reason: next.reason });
  }
  if (event.type === 'PROCESS_DIED') faultPoint('death-noted');
  // An effect that fails keeps no other away: a wish that can't be deleted must not keep the process alive.
  for (const effect of effects) guarded(supervisor, app, effect.kind, () => executors[effect.kind](supervisor, app));
  supervisor.changed(app);
}
