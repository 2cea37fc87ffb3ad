import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { arrows } from '../arrows.ts';
import { reachOf } from '../changed.ts';
import resultsJson from './results.json' with { type: 'json' };
import { failuresIn, nearestFirst, staticSteps, withinTime } from './search.ts';
import { chosen, kinds, plants, summary, topOf, withFault, type Plant } from './table.ts';

const root = resolve(import.meta.dirname, '../..');

test.for(plants.map((row) => [row.id, row] as const))('the fault %s can be planted', ([, row]) => {
  const text = readFileSync(join(root, row.file), 'utf8');
  expect(withFault(text, row)).not.toBe(text);
});

test.for(plants.flatMap(({ id, file, tests }) => tests.map((one) => [one, id, file] as const)))(
  '%s, which should find %s, is there and reached',
  ([one, , file]) => {
    expect(existsSync(join(root, one))).toBe(true);
    const { real } = reachOf([file], [one]);
    expect(!one.endsWith('.real.test.ts') || real.includes(one)).toBe(true);
  },
);

test('the table has faults of each kind and of each folder at the top, each once, and results of its rows only', () => {
  const ids = plants.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  expect([...new Set(plants.map(({ kind }) => kind))].toSorted()).toEqual([...kinds]);
  const tops = arrows.map(({ folder }) => folder).filter((folder) => !folder.includes('/'));
  expect(tops.filter((top) => !plants.some(({ file }) => topOf(file) === top))).toEqual([]);
  expect(Object.keys(resultsJson).filter((id) => !ids.includes(id))).toEqual([]);
});

const row: Plant = { id: 'one', file: 'api/one.ts', kind: 'check', harm: 'A.', from: 'if (a)', to: "if ('$&')", tests: [] };

test('the new text is taken as it is, and the old one has to stand there once', () => {
  expect(withFault('x; if (a) y', row)).toBe("x; if ('$&') y");
  expect(() => withFault('x', row)).toThrow(/one: its text stands 0 times in api\/one.ts/);
  expect(() => withFault('if (a) if (a)', row)).toThrow(/stands 2 times/);
});

test('rows are chosen by their ids and folders', () => {
  const other = { ...row, id: 'two', file: 'kit/two.ts' };
  expect(chosen([], [row, other])).toEqual([row, other]);
  expect(chosen(['kit'], [row, other])).toEqual([other]);
  expect(chosen(['one'], [row, other])).toEqual([row]);
  expect(() => chosen(['thre'], [row, other])).toThrow(/is called thre/);
});

test('the summary counts what found the faults, and names those that nothing found', () => {
  const rows = ['one', 'two', 'three'].map((id): Plant => Object.assign({}, row, { id }));
  const found = { by: null, seconds: 3.4, real: '0' } as const;
  expect(summary({ one: { ...found, found: 'unit' }, two: { ...found, found: 'lost' } }, rows)).toEqual([
    'LOST: two (api/one.ts): A.',
    '2 of 3 faults planted: statics 0, unit 1, real 0, lost 1; 7 s',
  ]);
});

test('the first test that failed finds the fault, or the file that broke outside of its tests', () => {
  const file = (name: string, status: string, ...tests: readonly string[]) => ({
    name: `/svc/${name}`,
    status,
    assertionResults: tests.map((each) => ({ fullName: ` ${each}`, status: each, failureMessages: [] })),
  });
  const failures = (...testResults: readonly ReturnType<typeof file>[]) =>
    failuresIn({ numPassedTests: 0, numFailedTests: 0, numPendingTests: 0, testResults }, '/svc');
  expect(
    failures(file('a.test.ts', 'passed', 'passed'), file('b.test.ts', 'failed', 'passed', 'failed'), file('c.test.ts', 'failed')),
  ).toEqual([
    { file: 'b.test.ts', name: 'b.test.ts › failed' },
    { file: 'c.test.ts', name: 'c.test.ts' },
  ]);
});

test('real tests run nearest first, and as many as there is time for', () => {
  const files = ['test/browser/none.real.test.ts', 'api/none.real.test.ts', 'api/rooms/none.real.test.ts', 'bin/none.real.test.ts'];
  const nearest = nearestFirst('api/rooms/entrance.ts', files);
  expect(nearest.slice(0, 2)).toEqual(['api/rooms/none.real.test.ts', 'api/none.real.test.ts']);
  // A file that was never measured counts as five seconds.
  expect(withinTime(nearest, 12_000)).toEqual(nearest.slice(0, 2));
});

test.for([
  ['sdk/python/svc/web.py', ['python3 -m py_compile']],
  ['kit/server/own.sh', ['bash -n kit/server/own.sh']],
  ['sdk/node/svc/index.js', ['oxlint --deny-warnings --type-aware']],
  ['sdk/web/svc.ts', ['tsc -p shell', 'oxlint --deny-warnings --type-aware']],
  ['api/front.ts', ['tsc -p .', 'oxlint --deny-warnings --type-aware']],
] as const)('%s is read by %s', ([file, commands]) => {
  expect(staticSteps([file]).map((argv) => argv.slice(0, 3).join(' '))).toEqual(commands.map((each) => each));
});
