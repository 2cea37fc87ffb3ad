/** "Pin" or "Unpin" in the menus of an app and of its windows, which the list of commands offers too. */
import { text } from '../i18n/i18n.ts';
import { isPinned, pinning } from '../preferences/pins.ts';
import type { MenuItem } from '../ui/menu.ts';
import { attempt } from './attempt.ts';
import type { Desk } from './desk.ts';

export function pinItem(desk: Desk, app: string): MenuItem {
  const { preferences, announcement } = desk;
  const isOn = isPinned(preferences.state.get(), app);
  const pin = async (): Promise<void> => {
    await preferences.change(pinning(app, !isOn));
    announcement.set(text(isOn ? 'pin.removed' : 'pin.added', { nome: desk.apps.find(app)?.name ?? app }));
  };
  return { label: text(isOn ? 'pin.remove' : 'pin.add'), glyph: isOn ? 'unpin' : 'pin', run: () => attempt(desk, pin) };
}
