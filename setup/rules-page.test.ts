import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { countsOf, recordOf, rulesPage, ruleSections, type Rule } from './rules-page.ts';

const root = path.resolve(import.meta.dirname, '..');
const texts = new Map<string, string>();

/** '' for a file that is not there. */
function textOf(file: string): string {
  const known = texts.get(file);
  if (known !== undefined) return known;
  const at = path.join(root, file);
  const text = existsSync(at) ? readFileSync(at, 'utf8') : '';
  texts.set(file, text);
  return text;
}

/** The text as a literal of a source file may write it. */
const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** The first argument of a call: `test('…', `. */
const isTitleIn = (text: string, title: string): boolean => new RegExp(`\\(\\s*(['"\`])${escaped(title)}\\1,`).test(text);

function faultsOf({ id, file, test: by, title = '', case: row, untested, decided, missing }: Rule): string[] {
  const [name = '', symbol] = file.split('#');
  const faults = [
    textOf(name) === '' && `no file ${name}`,
    symbol !== undefined && !new RegExp(`(?<!\\w)${escaped(symbol)}(?!\\w)`).test(textOf(name)) && `${name} has no ${symbol}`,
    by === undefined && (untested ?? '') === '' && 'neither a test nor why there is none',
    by !== undefined && !isTitleIn(textOf(by), title) && `${by} has no test "${title}"`,
    by !== undefined && row !== undefined && !textOf(by).includes(row) && `${by} has no case "${row}"`,
    decided !== undefined && recordOf(decided) === null && `no decision ${decided}`,
    decided !== undefined && missing !== undefined && 'decided and missing',
  ];
  return faults.filter((fault) => fault !== false).map((fault) => `${id}: ${fault}`);
}

const sections = ruleSections();
const rules = sections.flatMap((section) => section.rules);

test('docs/rules.md says what docs/rules/ says (node setup/rules-table.ts)', () => {
  expect(readFileSync(path.join(root, 'docs/rules.md'), 'utf8')).toBe(rulesPage());
});

describe('each rule', () => {
  test('has its file, its symbol, its test and its decision', () => {
    expect(rules.flatMap(faultsOf)).toEqual([]);
  });

  test('has an id of its section that no other one has, and one sentence', () => {
    const ids = rules.map(({ id }) => id);
    expect(ids).toEqual([...new Set(ids)]);
    for (const { section, rules: own } of sections)
      for (const { id, rule } of own) {
        expect(id).toMatch(new RegExp(`^${escaped(section)}-\\d{2,3}$`));
        expect(rule).toMatch(/^[^\n]{10,240}[.)]$/);
      }
  });

  test('is faulted where what it names is not there', () => {
    const [good] = rules as [Rule];
    expect(faultsOf(good)).toEqual([]);
    const wrong: readonly [Partial<Rule>, string][] = [
      [{ file: 'api/nothing.ts' }, 'no file'],
      [{ file: 'schema/limits.ts#nothing' }, 'has no nothing'],
      [{ title: 'that nobody wrote' }, 'has no test'],
      [{ case: 'that nobody wrote' }, 'has no case'],
      [{ decided: '9999' }, 'no decision'],
    ];
    for (const [change, fault] of wrong) expect(faultsOf({ ...good, ...change })[0]).toContain(fault);
    const { test: _, ...untested } = good;
    expect(faultsOf(untested)[0]).toContain('neither a test');
  });
});

test('of the rules nearly all are kept as the specification has them', () => {
  const { held, decided, missing } = countsOf(rules);
  expect(held + decided + missing).toBe(rules.length);
  expect(held + decided).toBeGreaterThanOrEqual(385);
});
