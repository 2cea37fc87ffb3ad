/** Where the file manager leads to: folders of the account, those that the person pinned (`pastas` of the preferences), the trash. */
import type { PlacesAnswer } from '../../schema/wire/files.ts';
import { attempt } from '../windows/attempt.ts';
import type { FilesDesk } from './desk-acts.ts';
import { text } from '../i18n/i18n.ts';
import { nameOfPath, trashPlace } from '../opening/file-path.ts';
import { movedBeside, moveItems } from '../preferences/order.ts';
import type { Glyph } from '../ui/glyphs.ts';
import type { MenuGroup, MenuItem } from '../ui/menu.ts';

export interface Place {
  readonly path: string;
  readonly name: string;
  readonly glyph: Glyph;
  readonly isPinned: boolean;
}

const place = (path: string, name: string, glyph: Glyph, isPinned = false): Place => ({ path, name, glyph, isPinned });

/** In groups, none of them empty; `known` null: the portal has not said yet which folders there are. */
export function placesOf(desk: FilesDesk, known: PlacesAnswer | null): readonly (readonly Place[])[] {
  const folders =
    known?.pastas.filter(({ papel, caminho }) => papel !== 'templates' && papel !== 'publicshare' && caminho !== known.casa) ?? [];
  const own =
    known === null
      ? []
      : [
          place(known.casa, text('files.home'), 'folder'),
          ...folders.map(({ caminho, nome }) => place(caminho, nome, 'folder')),
          place('/', text('files.computer'), 'globe'),
        ];
  const pins = (desk.preferences.state.get()?.pastas ?? []).map((path) => place(path, nameOfPath(path), 'pin', true));
  return [own, pins, [place(trashPlace, text('files.trash'), 'trash')]].filter((group) => group.length > 0);
}

/** The same as a menu, where there is no room for a sidebar. */
export function placesMenu(desk: FilesDesk, known: PlacesAnswer | null, go: (path: string) => void): readonly MenuGroup[] {
  return placesOf(desk, known).map((group) => ({
    items: group.map(({ path, name, glyph }) => ({ label: name, glyph, run: () => go(path) })),
  }));
}

export function pinFolder(desk: FilesDesk, path: string, on: boolean): void {
  attempt(desk, () =>
    desk.preferences.change(({ pastas = [] }) =>
      pastas.includes(path) === on ? null : { pastas: on ? [...pastas, path] : pastas.filter((other) => other !== path) },
    ),
  );
}

/** Menu of a folder that the person pinned. */
export function pinnedMenu(desk: FilesDesk, path: string): readonly MenuItem[] {
  const pins = desk.preferences.state.get()?.pastas ?? [];
  return [
    { label: text('files.unpin'), glyph: 'unpin', run: () => pinFolder(desk, path, false) },
    ...moveItems(pins, path, [text('files.pinUp'), text('files.pinDown')], (other, side) => moveFolder(desk, path, other, side)),
  ];
}

function moveFolder(desk: FilesDesk, path: string, other: string, side: 'before' | 'after'): void {
  attempt(desk, () =>
    desk.preferences.change(({ pastas = [] }) => {
      const moved = movedBeside(pastas, path, other, side);
      return moved === null ? null : { pastas: moved };
    }),
  );
}
