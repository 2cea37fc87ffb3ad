/** Theme and language of this page and what the portal keeps of them follow each other. The browser's own memory serves the first paint. */
import { chooseLanguage, language } from '../i18n/i18n.ts';
import { theme, type Theme } from '../ui/theme.ts';
import type { PreferencesModel } from './model.ts';
import { keptHere } from '../state/kept.ts';

/** Which of both this browser has from the portal: once the portal keeps none, it goes back to the default; a choice made before signing in stays. */
const markOf = (field: 'tema' | 'idioma'): string => `svc.kept.${field}`;
const names = { auto: 'sistema', light: 'claro', dark: 'escuro' } as const;
const themeNamed = (tema: string): Theme => (tema === 'claro' ? 'light' : tema === 'escuro' ? 'dark' : 'auto');

export function followAppearance(preferences: PreferencesModel): PreferencesModel {
  let following = false;
  const received = (): void => {
    const kept = preferences.state.get();
    if (kept === null) return;
    following = true;
    const tema = keptOrDefault('tema', kept.tema);
    const idioma = keptOrDefault('idioma', kept.idioma);
    if (tema !== undefined) theme.set(themeNamed(tema));
    if (idioma !== undefined) language.set(chooseLanguage(idioma === 'sistema' ? null : idioma, navigator.languages));
    following = false;
  };
  // A choice that the portal does not take is made on this page all the same.
  const send = (patch: Parameters<PreferencesModel['change']>[0]): void => {
    if (!following) preferences.change(patch).catch(() => undefined);
  };
  preferences.state.subscribe(received);
  theme.subscribe(() => send({ tema: names[theme.get()] }));
  language.subscribe(() => send({ idioma: language.get() }));
  return preferences;
}

/** Undefined: this page keeps what it shows. */
function keptOrDefault<Value extends string>(field: 'tema' | 'idioma', value: Value | undefined): Value | 'sistema' | undefined {
  const mark = markOf(field);
  if (value !== undefined) {
    keptHere.setItem(mark, '1');
    return value;
  }
  const wasKept = keptHere.getItem(mark) !== null;
  keptHere.removeItem(mark);
  return wasKept ? 'sistema' : undefined;
}
