/**
 * `npm test` and `npm run test:long`: the whole of `npm run check`, then the tests with real processes, sockets and browsers.
 * Closes with what the generated and enumerated tests tried (test/support/counts.ts), the tests that passed at their second try only, and the
 * counts of all, alone on the last line: `N passed, N failed`.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { missingLine } from '../test/server/machine.ts';
import { closingReport, readReport, sum, type Counts, type Read, type Report } from './report.ts';
import { runLoudly } from './run.ts';
import { bin, compiledOnce, runStaticSteps } from './steps.ts';

const long = process.argv.includes('--long');
let env: NodeJS.ProcessEnv = { ...process.env, ...(long ? { SVC_TEST_LONG: '1' } : {}) };

/** Suites of their own, with what they need. */
const notRun = [`test/server, a real systemd server in qemu${machineLine()}: npm run test:server`];

function machineLine(): string {
  const line = missingLine();
  return line === '' ? ' (minutes of emulation)' : ` (missing here: ${line})`;
}

/**
 * Tests with real processes wait more than they work, and each has separate folders, ports and accounts: three files run at once. Unit tests
 * only work: two. Long measurements run alone.
 */
const workersOf = { unit: long ? '1' : '2', real: long ? '1' : '3' } as const;

async function runProject(project: 'unit' | 'real', folder: string): Promise<Read> {
  const file = join(folder, `${project}.json`);
  const exitCode = await runLoudly(
    {
      name: project,
      argv: [
        bin('vitest'),
        'run',
        '--project',
        project,
        `--maxWorkers=${workersOf[project]}`,
        '--reporter=default',
        '--reporter=json',
        `--outputFile.json=${file}`,
      ],
    },
    project === 'unit' ? { ...compiledOnce, ...env } : env,
  );
  const text = await readFile(file, 'utf8').catch(() => null);
  return readReport(text === null ? null : (JSON.parse(text) as Report), exitCode, process.cwd());
}

const folder = await mkdtemp(join(tmpdir(), 'svc-test-'));
const tried = join(folder, 'counts');
// A run over hours looks for what happens rarely: there nothing is tried again.
env = { ...env, SVC_TEST_COUNTS: tried, ...(long ? {} : { SVC_TEST_RETRY: '1' }) };
try {
  const [statics, unit] = await Promise.all([runStaticSteps(), runProject('unit', folder)]);
  const counts: readonly Counts[] = statics.map((passed) => ({ passed: passed ? 1 : 0, failed: passed ? 0 : 1, skipped: 0 }));
  const read = [unit, await runProject('real', folder)];
  const total = sum([...counts, ...read.map((each) => each.counts)]);
  const told = await readFile(tried, 'utf8').catch(() => 'nothing told');
  const all = {
    notRun: [...read.flatMap((each) => each.notRun), ...notRun],
    failed: read.flatMap((each) => each.failed),
    flaky: read.flatMap((each) => each.flaky),
  };
  console.log(closingReport(total, all, told));
  process.exitCode = total.failed === 0 && total.passed > 0 ? 0 : 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}
