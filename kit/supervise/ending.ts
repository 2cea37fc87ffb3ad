/** Ending processes: SIGTERM and SIGKILL to everything of an app and to nothing else; telling how a process ended. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import type { Reason } from '../../schema/backend.ts';
import { limits } from './limits.ts';
import { pathState, unlinkIfThere } from '../atomic-file.ts';
import { faultPoint } from '../faults.ts';
import { groupAlive, isAlive, isOfApp, processesOf, signal } from '../processes.ts';
import { readMarker } from '../launch/marker.ts';
import { isOutOfMemory, oomCountersOf, oomKillCount } from './oom.ts';
import { scopeOf } from './scope.ts';
import { guarded, later, type App, type Live, type Supervisor } from './app-state.ts';

/** A child's pid can't be reused before its exit event; the identity of any other process is checked first. */
function isOurs(app: App, live: Live): boolean {
  if (live.child !== null) return live.child.exitCode === null && live.child.signalCode === null;
  return isOfApp(live.identity, app.mark);
}

function scopePids(live: Live): readonly number[] {
  if (live.cgroup === null) return [];
  try {
    return readFileSync(`/sys/fs/cgroup${live.cgroup}/cgroup.procs`, 'utf8').split('\n').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

/** Signals the leader, its group, its scope, and every process with the app's mark. */
export function signalApp(app: App, name: 'SIGTERM' | 'SIGKILL'): void {
  const live = app.process;
  if (live !== null && isOurs(app, live)) {
    observeScope(app);
    if (name === 'SIGKILL' && live.cgroup !== null) killScope(live.cgroup);
    for (const pid of scopePids(live)) signal(pid, name);
    signal(live.leader ? -live.identity.pid : live.identity.pid, name);
  }
  if (live === null && app.lastGroup !== null) signal(-app.lastGroup, name);
  // Processes that left the group, and those that outlived the leader.
  if (name === 'SIGKILL' || live === null) for (const stray of processesOf(app.mark)) signal(stray.identity.pid, name);
}

/** A backend that daemonized left its leader and its group; a stop that finds no leader ends what carries the mark. */
export function endStrays(app: App): void {
  for (const stray of processesOf(app.mark)) signal(stray.identity.pid, 'SIGKILL');
}

function killScope(cgroup: string): void {
  try {
    writeFileSync(`/sys/fs/cgroup${cgroup}/cgroup.kill`, '1');
  } catch {
    // Older kernels; the pids are signalled one by one.
  }
}

/**
 * Emits GONE once no process of the app lives; checks again soon otherwise. The kill deadline is the machine's. Files on the disk don't
 * matter: they prove nothing, and each start checks them again.
 */
export function watchUntilGone(supervisor: Supervisor, app: App): void {
  if (app.supervision.state !== 'stopping' || app.process !== null || app.pending !== null || app.isWatchedToEnd) return;
  if (app.lastGroup !== null && !groupAlive(app.lastGroup)) app.lastGroup = null;
  if (app.lastGroup !== null || processesOf(app.mark).length > 0) {
    app.isWatchedToEnd = true;
    later(app, 50, () => {
      app.isWatchedToEnd = false;
      guarded(supervisor, app, 'end', () => watchUntilGone(supervisor, app));
    });
    return;
  }
  faultPoint('stop-gone');
  const { runPid, comingUp, socket } = app.paths;
  for (const path of [runPid, comingUp]) guarded(supervisor, app, 'leftovers', () => void unlinkIfThere(path));
  guarded(supervisor, app, 'leftovers', () => {
    const left = pathState(socket);
    if (left.kind === 'present' && left.stat.isSocket()) unlinkIfThere(socket);
  });
  app.socket = 'absent';
  supervisor.apply(app, { type: 'GONE' });
}

/**
 * Kills with SIGKILL what a dead leader left: its group, and every other process with the app's mark, its id and socket in the environment
 * (a child in another session would serve beside the next process, and no cgroup may hold it). Resolves when they are gone, or after a
 * second. Two are spared: a launcher run by hand, and the child of a leader that exited with 0, which daemonized on purpose: that child is
 * the app, and the person is notified. A job that is meant to outlive its backend needs another environment.
 */
export function sweepDead(app: App, group: number | null): Promise<void> | null {
  const atWork = readMarker(app.paths.comingUp)?.process.pid;
  const left = app.lastExit?.code === 0 ? [] : processesOf(app.mark).filter(({ identity }) => identity.pid !== atWork);
  const isGone = (): boolean => (group === null || !groupAlive(group)) && !left.some(({ identity }) => isAlive(identity));
  if (isGone()) return null;
  if (group !== null) signal(-group, 'SIGKILL');
  for (const { identity } of left) signal(identity.pid, 'SIGKILL');
  const endMs = performance.now() + 1_000;
  return new Promise((resolve) => {
    const poll = (): void => {
      if (isGone() || performance.now() > endMs) resolve();
      else setTimeout(poll, 5);
    };
    poll();
  });
}

/** A scope is only entered by the command itself, some time after the spawn: it is looked for until it is found. */
export function observeScope(app: App): void {
  const live = app.process;
  if (live === null || live.launcher || !app.contained) return;
  live.cgroup ??= scopeOf(live.identity.pid);
  if (live.cgroup !== null) live.oom = oomCountersOf(live.cgroup);
}

/**
 * Whether the service manager of the account is going or gone: it ends its scopes by SIGTERM, which an app may answer with a good end.
 * systemd 255 does so with the last login in spite of lingering (systemd#43361). Asked only after an end that looks like it.
 */
function managerEnded(signalName: string | null, code: number | null, isUnknown: boolean): boolean {
  const uid = process.getuid?.() ?? 0;
  const runtime = process.env['XDG_RUNTIME_DIR'] ?? `/run/user/${uid}`;
  if (pathState(`${runtime}/systemd/private`).kind === 'absent') return true;
  if (signalName !== 'SIGTERM' && code !== 0 && !isUnknown) return false;
  const asked = spawnSync('systemctl', ['--user', 'is-system-running'], {
    encoding: 'utf8',
    timeout: limits.serviceManagerAskMsMax,
    env: { PATH: '/usr/bin:/bin', XDG_RUNTIME_DIR: runtime },
  });
  return ['', 'stopping', 'offline', 'unknown'].includes((asked.stdout ?? '').trim());
}

/** OutOfMemory by the kernel's counters, ExitedAtOnce by the time, otherwise Crashed. */
export function deathReason(supervisor: Supervisor, live: Live, code: number | null, signalName: string | null, nowMs: number): Reason {
  const kills = oomKillCount();
  const machineKills = kills - supervisor.oomKills;
  supervisor.oomKills = kills;
  const killed = signalName === 'SIGKILL' || live.child === null;
  if (isOutOfMemory({ before: live.oom, after: oomCountersOf(live.cgroup), machineKills, killed })) return 'OutOfMemory';
  if (live.cgroup !== null && managerEnded(signalName, code, live.child === null)) return 'LingerBroken';
  return !live.listened && nowMs - live.startedAtMs < limits.exitedAtOnceMs ? 'ExitedAtOnce' : 'Crashed';
}

/** Why its env file is gone, where nobody here deleted it. */
export function whyUnwanted(app: App): 'EndedByItself' | 'WishDeleted' {
  return pathState(app.paths.endedByItself).kind === 'present' ? 'EndedByItself' : 'WishDeleted';
}

/** Its env file went before it did, which is not seen yet: an end that was wished costs no failure and is no reason to launch it again. */
export function stopUnwanted(supervisor: Supervisor, app: App): void {
  if (app.wish === null || app.supervision.state === 'stopping' || pathState(app.paths.env).kind !== 'absent') return;
  app.wish = null;
  supervisor.apply(app, { type: 'STOP', reason: whyUnwanted(app) });
}
