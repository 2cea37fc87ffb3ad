import { describe, expect, test } from 'vitest';
import { closingReport, costliestFiles, filesAgainMax, filesToRunAgain, readReport, sum, withSecondRun, type Report } from './report.ts';

const tests = (...rows: readonly (readonly [fullName: string, status: string, ...failures: string[]])[]): Report => ({
  numPassedTests: rows.filter(([, status]) => status === 'passed').length,
  numFailedTests: rows.filter(([, status]) => status === 'failed').length,
  numPendingTests: rows.filter(([, status]) => status === 'skipped').length,
  testResults: [
    {
      name: '/svc/kit/a.real.test.ts',
      assertionResults: rows.map(([fullName, status, ...failureMessages]) => ({ fullName, status, failureMessages })),
    },
  ],
});

test('a test that passed at its second try counts as passed, and is told with its file and why it failed', () => {
  const report = tests(
    [' ends', 'passed'],
    [' stops at once', 'passed', 'Error: not within 60 s\n    at look (a.ts:1)'],
    ['fails', 'failed', 'Error: no', 'Error: no'],
  );
  expect(readReport(report, 1, '/svc')).toEqual({
    counts: { passed: 2, failed: 1, skipped: 0 },
    notRun: [],
    failed: ['kit/a.real.test.ts › fails: Error: no'],
    flaky: ['kit/a.real.test.ts › stops at once: Error: not within 60 s'],
  });
});

test('a failure is told with its place in the test, how what it got differs, and what its pages showed', () => {
  const stack = [
    'TimeoutError: late',
    '    at f (/svc/kit/other.ts:1:2)',
    '    at /svc/kit/a.real.test.ts:20:7',
    'difference: - 1 + 2',
    'page: http://a/ "- main"',
    'page: http://b/ ""',
  ];
  expect(readReport(tests(['waits', 'failed', stack.join('\n')]), 1, '/svc').failed).toEqual([
    'kit/a.real.test.ts › waits: TimeoutError: late\n    at a.real.test.ts:20:7\n    difference: - 1 + 2\n    page: http://a/ "- main"\n    page: http://b/ ""',
  ]);
});

test.for([
  ['no report at all', null, 1, { passed: 0, failed: 1, skipped: 0 }],
  ['a suite that broke outside its tests', tests(['a', 'passed']), 1, { passed: 1, failed: 1, skipped: 0 }],
  ['one that did not run', tests(['a', 'passed'], ['b', 'skipped']), 0, { passed: 1, failed: 0, skipped: 1 }],
] as const)('%s', ([, report, code, counts]) => {
  const read = readReport(report, code, '/svc');
  expect(read.counts).toEqual(counts);
  expect(read.failed).toHaveLength(counts.failed);
});

test('a file that breaks outside its tests fails by its name, beside a test that failed too', () => {
  const { testResults, ...counts } = tests(['fails', 'failed', 'Error: no'], ['b', 'skipped'], ['c', 'skipped']);
  const none = [{ fullName: 'in a group', status: 'skipped', failureMessages: [] }];
  const report = {
    ...counts,
    testResults: [
      { ...testResults[0]!, status: 'failed', message: '' },
      { name: '/svc/test/b.real.test.ts', status: 'failed', message: 'EBUSY: rmdir\n at x', assertionResults: none },
      { name: '/svc/test/c.real.test.ts', status: 'failed', message: '', assertionResults: none },
    ],
  };
  const read = readReport(report, 1, '/svc');
  expect(read.counts).toEqual({ passed: 0, failed: 3, skipped: 2 });
  expect(read.failed).toEqual([
    'kit/a.real.test.ts › fails: Error: no',
    'test/b.real.test.ts: broke before or after its tests: EBUSY: rmdir',
    'test/c.real.test.ts: broke before or after its tests',
  ]);
});

