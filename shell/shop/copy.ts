/** Copies for the person. On plain http browsers keep the clipboard from pages. */
import { text } from '../i18n/i18n.ts';

export async function copyWords(words: string): Promise<void> {
  if (!isSecureContext) throw new Error(text('store.copyOnlySecure'));
  await navigator.clipboard.writeText(words);
}
