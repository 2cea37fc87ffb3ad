/**
 * Which files and folders the person gave to which app, in this tab of the browser and over its reloads: what the app was opened with and what was chosen for
 * it. Stored data is not trusted. Decision: docs/decisions/0228-files-for-pages.md
 */
import { pathBytes, pathText } from '../../schema/wire/file-path.ts';
import { isWithin, parentOf } from './file-path.ts';

export interface Grants {
  /** Allows a path; for a folder, everything in it. Anything that is no path is ignored. */
  allow(app: string, path: string, isFolder: boolean): void;
  covers(app: string, path: string): boolean;
  /** The folder of what it was given last; null: nothing yet. */
  lastPlace(app: string): string | null;
  /** The app was removed: another one of its name has none. */
  drop(app: string): void;
}

/** Files and folders that an app was given; the last ones are kept. */
export const grantsPerAppMax = 500;

interface Grant {
  readonly path: string;
  readonly isFolder: boolean;
}

/** The one text of a path, also of `~` and what is below it; null: it is none. */
function exactPath(path: string): string | null {
  const isOfHome = path === '~' || path.startsWith('~/');
  const bytes = pathBytes(isOfHome ? path.slice(1) || '/' : path);
  return bytes === null ? null : `${isOfHome ? '~' : ''}${pathText(bytes)}`;
}

const isGrant = (value: unknown): value is Grant =>
  typeof value === 'object' &&
  value !== null &&
  typeof (value as Grant).isFolder === 'boolean' &&
  typeof (value as Grant).path === 'string' &&
  exactPath((value as Grant).path) === (value as Grant).path;

export function createGrants(shop: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>, person: string): Grants {
  const keyOf = (app: string): string => `svc.given.${person}.${app}`;
  const kept = new Map<string, readonly Grant[]>();
  const of = (app: string): readonly Grant[] => {
    const known = kept.get(app) ?? read(shop, keyOf(app));
    kept.set(app, known);
    return known;
  };
  return {
    allow: (app, path, isFolder) => {
      const exact = exactPath(path);
      if (exact === null) return;
      const others = of(app).filter((grant) => grant.path !== exact);
      const grants = [...others, { path: exact, isFolder }].slice(-grantsPerAppMax);
      kept.set(app, grants);
      try {
        shop.setItem(keyOf(app), JSON.stringify(grants));
      } catch {
        // A full or forbidden storage: the app asks again after a reload.
      }
    },
    drop: (app) => {
      kept.delete(app);
      shop.removeItem(keyOf(app));
    },
    lastPlace: (app) => {
      const last = of(app).at(-1);
      return last === undefined ? null : last.isFolder ? last.path : parentOf(last.path);
    },
    covers: (app, path) => {
      const exact = exactPath(path);
      return exact !== null && of(app).some((grant) => grant.path === exact || (grant.isFolder && isWithin(exact, grant.path)));
    },
  };
}

function read(shop: Pick<Storage, 'getItem'>, key: string): readonly Grant[] {
  try {
    const value: unknown = JSON.parse(shop.getItem(key) ?? '[]');
    return Array.isArray(value) ? value.filter(isGrant).slice(-grantsPerAppMax) : [];
  } catch {
    return [];
  }
}
