/**
 * `npm test` and `npm run test:long`: the whole of `npm run check`, then the tests with real processes, sockets and browsers.
 * Closes with the counts of both, alone on a line: `N passed, N failed`.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runLoudly, runQuietly, type Step } from './run.ts';

interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** The part of vitest's JSON report that is read here. */
interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly testResults: readonly { readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[] }[];
}

const bin = (name: string): string => `node_modules/.bin/${name}`;
const long = process.argv.includes('--long');
const env = { ...process.env, ...(long ? { SVC_TEST_LONG: '1' } : {}) };

const staticSteps: readonly Step[] = [
  { name: 'format', argv: [bin('oxfmt'), '--check'] },
  { name: 'types', argv: [bin('tsc'), '-p', '.'] },
  { name: 'types shell', argv: [bin('tsc'), '-p', 'shell'] },
  { name: 'lint', argv: [bin('oxlint'), '--deny-warnings'] },
  { name: 'dead code', argv: [bin('knip'), '--no-progress'] },
];

/** Reads what vitest wrote; a run that wrote nothing counts as one failure. */
async function runProject(project: string, folder: string): Promise<Counts> {
  const file = join(folder, `${project}.json`);
  const code = await runLoudly(
    {
      name: project,
      argv: [bin('vitest'), 'run', '--project', project, '--reporter=default', '--reporter=json', `--outputFile.json=${file}`],
    },
    env,
  );
  const text = await readFile(file, 'utf8').catch(() => null);
  if (text === null) return { passed: 0, failed: 1, skipped: 0 };
  const report = JSON.parse(text) as Report;
  for (const { assertionResults } of report.testResults) {
    for (const test of assertionResults) {
      if (test.status === 'skipped' || test.status === 'pending') console.log(`NOT RUN on this machine: ${test.fullName}`);
    }
  }
  // A suite that breaks outside its tests fails the run without a failed test.
  const failed = report.numFailedTests === 0 && code !== 0 ? 1 : report.numFailedTests;
  return { passed: report.numPassedTests, failed, skipped: report.numPendingTests };
}

const folder = await mkdtemp(join(tmpdir(), 'svc-test-'));
try {
  let total: Counts = { passed: 0, failed: 0, skipped: 0 };
  const add = (c: Counts): void => {
    total = { passed: total.passed + c.passed, failed: total.failed + c.failed, skipped: total.skipped + c.skipped };
  };
  for (const step of staticSteps) {
    const passed = await runQuietly(step);
    add({ passed: passed ? 1 : 0, failed: passed ? 0 : 1, skipped: 0 });
  }
  add(await runProject('unit', folder));
  add(await runProject('real', folder));
  console.log(`\n${total.passed} passed, ${total.failed} failed${total.skipped > 0 ? `, ${total.skipped} skipped` : ''}`);
  process.exitCode = total.failed === 0 && total.passed > 0 ? 0 : 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}
