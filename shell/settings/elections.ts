/**
 * Which app opens a kind of file, as far as Settings decides it; opening files comes with the file manager. What the person chose always counts.
 * Else the only app that declares the extension, or the only one of several that asks for it (`opens.default`): with two that ask, none is
 * elected. Kinds with a destination of their own in the desktop go to none by themselves. Source: spec 2.1 `opens`, 2.5.
 */
import type { Preferences } from '../../schema/wire/preferences.ts';
import type { AppSettings } from '../../schema/wire/settings.ts';

/** Code, text, compressed and HTML files. Source: spec 2.1 `opens.default`. */
const ownDestinations = new Set(
  `bash c cc conf cpp cs css csv go h hpp ini java js json jsx kt log lua md mjs php pl py r rb rs sh sql svelte swift toml ts tsx txt vue xml yaml yml
  7z bz2 gz rar tar tgz xz zip zst htm html xhtml`.split(/\s+/),
);

export const hasOwnDestination = (extension: string): boolean => ownDestinations.has(extension);

export type Opener = Pick<AppSettings, 'id' | 'nome' | 'tipos'>;

/** Apps by each extension that they declare, in the order of the alphabet. */
export function openers(apps: readonly Opener[]): ReadonlyMap<string, readonly Opener[]> {
  const found = Map.groupBy(
    apps.flatMap((app) => app.tipos.map(({ extensao }) => ({ extensao, app }))),
    ({ extensao }) => extensao,
  );
  return new Map([...found].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([extensao, each]) => [extensao, each.map(({ app }) => app)]));
}

/** Without a choice of the person; null: none. */
export function elected(extension: string, declaring: readonly Opener[]): Opener | null {
  if (hasOwnDestination(extension)) return null;
  const asks = declaring.filter(({ tipos }) => tipos.some(({ extensao, pede }) => extensao === extension && pede));
  const [only, ...others] = declaring.length === 1 ? declaring : asks;
  return only !== undefined && others.length === 0 ? only : null;
}

/** The app that opens it; null: the person is asked, or the desktop opens it by itself. */
export function openerOf(extension: string, apps: readonly Opener[], chosen: Pick<Preferences, 'tipos'>): Opener | null {
  const declaring = openers(apps).get(extension) ?? [];
  return declaring.find(({ id }) => id === chosen.tipos?.[extension]) ?? elected(extension, declaring);
}
