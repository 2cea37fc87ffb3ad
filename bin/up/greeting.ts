/** Greeting of `svc up` once it listens: a terminal gets a block that stands out, a program one line, `open URL`. */
import { fstatSync } from 'node:fs';
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

/** Without the link, which signs in: for logs that others read. */
export const plainGreeting = (url: string, { person, state }: Omit<Greeting, 'link'>): string =>
  `listening on ${url}; a link that signs in: ${linkCommand(person, state)}\n`;

/** True when output goes into the journal of systemd, which keeps it and which others read. Source: systemd.exec(5), `$JOURNAL_STREAM`. */
export function isJournal(env: NodeJS.ProcessEnv): boolean {
  const journal = env['JOURNAL_STREAM'];
  if (journal === undefined) return false;
  return [1, 2].some((descriptor) => {
    const { dev, ino } = fstatSync(descriptor);
    return journal === `${dev}:${ino}`;
  });
}

const linkCommand = (person: string, state: string): string => `svc link ${person} --admin${state === 'state' ? '' : ` --state ${state}`}`;

export function greetingOf({ link, person, state }: Greeting, isWatched: boolean, language: TextLanguage): string {
  if (!isWatched) return `open ${link}\n`;
  const { open, once } = words[language];
  const below = once.replace('{pessoa}', person).replace('{comando}', linkCommand(person, state));
  return `\n  ${open}\n\n    ${color('bold', link)}\n\n  ${color('dim', below)}\n\n`;
}
