/** A failed request in the person's language. The portal's own message is English, for its log. */
import { problemText } from '../../schema/texts/problems.ts';
import { language, text } from '../i18n/i18n.ts';
import { BrowserLate } from '../state/in-time.ts';
import { ApiError } from './api.ts';

export function sayError(error: unknown): string {
  if (error instanceof BrowserLate) return text('error.browserLate');
  if (!(error instanceof ApiError)) return error instanceof Error ? error.message : String(error);
  if (error.code === 'OFFLINE') return text('error.offline');
  return problemText(error.code, language.get()) ?? error.message;
}
