/**
 * `npm test` and `npm run test:long`: the whole of `npm run check`, then the tests with real processes, sockets and browsers.
 * Closes with what the generated and enumerated tests tried (test/support/counts.ts), the tests that passed at a later try only, and the
 * counts of all, alone on the last line: `N passed, N failed`.
 */
import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { kvmRuns, missingLine } from '../test/server/machine.ts';
import { faultsOf, withRun, type Faults, type LastRuns } from './last-runs.ts';
import {
  closingReport,
  costliestFiles,
  filesToRunAgain,
  readReport,
  secondsByFile,
  sum,
  withSecondRun,
  type Counts,
  type Read,
  type Report,
} from './report.ts';
import { runLoudly } from './run.ts';
import { bin, compiledOnce, runStaticSteps } from './steps.ts';

const long = process.argv.includes('--long');
/** bash with a socket as its input reads ~/.bashrc of this account at its first level, as under rshd: what is in there is no part of a test. */
const notFirstLevel = { SHLVL: '2' };
/** setup/ready.sh made the bundles right before: kit/testing/kit-source.ts. */
const built = { SVC_TEST_BUILT: '1' };
let env: NodeJS.ProcessEnv = { ...process.env, ...notFirstLevel, ...built, PATH: pathToPython(), ...(long ? { SVC_TEST_LONG: '1' } : {}) };

/** Where a version manager answers for `python3`, each start of it would run dozens of shells first: the one that it chooses is found before it. */
function pathToPython(): string {
  const known = (process.env['PATH'] ?? '').split(delimiter);
  const asked = spawnSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' });
  const found = dirname(asked.stdout.trim());
  const isShim = asked.status === 0 && !known.includes(found);
  return [...(isShim ? [resolve('node_modules/.bin'), found] : []), ...known].join(delimiter);
}

/** The tests on a machine of its own run where that takes seconds to start; elsewhere one line says so. */
const machineLine = await whyNoMachine();

async function whyNoMachine(): Promise<string | null> {
  const what = 'test/server, a real systemd server in qemu';
  const line = missingLine();
  if (line !== '') return `${what} (missing here: ${line}): npm run test:server`;
  return (await kvmRuns()) ? null : `${what} (no KVM here, which makes it minutes of emulation): npm run test:server`;
}

/**
 * Tests with real processes wait as much as they work, and each has separate folders, ports and accounts: three files run at once, of which
 * about two work at any moment (longest-first.ts). With four, a slow machine is late for everything at once: what fails is tried again, and makes
 * it later. Unit tests only work: two. Long measurements run alone.
 */
const workersOf = { unit: long ? '1' : '2', real: long ? '1' : '3', server: '1' } as const;

type Project = keyof typeof workersOf;

interface Run {
  readonly report: Report | null;
  readonly exitCode: number;
}

