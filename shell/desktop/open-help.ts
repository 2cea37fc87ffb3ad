/** Opens the help in a tab of its own, at the page about the window in front. Decision: docs/decisions/0428-a-help-of-static-pages.md */
import { language } from '../i18n/i18n.ts';
import type { Desk } from './desk.ts';
import {
  editorWindow,
  filesWindow,
  queueWindow,
  settingsWindow,
  shopWindow,
  tasksWindow,
  terminalWindow,
  viewerWindow,
} from './desk-windows.ts';

/** Pages of shell/help, by windows of the shell's own. */
const pages: ReadonlyMap<string, string> = new Map([
  [editorWindow, 'text-and-pictures.html'],
  [filesWindow, 'files.html'],
  [queueWindow, 'jobs.html'],
  [settingsWindow, 'settings.html'],
  [shopWindow, 'apps.html'],
  [tasksWindow, 'settings.html'],
  [terminalWindow, 'terminal.html'],
  [viewerWindow, 'text-and-pictures.html'],
]);

export const helpAddress = (page = ''): string => `/ajuda/${language.get()}/${page}`;

export function openHelp(desk: Desk): void {
  window.open(helpAddress(pages.get(desk.windows.top()?.app ?? '')), '_blank', 'noopener');
}
