/**
 * Events on a server without the portal: a supervisor per person drives machines/supervision.ts, a launcher takes its steps, processes
 * bind, answer, crash and end. The lock of the launcher is held by the process it becomes, as flock's is (rules 3.1).
 */
import { advance, nextDeadlineMs, stoppedSupervision, type SupervisionEffect, type SupervisionEvent } from '../../machines/supervision.ts';
import { closePolicy } from '../../schema/manifest/manifest.ts';
import { limits } from '../../schema/limits.ts';
import type { Reason } from '../../schema/backend.ts';
import type { AppSnapshot } from '../../schema/supervisor-lines.ts';
import { push } from './pushes.ts';
import { checkEnvDeletion, checkLaunch, checkProcesses, checkSupervision } from './invariants.ts';
import { after, type AppModel, type Behaviour, type PersonModel, type Process, type World } from './world.ts';

export function snapshotOf(app: AppModel): AppSnapshot {
  const process = app.processes[0] ?? null;
  const { supervision } = app;
  return {
    app: app.id,
    state: supervision.state,
    reason: supervision.reason,
    message: '',
    sinceMs: 0,
    wanted: app.env !== null,
    pinned: app.env?.pinned ?? false,
    requestId: app.requestId,
    installed: app.installed.present ? { version: '1.0.0', hash: app.installed.hash, scope: 'sistema' } : null,
    process:
      process === null
        ? null
        : { pid: process.pid, startTicks: process.startTicks, bootId: 'boot', startedAtMs: process.startedAtMs, hash: process.hash },
    socket: process?.listening === true ? 'listening' : 'absent',
    tcpPorts: process?.behaviour === 'bindsTcp' ? [8_080] : [],
    step: app.settingUp ? { name: 'install', detail: 'installCommand runs', atMs: 0 } : null,
    failures: supervision.failures,
    nextAttemptAtMs: supervision.nextAttemptAtMs,
    restarts: 0,
    lastExit: app.lastExit,
    connections: app.windows.open,
    idleDeadlineMs: null,
    contained: true,
    containedReason: '',
    secrets: { declared: 0, missing: [], restartNeeded: false },
    gpu: null,
  };
}

/** Gives the event to the machine, keeps its state as status.json does, and carries the effects out. */
export function supervise(world: World, app: AppModel, event: SupervisionEvent): void {
  const nowMs = world.clock.nowMs();
  const before = app.supervision;
  const { next, effects } = advance(before, event, nowMs);
  if (next === before) return;
  app.previousSupervision = before;
  app.supervision = next;
  if (before.state !== next.state) app.movedAtMs = world.clock.monotonicMs();
  checkSupervision(world, app, before, event);
  for (const effect of effects) carryOut(world, app, effect);
  armDeadline(world, app);
  push(world, app);
}

function armDeadline(world: World, app: AppModel): void {
  const atMs = nextDeadlineMs(app.supervision);
  if (atMs === null) return;
  const life = app.person.supervisor;
  after(world, Math.max(0, atMs - world.clock.nowMs()), () => {
    if (life !== null && app.person.supervisor === life && nextDeadlineMs(app.supervision) === atMs)
      supervise(world, app, { type: 'TICK' });
  });
}

function carryOut(world: World, app: AppModel, effect: SupervisionEffect): void {
  switch (effect.kind) {
    case 'launch':
      launch(world, app);
      return;
    case 'deleteEnv':
      checkEnvDeletion(world, app, app.supervision.reason);
      app.env = null;
      return;
    case 'terminate':
      terminate(world, app, false);
      return;
    case 'kill':
      terminate(world, app, true);
      return;
    case 'sweep':
  }
}

/** The seven steps of rules 3.1. Beside the lock a second launcher does nothing; the supervisor then observes again. */
function launch(world: World, app: AppModel): void {
  checkLaunch(world, app);
  const life = app.person.supervisor ?? 0;
  if (app.launcher !== null || app.processes.length > 0) {
    lookAfter(world, app, 1_000);
    return;
  }
  world.tally.launches += 1;
  const { script } = world;
  const setUp = app.setUpHash !== app.installed.hash && (script.setUpMs !== null || world.random.chance(0.2));
  const launcher = { detached: setUp || world.random.chance(0.5), life };
  app.launcher = launcher;
  app.settingUp = setUp;
  after(world, setUp ? (script.setUpMs ?? world.random.int(2_000, 40_000)) : world.random.int(3, 60), () => {
    if (app.launcher !== launcher) return;
    app.launcher = null;
    app.settingUp = false;
    if (app.person.supervisor !== life && !launcher.detached) return;
    // Step 2: without an env file there is nothing to start.
    if (app.env === null) {
      notice(world, app);
      return;
    }
    app.setUpHash = app.installed.hash;
    spawn(world, app);
  });
}

const behaviours: readonly Behaviour[] = ['slow', 'neverBinds', 'bindsTcp', 'answersError', 'refusesToken', 'exitsAtOnce', 'exitsAtOnce'];

function spawn(world: World, app: AppModel): void {
  const { random } = world;
  world.pids += 1;
  const process: Process = {
    pid: world.pids,
    startTicks: world.pids * 7,
    startedAtMs: world.clock.nowMs(),
    hash: app.installed.hash,
    behaviour: world.script.behaviour ?? (random.chance(0.03) ? random.pick(behaviours) : 'healthy'),
    ignoresTerm: random.chance(0.02),
    listening: false,
  };
  app.processes.push(process);
  checkProcesses(world, app);
  notice(world, app);
  if (process.behaviour === 'exitsAtOnce') after(world, random.int(5, 400), () => end(world, app, process, 'ExitedAtOnce'));
  if (process.behaviour === 'neverBinds' || process.behaviour === 'bindsTcp' || process.behaviour === 'exitsAtOnce') return;
  after(world, world.script.bootMs ?? (process.behaviour === 'slow' ? random.int(16_000, 60_000) : random.int(30, 1_500)), () => {
    if (!app.processes.includes(process)) return;
    process.listening = true;
    notice(world, app);
  });
}

