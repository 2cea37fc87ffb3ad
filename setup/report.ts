/** What the JSON report of vitest says, and the lines at the end of `npm test`. Pure. See test/README.md. */
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
  readonly testResults: readonly {
    /** The file, absolute. */
    readonly name: string;
    readonly status?: string;
    /** What broke it outside its tests, '' when that was inside a group of them. */
    readonly message?: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      /** Of every try: one that passed has some only when a try before it failed. */
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

export interface Read {
  readonly counts: Counts;
  readonly notRun: readonly string[];
  readonly failed: readonly string[];
  /** Tests that passed at their second try only, each with why the first one failed: its first line, its place in the test, and what its pages showed. */
  readonly flaky: readonly string[];
}

/** `report` null: the run wrote none, which counts as one failure. `root` is what the files are named from. */
export function readReport(report: Report | null, exitCode: number, root: string): Read {
  if (report === null) return { counts: { passed: 0, failed: 1, skipped: 0 }, notRun: [], failed: [], flaky: [] };
  const tests = report.testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.map((test) => ({ ...test, file: relative(root, name) })),
  );
  const broken = report.testResults.filter(brokeOutside).map(({ name, message }) => {
    const [words = ''] = (message ?? '').trim().split('\n');
    return `${relative(root, name)}: broke before or after its tests${words === '' ? '' : `: ${words}`}`;
  });
  const failures = report.numFailedTests + broken.length;
  return {
    counts: { passed: report.numPassedTests, failed: failures === 0 && exitCode !== 0 ? 1 : failures, skipped: report.numPendingTests },
    notRun: tests.filter(({ status }) => status === 'skipped' || status === 'pending').map(({ fullName }) => fullName),
    failed: [...tests.filter(({ status }) => status === 'failed').map(shown), ...broken],
    flaky: tests.filter(({ status, failureMessages }) => status === 'passed' && failureMessages.length > 0).map(shown),
  };
}

/** What is done before and after tests, or the import of the file: the tests it takes with it count as skipped, and none as failed. */
const brokeOutside = ({ status, message, assertionResults }: Report['testResults'][number]): boolean =>
  status === 'failed' && ((message ?? '') !== '' || assertionResults.every((test) => test.status !== 'failed'));

const shown = (test: { readonly file: string; readonly fullName: string; readonly failureMessages: readonly string[] }): string => {
  const [words = '', ...rest] = (test.failureMessages[0] ?? '').trim().split('\n');
  const place = rest.find((line) => line.trim().startsWith('at ') && line.includes(test.file));
  const more = [place?.replace(/^.*\/(?=[^/]+$)/, 'at ').replace(/\)$/, ''), ...rest.filter((line) => line.startsWith('page: '))];
  return [`${test.file} › ${test.fullName.trim()}: ${words}`, ...more.filter((line) => line !== undefined)].join('\n    ');
};

export const sum = (all: readonly Counts[]): Counts => ({
  passed: all.reduce((total, { passed }) => total + passed, 0),
  failed: all.reduce((total, { failed }) => total + failed, 0),
  skipped: all.reduce((total, { skipped }) => total + skipped, 0),
});

/** The counts stand alone on the last line. */
export function closingReport(total: Counts, read: Omit<Read, 'counts'>, tried: string): string {
  return [
    ...read.notRun.map((line) => `NOT RUN on this machine: ${line}`),
    '',
    'what was tried:',
    tried.trimEnd(),
    '',
    ...(read.flaky.length === 0 ? [] : [`${read.flaky.length} passed at the second try only; each of them is a defect to be found:`]),
    ...read.flaky.map((line) => `FLAKY: ${line}`),
    ...read.failed.map((line) => `FAILED: ${line}`),
    `${total.passed} passed, ${total.failed} failed${total.skipped > 0 ? `, ${total.skipped} skipped` : ''}`,
  ].join('\n');
}
