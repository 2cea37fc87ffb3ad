/** The sections of Settings of the shell's own. */
import type { TemplateResult } from 'lit';
import type { TextKey } from '../i18n/i18n.ts';
import type { Glyph } from '../ui/glyphs.ts';
import { consents, defaults, extensions, failed, secrets, server } from './app-sections.ts';
import type { SettingsContext } from './context.ts';
import type { OwnSection } from './model.ts';
import { windowPermissions } from './permissions-section.ts';
import { opening } from './opening-section.ts';
import { activity, appearance, deletedRooms, languageSection, notices, passkeys, sessions } from './person-sections.ts';

export interface Section {
  readonly title: TextKey;
  /** Further words that the search finds it by. */
  readonly words: TextKey;
  readonly glyph: Glyph;
  readonly draw: (context: SettingsContext) => TemplateResult;
}

export const sections: { readonly [Id in OwnSection]: Section } = {
  aparencia: { title: 'prefs.theme', words: 'settings.wordsAppearance', glyph: 'sun', draw: appearance },
  idioma: { title: 'prefs.language', words: 'settings.wordsLanguage', glyph: 'language', draw: languageSection },
  notificacoes: { title: 'settings.notices', words: 'settings.wordsNotices', glyph: 'bell', draw: notices },
  abrir: { title: 'settings.opening', words: 'settings.wordsOpening', glyph: 'link', draw: opening },
  padroes: { title: 'settings.defaults', words: 'settings.wordsDefaults', glyph: 'apps', draw: defaults },
  consentimentos: { title: 'settings.consents', words: 'settings.wordsConsents', glyph: 'shield', draw: consents },
  permissoes: { title: 'permissions.title', words: 'permissions.words', glyph: 'app', draw: windowPermissions },
  extensoes: { title: 'settings.extensions', words: 'settings.wordsExtensions', glyph: 'puzzle', draw: extensions },
  passkeys: { title: 'passkeys.title', words: 'settings.wordsPasskeys', glyph: 'key', draw: passkeys },
  sessoes: { title: 'sessions.title', words: 'settings.wordsSessions', glyph: 'globe', draw: sessions },
  salas: { title: 'bin.title', words: 'bin.words', glyph: 'trash', draw: deletedRooms },
  atividade: { title: 'activity.list', words: 'settings.wordsActivity', glyph: 'check', draw: activity },
  servidor: { title: 'settings.serverTitle', words: 'settings.wordsServer', glyph: 'tasks', draw: server },
  falhas: { title: 'settings.failed', words: 'settings.wordsFailed', glyph: 'warning', draw: failed },
  segredos: { title: 'settings.secrets', words: 'settings.wordsSecrets', glyph: 'key', draw: secrets },
};
