/** The page of what an app can do in the browser, from the table that cross-app.real.test.ts tries. */
import { attackGroups } from './all.ts';
import type { Attack, Mode } from './attack.ts';

/** Modes in which a way is open; '' where it is blocked in both. */
function openWhere({ open = [] }: Attack): string {
  if (open.length === 0) return '';
  return open.length === 2 ? ' **open**' : ` **open with ${open.includes('path') ? 'one origin' : 'own origins'}**, else:`;
}

const openIn = (mode: Mode): number => attackGroups.flatMap(({ attacks }) => attacks).filter(({ open }) => open?.includes(mode)).length;

export function isolationPage(): string {
  const count = attackGroups.flatMap(({ attacks }) => attacks).length;
  const tables = attackGroups.map(({ title, attacks }) => {
    const lines = attacks.map((attack) => `- ${attack.what}:${openWhere(attack)} ${attack.by}`);
    return [`## ${title}`, '', ...lines, ''].join('\n');
  });
  return `${head(count)}\n${tables.join('\n')}`;
}

const head = (count: number): string => `# What an app can do to the desktop and to other apps

Written by \`node test/browser/attacks/write-page.ts\`; \`test/browser/cross-app.real.test.ts\` tries each of ${count} ways in Chromium. ${openIn('subdomain')} gets through where each app has an
origin of its own (\`origins: subdomain\`), ${openIn('path')} where all have one (\`origins: path\`): [security.md](security.md#what-an-app-can-do-to-the-browser). A line says what an app tries, where
that is open, and what holds it elsewhere.
`;
