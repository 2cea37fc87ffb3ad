/** Every limit of the system as one page: read from the files that hold them, beside the code that keeps them. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..');

/** The files that hold limits, the shared ones first. */
export function limitFiles(): readonly string[] {
  const found = ['schema', 'machines', 'reconcilers', 'store', 'controller', 'kit', 'api', 'shell', 'bin'].flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => /(?:^|[/-])limits\.ts$/.test(file))
      .toSorted()
      .map((file) => `${folder}/${file}`),
  );
  const shared = 'schema/limits.ts';
  if (!found.includes(shared)) throw new Error(`${shared} holds no limits`);
  return [shared, ...found.filter((file) => file !== shared)];
}

export async function limitsOf(file: string): Promise<Readonly<Record<string, number>>> {
  const { limits } = (await import(path.join(root, file))) as { limits: Readonly<Record<string, number>> };
  return limits;
}

const sizes = [
  [1_024 ** 3, 'GiB'],
  [1_024 ** 2, 'MiB'],
  [1_024, 'KiB'],
] as const;
const times = [
  [24 * 60 * 60_000, 'd'],
  [60 * 60_000, 'h'],
  [60_000, 'min'],
  [1_000, 's'],
] as const;

/** A phrase of more words is left to the file. */
const phraseWordsMax = 7;

/** The unit is in the name. */
function valueOf(name: string, value: number): string {
  const units = /bytes/i.test(name) ? sizes : /(?:Ms|_MS)(?:Max|Min)?$/.test(name) ? times : [];
  const [size, unit] = units.find(([least]) => value >= least && value % least === 0) ?? [1, ''];
  if (unit !== '') return `${value / size} ${unit}`;
  return units === times ? `${value} ms` : String(value);
}

/** The comment before each limit, on one line; '' when there is none. */
function remarksOf(text: string): ReadonlyMap<string, string> {
  const rows = text.matchAll(/(?:\/\*\*?((?:(?!\*\/)[^])*)\*\/\s*)?\n {2}(\w+)(?::| =)/g);
  return new Map(Array.from(rows, ([, remark = '', name = '']) => [name, remark.replaceAll(/\s*\n\s*\*?\s*/g, ' ').trim()]));
}

/** The first phrase of a comment, up to a full stop, a semicolon or a colon; '' for a long one, and for one that names only a source. */
export function phraseOf(remark: string): string {
  const phrase = /^.*?(?=[.:;](?:\s|$)|$)/.exec(remark)?.[0] ?? '';
  return /^(?:Source|Decisions?|See)$/.test(phrase) || phrase.split(' ').length > phraseWordsMax ? '' : phrase;
}

/** The limits of the program in C: its constants are numbers, products and what stands above them. */
function limitsInC(text: string): Readonly<Record<string, number>> {
  const found: Record<string, number> = {};
  for (const [, name = '', product = ''] of text.matchAll(/\n {2}(\w+) = ([^,]+),/g))
    found[name] = product.split(' * ').reduce((value, factor) => value * (found[factor] ?? Number(factor)), 1);
  return found;
}

/** Limits with a phrase are lines; the others, whose names say all, are one line. */
async function listOf(file: string): Promise<string> {
  const text = readFileSync(path.join(root, file), 'utf8');
  const isC = file.endsWith('.h');
  const remarks = remarksOf(isC ? text : text.slice(text.indexOf('export const limits')));
  const rows = Object.entries(isC ? limitsInC(text) : await limitsOf(file)).map(([name, value]) => {
    return { limit: `\`${name}\` ${valueOf(name, value)}`, phrase: phraseOf(remarks.get(name) ?? '') };
  });
  const plain = rows.filter(({ phrase }) => phrase === '').map(({ limit }) => limit);
  const explained = rows.filter(({ phrase }) => phrase !== '').map(({ limit, phrase }) => `- ${limit}: ${phrase}`);
  const parts = [plain.join(', '), explained.join('\n')].filter((part) => part !== '');
  return [`## \`${file}\``, ...parts, ''].join('\n\n').trimEnd();
}

export async function limitsPage(): Promise<string> {
  const head = `# Limits

Written by \`node setup/limits-table.ts\` from the code, by file. Units are in the names; the comment in the file says more, with source and decision.`;
  return [head, ...(await Promise.all([...limitFiles(), 'kit/wrap/limits.h'].map(listOf))), ''].join('\n\n').replace(/\n+$/, '\n');
}
