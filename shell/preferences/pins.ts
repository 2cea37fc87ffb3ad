/** Apps that the person keeps in the taskbar and at the top of the launcher (`fixados`, decision 0202), in the order in which they were pinned. */
import type { Preferences } from '../../schema/wire/preferences.ts';
import type { PreferencesChange } from './model.ts';
import { movedBeside } from './order.ts';

export const isPinned = (chosen: Preferences | null, app: string): boolean => chosen?.fixados?.includes(app) ?? false;

/** Pinned apps among the installed ones: a removed app stays pinned for when it comes back. */
export function pinnedAmong<App extends { readonly id: string }>(chosen: Preferences | null, apps: readonly App[]): readonly App[] {
  return (chosen?.fixados ?? []).flatMap((id) => apps.find((app) => app.id === id) ?? []);
}

/** Made of the list as it is when it is written, so that what another page pinned meanwhile stays. */
export const pinning =
  (app: string, on: boolean): PreferencesChange =>
  ({ fixados = [] }) =>
    fixados.includes(app) === on ? null : { fixados: on ? [...fixados, app] : fixados.filter((other) => other !== app) };

/** Beside another pinned app; those that are not installed now keep their place between the others. */
export const movingPin =
  (app: string, other: string, side: 'before' | 'after'): PreferencesChange =>
  ({ fixados = [] }) => {
    const moved = movedBeside(fixados, app, other, side);
    return moved === null ? null : { fixados: moved };
  };
