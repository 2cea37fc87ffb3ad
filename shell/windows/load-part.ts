/** A part of the shell that is not in its first file. */
import type { Desk } from '../desktop/desk.ts';
import { text } from '../i18n/i18n.ts';

const loading = new Set<string>();

/** Loads what defines the element, once. A newer portal may not have this page's parts any more: a reload brings its own. */
export function loadPart(desk: Pick<Desk, 'toast'>, element: string, load: () => Promise<unknown>): void {
  if (loading.has(element) || customElements.get(element) !== undefined) return;
  loading.add(element);
  load().catch(() => {
    loading.delete(element);
    desk.toast.set({ words: text('window.partMissing'), open: () => location.reload() });
  });
}
