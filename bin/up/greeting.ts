/** What `svc up` says once it listens. Who sits before a terminal gets a block that stands out; a program one line, `open URL`. */
import type { TextLanguage } from '../../schema/texts/reasons.ts';
import { color } from '../output.ts';

export interface Greeting {
  readonly link: string;
  readonly person: string;
  /** As it was given. */
  readonly state: string;
}

const words = {
  pt: {
    open: 'Abra num navegador desta máquina:',
    once: 'Entra como {pessoa}, uma vez; {comando} mostra outro link. Ctrl-C encerra o portal, e não os aplicativos.',
  },
  en: {
    open: 'Open this in a browser on this machine:',
    once: 'It signs in {pessoa}, once; {comando} prints another. Ctrl-C ends the portal, and not the apps.',
  },
} as const;

export function greetingOf({ link, person, state }: Greeting, isWatched: boolean, language: TextLanguage): string {
  if (!isWatched) return `open ${link}\n`;
  const { open, once } = words[language];
  const command = `svc link ${person} --admin${state === 'state' ? '' : ` --state ${state}`}`;
  const below = once.replace('{pessoa}', person).replace('{comando}', command);
  return `\n  ${open}\n\n    ${color('bold', link)}\n\n  ${color('dim', below)}\n\n`;
}
