/** Launches inside the supervisor: the same steps as kit/launch, then the command is spawned in a new session. */
import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, realpathSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { howItEnded, wentToBackground } from '../../schema/backend.ts';
import { limits as kitLimits } from '../limits.ts';
import { whyNotSpawned } from './why-not-spawned.ts';
import { limits } from './limits.ts';
import { closePolicy } from '../../schema/manifest/manifest.ts';
import { errorCode } from '../../schema/system-error.ts';
import { pathState, unlinkIfThere } from '../atomic-file.ts';
import { faultPoint } from '../faults.ts';
import { claim, release } from '../launch/claim.ts';
import { gpuRootFrom, launcherEnvironment } from '../launch/environment.ts';
import { prepareLaunch, type Launch, type LaunchResult } from '../launch/launch.ts';
import { lastLines, redact } from '../launch/run-log.ts';
import { findPackage } from '../launch/package.ts';
import { exitCodes } from '../launch/exit-codes.ts';
import { asRefusal, type Refusal } from '../launch/refusal.ts';
import { readMarker } from '../launch/marker.ts';
import { bootId, processesOf, readPidFile, readStat, sameProcess, signal, writePidFile } from '../processes.ts';
import { jobEnd, observeJob } from './cluster-job.ts';
import { comingUp, lookForSocket, lookOften } from './coming-up.ts';
import { deathReason, signalApp, stopUnwanted, sweepDead, watchUntilGone } from './ending.ts';
import { wakeGpuWaiters } from './gpu-wait.ts';
import { forgetHealth } from './health.ts';
import { hiddenValues } from './hidden.ts';
import { gpuSummary, findLive, inputsStamp, observeLimits, observeSocket, wakeStamp } from './observe.ts';
import { oomCountersOf } from './oom.ts';
import { observeSecrets } from './secrets.ts';
import { guarded, type App, type Live, type Supervisor } from './app-state.ts';

let launching = 0;
const waiting: (() => void)[] = [];

/** At most so many launches are prepared at once: after a boot all apps of a person come up together. */
async function takeTurn(): Promise<void> {
  if (launching >= limits.launchesAtOnceMax) await new Promise<void>((resolve) => waiting.push(resolve));
  launching += 1;
}

function giveTurn(): void {
  launching -= 1;
  waiting.shift()?.();
}

/** The effect `launch`. Answers through the machine's events; a stop in the meantime cancels it. */
export function launch(supervisor: Supervisor, app: App): void {
  const pending = { cancelled: false };
  app.pending = pending;
  app.wakeStamp = null;
  const run = async (): Promise<void> => {
    await takeTurn();
    try {
      await app.swept;
      if (!pending.cancelled) await attempt(supervisor, app, pending);
    } finally {
      giveTurn();
      if (app.pending === pending) app.pending = null;
      if (pending.cancelled) watchUntilGone(supervisor, app);
      supervisor.changed(app);
    }
  };
  run().catch((error: unknown) => {
    // An error of the system (a folder that was deleted just now) says by itself what happened.
    const isOurs = error instanceof Error && !('syscall' in error);
    supervisor.log('launch-failed', { app: app.id, error: isOurs ? (error.stack ?? error.message) : String(error) });
    const { reason, retry, message } = asRefusal(error);
    app.message = message;
    supervisor.apply(app, { type: 'LAUNCH_REFUSED', reason, retry });
  });
}