/** A process ends by itself or is ended; nobody but the supervisor's own eyes tells the supervisor. */
export function end(world: World, app: AppModel, process: Process, reason: Reason): void {
  if (!app.processes.includes(process)) return;
  app.processes = app.processes.filter((other) => other !== process);
  app.lastExit = { code: 1, signal: null, atMs: world.clock.nowMs(), reason, lastLogLines: [] };
  if (world.mischief.lostExits > 0) {
    world.mischief.lostExits -= 1;
    lookAfter(world, app, untilScan(world));
    return;
  }
  notice(world, app);
}

function terminate(world: World, app: AppModel, hard: boolean): void {
  // A launcher that did not come to its last step is ended with its group.
  app.launcher = null;
  app.settingUp = false;
  for (const process of app.processes) {
    if (process.ignoresTerm && !hard) continue;
    after(world, world.random.int(5, hard ? 50 : 800), () => end(world, app, process, app.supervision.reason));
  }
  if (app.processes.length === 0) lookAfter(world, app, 1);
}

/** Time until the next 10 s scan. Source: rules 3.3, supervisor rule 2. */
export function untilScan(world: World): number {
  return limits.supervisorScanMs - (world.clock.monotonicMs() % limits.supervisorScanMs);
}

export function notice(world: World, app: AppModel): void {
  lookAfter(world, app, world.random.int(1, 15));
}

function lookAfter(world: World, app: AppModel, ms: number): void {
  const life = app.person.supervisor;
  after(world, ms, () => {
    if (life !== null && app.person.supervisor === life) lookAt(world, app);
  });
}

/** Level: the supervisor's conclusion from env file, process and launcher, whatever made it observe them. */
function lookAt(world: World, app: AppModel): void {
  const process = app.processes[0] ?? null;
  const { state } = app.supervision;
  if (process !== null) {
    if (app.env === null && state !== 'stopping') supervise(world, app, { type: 'PROCESS_SEEN', listening: process.listening });
    if (app.env === null && state !== 'stopping') supervise(world, app, { type: 'STOP', reason: 'WishDeleted' });
    else if (state !== 'stopping' && state !== 'running') supervise(world, app, { type: 'PROCESS_SEEN', listening: process.listening });
    push(world, app);
    return;
  }
  if (app.launcher !== null) {
    push(world, app);
    return;
  }
  if (state === 'stopping') supervise(world, app, { type: 'GONE' });
  else if (state === 'running' || state === 'starting')
    supervise(world, app, { type: 'PROCESS_DIED', reason: app.lastExit?.reason ?? 'Crashed' });
  else if (state === 'stopped' && app.env !== null) supervise(world, app, { type: 'WANTED' });
}

/** A supervisor comes to life: its memory is status.json, its truth the disk and the process table. */
export function bootSupervisor(world: World, person: PersonModel): void {
  person.lives += 1;
  person.supervisor = person.lives;
  for (const app of person.apps) {
    const { state } = app.supervision;
    // Alive by memory only: what became of the process is not a failure of the app.
    if (app.processes.length === 0 && (state === 'running' || state === 'starting'))
      app.supervision = { ...app.supervision, state: 'stopped' };
    // The env file alone carries the order: an earlier order in status.json is over. Source: rules 2.6.
    if (app.env === null && app.processes.length === 0) {
      const reason = state === 'stopped' || state === 'stopping' ? app.supervision.reason : 'WishDeleted';
      app.supervision = { ...stoppedSupervision, reason };
    }
    if (app.supervision.state === 'stopping' || app.supervision.state === 'backoff' || app.supervision.state === 'failed')
      armDeadline(world, app);
    if (app.supervision.state === 'stopping' && app.processes.length > 0) terminate(world, app, false);
    if (app.supervision !== stoppedSupervision || app.env !== null) notice(world, app);
    watchIdle(world, app);
  }
}

/** SIGKILL: timers and in-process launchers die with it, apps and detached launchers live on. */
export function killSupervisor(world: World, person: PersonModel): void {
  person.supervisor = null;
  for (const app of person.apps) {
    // The last write of status.json may not have happened.
    if (world.random.chance(0.3)) app.supervision = app.previousSupervision;
    if (app.launcher?.detached === false) {
      app.launcher = null;
      app.settingUp = false;
    }
  }
}

/** `ocioso:<N>m`: N minutes without a connection. Source: rules 3.3, supervisor rule 3. */
export function watchIdle(world: World, app: AppModel): void {
  const policy = closePolicy(app.installed.manifest);
  const life = app.person.supervisor;
  if (policy.kind !== 'ocioso' || app.windows.open > 0 || life === null) return;
  const { zeroSinceMs } = app.windows;
  after(world, policy.minutes * 60_000, () => {
    const same = app.person.supervisor === life && app.windows.open === 0 && app.windows.zeroSinceMs === zeroSinceMs;
    if (same && app.env !== null && !app.env.pinned && app.processes.length > 0) supervise(world, app, { type: 'STOP', reason: 'Idle' });
  });
}
