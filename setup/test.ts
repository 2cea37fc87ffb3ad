/**
 * `npm test` and `npm run test:long`: the whole of `npm run check`, then the tests with real processes, sockets and browsers.
 * Closes with what the generated and enumerated tests tried (test/support/counts.ts), then the counts of both, alone on a line:
 * `N passed, N failed`.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { missingLine } from '../test/server/machine.ts';
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
let env: NodeJS.ProcessEnv = { ...process.env, ...(long ? { SVC_TEST_LONG: '1' } : {}) };

const staticSteps: readonly Step[] = [
  { name: 'format', argv: [bin('oxfmt'), '--check'] },
  { name: 'types', argv: [bin('tsc'), '-p', '.'] },
  { name: 'types shell', argv: [bin('tsc'), '-p', 'shell'] },
  { name: 'lint', argv: [bin('oxlint'), '--deny-warnings'] },
  { name: 'dead code', argv: [bin('knip'), '--no-progress'] },
];

/** Suites of their own, with what they need. */
const notRun = [`test/server, a real systemd server in qemu${machineLine()}: npm run test:server`];

function machineLine(): string {
  const line = missingLine();
  return line === '' ? ' (minutes of emulation)' : ` (missing here: ${line})`;
}

/**
 * Tests with real processes wait more than they work, and each has folders, ports and accounts of its own: two files go on at once. What is
 * counted over long runs is measured alone.
 */
const workers = long ? '1' : '2';

/** Reads what vitest wrote; a run that wrote nothing counts as one failure. */
async function runProject(project: string, folder: string): Promise<Counts> {
  const file = join(folder, `${project}.json`);
  const code = await runLoudly(
    {
      name: project,
      argv: [
        bin('vitest'),
        'run',
        '--project',
        project,
        `--maxWorkers=${workers}`,
        '--reporter=default',
        '--reporter=json',
        `--outputFile.json=${file}`,
      ],
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
const tried = join(folder, 'counts');
env = { ...env, SVC_TEST_COUNTS: tried };
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
  for (const line of notRun) console.log(`NOT RUN on this machine: ${line}`);
  console.log(`\nwhat was tried:\n${await readFile(tried, 'utf8').catch(() => 'nothing told')}`);
  console.log(`${total.passed} passed, ${total.failed} failed${total.skipped > 0 ? `, ${total.skipped} skipped` : ''}`);
  process.exitCode = total.failed === 0 && total.passed > 0 ? 0 : 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}
