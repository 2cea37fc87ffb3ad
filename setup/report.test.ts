import { expect, test } from 'vitest';
import { closingReport, readReport, sum, type Report } from './report.ts';

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

test('a failure is told with its place in the test and what its pages showed', () => {
  const stack = [
    'TimeoutError: late',
    '    at f (/svc/kit/other.ts:1:2)',
    '    at /svc/kit/a.real.test.ts:20:7',
    'page: http://a/ "- main"',
    'page: http://b/ ""',
  ];
  expect(readReport(tests(['waits', 'failed', stack.join('\n')]), 1, '/svc').failed).toEqual([
    'kit/a.real.test.ts › waits: TimeoutError: late\n    at a.real.test.ts:20:7\n    page: http://a/ "- main"\n    page: http://b/ ""',
  ]);
});

test.for([
  ['no report at all', null, 1, { passed: 0, failed: 1, skipped: 0 }],
  ['a suite that broke outside its tests', tests(['a', 'passed']), 1, { passed: 1, failed: 1, skipped: 0 }],
  ['one that did not run', tests(['a', 'passed'], ['b', 'skipped']), 0, { passed: 1, failed: 0, skipped: 1 }],
] as const)('%s', ([, report, code, counts]) => {
  expect(readReport(report, code, '/svc').counts).toEqual(counts);
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

const nothing = { notRun: [], failed: [], flaky: [] };

test('the counts of everything stand alone on the last line, what was flaky right above them', () => {
  const total = sum([
    { passed: 5, failed: 0, skipped: 0 },
    { passed: 20, failed: 0, skipped: 1 },
  ]);
  expect(
    closingReport(
      total,
      { notRun: ['the moon'], failed: ['b › c: no'], flaky: ['a.real.test.ts › waits: Error: late'] },
      '3 kills\n',
    ).split('\n'),
  ).toEqual([
    'NOT RUN on this machine: the moon',
    '',
    'what was tried:',
    '3 kills',
    '',
    '1 passed at the second try only; each of them is a defect to be found:',
    'FLAKY: a.real.test.ts › waits: Error: late',
    'FAILED: b › c: no',
    '25 passed, 0 failed, 1 skipped',
  ]);
  expect(closingReport(total, nothing, '').split('\n').at(-1)).toBe('25 passed, 0 failed, 1 skipped');
  expect(closingReport({ passed: 1, failed: 2, skipped: 0 }, nothing, '')).not.toContain('FLAKY');
});
