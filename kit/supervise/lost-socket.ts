/**
 * Handles what was deleted under a running app: its socket, which no app can bind again, and its record. A lost socket restarts the app,
 * because it can't be reached. That is no failure of the app; one whose socket is lost again and again backs off like one that crashes.
 * Decision: docs/decisions/0132-what-is-deleted-under-its-owner.md
 */
import { backoffMs } from '../../machines/supervision.ts';
import { limits } from './limits.ts';
import { limits as sharedLimits } from '../../schema/limits.ts';
import { pathState } from '../atomic-file.ts';
import { LaunchRefused } from '../launch/refusal.ts';
import { probeSocket } from '../launch/socket.ts';
import { isOfApp, readPidFile, sameProcess, writePidFile } from '../processes.ts';
import { isJob } from './cluster-job.ts';
import type { SocketUse } from './unix-sockets.ts';
import { guarded, later, type App, type Live, type Supervisor } from './app-state.ts';

/** Remembers the file that the process listens on; one that is gone or another a moment later ends the process. */
export function detectLostSocket(supervisor: Supervisor, app: App, table: ReadonlyMap<string, SocketUse> | null): void {
  const live = app.process;
  // The socket of a job comes and goes with the line to its node.
  if (live === null || live.launcher || isJob(app) || app.unseen !== '' || live.isSocketMissed) return;
  if (app.supervision.state !== 'running' && app.supervision.state !== 'starting') return;
  // The kernel's list goes on naming a deleted file: by it an adopted process is known to have listened.
  if (!live.listened && table?.get(app.paths.socket)?.listening !== true) return;
  const inode = socketAt(app);
  if (inode === 'unknown') return;
  if (inode !== 'none' && (live.socketInode === null || live.socketInode === inode)) {
    live.socketInode = inode;
    return;
  }
  live.isSocketMissed = true;
  later(app, limits.socketLostGraceMs, () => {
    live.isSocketMissed = false;
    void confirm(supervisor, app, live);
  });
}

function socketAt(app: App): number | 'none' | 'unknown' {
  const file = pathState(app.paths.socket);
  if (file.kind === 'unknown') return 'unknown';
  return file.kind === 'present' && file.stat.isSocket() ? file.stat.ino : 'none';
}

async function confirm(supervisor: Supervisor, app: App, live: Live): Promise<void> {
  const inode = socketAt(app);
  if (app.process !== live || app.unseen !== '' || inode === 'unknown' || inode === live.socketInode) return;
  if (inode !== 'none') {
    // It bound it again, or something else did.
    const answers = await probeSocket(app.paths.socket).catch((error: unknown) => (error instanceof LaunchRefused ? 'orphan' : 'unknown'));
    // A socket that can't be asked now is not lost: the next pass looks again.
    if (app.process !== live || answers === 'unknown') return;
    if (answers === 'answers') {
      live.socketInode = inode;
      return;
    }
  }
  const { state } = app.supervision;
  const nowMs = supervisor.nowMs();
  const { count, atMs } = app.socketLosses;
  const losses = nowMs - atMs < sharedLimits.failureResetMs ? count + 1 : 1;
  // Not yet: the next pass checks again. A clock that was set back does not prolong this.
  if ((state !== 'running' && state !== 'starting') || (nowMs >= atMs && nowMs < atMs + backoffMs(losses))) return;
  app.socketLosses = { count: losses, atMs: nowMs };
  app.message = `${app.paths.socket} was deleted or replaced while the app listened on it`;
  supervisor.log('socket-lost', { app: app.id, pid: live.identity.pid, losses });
  supervisor.apply(app, { type: 'REPLACE', reason: 'SocketLost' });
}

/**
 * Without run.pid, or with one that names something else, a launcher that a person runs by hand would take the living process for a stray, and
 * so would the next supervisor. One that named it once is read again when the file is another one or was written.
 */
export function keepRecord(supervisor: Supervisor, app: App): void {
  const live = app.process;
  if (live === null || live.launcher || app.pending !== null) return;
  guarded(supervisor, app, 'record', () => {
    // Taken before it is read: a change while it is read shows in the next pass.
    const stamp = recordStamp(app, supervisor.nowMs());
    if (stamp !== '' && stamp === live.recordStamp) return;
    const record = readPidFile(app.paths.runPid);
    const isOwn = sameProcess(record, live.identity);
    live.recordStamp = isOwn ? stamp : '';
    if (isOwn || (record !== null && isOfApp(record, app.mark))) return;
    writePidFile(app.paths.runPid, live.identity);
  });
}

/** '' where it proves nothing: no such file, unknown, or written so lately that the next write may have the same time. */
function recordStamp(app: App, nowMs: number): string {
  const file = pathState(app.paths.runPid);
  if (file.kind !== 'present') return '';
  const { ino, size, mtimeMs, ctimeMs } = file.stat;
  return nowMs - ctimeMs < limits.recordSettledMs ? '' : `${ino} ${size} ${mtimeMs} ${ctimeMs}`;
}
