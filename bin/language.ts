/** Which language the person's terminal wants; English for any that svc has no texts in. */
import type { TextLanguage } from '../schema/texts/reasons.ts';

/** Source: POSIX, the order of LC_ALL, LC_MESSAGES and LANG. */
export function terminalLanguage(env: Readonly<Record<string, string | undefined>>): TextLanguage {
  const locale = [env['LC_ALL'], env['LC_MESSAGES'], env['LANG']].find((value) => value !== undefined && value !== '');
  return locale !== undefined && /^pt(?![a-z])/i.test(locale) ? 'pt' : 'en';
}
