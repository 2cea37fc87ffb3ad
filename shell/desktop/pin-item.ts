/** "Pin" or "Unpin" in the menus of an app and of its windows, which the list of commands offers too. */
import { text } from '../i18n/i18n.ts';
import { isPinned, pinning } from '../preferences/pins.ts';
import { sayError } from '../session/say-error.ts';
import type { MenuItem } from '../ui/menu.ts';
import type { Desk } from './desk.ts';

export function pinItem(desk: Desk, app: string): MenuItem {
  const { preferences, announcement, toast } = desk;
  const isOn = isPinned(preferences.state.get(), app);
  const pin = async (): Promise<void> => {
    try {
      await preferences.change(pinning(app, !isOn));
      announcement.set(text(isOn ? 'pin.removed' : 'pin.added', { nome: desk.apps.find(app)?.name ?? app }));
    } catch (error) {
      toast.set({ words: text('tasks.error', { erro: sayError(error) }), open: null });
    }
  };
  return { label: text(isOn ? 'pin.remove' : 'pin.add'), glyph: isOn ? 'unpin' : 'pin', run: () => void pin() };
}
