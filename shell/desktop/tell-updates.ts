/**
 * Tells whoever runs an app without a window of it that its update waits until nobody does, with a button that stops theirs: once for each
 * version. A window says it itself.
 */
import { text } from '../i18n/i18n.ts';
import { stopApp } from '../session/api.ts';
import { attempt } from '../windows/attempt.ts';
import type { Desk } from './desk.ts';

export function tellUpdates(
  desk: Pick<Desk, 'apps' | 'toast' | 'announcement' | 'windows'>,
  stop: (app: string) => Promise<unknown> = stopApp,
): void {
  const told = new Set<string>();
  desk.apps.state.subscribe(() => {
    for (const { id, name, update, pid } of desk.apps.state.get().apps) {
      if (update === null || pid === null || told.has(`${id} ${update}`)) continue;
      if (desk.windows.ofApp(id).length > 0) {
        told.add(`${id} ${update}`);
        continue;
      }
      // Shows a single update at a time: the next one follows once this one was seen.
      if (desk.toast.get() !== null) return;
      told.add(`${id} ${update}`);
      const words = text('apps.updateWaits', { nome: name, versao: update });
      desk.announcement.set(words);
      desk.toast.set({ words, open: () => attempt(desk, () => stop(id)), action: text('apps.stopToUpdate') });
      return;
    }
  });
}
