/**
 * Context-menu items (rules 2.2). They are data of the app and the shell runs them, so each is judged alone: an invalid item is omitted with its
 * reason and valid siblings stay. The validator shows the reasons as warnings.
 */
import { routeProblem } from '../bridge/route.ts';
import { limits } from '../limits.ts';
import { menuItemSchema } from './derived.ts';
import type { Manifest } from './manifest.ts';
import { plainCheck } from './plain-check.ts';
import { unshownIn } from './shown-text.ts';
import type { MenuItem } from './surface-rows.ts';

export interface OmittedItem {
  readonly index: number;
  /** Segments below the item: the place of the error. */
  readonly path: readonly (string | number)[];
  readonly reason: string;
}

/** Valid items in the order of the manifest, and why the others are left out. Source: rules 2.1 `contextMenu`, 2.2. */
export function contextMenuItems(items: readonly unknown[]): { items: MenuItem[]; omitted: OmittedItem[] } {
  const valid: MenuItem[] = [];
  const omitted: OmittedItem[] = [];
  const ids = new Set<string>();
  for (const [index, item] of items.entries()) {
    const refusal = refuse(item) ?? (ids.has((item as MenuItem).id) ? { path: ['id'], reason: 'another item has this id' } : null);
    if (refusal) omitted.push({ index, ...refusal });
    else {
      ids.add((item as MenuItem).id);
      valid.push(item as MenuItem);
    }
  }
  return { items: valid, omitted };
}

/**
 * Reads the menu of a manifest on a disk, which may hold anything: its items, and a sentence for each that the shell leaves out. An engine has no
 * menus.
 */
export function menuOf({ contributes, type }: Pick<Manifest, 'contributes' | 'type'>): {
  readonly items: readonly MenuItem[];
  readonly omitted: readonly string[];
} {
  const declared: unknown = contributes?.contextMenu;
  if (!Array.isArray(declared) || type === 'engine') return { items: [], omitted: [] };
  const { items, omitted } = contextMenuItems(declared.slice(0, limits.contextMenuItemsMax));
  const sentences = omitted.map(({ index, path, reason }) => {
    const place = path.map((part) =>
      typeof part === 'number' ? `[${part}]` : /^\w+$/.test(part) ? `.${part}` : `.${JSON.stringify(part.slice(0, 60))}`,
    );
    return `contributes.contextMenu[${index}]${place.join('')} is omitted: ${reason.slice(0, 200)}`;
  });
  const more = declared.length - limits.contextMenuItemsMax;
  if (more > 0)
    sentences.push(`contributes.contextMenu: the last ${more} are omitted: an app has at most ${limits.contextMenuItemsMax} items`);
  return { items, omitted: sentences };
}

type Refusal = Pick<OmittedItem, 'path' | 'reason'>;

const check = plainCheck(menuItemSchema);

/** Judges an item by its row, then by its surface. */
function refuse(item: unknown): Refusal | null {
  const fault = check(item);
  return fault === null ? misplaced(item as MenuItem) : { path: fault.path, reason: fault.reason };
}

function misplaced({ superficie, rotulo, acao, quando, rota }: MenuItem): Refusal | null {
  const isJump = superficie === 'icone-do-app';
  const verb = isJump ? 'abrirRota' : 'abrir';
  const unshown = unshownIn(rotulo);
  if (unshown !== null) return { path: ['rotulo'], reason: `expected text, ${unshown}` };
  if (acao !== undefined && acao !== verb) return { path: ['acao'], reason: `on this surface the action is "${verb}"` };
  if (quando !== undefined && superficie !== 'arquivo') return { path: ['quando'], reason: '"quando" belongs to "arquivo" only' };
  if (!isJump) return rota === undefined ? null : { path: ['rota'], reason: '"rota" belongs to "icone-do-app" only' };
  if (rota === undefined) return { path: [], reason: '"icone-do-app" needs "rota"' };
  const problem = routeProblem(rota);
  return problem === null ? null : { path: ['rota'], reason: problem };
}
