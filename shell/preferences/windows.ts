/**
 * The windows of the last session: a tab that remembers none of its own begins with them, unless another page of the person is open in this browser.
 * Decision: docs/decisions/0202-preferences.md
 */
import type { Preferences } from '../../schema/wire/preferences.ts';
import type { WindowState } from '../windows/manager.ts';
import type { OpenWindow } from '../windows/places.ts';
import type { PreferencesModel } from './model.ts';

const writeMs = 2_000;
/** A portal that does not answer holds back no desktop. */
const waitMsMax = 2_000;

type Kept = NonNullable<Preferences['janelas']>;

export const keptOf = (windows: readonly WindowState[]): Kept =>
  windows
    .toSorted((a, b) => a.z - b.z)
    .slice(-64)
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

/** At most once in two seconds, by the page that the person looks at. */
export function createWindowWriter(write: (kept: Kept) => Promise<void>): (windows: readonly WindowState[]) => void {
  let waiting: readonly WindowState[] | null = null;
  let last = '';
  const flush = (): void => {
    const kept = keptOf(waiting ?? []);
    waiting = null;
    const text = JSON.stringify(kept);
    if (text === last || document.visibilityState !== 'visible') return;
    last = text;
    write(kept).catch(() => {
      last = '';
    });
  };
  return (windows) => {
    if (waiting === null) setTimeout(flush, writeMs);
    waiting = windows;
  };
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

/** What the portal keeps; [] when it does not say so in time. */
export async function lastWindows(state: PreferencesModel['state']): Promise<readonly OpenWindow[]> {
  const told = Promise.withResolvers<void>();
  const end = state.subscribe(() => told.resolve());
  setTimeout(() => told.resolve(), state.get() === null ? waitMsMax : 0);
  await told.promise;
  end();
  return openOf(state.get()?.janelas ?? []);
}
