/** Outcome of a change, in the person's language. */
import { reasonText } from '../../schema/texts/reasons.ts';
import type { DevChange } from '../../schema/wire/dev.ts';
import { language, text } from '../i18n/i18n.ts';

const filesShown = 4;

export function filesText(files: readonly string[]): string {
  const rest = files.length - filesShown;
  return files.length === 0 ? text('dev.start') : files.slice(0, filesShown).join(', ') + (rest > 0 ? ` +${rest}` : '');
}

/** Why the backend is not up; '' when there is nothing to say. The detail is the system's own words. */
export function whyText({ reason, detail }: Pick<DevChange, 'reason' | 'detail'>): string {
  const words = reason === null ? '' : reasonText(reason, language.get());
  if (detail === '') return words;
  return words === '' ? detail : `${detail} · ${words}`;
}