describe('a file with failures runs once more', () => {
  const late = 'Error: late\n    at look (a.ts:1)';
  const first = tests(
    ['opens', 'passed'],
    ['waits', 'failed', late, late],
    ['goes on', 'failed', 'Error: closed'],
    ['left out', 'skipped'],
  );
  const other = { name: '/svc/kit/b.real.test.ts', status: 'passed', message: '', assertionResults: [] };

  test('only a few files do: many are real breakage', () => {
    const files = (count: number): Report => ({
      ...first,
      testResults: [other, ...Array.from({ length: count }, (_, at) => ({ ...first.testResults[0]!, name: `/svc/${at}` }))],
    });
    expect(filesToRunAgain(files(filesAgainMax))).toHaveLength(filesAgainMax);
    expect(filesToRunAgain(files(filesAgainMax + 1))).toEqual([]);
    expect(filesToRunAgain(files(0))).toEqual([]);
    expect(filesToRunAgain(null)).toEqual([]);
  });

  test('what passes then is passed, and told with its first failure; what fails both times is a failure', () => {
    const second = tests(['opens', 'passed'], ['waits', 'passed'], ['goes on', 'failed', 'Error: closed again'], ['left out', 'skipped']);
    expect(readReport(withSecondRun(first, second), 1, '/svc')).toEqual({
      counts: { passed: 2, failed: 1, skipped: 1 },
      notRun: ['left out'],
      failed: ['kit/a.real.test.ts › goes on: Error: closed'],
      flaky: ['kit/a.real.test.ts › waits: Error: late'],
    });
  });

  test('a whole file that passes then leaves no failure, and the files that did not run again are as they were', () => {
    const second = tests(['opens', 'passed'], ['waits', 'passed'], ['goes on', 'passed'], ['left out', 'skipped']);
    const both = { ...first, testResults: [...first.testResults, { ...tests(['b', 'passed']).testResults[0]!, name: other.name }] };
    expect(readReport(withSecondRun(both, second), 0, '/svc')).toMatchObject({
      counts: { passed: 4, failed: 0, skipped: 1 },
      failed: [],
      flaky: ['kit/a.real.test.ts › waits: Error: late', 'kit/a.real.test.ts › goes on: Error: closed'],
    });
  });

  test.for([
    ['what passed at first and fails then', tests(['opens', 'failed', 'Error: no'], ['waits', 'passed'], ['goes on', 'passed']), 1],
    ['what did not run then', tests(['opens', 'passed'], ['waits', 'skipped'], ['goes on', 'passed']), 1],
    ['a second run that wrote nothing', null, 2],
    ['one that ran another file', { ...tests(['c', 'passed']), testResults: [other] }, 2],
  ] as const)('%s is a failure', ([, second, failed]) => {
    expect(readReport(withSecondRun(first, second), 1, '/svc').counts.failed).toBe(failed);
  });

  test('a file that broke outside its tests is told too, and fails when it breaks again', () => {
    const broken = { name: '/svc/c.real.test.ts', status: 'failed', message: 'EBUSY: rmdir\n at x' };
    const before = {
      ...tests(),
      testResults: [{ ...broken, assertionResults: [{ fullName: 'c', status: 'skipped', failureMessages: [] }] }],
    };
    const passes = {
      ...broken,
      status: 'passed',
      message: '',
      assertionResults: [{ fullName: 'c', status: 'passed', failureMessages: [] }],
    };
    expect(filesToRunAgain(before)).toEqual([broken.name]);
    expect(readReport(withSecondRun(before, { ...before, testResults: [passes] }), 0, '/svc')).toEqual({
      counts: { passed: 1, failed: 0, skipped: 0 },
      notRun: [],
      failed: [],
      flaky: ['c.real.test.ts: broke before or after its tests: EBUSY: rmdir'],
    });
    expect(readReport(withSecondRun(before, before), 1, '/svc')).toMatchObject({
      counts: { passed: 0, failed: 1, skipped: 1 },
      failed: ['c.real.test.ts: broke before or after its tests: EBUSY: rmdir'],
      flaky: [],
    });
  });
});

const nothing = { notRun: [], failed: [], flaky: [] };

test('the counts of everything stand alone on the last line, what was flaky right above them', () => {
  const total = sum([
    { passed: 5, failed: 0, skipped: 0 },
    { passed: 20, failed: 0, skipped: 1 },
  ]);
  expect(
    closingReport(total, { notRun: ['the moon'], failed: ['b › c: no'], flaky: ['a.real.test.ts › waits: Error: late'] }, '3 kills\n', [
      '9 s a.real.test.ts',
    ]).split('\n'),
  ).toEqual([
    'what took longest:',
    '9 s a.real.test.ts',
    '',
    'NOT RUN on this machine: the moon',
    '',
    'what was tried:',
    '3 kills',
    '',
    '1 passed at a later try only; each of them is a defect to be found:',
    'FLAKY: a.real.test.ts › waits: Error: late',
    'FAILED: b › c: no',
    '25 passed, 0 failed, 1 skipped',
  ]);
  expect(closingReport(total, nothing, '', []).split('\n').at(-1)).toBe('25 passed, 0 failed, 1 skipped');
  expect(closingReport({ passed: 1, failed: 2, skipped: 0 }, nothing, '', [])).not.toContain('FLAKY');
});

test('the files that took longest are told, the longest first', () => {
  const file = (name: string, ms: number) => ({ name: `/svc/${name}`, startTime: 5_000, endTime: 5_000 + ms, assertionResults: [] });
  const report = { ...tests(), testResults: [file('a.ts', 900), file('b.ts', 61_400), file('c.ts', 2_000)] };
  expect(costliestFiles(report, '/svc', 2)).toEqual(['61 s b.ts', '2 s c.ts']);
  expect(costliestFiles(null, '/svc', 2)).toEqual([]);
});
