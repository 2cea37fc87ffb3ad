/** Theme and language of this page and what the portal keeps of them follow each other. The browser's own memory serves the first paint. */
import { chooseLanguage, language } from '../i18n/i18n.ts';
import { theme, type Theme } from '../ui/theme.ts';
import type { PreferencesModel } from './model.ts';

const names = { auto: 'sistema', light: 'claro', dark: 'escuro' } as const;
const themeNamed = (tema: string): Theme => (tema === 'claro' ? 'light' : tema === 'escuro' ? 'dark' : 'auto');

export function followAppearance(preferences: PreferencesModel): PreferencesModel {
  let following = false;
  const received = (): void => {
    const { tema, idioma } = preferences.state.get() ?? {};
    following = true;
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
