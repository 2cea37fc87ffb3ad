/** "Pin" or "Unpin" in the menus of an app and of its windows, which the list of commands offers too. */
import type { AppProjection } from '../../schema/wire/http.ts';
import { text } from '../i18n/i18n.ts';
import { isPinned, movingPin, pinnedAmong, pinning } from '../preferences/pins.ts';
import { moveItems } from '../preferences/order.ts';
import type { MenuItem } from '../ui/menu.ts';
import { attempt } from '../windows/attempt.ts';
import type { FrameDesk } from './frame-desk.ts';

export function pinItem(desk: FrameDesk, app: string): MenuItem {
  const { preferences, announcement } = desk;
  const isOn = isPinned(preferences.state.get(), app);
  const pin = async (): Promise<void> => {
    await preferences.change(pinning(app, !isOn));
    announcement.set(text(isOn ? 'pin.removed' : 'pin.added', { nome: desk.apps.find(app)?.name ?? app }));
  };
  return { label: text(isOn ? 'pin.remove' : 'pin.add'), glyph: isOn ? 'unpin' : 'pin', run: () => attempt(desk, pin) };
}

/** Where the app is pinned and not alone: one place on, and one back. */
export function pinMoves(desk: FrameDesk, app: string): readonly MenuItem[] {
  const shown = pinnedIn(desk).map(({ id }) => id);
  return moveItems(shown, app, [text('pin.left'), text('pin.right')], (other, side) => movePin(desk, app, other, side));
}

const pinnedIn = ({ preferences, apps }: FrameDesk): readonly AppProjection[] =>
  pinnedAmong(preferences.state.get(), apps.state.get().apps);

export function movePin(desk: FrameDesk, app: string, other: string, side: 'before' | 'after'): void {
  attempt(desk, async () => {
    await desk.preferences.change(movingPin(app, other, side));
    const pins = pinnedIn(desk);
    const n = pins.findIndex(({ id }) => id === app) + 1;
    desk.announcement.set(text('pin.moved', { nome: pins[n - 1]?.name ?? app, n, todos: pins.length }));
  });
}
