/** Reads the JSON report of vitest and writes the lines at the end of `npm test`. Pure. See test/README.md. */
import { relative } from 'node:path';

export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** The part of vitest's JSON report that is read here. */
export interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly testResults: readonly FileReport[];
}

interface FileReport {
  /** The file, absolute. */
  readonly name: string;
  readonly status?: string;
  /** Error outside of its tests, '' when it was inside a group of them. */
  readonly message?: string;
  /** The same error in the run before the reported one. */
  readonly brokeBefore?: string;
  /** Milliseconds since the epoch: of its first test's begin and its last one's end. */
  readonly startTime?: number;
  readonly endTime?: number;
  readonly assertionResults: readonly TestReport[];
}

interface TestReport {
  readonly fullName: string;
  readonly status: string;
  /** Failures of every try: a test that passed has some only when an earlier try failed. */
  readonly failureMessages: readonly string[];
}

export interface Read {
  readonly counts: Counts;
  readonly notRun: readonly string[];
  readonly failed: readonly string[];
  /** Tests that passed at a later try only, each with why the first one failed: its first line, its place in the test, and what its pages showed. */
  readonly flaky: readonly string[];
}

/** `report` null: the run wrote none, which counts as one failure. `root` is what the files are named from. */
export function readReport(report: Report | null, exitCode: number, root: string): Read {
  if (report === null)
    return { counts: { passed: 0, failed: 1, skipped: 0 }, notRun: [], failed: ['a run of tests wrote no report'], flaky: [] };
  const tests = report.testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.map((test) => ({ ...test, file: relative(root, name) })),
  );
  const broken = report.testResults.filter(brokeOutside).map(({ name, message }) => shownBroken(relative(root, name), message));
  const outside =
    report.numFailedTests + broken.length === 0 && exitCode !== 0
      ? [`a run of tests ended with code ${exitCode}, though no test failed`]
      : [];
  return {
    counts: {
      passed: report.numPassedTests,
      failed: report.numFailedTests + broken.length + outside.length,
      skipped: report.numPendingTests,
    },
    notRun: tests.filter(({ status }) => status === 'skipped' || status === 'pending').map(({ fullName }) => fullName),
    failed: [...tests.filter(({ status }) => status === 'failed').map(shown), ...broken, ...outside],
    flaky: [
      ...tests.filter(({ status, failureMessages }) => status === 'passed' && failureMessages.length > 0).map(shown),
      ...report.testResults.flatMap(({ name, brokeBefore }) =>
        brokeBefore === undefined ? [] : [shownBroken(relative(root, name), brokeBefore)],
      ),
    ],
  };
}

/**
 * So many files with failures, of about 500 in all, may be the fault of a machine that is three times slower than usual; more are not, and running
 * them again would only take longer to say so.
 */
export const filesAgainMax = 12;

/** The files to be run once more, whole and alone: those with a failure. None when there are too many of them. */
export function filesToRunAgain(report: Report | null): readonly string[] {
  const failed = report?.testResults.filter(hasFailed).map(({ name }) => name) ?? [];
  return failed.length <= filesAgainMax ? failed : [];
}

/**
 * The first run with the results of the second one for the files that it ran: its result counts, and a test that failed before carries that
 * as the failure of its first try. A test that failed before and did not run now (skipped, or its file broke) is still failed, and a file
 * without a result in the second run stands as it stood.
 */
export function withSecondRun(first: Report, second: Report | null): Report {
  const testResults = first.testResults.map((file) => {
    const again = hasFailed(file) ? second?.testResults.find(({ name }) => name === file.name) : undefined;
    return again === undefined ? file : fileWithSecondRun(file, again);
  });
  const count = (...statuses: readonly string[]): number =>
    testResults.flatMap((file) => file.assertionResults).filter(({ status }) => statuses.includes(status)).length;
  return { numPassedTests: count('passed'), numFailedTests: count('failed'), numPendingTests: count('skipped', 'pending'), testResults };
}

