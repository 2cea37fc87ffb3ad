/** Opens the help in a tab of its own, at the page about the window in front. Decision: docs/decisions/0428-a-help-of-static-pages.md */
import { language } from '../i18n/i18n.ts';
import { builtIn } from './built-in.ts';
import type { Desk } from './desk.ts';

const helpAddress = (page: string): string => `/ajuda/${language.get()}/${page}`;

export function openHelp(desk: Desk): void {
  window.open(helpAddress(builtIn(desk.windows.top()?.app ?? '')?.help ?? ''), '_blank', 'noopener');
}
