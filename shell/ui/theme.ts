/** Light, dark or as the system says; kept on this browser. The tokens themselves are in shell.css. */
import { createSignal } from '../state/signal.ts';
import { keptHere } from '../state/kept.ts';

export const themes = ['auto', 'light', 'dark'] as const;

/** Keys of their names. */
export const themeTexts = { auto: 'prefs.themeAuto', light: 'prefs.themeLight', dark: 'prefs.themeDark' } as const;
export type Theme = (typeof themes)[number];

const storageKey = 'svc.theme';

export const theme = createSignal<Theme>('auto');

const systemDark = (): MediaQueryList => matchMedia('(prefers-color-scheme: dark)');

/** Whether the dark theme is shown now: the person's choice, or the system's setting at this moment. */
export const dark = createSignal(false);

export function startTheme(): void {
  const saved = keptHere.getItem(storageKey);
  theme.set(themes.find((name) => name === saved) ?? 'auto');
  const apply = (): void => {
    dark.set(theme.get() === 'auto' ? systemDark().matches : theme.get() === 'dark');
    document.documentElement.dataset['theme'] = dark.get() ? 'dark' : 'light';
  };
  theme.subscribe(() => {
    keptHere.setItem(storageKey, theme.get());
    apply();
  });
  systemDark().addEventListener('change', apply);
  apply();
}
