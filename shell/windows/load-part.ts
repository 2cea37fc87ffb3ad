/** A part of the shell that is not in its first file. */
import { text } from '../i18n/i18n.ts';
import { isPassing } from '../session/api.ts';
import { createRetry } from '../state/retry.ts';
import type { Shell } from './shell.ts';

type Needs = Pick<Shell, 'toast' | 'connection'>;

/** Parts on their way. */
const loading = new Set<string>();

/**
 * Loads what defines the element, once. A newer portal may not have this page's parts any more: a reload brings its own. While no portal answers a
 * reload would take the whole desktop away: the part is asked for until it comes.
 */
export function loadPart(desk: Needs, element: string, load: () => Promise<unknown>): void {
  if (loading.has(element) || customElements.get(element) !== undefined) return;
  const isThere = (): boolean => desk.connection.get() === 'open' && navigator.onLine;
  const away = (): void => desk.toast.set({ words: text('window.partAway'), open: null });
  let isTold = false;
  const ask = async (): Promise<void> => {
    try {
      await load();
      loading.delete(element);
    } catch (error) {
      // A part that broke off says nothing of a newer portal: it may have been asked for over a connection that is dead.
      if (isThere() && !isPassing(error)) {
        loading.delete(element);
        desk.toast.set({ words: text('window.partMissing'), open: () => (isThere() ? location.reload() : away()) });
        return;
      }
      if (!isTold && !isThere()) {
        away();
        isTold = true;
      }
      retry.failed(error);
    }
  };
  const retry = createRetry(() => void ask());
  loading.add(element);
  void ask();
}
