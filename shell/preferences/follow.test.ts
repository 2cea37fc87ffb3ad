/** Theme and language follow what the portal keeps, also when it keeps none any more. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Preferences } from '../../schema/wire/preferences.ts';
import { language } from '../i18n/i18n.ts';
import { createSignal } from '../state/signal.ts';
import { theme } from '../ui/theme.ts';
import { followAppearance } from './follow.ts';

const change = vi.fn<() => Promise<void>>(async () => undefined);
const memory = new Map<string, string>();

function page() {
  const state = createSignal<Preferences | null>(null);
  followAppearance({ state, change, refresh: () => undefined, apply: () => undefined });
  return state;
}

beforeEach(() => {
  memory.clear();
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => memory.get(key) ?? null,
    setItem: (key: string, value: string) => void memory.set(key, value),
    removeItem: (key: string) => void memory.delete(key),
  });
  vi.stubGlobal('navigator', { languages: ['en'] });
});
afterEach(() => {
  // Pages that were made here follow it: they must not write to a browser that is gone.
  language.set('pt');
  vi.unstubAllGlobals();
});

test('what is taken back goes back to the default in an open page', () => {
  const state = page();
  state.set({ tema: 'escuro', idioma: 'pt' });
  expect([theme.get(), language.get()]).toEqual(['dark', 'pt']);
  state.set({});
  expect([theme.get(), language.get()]).toEqual(['auto', 'en']);
  expect(change).not.toHaveBeenCalled();
});

test('and in a page that is loaded after it was taken back', () => {
  page().set({ tema: 'escuro' });
  theme.set('dark');
  page().set({});
  expect(theme.get()).toBe('auto');
});

test('a theme that was chosen on this browser before the portal kept any stays', () => {
  theme.set('light');
  page().set({});
  expect(theme.get()).toBe('light');
});
