/** Everything that can be done to a window, for its menu, for the taskbar and for the list of commands. */
import { text } from '../i18n/i18n.ts';
import { tabGroups } from '../tabs/tab-actions.ts';
import { openMenu, type MenuGroup, type MenuItem, type MenuPlace } from '../ui/menu.ts';
import { fillsArea } from '../windows/geometry.ts';
import type { WindowState } from '../windows/manager.ts';
import type { FrameDesk } from './frame-desk.ts';
import { isApp } from '../windows/shell.ts';
import { permissionsItem, tabItem } from './open-tab.ts';
import { pinItem, pinMoves } from './pin-item.ts';

export function openWindowMenu(desk: FrameDesk, id: string, place: MenuPlace): void {
  const window = desk.windows.find(id);
  if (window !== undefined) openMenu(text('window.menu', { titulo: desk.title(window) }), windowActions(desk, window), place);
}

export function windowActions(desk: FrameDesk, window: WindowState): readonly MenuGroup[] {
  const { id } = window;
  const { windows } = desk;
  const fills = fillsArea(windows.area.get());
  const maximised = window.mode === 'maximised';
  const show = (): void => desk.activate(id);
  const size: MenuItem[] = [
    { label: text('window.move'), glyph: 'move', run: () => beginKeyboardMode(desk, window, 'move') },
    { label: text('window.resize'), glyph: 'resize', run: () => beginKeyboardMode(desk, window, 'resize') },
    { label: text('window.left'), glyph: 'left', run: () => (windows.setMode(id, 'left'), show()) },
    { label: text('window.right'), glyph: 'right', run: () => (windows.setMode(id, 'right'), show()) },
    {
      label: text(maximised ? 'window.restore' : 'window.maximise'),
      glyph: maximised ? 'restore' : 'maximise',
      run: () => (windows.toggleMaximised(id), show()),
    },
  ];
  return [
    ...tabGroups(desk, id),
    { items: fills ? [] : size },
    {
      items: [
        window.minimised
          ? { label: text('window.restore'), glyph: 'restore', run: show }
          : { label: text('window.minimise'), glyph: 'minimise', run: () => desk.minimise(id) },
        ...(isApp(window) ? [{ label: text('window.reload'), glyph: 'reload' as const, run: () => desk.reload(id) }] : []),
        ...appItems(desk, window),
        ...(asksForSecrets(desk, window)
          ? [{ label: text('secrets.open'), glyph: 'key' as const, run: () => desk.secretsApp.set(window.app) }]
          : []),
      ],
    },
    { items: isApp(window) ? [pinItem(desk, window.app), ...pinMoves(desk, window.app)] : [] },
    { items: [{ label: text('window.close'), glyph: 'close', run: () => desk.close(id) }] },
  ];
}

function appItems(desk: FrameDesk, { app: id }: WindowState): readonly MenuItem[] {
  const app = desk.apps.find(id);
  return app === undefined ? [] : [tabItem(app), permissionsItem(desk, id)];
}

const asksForSecrets = (desk: FrameDesk, { app }: WindowState): boolean => (desk.apps.find(app)?.secrets.declared ?? 0) > 0;

/** From now on the arrows belong to this window, until Enter or Escape (desktop/keys.ts). */
export function beginKeyboardMode(desk: FrameDesk, window: WindowState, kind: 'move' | 'resize'): void {
  desk.windows.focus(window.id);
  if (window.mode !== 'normal') desk.windows.place(window.id, desk.windows.shown(window));
  desk.keyboardMode.set({ window: window.id, kind });
  desk.announcement.set(text(kind === 'move' ? 'window.moveHelp' : 'window.resizeHelp', { titulo: desk.title(window) }));
}
