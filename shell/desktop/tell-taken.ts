/** Says that a page took the keyboard, where the person is: in the dialog, since nothing behind one is read out, or else over the windows. */
import { around } from '../../sdk/web/ui/menu-end.ts';
import { text } from '../i18n/i18n.ts';
import type { Desk } from './desk.ts';

export function tellTaken(desk: Desk, window: string, own: HTMLElement | null, isStopped: boolean): void {
  const state = desk.windows.find(window);
  const words = text(isStopped ? 'keyboard.stopped' : 'keyboard.taken', { nome: state?.options.title ?? '' });
  const dialog = own === null ? undefined : [...around(own)].find((each) => each.matches('ui-dialog'));
  if (dialog === undefined) {
    desk.announcement.set(words);
    desk.toast.set({ words, open: null });
    return;
  }
  const before = dialog.querySelector(':scope > [slot=notice]');
  if (before?.textContent === words) return;
  before?.remove();
  const notice = document.createElement('p');
  notice.slot = 'notice';
  notice.role = 'alert';
  notice.textContent = words;
  dialog.append(notice);
}
