/** Sections about the person: appearance, language, notices, and where they are signed in. */
import { html, type TemplateResult } from 'lit';
import { languageNames, languages, text } from '../i18n/i18n.ts';
import { themeTexts } from '../launcher/entries.ts';
import '../session/svc-session-list.ts';
import { theme, themes } from '../ui/theme.ts';
import { oneOfFew } from './choices.ts';
import type { SettingsContext } from './context.ts';

export const appearance = (): TemplateResult =>
  oneOfFew(
    'tema',
    text('prefs.theme'),
    themes.map((value) => ({ value, label: text(themeTexts[value]) })),
    theme.get(),
    (value) => theme.set(value),
  );

export function languageSection({ chosen, change }: SettingsContext): TemplateResult {
  const choices = [
    { value: 'sistema' as const, label: text('settings.languageAuto') },
    ...languages.map((value) => ({ value, label: languageNames[value] })),
  ];
  return oneOfFew('idioma', text('prefs.language'), choices, chosen.idioma ?? 'sistema', (idioma) => change({ idioma }));
}

export function notices({ chosen, change }: SettingsContext): TemplateResult {
  const choices = [
    { value: 'todas' as const, label: text('settings.noticesAll') },
    { value: 'mencoes' as const, label: text('settings.noticesMentions') },
    { value: 'nenhuma' as const, label: text('settings.noticesNone') },
  ];
  return html`${oneOfFew('notificacoes', text('settings.noticesWhich'), choices, chosen.notificacoes ?? 'todas', (notificacoes) =>
      change({ notificacoes }),
    )}
    <p class="quiet">${text('settings.noticesHint')}</p>`;
}

export const sessions = (): TemplateResult => html`<svc-session-list></svc-session-list>`;
