/**
 * Takes over from an earlier supervisor that was killed at any point (rules 3.3, supervisor rule 2). The wish and the process table are the truth;
 * status.json only adds counters and absolute deadlines.
 */
import type { Supervision } from '../../machines/supervision.ts';
import { unlinkIfThere } from '../atomic-file.ts';
import { claimHolder, release } from '../launch/claim.ts';
import { readMarker } from '../launch/marker.ts';
import { bootId, isAlive, processesOf, sameProcess, signal, writePidFile, type Marked } from '../processes.ts';
import { whyUnwanted } from './ending.ts';
import { launch, take } from './launching.ts';
import { adopted, findLive, observeLimits, observePolicy, observeWish, tokenOfProcess, unrecordedLeaders, wakeStamp } from './observe.ts';
import { readStatus, type StatusFile } from './snapshot.ts';
import { guarded, type App, type Live, type Supervisor } from './app-state.ts';

/**
 * Before the first pass, once for every app that has a folder. `processes` is the process table as it is now. Throws when a file can't be read, and
 * has changed nothing then: readable-files.ts retries.
 */
export function resume(supervisor: Supervisor, app: App, processes: ReadonlyMap<string, readonly Marked[]>): void {
  const marked = processesOf(app.mark, processes);
  const before = readStatus(app);
  const wanted = observeWish(app);
  app.lastExit = before?.lastExit ?? null;
  app.restarts = Number.isSafeInteger(before?.restarts) ? Number(before?.restarts) : 0;
  app.requestId ??= typeof before?.requestId === 'string' ? before.requestId : null;
  observeLimits(app);
  observePolicy(supervisor, app);
  removeLeftovers(supervisor, app);
  const live = findLive(supervisor, app) ?? findUnrecorded(supervisor, app, marked, before);
  if (live !== null) {
    // The counters live on; the state is what the process shows.
    if (before)
      app.supervision = {
        ...before.supervision,
        state: 'stopped',
        reason: 'Adopted',
        nextAttemptAtMs: null,
        killAtMs: null,
        relaunch: false,
      };
    resumeLiving(supervisor, app, live, before, wanted);
    return;
  }
  // Processes left by a dead leader must not answer for the new one.
  for (const stray of marked) signal(stray.identity.pid, 'SIGKILL');
  if (before) app.sinceMs = before.sinceMs;
  if (wanted) resumeWanted(supervisor, app, before);
  else resumeUnwanted(app, before);
}

/** The claim and the marker of the dead: they prove nothing, and people should not find them. */
function removeLeftovers(supervisor: Supervisor, app: App): void {
  const isClaimed = claimHolder(app.paths.dir) !== null;
  const marker = readMarker(app.paths.comingUp);
  guarded(supervisor, app, 'leftovers', () => {
    if (!isClaimed) release(app.paths.dir);
    if (marker === null || !isAlive(marker.process)) unlinkIfThere(app.paths.comingUp);
  });
}

/** run.pid is gone or names something else: the process that status.json names, or a leader that runs the entrypoint. */
function findUnrecorded(supervisor: Supervisor, app: App, marked: readonly Marked[], before: StatusFile | null): Live | null {
  const recorded = marked.find(({ identity }) => sameProcess(before?.process ?? null, identity));
  const [first, ...others] = recorded === undefined ? unrecordedLeaders(supervisor, app, marked) : [recorded.identity];
  for (const other of others) signal(-other.pid, 'SIGKILL');
  const live = first === undefined ? null : adopted(app, first, false);
  if (live !== null) guarded(supervisor, app, 'record', () => writePidFile(app.paths.runPid, live.identity));
  return live;
}

function resumeLiving(supervisor: Supervisor, app: App, live: Live, before: StatusFile | null, wanted: boolean): void {
  take(supervisor, app, live);
  if (before?.process?.pid === live.identity.pid && before.idleDeadlineMs !== null && app.policy?.kind === 'ocioso') {
    app.lastUseMs = before.idleDeadlineMs - app.policy.minutes * 60_000;
  }
  if (!wanted) {
    // Killed between the end of the wish and the end of the process.
    const reason = before?.supervision.state === 'stopping' ? before.supervision.reason : whyUnwanted(app);
    supervisor.apply(app, { type: 'STOP', reason });
    return;
  }
  const token = app.wish?.variables?.get('SVC_APP_TOKEN');
  // Killed between a new wish and the end of the old process.
  const started = tokenOfProcess(app);
  const isOld = !live.launcher && token !== undefined && started?.token !== token && started?.isSecret !== true;
  if (isLostSocket(before?.supervision)) supervisor.apply(app, { type: 'REPLACE', reason: 'SocketLost' });
  else if (isOld || before?.supervision.relaunch === true) supervisor.apply(app, { type: 'REPLACE', reason: 'HashChanged' });
}

/** Being restarted for its lost socket: by a supervisor, not on request. */
function isLostSocket(known: Supervision | undefined): boolean {
  return known?.state === 'stopping' && known.relaunch && known.reason === 'SocketLost';
}

function resumeWanted(supervisor: Supervisor, app: App, before: StatusFile | null): void {
  const known = before?.supervision;
  if (known && isLostSocket(known)) {
    app.supervision = known;
    supervisor.apply(app, { type: 'GONE' });
    return;
  }
  if (!known || known.state === 'stopped' || known.state === 'stopping') {
    supervisor.apply(app, { type: 'WANTED' });
    return;
  }
  app.supervision = known;
  app.message = before.message;
  if (known.state === 'backoff' || known.state === 'failed') {
    if (known.nextAttemptAtMs === null) app.wakeStamp = wakeStamp(supervisor, app, known.reason);
    return;
  }
  // Starting or running before: a process of this boot died unseen, which counts; one of an earlier boot, or none, does not.
  if (before.process?.bootId === bootId()) supervisor.apply(app, { type: 'PROCESS_DIED', reason: 'Crashed' });
  else launch(supervisor, app);
}

function resumeUnwanted(app: App, before: StatusFile | null): void {
  if (!before) return;
  const { supervision } = before;
  const reason = supervision.state === 'stopped' || supervision.state === 'stopping' ? supervision.reason : whyUnwanted(app);
  app.supervision = { ...app.supervision, reason };
}