async function attempt(supervisor: Supervisor, app: App, pending: { readonly cancelled: boolean }): Promise<void> {
  const living = findLive(supervisor, app);
  if (living !== null) {
    take(supervisor, app, living);
    return;
  }
  // A separate svc-app-run is at work; its marker and pid file are read at the latest in the next pass.
  if (!claim(app.paths.dir, app.paths.launchLock, supervisor.self)) return;
  faultPoint('launch-claimed');
  // For the one start that follows such an end: by the next one the manager may be back.
  const { managerLost } = app;
  app.managerLost = false;
  const inputs = inputsStamp(supervisor, app);
  let result: LaunchResult;
  try {
    result = await prepareLaunch({
      place: supervisor.place,
      app: app.id,
      kitRoot: supervisor.kitRoot,
      nodeExecutable: process.execPath,
      caller: process.env,
      self: supervisor.self,
      nowMs: supervisor.nowMs,
      maySetUp: false,
      managerLost,
      gpuRoot: gpuRootFrom(process.env),
      onStep: (name, detail) => {
        app.step = { name, detail, atMs: supervisor.nowMs() };
      },
    });
    if (result.kind === 'ready') {
      if (pending.cancelled) closeLaunch(result);
      else become(supervisor, app, result);
    }
  } finally {
    release(app.paths.dir);
  }
  faultPoint('launch-released');
  if (pending.cancelled || result.kind === 'ready') return;
  if (result.kind === 'set-up-due') spawnLauncher(supervisor, app);
  else if (result.kind === 'refused') {
    app.step = null;
    app.message = result.refusal.message;
    if (result.refusal.reason === 'NoGpu' || result.refusal.reason === 'GpuBusy') observeLimits(app);
    app.wakeStamp = wakeStamp(supervisor, app, result.refusal.reason, inputs);
    supervisor.apply(app, { type: 'LAUNCH_REFUSED', reason: result.refusal.reason, retry: result.refusal.retry });
  } else {
    // A process that is not known as the app's answers on the socket: it is not ended, and nothing is started beside it.
    const [stray] = processesOf(app.mark);
    const message = stray === undefined ? `another process answers on ${app.paths.socket}` : leftBehind(stray.identity.pid);
    app.message = message;
    app.wakeStamp = wakeStamp(supervisor, app, 'SocketRefused', inputs);
    supervisor.apply(app, { type: 'LAUNCH_REFUSED', reason: 'SocketRefused', retry: 'waiting' });
  }
}

function closeLaunch({ logFd, lease }: Launch): void {
  closeSync(logFd);
  if (lease !== null) closeSync(lease.fd);
}

function become(supervisor: Supervisor, app: App, ready: Launch): void {
  const [program, ...args] = ready.argv;
  let child: ChildProcess;
  try {
    child = spawn(program, args, {
      cwd: ready.cwd,
      env: ready.environment,
      // setsid: leader of its own group, so that signals to the supervisor don't reach it.
      detached: true,
      // The card's lock lives as long as the backend, or a child of it, has descriptor 3 open.
      stdio: ['ignore', ready.logFd, ready.logFd, ...(ready.lease === null ? [] : [ready.lease.fd])],
    });
  } finally {
    closeLaunch(ready);
  }
  app.contained = ready.contained;
  app.containedReason = ready.containedReason;
  app.installed = ready.installed;
  app.policy = closePolicy(ready.manifest);
  app.declaredSecrets = ready.manifest.secrets ?? [];
  app.gpu = gpuSummary(ready.gpu);
  watchChild(supervisor, app, child, { hash: ready.installed.hash, launcher: false });
  observeSecrets(supervisor, app);
}

/** A start with set-up due goes through `svc-app-run`, whose pid becomes the backend's. */
function spawnLauncher(supervisor: Supervisor, app: App): void {
  app.step = { name: 'install', detail: '', atMs: supervisor.nowMs() };
  const child = spawn(join(supervisor.binDir, 'svc-app-run'), [app.id], {
    env: launcherEnvironment(supervisor.place, app.id, supervisor.kitRoot, process.env),
    detached: true,
    stdio: 'ignore',
  });
  watchChild(supervisor, app, child, { hash: null, launcher: true });
}

function watchChild(
  supervisor: Supervisor,
  app: App,
  child: ChildProcess,
  known: { readonly hash: string | null; readonly launcher: boolean },
): void {
  const stat = child.pid === undefined ? null : readStat(child.pid);
  if (child.pid === undefined || stat === null) {
    child.once('error', (error) => refuseSpawn(supervisor, app, error));
    return;
  }
  const identity = { pid: child.pid, startTicks: stat.startTicks, bootId: bootId() };
  const live: Live = {
    identity,
    child,
    watch: null,
    startedAtMs: supervisor.nowMs(),
    hash: known.hash,
    launcher: known.launcher,
    leader: true,
    cgroup: null,
    oom: oomCountersOf(null),
    listened: false,
    socketInode: null,
    isSocketMissed: false,
    recordStamp: '',
  };
  app.process = live;
  app.codeFolder = codeFolder(supervisor, app.id);
  child.once('exit', (code, signal) => ended(supervisor, app, live, code, signal));
  child.unref();
  if (known.launcher) {
    followLauncher(supervisor, app, live);
    return;
  }
  faultPoint('launch-spawned');
  try {
    writePidFile(app.paths.runPid, identity);
  } catch (error) {
    // Without a record the next supervisor could start a second one beside it.
    app.process = null;
    live.watch?.close();
    signal(-identity.pid, 'SIGKILL');
    throw error;
  }
  faultPoint('launch-pid-written');
  guarded(supervisor, app, 'marker', () => void unlinkIfThere(app.paths.comingUp));
  comingUp(supervisor, app);
}

