/** Folders that a person keeps in the sidebar (`pastas` of the preferences), in the order in which they were pinned. */
import type { Desk } from '../desktop/desk.ts';
import { attempt } from './file-menus.ts';

export const pinnedFolders = (desk: Desk): readonly string[] => desk.preferences.state.get()?.pastas ?? [];

export function pinFolder(desk: Desk, path: string, on: boolean): void {
  attempt(desk, () =>
    desk.preferences.change(({ pastas = [] }) =>
      pastas.includes(path) === on ? null : { pastas: on ? [...pastas, path] : pastas.filter((other) => other !== path) },
    ),
  );
}
