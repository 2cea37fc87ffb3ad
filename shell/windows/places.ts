/**
 * State that survives: the place of each app's window (per person, for good) and the open windows (per tab, for a reload). Stored data is
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
  /** Which one it was by the time of opening, as the taskbar shows them; absent: it comes last. */
  readonly nth?: number;
  /** Openings that the window is asked for again. */
  readonly openings?: readonly Fields[];
}

type Shop = Pick<Storage, 'getItem' | 'setItem'>;
type Fields = Readonly<Record<string, unknown>>;

const modes: ReadonlySet<unknown> = new Set(['normal', 'maximised', 'left', 'right']);
const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);
const isRect = (value: unknown): value is Rect =>
  isObject(value) && ['x', 'y', 'width', 'height'].every((side) => Number.isFinite(value[side])) && Number(value['width']) > 0;
const isMode = (value: unknown): value is Mode => modes.has(value);

function read(shop: Shop, key: string): unknown {
  try {
    return JSON.parse(shop.getItem(key) ?? 'null');
  } catch {
    return null;
  }
}

/** A full or forbidden storage costs the memory, never the window. */
function write(shop: Shop, key: string, value: unknown): void {
  try {
    shop.setItem(key, JSON.stringify(value));
  } catch {
    // nothing to do: the window stays open where it is
  }
}

export function storedPlaces(shop: Shop, person: string): Places {
  const key = `svc.places.${person}`;
  const all = (): Fields => {
    const value = read(shop, key);
    return isObject(value) ? value : {};
  };
  return {
    load: (app): Place | null => {
      const place = all()[app];
      return isObject(place) && isRect(place['rect']) && isMode(place['mode']) ? { rect: place['rect'], mode: place['mode'] } : null;
    },
    save: (app, place) => write(shop, key, { ...all(), [app]: place }),
  };
}

/** Whether this tab had windows, or none, before: it was not opened just now. */
export const remembersWindows = (shop: Shop, person: string): boolean => read(shop, `svc.open.${person}`) !== null;

export function loadOpenWindows(shop: Shop, person: string): readonly OpenWindow[] {
  const list = read(shop, `svc.open.${person}`);
  if (!Array.isArray(list)) return [];
  return list.filter(
    (item: unknown): item is OpenWindow =>
      isObject(item) &&
      typeof item['app'] === 'string' &&
      typeof item['route'] === 'string' &&
      typeof item['minimised'] === 'boolean' &&
      isRect(item['rect']) &&
      isMode(item['mode']) &&
      (item['nth'] === undefined || Number.isInteger(item['nth'])) &&
      (item['openings'] === undefined || (Array.isArray(item['openings']) && item['openings'].every(isObject))),
  );
}

/** Saved lowest first, so that opening them in this order gives back what was above what. */
export function saveOpenWindows(
  shop: Shop,
  person: string,
  windows: readonly WindowState[],
  openings: (window: string) => readonly Fields[] = () => [],
): void {
  const list = windows
    .toSorted((a, b) => a.z - b.z)
    .map(({ id, app, rect, mode, minimised, route, nth }) => {
      const waiting = openings(id);
      // Undefined fields are not written.
      return { app, rect, mode, minimised, route, nth, openings: waiting.length === 0 ? undefined : waiting };
    });
  write(shop, `svc.open.${person}`, list);
}
