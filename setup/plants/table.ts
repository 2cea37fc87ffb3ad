/** The table of planted faults (plants.json), what was found of them last (results.json), and what both say together. Pure, but for the reading of the two files. */
import plantsJson from './plants.json' with { type: 'json' };

/** A fault: `from`, which stands once in the file, becomes `to`. */
export interface Plant {
  readonly id: string;
  readonly file: string;
  readonly kind: Kind;
  /** The harm that a person would meet, in one sentence. */
  readonly harm: string;
  readonly from: string;
  readonly to: string;
  /** Test files expected to find it: they run first. Empty: it is found by the static steps, or by the tests beside the file. */
  readonly tests: readonly string[];
}

export const kinds = ['await', 'branch', 'check', 'default', 'escape', 'leak', 'limit', 'lock'] as const;
export type Kind = (typeof kinds)[number];

export const plants = plantsJson as readonly Plant[];

export const finders = ['statics', 'unit', 'real', 'lost'] as const;

export interface Result {
  readonly found: (typeof finders)[number];
  /** The step, or the first test that failed; null: none did. */
  readonly by: string | null;
  readonly seconds: number;
  /** Files of real tests that ran, out of those that the change can reach. */
  readonly real: string;
}

export type Results = Readonly<Record<string, Result>>;

export const topOf = (file: string): string => file.split('/', 1)[0] ?? '';

/** The text of the file with the fault in it. Throws unless the old text stands there exactly once. */
export function withFault(text: string, { id, file, from, to }: Plant): string {
  const count = text.split(from).length - 1;
  if (count !== 1) throw new Error(`${id}: its text stands ${count} times in ${file}: mend its row in setup/plants/plants.json`);
  return text.replace(from, () => to);
}

/** The rows that were asked for by their ids or folders; all without a word. Throws for a word that names none. */
export function chosen(words: readonly string[], rows: readonly Plant[] = plants): readonly Plant[] {
  const isMeant = ({ id, file }: Plant, word: string): boolean => id === word || topOf(file) === word;
  const stray = words.find((word) => !rows.some((row) => isMeant(row, word)));
  if (stray !== undefined) throw new Error(`no row or folder of setup/plants/plants.json is called ${stray}`);
  return words.length === 0 ? rows : rows.filter((row) => words.some((word) => isMeant(row, word)));
}

/** Lines for people: how many of each kind of finder, and what was lost. */
export function summary(results: Results, rows: readonly Plant[] = plants): readonly string[] {
  const known = rows.flatMap((row) => (results[row.id] === undefined ? [] : [{ ...row, ...results[row.id]! }]));
  const counts = finders.map((finder) => `${finder} ${known.filter(({ found }) => found === finder).length}`);
  const seconds = Math.round(known.reduce((sum, each) => sum + each.seconds, 0));
  const lost = known.filter(({ found }) => found === 'lost').map(({ id, file, harm }) => `LOST: ${id} (${file}): ${harm}`);
  return [...lost, `${known.length} of ${rows.length} faults planted: ${counts.join(', ')}; ${seconds} s`];
}
