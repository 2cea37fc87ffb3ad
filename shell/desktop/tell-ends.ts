/** Tells whoever runs an app, with or without a window of it, that the administrator's `maximo` ends it soon: once for each end. */
import { shownAs, text } from '../i18n/i18n.ts';
import type { Desk } from './desk.ts';

export function tellEnds(desk: Pick<Desk, 'apps' | 'toast' | 'announcement'>): void {
  const told = new Set<string>();
  desk.apps.state.subscribe(() => {
    for (const { id, name: nome, endsAtMs } of desk.apps.state.get().apps) {
      if (endsAtMs === null || told.has(`${id} ${endsAtMs}`)) continue;
      told.add(`${id} ${endsAtMs}`);
      const hora = new Date(endsAtMs).toLocaleTimeString(shownAs(), { timeStyle: 'short' });
      const words = text('limit.notice', { nome, hora });
      desk.announcement.set(words);
      desk.toast.set({ words, open: null });
    }
  });
}