function refuseSpawn(supervisor: Supervisor, app: App, error: Error): void {
  const code = errorCode(error);
  app.message = `the command could not be started: ${whyNotSpawned(error)}`;
  app.step = null;
  const passing = code === 'EAGAIN' || code === 'ENOMEM' || code === 'EMFILE';
  app.wakeStamp = wakeStamp(supervisor, app, 'RuntimeMissing');
  supervisor.apply(app, { type: 'LAUNCH_REFUSED', reason: 'RuntimeMissing', retry: passing ? 'waiting' : 'terminal' });
}

/** run.pid changed: the launcher became the backend, or another launcher brought the app up. */
export function observePidFile(supervisor: Supervisor, app: App): void {
  const live = app.process;
  if (live?.launcher === true && sameProcess(readPidFile(app.paths.runPid), live.identity)) {
    live.launcher = false;
    observeLimits(app);
    observeSecrets(supervisor, app);
    comingUp(supervisor, app);
    supervisor.changed(app);
    void observeSocket(supervisor, app);
  } else if (live === null && app.pending === null && app.supervision.state !== 'stopping' && !app.resumeDue) {
    const living = findLive(supervisor, app);
    if (living !== null) take(supervisor, app, living);
  }
}

/** Adopts a living process: its end is watched by polling. */
export function take(supervisor: Supervisor, app: App, live: Live): void {
  app.process = live;
  app.codeFolder = codeFolder(supervisor, app.id);
  app.lastUseMs = supervisor.nowMs();
  observeLimits(app);
  if (!live.launcher) app.step = null;
  observeSecrets(supervisor, app);
  observeJob(supervisor, app);
  supervisor.apply(app, { type: 'PROCESS_SEEN', listening: false });
  void observeSocket(supervisor, app);
  if (live.launcher) followLauncher(supervisor, app, live);
  else lookForSocket(supervisor, app, live);
}

/** How far it came, and whether it is the backend by now. */
function followLauncher(supervisor: Supervisor, app: App, live: Live): void {
  lookOften(
    app,
    () => app.process === live && live.launcher,
    () => {
      guarded(supervisor, app, 'launcher', () => {
        observePidFile(supervisor, app);
        observeMarker(supervisor, app);
      });
    },
  );
}

/** How far the launcher at work has come. */
export function observeMarker(supervisor: Supervisor, app: App): void {
  const marker = readMarker(app.paths.comingUp);
  if (marker === null || sameProcess(marker.process, supervisor.self)) return;
  if (app.process === null) observePidFile(supervisor, app);
  if (app.process?.launcher !== true || !sameProcess(app.process.identity, marker.process)) return;
  app.step = { name: marker.step, detail: marker.detail, atMs: marker.atMs };
  supervisor.changed(app);
}

/** The process ended, said by the kernel or seen by a poll (then code and signal are not known). */
export function ended(supervisor: Supervisor, app: App, live: Live, code: number | null, signal: NodeJS.Signals | null): void {
  if (app.process !== live) return;
  if (app.gpu?.concedida === true) void wakeGpuWaiters(supervisor);
  const nowMs = supervisor.nowMs();
  const stayedLauncher = live.launcher && !isRecorded(app, live);
  live.watch?.close();
  forgetHealth(app);
  app.process = null;
  app.job = null;
  observeSecrets(supervisor, app);
  app.lastGroup = live.leader ? live.identity.pid : null;
  app.connections = null;
  app.step = null;
  app.tcpPorts = [];
  const left = pathState(app.paths.socket);
  app.socket = left.kind === 'present' && left.stat.isSocket() ? 'orphan' : 'absent';
  stopUnwanted(supervisor, app);
  if (app.supervision.state === 'stopping') {
    // Processes that outlived the leader get the signal, too, before the kill deadline.
    signalApp(app, 'SIGTERM');
    watchUntilGone(supervisor, app);
    return;
  }
  if (stayedLauncher) {
    launcherEnded(supervisor, app, code);
    return;
  }
  const over = jobEnd(app);
  const death = over?.reason ?? deathReason(supervisor, live, code, signal, nowMs);
  const reason = wasReplaced(supervisor, app, code, signal) ? 'HashChanged' : death;
  app.managerLost = reason === 'LingerBroken';
  const lines = redact(logEnd(app).join('\n'), hiddenValues(app)).split('\n');
  app.lastExit = { code, signal, atMs: nowMs, reason, lastLogLines: lines.filter(Boolean).map((line) => line.slice(0, 4_096)) };
  app.message = over?.message ?? endMessage(app, code, signal);
  supervisor.log('ended', { app: app.id, pid: live.identity.pid, code, signal, reason });
  supervisor.apply(app, over === null ? { type: 'PROCESS_DIED', reason } : { type: 'STOP', reason });
}

