/** Sections about the person: appearance, language, notices, and where they are signed in. */
import { html, type TemplateResult } from 'lit';
import { accents, walls } from '../../schema/wire/preferences.ts';
import { languageNames, languages, text, type TextKey } from '../i18n/i18n.ts';
import '../session/svc-activity.ts';
import '../session/svc-passkeys.ts';
import '../session/svc-room-bin.ts';
import '../session/svc-session-list.ts';
import { nameAmong } from '../state/app-names.ts';
import { theme, themes, themeTexts } from '../ui/theme.ts';
import { oneOfFew } from './choices.ts';
import type { SettingsContext } from './context.ts';

export function appearance({ chosen, change }: SettingsContext): TemplateResult {
  const colours = accents.map((value) => ({ value, label: text(accentTexts[value]), sample: `colour ${value}` }));
  const papers = walls.map((value) => ({ value, label: text(wallTexts[value]), sample: `paper ${value}` }));
  const modes = themes.map((value) => ({ value, label: text(themeTexts[value]) }));
  return html`${oneOfFew('tema', text('look.light'), modes, theme.get(), (value) => theme.set(value))}
  ${oneOfFew('destaque', text('look.accent'), colours, chosen.destaque ?? 'azul', (destaque) => change({ destaque }))}
  ${oneOfFew('papel', text('look.wall'), papers, chosen.papel ?? 'brilho', (papel) => change({ papel }))}`;
}

const accentTexts = {
  azul: 'look.blue',
  verde: 'look.green',
  roxo: 'look.purple',
  rosa: 'look.pink',
  laranja: 'look.orange',
  grafite: 'look.graphite',
} as const satisfies Record<(typeof accents)[number], TextKey>;
const wallTexts = {
  brilho: 'look.glow',
  horizonte: 'look.horizon',
  faixas: 'look.stripes',
  pontos: 'look.dots',
  liso: 'look.plain',
} as const satisfies Record<(typeof walls)[number], TextKey>;

export function languageSection({ chosen, change }: SettingsContext): TemplateResult {
  const choices = [
    { value: 'sistema' as const, label: text('settings.languageAuto') },
    ...languages.map((value) => ({ value, label: languageNames[value] })),
  ];
  return oneOfFew('idioma', text('settings.languageOf'), choices, chosen.idioma ?? 'sistema', (idioma) => change({ idioma }));
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

export const deletedRooms = ({ desk }: SettingsContext): TemplateResult => {
  const { apps } = desk.apps.state.get();
  return html`<svc-room-bin .nameOf=${(id: string) => nameAmong(apps, id, desk.apps.find(id)?.name ?? id)}></svc-room-bin>`;
};
export const activity = (): TemplateResult => html`<svc-activity></svc-activity>`;
export const passkeys = (): TemplateResult => html`<svc-passkeys></svc-passkeys>`;
export const sessions = (): TemplateResult => html`<svc-session-list></svc-session-list>`;
