/** The rows of the reasons (schema/reasons/) as docs/reasons.md. */
import { readLog, startIt } from '../schema/reasons/fixes.ts';
import type { Explanation, ReasonRow, Rows } from '../schema/reasons/row.ts';
import { reasonGroups } from '../schema/reasons/rows.ts';

/** '' where there is nothing to do: it passes by itself, or the first words of the page say it. */
const advice = ({ fix }: Explanation): string =>
  fix === undefined || fix === startIt ? '' : fix.replace(startIt, 'start it').replace(readLog, '`svc logs PERSON/APP`');

const kinds = { Package: 'Package, engine', Server: 'Server', Service: 'App for everybody' } as const;

function others({ as = {} }: ReasonRow): readonly (readonly [string, Explanation])[] {
  return Object.entries(kinds).flatMap(([kind, name]) => {
    const said = as[kind as keyof typeof kinds];
    return said === undefined ? [] : [[name, said] as const];
  });
}

/** The end of an advice that begins as the one before it. */
const further = (before: string, fix: string): string =>
  before !== '' && fix.startsWith(`${before}; `) ? `also ${fix.slice(before.length + 2)}` : fix;

function line([reason, row]: readonly [string, ReasonRow]): string {
  const causes = others(row).filter(([, { because }]) => because !== row.because);
  const because = [row.because, row.more ?? [], causes.map(([name, said]) => `${name}: ${said.because}`)].flat();
  const fixes = [
    advice(row),
    ...others(row).map(([name, said]) => (advice(said) === '' ? '' : `${name}: ${further(advice(row), advice(said))}`)),
  ];
  const fix = fixes.filter((part) => part !== '').join('. ');
  return `- \`${reason}\`: ${because.join('. ')}${fix === '' ? '' : `. → ${fix}`}`;
}

const list = (rows: Rows): string => Object.entries(rows).map(line).join('\n');

const sections: { readonly [Group in keyof typeof reasonGroups]: readonly [title: string, words?: string] } = {
  stopped: ['Stopped', 'Where no arrow follows and nothing holds it: start it (`svc start PERSON/APP`), or open its window.'],
  starting: ['Starting'],
  running: ['Running'],
  failed: [
    'Backoff and failed',
    'After crashes in a row the next attempt is after 1, 2, 4 and 8 s; the fifth crash in a row is `failed`, until a start is asked for or 600\ns pass.',
  ],
  unknown: [
    'Unknown and infrastructure',
    "The state of an app is `unknown`, never `stopped`, while its server can't be asked; apps go on meanwhile, and none of this counts as a\nfailure of an app.",
  ],
  objects: ['Other objects'],
  jobs: ['Jobs of the queue, and clusters'],
};

export function reasonsPage(): string {
  const parts = Object.entries(reasonGroups).map(([group, rows]) => {
    const [title, words] = sections[group as keyof typeof sections];
    return [`## ${title}`, ...(words === undefined ? [] : [words]), list(rows)].join('\n\n');
  });
  return `${[head, ...parts].join('\n\n')}\n`;
}

const head = `# Reasons

Written by \`node setup/reasons-table.ts\` from \`schema/reasons/\`. Every state has one word for why it holds (\`svc get\`, the task manager, \`svc events\`).
\`svc why KEY\` says it with the names and times of your case, and what is waited for. Words in capitals stand for names; FOLDER is the desired
state. Behind the arrow: what to do; without one nothing.`;