function fileWithSecondRun(first: FileReport, second: FileReport): FileReport {
  const ranNow = second.assertionResults.filter(({ status }) => status === 'passed' || status === 'failed');
  const ofFirst = first.assertionResults.map((test): TestReport => {
    const at = ranNow.findIndex(({ fullName }) => fullName === test.fullName);
    const [now] = at === -1 ? [] : ranNow.splice(at, 1);
    if (now === undefined) return test;
    return test.status === 'failed' ? { ...now, failureMessages: [...test.failureMessages, ...now.failureMessages] } : now;
  });
  const assertionResults = [...ofFirst, ...ranNow];
  if (brokeOutside(second)) return { ...second, assertionResults };
  const { message: _, ...told } = second;
  return {
    ...told,
    status: assertionResults.some(({ status }) => status === 'failed') ? 'failed' : 'passed',
    ...(brokeOutside(first) ? { brokeBefore: first.message ?? '' } : {}),
    assertionResults,
  };
}

const hasFailed = (file: FileReport): boolean =>
  file.status === 'failed' || file.assertionResults.some(({ status }) => status === 'failed');

/** Whether the file broke in its hooks or its import: the tests it takes with it count as skipped, and none as failed. */
const brokeOutside = ({ status, message, assertionResults }: FileReport): boolean =>
  status === 'failed' && ((message ?? '') !== '' || assertionResults.every((test) => test.status !== 'failed'));

function shownBroken(file: string, message = ''): string {
  const [words = ''] = message.trim().split('\n');
  return `${file}: broke before or after its tests${words === '' ? '' : `: ${words}`}`;
}

const shown = (test: { readonly file: string; readonly fullName: string; readonly failureMessages: readonly string[] }): string => {
  const [words = '', ...rest] = (test.failureMessages[0] ?? '').trim().split('\n');
  const place = rest.find((line) => line.trim().startsWith('at ') && line.includes(test.file));
  const more = [place?.replace(/^.*\/(?=[^/]+$)/, 'at ').replace(/\)$/, ''), ...rest.filter((line) => /^(?:difference|page): /.test(line))];
  return [`${test.file} › ${test.fullName.trim()}: ${words}`, ...more.filter((line) => line !== undefined)].join('\n    ');
};

/** Wall seconds of each file. */
export const secondsByFile = (report: Report, root: string): Readonly<Record<string, number>> =>
  Object.fromEntries(
    report.testResults.map(({ name, startTime = 0, endTime = 0 }) => [relative(root, name), (endTime - startTime) / 1_000] as const),
  );

/** The files that took longest, with their seconds: where a run that became too long is to be made shorter. */
export function costliestFiles(report: Report | null, root: string, count: number): readonly string[] {
  const timed = report === null ? [] : Object.entries(secondsByFile(report, root));
  return timed
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, count)
    .map(([file, seconds]) => `${Math.round(seconds)} s ${file}`);
}

export const sum = (all: readonly Counts[]): Counts => ({
  passed: all.reduce((total, { passed }) => total + passed, 0),
  failed: all.reduce((total, { failed }) => total + failed, 0),
  skipped: all.reduce((total, { skipped }) => total + skipped, 0),
});

/** The counts stand alone on the last line. */
export function closingReport(total: Counts, read: Omit<Read, 'counts'>, tried: string, costliest: readonly string[]): string {
  return [
    'what took longest:',
    ...costliest,
    '',
    ...read.notRun.map((line) => `NOT RUN on this machine: ${line}`),
    '',
    'what was tried:',
    tried.trimEnd(),
    '',
    ...(read.flaky.length === 0 ? [] : [`${read.flaky.length} passed at a later try only; each of them is a defect to be found:`]),
    ...read.flaky.map((line) => `FLAKY: ${line}`),
    ...read.failed.map((line) => `FAILED: ${line}`),
    `${total.passed} passed, ${total.failed} failed${total.skipped > 0 ? `, ${total.skipped} skipped` : ''}`,
  ].join('\n');
}
