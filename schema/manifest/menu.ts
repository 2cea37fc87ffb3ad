/**
 * Context-menu items (rules 2.2). They are data of the app and the shell runs them, so each is judged alone: an invalid item is omitted with its
 * reason and valid siblings stay. The validator shows the reasons as warnings.
 */
import { routeProblem } from '../bridge/route.ts';
import { limits } from '../limits.ts';
import { characters } from '../positions/node.ts';
import type { Manifest } from './manifest.ts';
import { patterns } from './patterns.ts';
import { unshownIn } from './shown-text.ts';

export const menuSurfaces = ['arquivo', 'pasta', 'area-de-trabalho', 'icone-do-app'] as const;

export interface MenuItem {
  readonly id: string;
  readonly superficie: (typeof menuSurfaces)[number];
  readonly rotulo: string;
  readonly ordem?: number;
  readonly quando?: { readonly extensoes?: readonly string[] };
  readonly acao?: 'abrir' | 'abrirRota';
  readonly rota?: string;
}

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

interface Refusal {
  readonly path: readonly (string | number)[];
  readonly reason: string;
}

const fields: ReadonlySet<string> = new Set(['id', 'superficie', 'rotulo', 'ordem', 'quando', 'acao', 'rota']);
const idPattern = /^[a-z0-9][a-z0-9-]{0,47}$/;
const extensionPattern = new RegExp(patterns.extension);

function refuse(item: unknown): Refusal | null {
  if (!isRecord(item)) return { path: [], reason: 'expected an object' };
  const unknown = Object.keys(item).find((field) => !fields.has(field));
  if (unknown !== undefined) return { path: [unknown], reason: `unknown field ${JSON.stringify(unknown)}` };
  for (const field of ['id', 'superficie', 'rotulo']) {
    if (!Object.hasOwn(item, field)) return { path: [], reason: `"${field}" is missing` };
  }
  if (typeof item['id'] !== 'string' || !idPattern.test(item['id'])) {
    return { path: ['id'], reason: 'expected 1 to 48 lowercase letters, digits or "-", not "-" first' };
  }
  const surface = item['superficie'];
  if (!menuSurfaces.includes(surface as MenuItem['superficie'])) {
    return { path: ['superficie'], reason: `expected one of ${menuSurfaces.join(', ')}` };
  }
  return (
    refuseText(item, 'rotulo', limits.menuLabelCharsMax) ??
    refuseUnshown(item['rotulo'] as string) ??
    refuseOrder(item['ordem']) ??
    refuseAction(item['acao'], surface === 'icone-do-app') ??
    (surface === 'icone-do-app' ? refuseJumpItem(item) : refusePathItem(item, surface as string))
  );
}

/** No clamping. Source: rules 2.2 `ordem`, 7. */
function refuseOrder(order: unknown): Refusal | null {
  if (order === undefined) return null;
  if (Number.isInteger(order) && (order as number) >= limits.menuOrderMin && (order as number) <= limits.menuOrderMax) return null;
  return { path: ['ordem'], reason: `expected a whole number from ${limits.menuOrderMin} to ${limits.menuOrderMax}` };
}

function refuseAction(action: unknown, jumpList: boolean): Refusal | null {
  const verb = jumpList ? 'abrirRota' : 'abrir';
  return action === undefined || action === verb ? null : { path: ['acao'], reason: `on this surface the action is "${verb}"` };
}

function refuseJumpItem(item: Record<string, unknown>): Refusal | null {
  if (item['quando'] !== undefined) return { path: ['quando'], reason: '"quando" has no place on "icone-do-app"' };
  if (item['rota'] === undefined) return { path: [], reason: '"icone-do-app" needs "rota"' };
  const problem = routeProblem(item['rota']);
  return problem === null ? null : { path: ['rota'], reason: problem };
}

function refusePathItem(item: Record<string, unknown>, surface: string): Refusal | null {
  if (item['rota'] !== undefined) return { path: ['rota'], reason: '"rota" belongs to "icone-do-app" only' };
  const when = item['quando'];
  if (when === undefined) return null;
  if (surface !== 'arquivo') return { path: ['quando'], reason: '"quando" belongs to "arquivo" only' };
  if (!isRecord(when)) return { path: ['quando'], reason: 'expected an object' };
  const unknown = Object.keys(when).find((field) => field !== 'extensoes');
  if (unknown !== undefined) return { path: ['quando', unknown], reason: `unknown field ${JSON.stringify(unknown)}` };
  const extensions = when['extensoes'];
  if (extensions === undefined) return null;
  if (!Array.isArray(extensions) || extensions.length === 0)
    return { path: ['quando', 'extensoes'], reason: 'expected a list of at least one extension' };
  const wrong = extensions.findIndex((extension) => typeof extension !== 'string' || !extensionPattern.test(extension));
  return wrong === -1 ? null : { path: ['quando', 'extensoes', wrong], reason: 'expected a file extension, with or without the dot' };
}

/** Length in characters, not UTF-16 units, as JSON Schema counts. */
function refuseText(item: Record<string, unknown>, field: string, charsMax: number): Refusal | null {
  const text = item[field];
  const length = typeof text === 'string' ? characters(text) : 0;
  return length >= 1 && length <= charsMax ? null : { path: [field], reason: `expected a text of 1 to ${charsMax} characters` };
}

function refuseUnshown(label: string): Refusal | null {
  const problem = unshownIn(label);
  return problem === null ? null : { path: ['rotulo'], reason: `expected text, ${problem}` };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
