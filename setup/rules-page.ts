/** The rules of the specification, read from docs/rules/, and their page: those that are kept otherwise, with the decision that says why, or not at all. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';

const root = path.resolve(import.meta.dirname, '..');
const folder = 'docs/rules';

export interface Rule {
  /** The section and a number in it, for good: a rule that goes takes its id along. */
  readonly id: string;
  readonly rule: string;
  /** `folder/file.ts`, with `#symbol` where the file keeps more than this rule. */
  readonly file: string;
  readonly test?: string;
  /** Its title, as the file of the test has it. */
  readonly title?: string;
  /** The row of a table of cases, where the title is that of all. */
  readonly case?: string;
  /** Why there is no test. */
  readonly untested?: string;
  /** Number of the decision by which it is kept otherwise than the specification has it. */
  readonly decided?: string;
  /** Not kept: what is missing. */
  readonly missing?: string;
}

export interface Section {
  readonly section: string;
  readonly about: string;
  readonly rules: readonly Rule[];
}

/** In the order of the specification. */
export function ruleSections(): readonly Section[] {
  const files = readdirSync(path.join(root, folder)).filter((file) => file.endsWith('.yaml'));
  return files
    .toSorted((a, b) => parseFloat(a) - parseFloat(b))
    .map((file) => parse(readFileSync(path.join(root, folder, file), 'utf8')) as Section);
}

const records = readdirSync(path.join(root, 'docs/decisions'));

/** The file of a decision; null where no record has the number. */
export const recordOf = (number: string): string | null => records.find((name) => name.startsWith(`${number}-`)) ?? null;

/** A rule that is kept otherwise or not at all. */
function lineOf({ id, rule, decided, missing }: Rule): string {
  return `- ${id} ${rule} ${missing === undefined ? `[${decided}](decisions/${recordOf(decided ?? '')})` : `Not kept: ${missing}`}`;
}

/** How many are kept as the specification has them, otherwise by a decision, and not. */
export function countsOf(rules: readonly Rule[]): { readonly held: number; readonly decided: number; readonly missing: number } {
  const missing = rules.filter((rule) => rule.missing !== undefined).length;
  const decided = rules.filter((rule) => rule.missing === undefined && rule.decided !== undefined).length;
  return { held: rules.length - decided - missing, decided, missing };
}

export function rulesPage(): string {
  const sections = ruleSections();
  const rules = sections.flatMap((section) => section.rules);
  const { held, decided, missing } = countsOf(rules);
  const otherwise = rules.filter(({ decided: by, missing: lacks }) => by !== undefined || lacks !== undefined);
  return [
    '# Rules',
    '',
    'Written by `node setup/rules-table.ts` from `docs/rules/`: each rule of the specification with the file and symbol that keep it, and the test that',
    'holds it.',
    '',
    `${rules.length} rules: ${held} kept as the specification has them, ${decided} otherwise by a decision, ${missing} not kept.`,
    '',
    '## Kept otherwise',
    '',
    ...otherwise.map(lineOf),
    '',
  ].join('\n');
}
