/**
 * Entries of a context menu: those of the desktop and those of apps in one order, `ordem` and then id. Source: rules 2.2.
 * Decision: docs/decisions/0223-context-menus.md
 */
import { bareExtension, extensionsOf, type Opener } from './file-type.ts';

export type Surface = Opener['menu'][number]['superficie'];
export type AppItem = Opener['menu'][number] & { readonly app: string };

/** Entries of apps that stand among the desktop's own in one menu; what is more is below "More". */
export const appItemsInPlaceMax = 8;

export interface Ordered {
  readonly id: string;
  readonly ordem: number;
}

const inOrder = (a: Ordered & { readonly app?: string }, b: Ordered & { readonly app?: string }): number => {
  if (a.ordem !== b.ordem) return a.ordem - b.ordem;
  if (a.id !== b.id) return a.id < b.id ? -1 : 1;
  // Entries of the desktop come first.
  const [mine, yours] = [a.app ?? '', b.app ?? ''];
  return mine < yours ? -1 : mine > yours ? 1 : 0;
};

/** Entries that apps add on a surface, in order; on `arquivo` for a file of that name, on `icone-do-app` for that app. */
export function itemsOn(
  surface: Surface,
  apps: readonly Pick<Opener, 'id' | 'menu'>[],
  of: { readonly nome?: string; readonly app?: string } = {},
): readonly AppItem[] {
  const ends = extensionsOf(of.nome ?? '');
  const fits = ({ superficie, extensoes, app }: AppItem): boolean => {
    if (superficie !== surface) return false;
    if (surface === 'icone-do-app') return app === of.app;
    return extensoes === null || extensoes.some((extension) => ends.includes(bareExtension(extension) ?? ''));
  };
  return apps
    .flatMap(({ id, menu }) => menu.map((item) => ({ ...item, app: id })))
    .filter(fits)
    .toSorted(inOrder);
}

/** In one order; of apps only the first ones, the others in `more`. */
export function arrange<Own extends Ordered>(
  own: readonly Own[],
  items: readonly AppItem[],
): { readonly inPlace: readonly (Own | AppItem)[]; readonly more: readonly AppItem[] } {
  const sorted = items.toSorted(inOrder);
  return { inPlace: [...own, ...sorted.slice(0, appItemsInPlaceMax)].toSorted(inOrder), more: sorted.slice(appItemsInPlaceMax) };
}
