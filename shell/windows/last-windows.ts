/**
 * The windows of the last session: a tab that remembers none of its own begins with them, unless another page of the person is open in this browser.
 * Decision: docs/decisions/0202-preferences.md
 */
import type { Preferences } from '../../schema/wire/preferences.ts';
import { BrowserLate, inTime } from '../state/in-time.ts';
import { keptHere } from '../state/kept.ts';
import { randomId } from '../state/random-id.ts';
import type { WindowState } from './manager.ts';
import type { OpenWindow } from './places.ts';
import type { PreferencesModel } from '../preferences/model.ts';

const writeMs = 2_000;
/** A portal that does not answer holds back no desktop. */
const waitMsMax = 2_000;
/** As many as the portal keeps. Source: schema/wire/preferences.ts */
const windowsMax = 64;
/** A browser that never says is taken for one without other pages. */
const unsaidMax = 5;

type Kept = NonNullable<Preferences['janelas']>;

export const keptOf = (windows: readonly WindowState[]): Kept =>
  windows
    .toSorted((a, b) => a.z - b.z)
    .slice(-windowsMax)
    .map(({ app, rect: { x, y, width, height }, mode, minimised, route }) => ({
      app,
      rota: route,
      x,
      y,
      largura: width,
      altura: height,
      modo: mode,
      minimizada: minimised,
    }));

export const openOf = (kept: Kept): readonly OpenWindow[] =>
  kept.map(({ app, rota, x, y, largura, altura, modo, minimizada }) => ({
    app,
    route: rota,
    rect: { x, y, width: largura, height: altura },
    mode: modo,
    minimised: minimizada,
  }));

/** Windows that other pages of the person in this browser have open; each page reports its own. */
export interface OtherPages {
  readonly tell: (kept: Kept) => unknown;
  /** Null: the browser does not say now. */
  readonly windows: () => Promise<Kept | null>;
}

/** At most once in two seconds, by the page that the person looks at: its windows, over those of the other pages. */
export function createWindowWriter(write: (kept: Kept) => Promise<void>, others: OtherPages): (windows: readonly WindowState[]) => void {
  let waiting: readonly WindowState[] | null = null;
  let last = '';
  let unsaid = 0;
  const flush = async (): Promise<void> => {
    const windows = waiting ?? [];
    const own = keptOf(windows);
    waiting = null;
    others.tell(own);
    const theirs = await others.windows();
    // Windows of other pages that can't be asked for now are not written over.
    if (theirs === null && (unsaid += 1) <= unsaidMax) return later(waiting ?? windows);
    unsaid = 0;
    const kept = [...(theirs ?? []), ...own].slice(-windowsMax);
    const text = JSON.stringify(kept);
    if (text === last || document.visibilityState !== 'visible') return;
    last = text;
    write(kept).catch(() => {
      last = '';
    });
  };
  const later = (windows: readonly WindowState[]): void => {
    if (waiting === null) setTimeout(() => void flush(), writeMs);
    waiting = windows;
  };
  return later;
}

/** Whether this is the only page of the person in this browser; it stays so until it is closed. Without locks (plain http): true. */
export async function isOnlyPage(usuario: string): Promise<boolean> {
  const { locks } = navigator as { readonly locks?: LockManager };
  if (locks === undefined) return true;
  return await new Promise<boolean>((resolve) => {
    const held = locks.request(`svc.desk.${usuario}`, { ifAvailable: true }, (lock) => {
      resolve(lock !== null);
      return lock === null ? undefined : new Promise<void>(() => undefined);
    });
    held.catch(() => resolve(true));
  });
}

/**
 * Each page holds a lock and writes its windows down under the lock's name. The portal keeps the windows of a closed page until the next
 * change in another page. A browser without locks or storage knows no other page. Decision: docs/decisions/0358-windows-of-several-pages.md
 */
export function otherPages(usuario: string, storage: () => Storage): OtherPages {
  const prefix = `svc.pages.${usuario}.`;
  const own = prefix + randomId();
  const { locks } = navigator as { readonly locks?: LockManager };
  locks?.request(own, () => new Promise<void>(() => undefined)).catch(() => undefined);
  const open = async (): Promise<Kept> => {
    const all = storage();
    const { held = [] } = await inTime(locks!.query(), waitMsMax, own);
    const names = new Set(held.map(({ name }) => name));
    const keys = Array.from({ length: all.length }, (_, at) => all.key(at) ?? '').filter((key) => key.startsWith(prefix));
    for (const key of keys) if (!names.has(key)) all.removeItem(key);
    return keys.filter((key) => names.has(key) && key !== own).flatMap((key) => JSON.parse(all.getItem(key) ?? '[]') as Kept);
  };
  return {
    tell: (kept) => locks !== undefined && keptHere.setItem(own, JSON.stringify(kept)),
    windows: async () => (locks === undefined ? [] : await open().catch((error: unknown) => (error instanceof BrowserLate ? null : []))),
  };
}

/** Windows that the portal keeps; [] when it does not answer in time. */
export async function lastWindows(state: PreferencesModel['state']): Promise<readonly OpenWindow[]> {
  const told = Promise.withResolvers<void>();
  const end = state.subscribe(() => told.resolve());
  setTimeout(() => told.resolve(), state.get() === null ? waitMsMax : 0);
  await told.promise;
  end();
  return openOf(state.get()?.janelas ?? []);
}
