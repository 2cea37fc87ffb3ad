/** Entries of an app's menus about what its window may not do: an app in a tab of its own, where the browser names it, asks for it alone, and gives it the whole screen. Decision: docs/decisions/0441-permissions-of-a-window.md */
import type { AppProjection } from '../../schema/wire/http.ts';
import { permissionsApp } from '../preferences/window-permissions.ts';
import { text } from '../i18n/i18n.ts';
import type { MenuItem } from '../ui/menu.ts';
import type { FrameDesk } from './frame-desk.ts';

/** Without a hold of the tab on the desktop. */
export const tabItem = ({ url }: Pick<AppProjection, 'url'>): MenuItem => ({
  label: text('window.openTab'),
  glyph: 'external',
  run: () => void window.open(new URL(url, location.href).href, '_blank', 'noopener'),
});

export const permissionsItem = (desk: Pick<FrameDesk, 'open'>, app: string): MenuItem => ({
  label: text('permissions.open'),
  glyph: 'shield',
  run: () => {
    permissionsApp.set(app);
    desk.open('@configuracoes', 'permissoes');
  },
});
