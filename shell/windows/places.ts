/**
 * What survives: the place of each app's window (per person, for good) and which windows are open (per tab, for a reload). Stored data is
 * not trusted: anything invalid counts as nothing stored.
 */
import type { Mode, Rect } from './geometry.ts';
import type { Place, Places, WindowState } from './manager.ts';

export interface OpenWindow {
  readonly app: string;
  readonly rect: Rect;
  readonly mode: Mode;
  readonly minimised: boolean;
  readonly route: string;
}

type Store = Pick<Storage, 'getItem' | 'setItem'>;
type Fields = Readonly<Record<string, unknown>>;

const modes: ReadonlySet<unknown> = new Set(['normal', 'maximised', 'left', 'right']);
const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);
const isRect = (value: unknown): value is Rect =>
  isObject(value) && ['x', 'y', 'width', 'height'].every((side) => Number.isFinite(value[side])) && Number(value['width']) > 0;
const isMode = (value: unknown): value is Mode => modes.has(value);

function read(store: Store, key: string): unknown {
  try {
    return JSON.parse(store.getItem(key) ?? 'null');
  } catch {
    return null;
  }
}

/** A full or forbidden storage costs the memory, never the window. */
function write(store: Store, key: string, value: unknown): void {
  try {
    store.setItem(key, JSON.stringify(value));
  } catch {
    // nothing to do: the window stays open where it is
  }
}

export function storedPlaces(store: Store, person: string): Places {
  const key = `svc.places.${person}`;
  const all = (): Fields => {
    const value = read(store, key);
    return isObject(value) ? value : {};
  };
  return {
    load: (app): Place | null => {
      const place = all()[app];
      return isObject(place) && isRect(place['rect']) && isMode(place['mode']) ? { rect: place['rect'], mode: place['mode'] } : null;
    },
    save: (app, place) => write(store, key, { ...all(), [app]: place }),
  };
}

/** Whether this tab had windows, or none, before: it was not opened just now. */
export const remembersWindows = (store: Store, person: string): boolean => read(store, `svc.open.${person}`) !== null;

export function loadOpenWindows(store: Store, person: string): readonly OpenWindow[] {
  const list = read(store, `svc.open.${person}`);
  if (!Array.isArray(list)) return [];
  return list.filter(
    (item: unknown): item is OpenWindow =>
      isObject(item) &&
      typeof item['app'] === 'string' &&
      typeof item['route'] === 'string' &&
      typeof item['minimised'] === 'boolean' &&
      isRect(item['rect']) &&
      isMode(item['mode']),
  );
}

/** Saved lowest first, so that opening them in this order gives back what was above what. */
export function saveOpenWindows(store: Store, person: string, windows: readonly WindowState[]): void {
  const list = windows
    .toSorted((a, b) => a.z - b.z)
    .map(({ app, rect, mode, minimised, route }) => ({ app, rect, mode, minimised, route }));
  write(store, `svc.open.${person}`, list);
}
