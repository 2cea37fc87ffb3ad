/** The command line of the bench, which takes nothing that it does not know. */
import { accessSync, constants } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parseArgs } from 'node:util';

/** For whoever typed it: without a stack. */
export class UsageError extends Error {}

const known = {
  help: { type: 'boolean' },
  short: { type: 'boolean' },
  against: { type: 'string' },
  rounds: { type: 'string' },
  only: { type: 'string' },
  people: { type: 'string' },
  'signed-in': { type: 'string' },
  visits: { type: 'string' },
  profile: { type: 'string' },
  /** Marks a side of `--against`: nothing is written. */
  told: { type: 'string' },
} as const;

type Name = Exclude<keyof typeof known, 'help' | 'short'>;

/** The areas that take an option; the others in the table above are of every area. */
const takers: Readonly<Partial<Record<string, readonly string[]>>> = {
  rounds: ['proxy', 'rooms'],
  only: ['proxy', 'rooms', 'portals'],
  people: ['many'],
  'signed-in': ['many'],
  visits: ['hour'],
  profile: [
    'app-calls',
    'commands',
    'desktop',
    'dev',
    'engines',
    'files',
    'hour',
    'many',
    'metrics',
    'portals',
    'proxy',
    'queue',
    'room-history',
    'rooms',
    'ssh',
    'supervision',
    'tick',
    'validate',
  ],
};

export const usage = `npm run bench -- [AREA…] [OPTION…]
  without an area all of them, each as a process of its own; docs/benchmarks.md is written when no option is given
  --short              a quick look
  --against=COMMIT     this tree and that commit in turns   --rounds=N  so many (3)
  --only=A,B           some scenarios                       of: ${takers['only']?.join(', ')}
  --rounds=N           so many rounds of each               of: ${takers['rounds']?.join(', ')}
  --people=N           one size                             of: ${takers['people']?.join(', ')}
  --signed-in=N        so many of them                      of: ${takers['signed-in']?.join(', ')}
  --visits=N           so many                              of: ${takers['visits']?.join(', ')}
  --profile=FILE.svg   a flame graph of what it loads       of: ${takers['profile']?.join(', ')}`;

function parsed() {
  try {
    const { values, positionals } = parseArgs({ options: known, allowPositionals: true, args: process.argv.slice(2) });
    return { values, areas: positionals };
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\n${usage}`);
  }
}

export const isShort = (): boolean => parsed().values.short === true;
export const isHelpWanted = (): boolean => parsed().values.help === true;
export const namedAreas = (): readonly string[] => parsed().areas;
export const optionOf = (name: Name): string | undefined => parsed().values[name];

/** From 1 on. */
export function countOf(name: Name, otherwise: number): number {
  const text = optionOf(name);
  if (text === undefined) return otherwise;
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new UsageError(`--${name}: a number from 1 on was expected, not ${JSON.stringify(text)}`);
  return Number(text);
}

/** The names that `--only` leaves of these. */
export function chosenOf<One extends string>(names: readonly One[]): readonly One[] {
  const wanted = optionOf('only')?.split(',');
  const strange = wanted?.find((name) => !(names as readonly string[]).includes(name));
  if (strange !== undefined) throw new UsageError(`--only: no ${JSON.stringify(strange)}; there are: ${names.join(', ')}`);
  return names.filter((name) => wanted === undefined || wanted.includes(name));
}

/** Refuses before anything is measured what would be found behind it. */
export function checkOptions(areas: readonly string[]): void {
  const { values } = parsed();
  for (const [name, who] of Object.entries(takers)) {
    if (!(name in values) || (name === 'rounds' && values.against !== undefined)) continue;
    const strange = areas.find((area) => who?.includes(area) !== true);
    if (strange !== undefined) throw new UsageError(`--${name} is not of ${strange}; it is of: ${who?.join(', ')}`);
  }
  for (const name of ['rounds', 'people', 'signed-in', 'visits'] as const) countOf(name, 1);
  if (values.profile === undefined) return;
  const folder = dirname(resolve(values.profile));
  try {
    accessSync(folder, constants.W_OK);
  } catch {
    throw new UsageError(`--profile: ${folder} is no folder that can be written to`);
  }
}

/** The options as they were given, for a process that does a part of it. */
export const optionsGiven = (): readonly string[] =>
  Object.entries(parsed().values).map(([name, value]) => (value === true ? `--${name}` : `--${name}=${String(value)}`));
