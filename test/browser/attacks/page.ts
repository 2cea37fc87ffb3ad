/** The page of what an app can do in the browser, from the table that cross-app.real.test.ts tries. */
import { attackGroups } from './all.ts';
import type { Attack, Mode } from './attack.ts';

const cell = ({ open }: Attack, mode: Mode): string => (open?.includes(mode) === true ? '**open**' : 'blocked');
const openIn = (mode: Mode): number => attackGroups.flatMap(({ attacks }) => attacks).filter(({ open }) => open?.includes(mode)).length;

export function isolationPage(): string {
  const count = attackGroups.flatMap(({ attacks }) => attacks).length;
  const tables = attackGroups.map(({ title, attacks }) => {
    const rows = attacks.map((attack) => `| ${attack.what} | ${cell(attack, 'subdomain')} | ${cell(attack, 'path')} | ${attack.by} |`);
    return [`## ${title}`, '', '| an app | own origins | one origin | held by |', '|---|---|---|---|', ...rows, ''].join('\n');
  });
  return `${head(count)}\n${tables.join('\n')}`;
}

const head = (count: number): string => `# What an app can do to the desktop and to other apps

Written by \`node test/browser/attacks/write-page.ts\` from the tables beside it; not edited by hand. \`test/browser/cross-app.real.test.ts\` tries each cell in Chromium and
fails when one is another than here: ${count} ways, of which ${openIn('subdomain')} gets through where each app has an origin of its own (\`origins: subdomain\`), and ${openIn('path')} where all have
one (\`origins: path\`). What that means for an operator: [security.md](security.md#what-an-app-can-do-to-the-browser).

"Held by" says what holds a way where it is blocked.
`;