interface Again {
  readonly name: string;
  readonly files: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

async function runProject(project: Project, folder: string, again?: Again): Promise<Run> {
  const name = again?.name ?? project;
  const file = join(folder, `${name.replaceAll(' ', '-')}.json`);
  const exitCode = await runLoudly(
    {
      name,
      argv: [
        bin('vitest'),
        'run',
        '--project',
        project,
        `--maxWorkers=${again === undefined ? workersOf[project] : '1'}`,
        '--reporter=default',
        '--reporter=json',
        `--outputFile.json=${file}`,
        ...(again?.files ?? []),
      ],
    },
    { ...(project === 'unit' ? compiledOnce : {}), ...env, ...again?.env },
  );
  const text = await readFile(file, 'utf8').catch(() => null);
  return { report: text === null ? null : (JSON.parse(text) as Report), exitCode };
}

/** Time of all processors together, since the machine started. */
function processorMs(): { readonly all: number; readonly idle: number } {
  const times = cpus().map(({ times: { user, nice, sys, idle, irq } }) => ({ all: user + nice + sys + idle + irq, idle }));
  return times.reduce((sum, each) => ({ all: sum.all + each.all, idle: sum.idle + each.idle }), { all: 0, idle: 0 });
}

/** Whether more workers would help, or less work. */
function busyLine(before: ReturnType<typeof processorMs>): string {
  const now = processorMs();
  return `the processors were busy for ${Math.round(100 - (100 * (now.idle - before.idle)) / (now.all - before.all))} % of the real tests`;
}

const readRun = ({ report, exitCode }: Run): Read => readReport(report, exitCode, process.cwd());

/** Result of a run of `project`; the few files with failures run once more, whole and alone. See test/README.md. */
async function readTwice(project: Project, folder: string, first: Run): Promise<Read> {
  const files = long ? [] : filesToRunAgain(first.report);
  if (first.report === null || files.length === 0) return readRun(first);
  const second = await runProject(project, folder, { name: `${project} once more`, files, env: { SVC_TEST_RETRY: '0' } });
  return readRun({ report: withSecondRun(first.report, second.report), exitCode: second.exitCode });
}

/** Answers what is wrong with how the run went. */
async function writeDown(report: Report, { flaky, failed }: Pick<Read, 'flaky' | 'failed'>): Promise<Faults> {
  const file = resolve('setup/last-runs.json');
  const run = { at: new Date().toISOString(), seconds: secondsByFile(report, process.cwd()), flaky, failed };
  const before = JSON.parse(await readFile(file, 'utf8')) as LastRuns;
  const now = withRun(before, run);
  await writeFile(file, `${JSON.stringify(now, null, 2)}\n`);
  return faultsOf(before, now, run);
}

const folder = await mkdtemp(join(tmpdir(), 'svc-test-'));
const tried = join(folder, 'counts');
// A run over hours looks for rare failures: there nothing is tried again. All random choices share one seed: a repeated test tries the
// same.
const runSeed = process.env['SVC_TEST_RUN_SEED'] ?? String(Math.floor(Math.random() * 2 ** 31));
env = { ...env, SVC_TEST_COUNTS: tried, SVC_TEST_RUN_SEED: runSeed, ...(long ? {} : { SVC_TEST_RETRY: '1' }) };
try {
  const [statics, unit] = await Promise.all([runStaticSteps({ withTypes: true }), runProject('unit', folder)]);
  const counts: readonly Counts[] = statics.map(({ passed }) => ({ passed: passed ? 1 : 0, failed: passed ? 0 : 1, skipped: 0 }));
  const before = processorMs();
  const real = await runProject('real', folder);
  const busy = busyLine(before);
  const server = machineLine === null ? [readRun(await runProject('server', folder))] : [];
  const read = [await readTwice('unit', folder, unit), await readTwice('real', folder, real), ...server];
  const total = sum([...counts, ...read.map((each) => each.counts)]);
  const told = await readFile(tried, 'utf8').catch(() => 'nothing told');
  const all = {
    notRun: [...read.flatMap((each) => each.notRun), ...(machineLine === null ? [] : [machineLine])],
    failed: [
      ...statics.flatMap(({ name, passed }) => (passed ? [] : [`static step ${name}: its output stands where it ended`])),
      ...read.flatMap((each) => each.failed),
    ],
    flaky: read.flatMap((each) => each.flaky),
  };
  const faults: Faults = long || real.report === null ? { failed: [], slow: [] } : await writeDown(real.report, all);
  const counted = sum([total, { passed: 0, failed: faults.failed.length, skipped: 0 }]);
  const failed = [...all.failed, ...faults.failed];
  console.log(
    closingReport(counted, { ...all, failed }, told, [
      ...costliestFiles(real.report, process.cwd(), 10),
      ...faults.slow.map((line) => `SLOW: ${line}`),
      busy,
    ]),
  );
  process.exitCode = counted.failed === 0 && counted.passed > 0 ? 0 : 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}
