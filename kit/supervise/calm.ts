/**
 * Whether a pass may leave the files of an app alone. Most apps are at rest for hours, and what ten passes a minute read of each was most of what an
 * idle supervisor cost. The folder's times show every file that is made, renamed or deleted in it, the watch of every other write; where there is no
 * watch, after a reported write, and in every sixth pass all files are read. Never skipped are the process, the list of sockets with the
 * connections, and questions of health that are due. Decisions: docs/decisions/0268-rounds-of-apps-at-rest.md,
 * docs/decisions/0268-rounds-of-apps-at-rest.md
 */
import { limits } from './limits.ts';
import { pathState } from '../atomic-file.ts';
import type { App, FolderStamp } from './app-state.ts';

/** Asked once a pass. Says no when anything is under way, or was not yet written down. */
export function isCalm(app: App): boolean {
  const before = app.folder;
  // Taken before its files are read: a change while they are shows in the next pass.
  const now = folderStamp(app);
  app.folder = now === 'absent' || now === 'unknown' ? null : now;
  const isSame = now === 'absent' ? before === null : now !== 'unknown' && isSameFolder(before, now);
  const isNoted = app.written === app.published || now === 'absent';
  if (isSame && isNoted && !app.isTouched && isAtRest(app, now === 'absent') && app.calmRounds < limits.calmRoundsMax) {
    app.calmRounds += 1;
    return true;
  }
  app.isTouched = false;
  // Apps that were observed together are read again in different passes.
  app.calmRounds = app.calmRounds === 0 ? spreadOf(app) : 0;
  return false;
}

function isAtRest(app: App, isFolderless: boolean): boolean {
  if (app.unseen !== '' || app.resumeDue || app.wishEnds || app.pending !== null || app.step !== null || app.wakeStamp !== null)
    return false;
  const live = app.process;
  if (live === null) return app.supervision.state === 'stopped' && app.wish === null && (isFolderless || app.isFolderWatched);
  // The inode: its socket was seen at its path, so that its loss shows.
  const isServing = app.supervision.state === 'running' && app.socket === 'listening' && live.socketInode !== null && !live.isSocketMissed;
  return isServing && app.isFolderWatched && !live.launcher && (app.wish?.variables ?? null) !== null;
}

function folderStamp(app: App): FolderStamp | 'absent' | 'unknown' {
  const file = pathState(app.paths.dir);
  if (file.kind !== 'present') return file.kind;
  const { ino, mtimeMs, ctimeMs } = file.stat;
  return { inode: ino, mtimeMs, ctimeMs };
}

function isSameFolder(left: FolderStamp | null, right: FolderStamp): boolean {
  return left !== null && left.inode === right.inode && left.mtimeMs === right.mtimeMs && left.ctimeMs === right.ctimeMs;
}

const spreadOf = ({ id }: App): number => (id.charCodeAt(id.length - 1) + id.length) % limits.calmRoundsMax;
