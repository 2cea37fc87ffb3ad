/**
 * Whether the files of an app can be read. While they can't (EACCES, EIO, ESTALE…), nothing is concluded from them: no wish ends, nothing is started
 * or stopped, and the snapshot says `unknown` with the reason. Checked again at every pass.
 * Decision: docs/decisions/0130-files-that-cant-be-read.md
 */
import { pathState, unlinkIfThere, unreadable } from '../atomic-file.ts';
import { readEnvFile } from '../launch/env-file.ts';
import { findPackage, readManifest } from '../launch/package.ts';
import { LaunchRefused } from '../launch/refusal.ts';
import { readSecrets } from '../launch/secrets.ts';
import { markedProcesses, type Marked } from '../processes.ts';
import { resume } from './resume.ts';
import type { App, Supervisor } from './app-state.ts';
import { errorCode } from '../../schema/system-error.ts';

/** True when the files can be read; then what was postponed is done. */
export function checkReadable(supervisor: Supervisor, app: App): boolean {
  const file = pathState(app.paths.env);
  setUnseen(supervisor, app, file.kind === 'unknown' ? file.why : '');
  if (app.unseen !== '') return false;
  if (app.wishEnds) endWish(app);
  if (app.resumeDue) takeOver(supervisor, app, markedProcesses());
  return app.unseen === '';
}

/** Takes over what an earlier supervisor left; put off until its files can be read. */
export function takeOver(supervisor: Supervisor, app: App, processes: ReadonlyMap<string, readonly Marked[]>): void {
  app.resumeDue = app.process === null && app.pending === null;
  if (!app.resumeDue) return;
  try {
    resume(supervisor, app, processes);
    app.resumeDue = false;
    setUnseen(supervisor, app, '');
  } catch (error) {
    setUnseen(supervisor, app, error instanceof Error && errorCode(error) === '' ? error.message : unreadable(app.paths.dir, error));
  }
}

function setUnseen(supervisor: Supervisor, app: App, why: string): void {
  if (app.unseen === why) return;
  if ((app.unseen === '') !== (why === '')) supervisor.log(why === '' ? 'files-readable' : 'files-unreadable', { app: app.id, why });
  app.unseen = why;
  supervisor.changed(app);
}

/** A stop whose wish could not be deleted: the file is deleted as soon as possible, and never starts the app. */
function endWish(app: App): void {
  try {
    unlinkIfThere(app.paths.env);
    app.wishEnds = false;
  } catch {
    // A home that can't be written: the next pass.
  }
}

/** Whether a start that was refused for unreadable files could read them now; cheaper than to try it. */
export function isReadable(supervisor: Supervisor, app: App): boolean {
  try {
    readEnvFile(app.paths.env);
    readSecrets(app.paths.secrets);
    const folder = findPackage(supervisor.place, app.id);
    if (folder !== null) readManifest(folder.dir, app.id);
    return true;
  } catch (error) {
    return error instanceof LaunchRefused;
  }
}
