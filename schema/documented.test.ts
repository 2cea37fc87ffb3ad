/** The pages that explain codes and reasons, held against the lists they explain. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { reasons } from './backend.ts';
import { errorKinds } from './errors.ts';
import { findingKinds } from './findings.ts';

/** Rows of all tables of a page whose first cell is a code; the other cells as texts. */
function rowsOf(page: string): string[][] {
  const text = readFileSync(new URL(`../docs/${page}`, import.meta.url), 'utf8');
  const rows = text.split('\n').filter((line) => /^\| `\w+` \|.*\|$/.test(line));
  return rows.map((row) =>
    row
      .slice(2, -2)
      .replaceAll(/^`(\w+)`/g, '$1')
      .split(' | '),
  );
}

const errorRows = rowsOf('errors.md');

test('docs/errors.md explains every code once and no other', () => {
  const documented = errorRows.map(([code, second]) => `${/^\d+$/.test(second ?? '') ? 'error' : 'finding'} ${code}`);
  const known = [...Object.keys(errorKinds).map((code) => `error ${code}`), ...Object.keys(findingKinds).map((code) => `finding ${code}`)];
  expect(documented.toSorted()).toEqual(known.toSorted());
});

test('docs/errors.md gives the status, the retry class and the weight of the tables', () => {
  const expected = {
    ...Object.fromEntries(Object.entries(findingKinds).map(([code, { weight }]) => [`${code} ${weight}`, true])),
    ...Object.fromEntries(Object.entries(errorKinds).map(([code, { status, retry }]) => [`${code} ${status} ${retry}`, true])),
  };
  const told = errorRows.map(([code, first, second]) => (/^\d+$/.test(first ?? '') ? `${code} ${first} ${second}` : `${code} ${first}`));
  expect(told.filter((row) => expected[row] !== true)).toEqual([]);
});

test('docs/reasons.md explains every reason once and no other', () => {
  const documented = rowsOf('reasons.md').map(([reason = '']) => reason);
  expect(documented.toSorted()).toEqual(reasons.toSorted());
});

test.for([...errorRows, ...rowsOf('reasons.md')])('%s has a cause and a fix', (cells) => {
  for (const cell of cells) expect(cell.length).toBeGreaterThan(1);
  expect(cells.length).toBeGreaterThanOrEqual(3);
});
