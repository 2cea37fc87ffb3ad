/**
 * Lets an update come that waits until the app stops: the app stops, and its windows load again once the new version is there, which starts
 * it. Decision: docs/decisions/0433-the-end-of-a-run-is-told.md
 */
import type { AppProjection } from '../../schema/wire/http.ts';
import { text } from '../i18n/i18n.ts';
import { stopApp } from '../session/api.ts';
import { attempt } from '../windows/attempt.ts';
import type { Desk } from './desk.ts';
import { limits } from './limits.ts';

export type UpdateDesk = Pick<Desk, 'activate' | 'announcement' | 'apps' | 'frames' | 'toast' | 'unsaved' | 'updating' | 'windows'>;
type Outcome = 'came' | 'held' | 'late' | 'gone';

/** Called again for each window in which something was not saved, once the person answered. */
export function updateApp(desk: UpdateDesk, id: string, stop: (app: string) => Promise<unknown> = stopApp): void {
  const app = desk.apps.find(id);
  if (app === undefined || app.update === null || desk.updating.get().has(id)) return;
  const unsaved = desk.windows.ofApp(id).find((window) => desk.unsaved.state.get().has(window.id));
  if (unsaved === undefined) return attempt(desk, async () => await update(desk, app, app.update ?? '', stop));
  desk.activate(unsaved.id);
  desk.unsaved.before(unsaved.id, 'update');
}

async function update(desk: UpdateDesk, { id, name: nome }: AppProjection, versao: string, stop: (app: string) => Promise<unknown>) {
  put(desk, id, versao);
  try {
    await stop(id);
    const outcome = await outcomeOf(desk, id, versao);
    if (outcome === 'held' || outcome === 'late') {
      const words = text(`update.${outcome}`, { nome, versao });
      desk.announcement.set(words);
      desk.toast.set({ words, open: null });
    }
  } finally {
    put(desk, id, null);
  }
  // Their navigation starts the app; closed meanwhile, it stays stopped.
  for (const window of desk.windows.ofApp(id)) desk.frames.get(window.id)?.reload();
}

function put({ updating }: UpdateDesk, id: string, version: string | null): void {
  const now = new Map(updating.get());
  if (version === null) now.delete(id);
  else now.set(id, version);
  updating.set(now);
}

/** Waits until the version is there, or something keeps it away. */
async function outcomeOf({ apps }: UpdateDesk, id: string, version: string): Promise<Outcome> {
  await apps.ask();
  return await new Promise((resolve) => {
    const end = (outcome: Outcome): void => {
      clearTimeout(timer);
      leave();
      resolve(outcome);
    };
    const look = (): void => {
      const app = apps.find(id);
      if (app === undefined) end('gone');
      else if (app.version === version) end('came');
      else if (app.update !== null && app.updateOthers > 0) end('held');
      // Started in the version that is there, here or in another page.
      else if (app.status === 'running') end('late');
    };
    const timer = setTimeout(() => end('late'), limits.updateMsMax);
    const leave = apps.state.subscribe(look);
    look();
  });
}
