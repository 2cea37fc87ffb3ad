/** The page of what an app can do in the browser, from the table that cross-app.real.test.ts tries. */
import { attackGroups } from './all.ts';
import type { Attack, Mode } from './attack.ts';

/** Attacks by what holds them; those that are open in some mode by the mode and what holds them in the other. */
function barrierOf({ by, open = [] }: Attack): string {
  if (open.length === 0) return by;
  return open.length === 2 ? `**open:** ${by}` : `**open with ${open.includes('path') ? 'one origin' : 'own origins'}**, else ${by}`;
}

const openIn = (mode: Mode): number => attackGroups.flatMap(({ attacks }) => attacks).filter(({ open }) => open?.includes(mode)).length;

export function isolationPage(): string {
  const count = attackGroups.flatMap(({ attacks }) => attacks).length;
  const tables = attackGroups.map(({ title, attacks }) => {
    const byBarrier = Map.groupBy(attacks, barrierOf);
    const lines = [...byBarrier].map(([barrier, held]) => `- ${held.map(({ what }) => what).join('; ')} → ${barrier}`);
    return [`## ${title}`, '', ...lines, ''].join('\n');
  });
  return `${head(count)}\n${tables.join('\n')}`;
}

const head = (count: number): string => `# What an app can do to the desktop and to other apps

Written by \`node test/browser/attacks/write-page.ts\`; \`test/browser/cross-app.real.test.ts\` tries each of ${count} ways in Chromium. ${openIn('subdomain')} gets through where each app has an
origin of its own, ${openIn('path')} where all have one (\`origins: path\`): [security.md](security.md#what-an-app-can-do-to-the-browser). A line says what an app tries, and behind the arrow
where that is open and what holds it.
`;
