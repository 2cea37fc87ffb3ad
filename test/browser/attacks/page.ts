/** The page of what an app can do in the browser, from the table that cross-app.real.test.ts tries. */
import { attackGroups } from './all.ts';
import type { Attack, AttackGroup, Mode } from './attack.ts';

const openIn = (mode: Mode): number => attackGroups.flatMap(({ attacks }) => attacks).filter(({ open }) => open?.includes(mode)).length;

function openTo({ by, open = [] }: Attack): string {
  if (open.length === 2) return `always: ${by}`;
  return open.includes('path') ? by : `with own origins; else ${by}`;
}

/** The ways that are open, by what holds them elsewhere, and how many are held. */
function sectionOf({ title, attacks }: AttackGroup): string {
  const open = attacks.filter((attack) => (attack.open ?? []).length > 0);
  const byBarrier = Map.groupBy(open, openTo);
  const lines = [...byBarrier].map(([barrier, ways]) => `- ${ways.map(({ what }) => what).join('; ')} → ${barrier}`);
  const held = `${attacks.length - open.length} of ${attacks.length} ways are held everywhere${open.length === 0 ? '.' : '. Open:'}`;
  return [`## ${title}`, held, ...(open.length === 0 ? [] : [lines.join('\n')])].join('\n\n');
}

export function isolationPage(): string {
  const count = attackGroups.flatMap(({ attacks }) => attacks).length;
  return `${[head(count), ...attackGroups.map(sectionOf)].join('\n\n')}\n`;
}

const head = (count: number): string => `# What an app can do to the desktop and to other apps

Written by \`node test/browser/attacks/write-page.ts\`; \`test/browser/cross-app.real.test.ts\` tries each of ${count} ways in Chromium. ${openIn('subdomain')} gets through where each app has an origin of its own, ${openIn('path')} where all have one (\`origins: path\`): [security.md](security.md#what-an-app-can-do-to-the-browser). A line says what is open with one origin, and behind the arrow what holds it elsewhere.`;
