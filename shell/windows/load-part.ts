/** A part of the shell that is not in its first file. */
import type { Desk } from '../desktop/desk.ts';
import { text } from '../i18n/i18n.ts';

const loading = new Set<string>();

/**
 * Loads what defines the element, once. A newer portal may not have this page's parts any more: a reload brings its own. While no portal answers a
 * reload would take the whole desktop away: the part is loaded when it is back.
 */
export function loadPart(desk: Pick<Desk, 'toast' | 'connection'>, element: string, load: () => Promise<unknown>): void {
  if (loading.has(element) || customElements.get(element) !== undefined) return;
  loading.add(element);
  load().catch(() => {
    const isThere = (): boolean => desk.connection.get() === 'open' && navigator.onLine;
    const away = (): void => desk.toast.set({ words: text('window.partAway'), open: null });
    if (isThere()) {
      loading.delete(element);
      desk.toast.set({ words: text('window.partMissing'), open: () => (isThere() ? location.reload() : away()) });
      return;
    }
    away();
    const stop = desk.connection.subscribe(() => {
      if (desk.connection.get() !== 'open') return;
      stop();
      loading.delete(element);
      loadPart(desk, element, load);
    });
  });
}