/** Whether run.pid names it; false when that can't be read. Must not throw while an end is handled: the end would be lost. */
function isRecorded(app: App, live: Live): boolean {
  try {
    return sameProcess(readPidFile(app.paths.runPid), live.identity);
  } catch {
    return false;
  }
}

function logEnd(app: App): readonly string[] {
  try {
    return lastLines(app.paths.runLog, limits.lastExitLinesMax, kitLimits.runLogKeptBytes / 16);
  } catch {
    return [];
  }
}

/** Ended as the installer ends instances, and other code is installed than it was started from (rules 3.3, `--force`). */
function wasReplaced(supervisor: Supervisor, app: App, code: number | null, signal: NodeJS.Signals | null): boolean {
  if (signal !== 'SIGTERM' && (signal !== null || (code !== null && code !== 0 && code !== 128 + constants.signals.SIGTERM))) return false;
  const now = codeFolder(supervisor, app.id);
  return app.codeFolder !== null && now !== null && now !== app.codeFolder;
}

/** Each installed version has its own folder, so this changes exactly when another one is installed. */
function codeFolder(supervisor: Supervisor, id: string): string | null {
  try {
    const folder = findPackage(supervisor.place, id);
    return folder === null ? null : realpathSync.native(folder.dir);
  } catch {
    return null;
  }
}

const leftBehind = (pid: number): string =>
  `the app left its process and ${wentToBackground} as pid ${pid}: the entrypoint itself has to stay and serve`;

function endMessage(app: App, code: number | null, signal: NodeJS.Signals | null): string {
  // A walk over the process table, so only for the code that a daemonizing parent ends with. Twice: who forks and ends while we walk
  // may be gone when we come to it, and then its child is there from the beginning of the next walk.
  const [stray] = code === 0 ? [...processesOf(app.mark), ...processesOf(app.mark)] : [];
  return stray === undefined ? howItEnded({ code, signal }) : `exit code 0; ${leftBehind(stray.identity.pid)}`;
}

/** `svc-app-run` ended without becoming the backend: its exit code and marker say what that means. */
function launcherEnded(supervisor: Supervisor, app: App, code: number | null): void {
  let refusal: Refusal | null;
  try {
    const living = findLive(supervisor, app);
    if (living !== null) {
      take(supervisor, app, living);
      return;
    }
    refusal = readMarker(app.paths.comingUp)?.refusal ?? null;
    unlinkIfThere(app.paths.comingUp);
  } catch (error) {
    refusal = asRefusal(error);
  }
  if (code === exitCodes.busy) return;
  if (code === exitCodes.refused && refusal !== null) {
    app.message = refusal.message;
    if (refusal.reason === 'NoGpu' || refusal.reason === 'GpuBusy') observeLimits(app);
    app.wakeStamp = wakeStamp(supervisor, app, refusal.reason);
    supervisor.apply(app, { type: 'LAUNCH_REFUSED', reason: refusal.reason, retry: refusal.retry });
    return;
  }
  app.message = `the launcher ended with ${code === null ? 'a signal' : `exit code ${code}`}`;
  supervisor.apply(app, { type: 'PROCESS_DIED', reason: 'Crashed' });
}

/** The effect `sweep`. */
export function sweep(app: App): void {
  const group = app.lastGroup;
  app.lastGroup = null;
  app.swept = sweepDead(app, group);
}
