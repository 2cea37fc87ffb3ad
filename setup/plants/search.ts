/**
 * Looks for the first thing that finds a planted fault: the static steps, the unit tests that it reaches, the real tests that it reaches. The static steps take
 * all faults at once, since each of their findings names its file; tests take one.
 */
import { readFileSync, rmSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { reachOf } from '../changed.ts';
import { fileSeconds } from '../longest-first.ts';
import type { Report } from '../report.ts';
import type { Plant, Result } from './table.ts';
import type { Tree } from './tree.ts';

/** A row of which more would have to run counts as lost, with how many ran. */
export interface Bounds {
  readonly unitMsMax: number;
  /** By what the files took in the last whole run (setup/last-runs.json). */
  readonly realMsMax: number;
}

const staticMsMax = 300_000;
const buildMsMax = 300_000;
/** A file without a figure takes less than five seconds. */
const secondsOf = (file: string): number => fileSeconds[file] ?? 5;

type Found = Pick<Result, 'found' | 'by'> | null;

export interface Search {
  /** Findings of the compilers and the linter of the rows, by id. */
  findByStatics(rows: readonly Plant[]): Promise<ReadonlyMap<string, string>>;
  /** All rows that name tests are planted at once, and these tests run once; by id. Weaker: a test may fail for another row's fault. */
  findTogether(rows: readonly Plant[]): Promise<ReadonlyMap<string, Result>>;
  /** `tests`: all test files of the tree. */
  findByTests(row: Plant, tests: readonly string[]): Promise<Result>;
}

export function createSearch(tree: Tree, { unitMsMax, realMsMax }: Bounds): Search {
  /** Whether a test file passes without a fault; the others prove nothing. */
  const passes = new Map<string, boolean>();
  let isBuiltWithFault = false;
  const build = async (): Promise<boolean> => (await tree.run(['node', 'setup/build.ts'], buildMsMax)).code === 0;
  const clean = async (): Promise<void> => {
    if (isBuiltWithFault && !(await build())) throw new Error('setup/build.ts fails without a fault');
    isBuiltWithFault = false;
  };
  /** With the fault in the bundles, too, where real tests run. */
  const tryOnce = async (row: Plant, { project, words, msMax }: Run): Promise<Failure | null> => {
    const restore = tree.plant(row);
    try {
      if (project === 'real' && isBundled(row.file) && !isBuiltWithFault) {
        isBuiltWithFault = true;
        if (!(await build())) return { file: '', name: 'setup/build.ts' };
      }
      return await firstFailure(tree, { project, words, msMax });
    } finally {
      restore();
    }
  };
  /** The first test that fails twice with the fault and passes without it. */
  const tryTests = async (row: Plant, run: Run): Promise<Found> => {
    const useless: string[] = [];
    for (;;) {
      const failed = await tryOnce(row, { ...run, words: [...run.words, ...useless.map((file) => `--exclude=${file}`)] });
      if (failed === null) return null;
      const { file, name } = failed;
      if (file === '') return { found: 'statics', by: name };
      const alone = { ...run, words: ['run', file] };
      // On a busy machine a test may fail once for no fault of ours.
      if ((await tryOnce(row, alone)) === null) {
        useless.push(file);
        continue;
      }
      if (!passes.has(file)) {
        await clean();
        passes.set(file, (await firstFailure(tree, alone)) === null);
      }
      if (passes.get(file) === true) return { found: run.project, by: name };
      useless.push(file);
    }
  };
  return {
    findByStatics: async (rows) => {
      const found = new Map<string, string>();
      // A file with two faults takes the second one in another pass.
      for (let left = rows; left.length > 0;) {
        const now = left.filter(({ file }, at) => left.findIndex((other) => other.file === file) === at);
        left = left.filter((row) => !now.includes(row));
        for (const [id, words] of await staticFindings(tree, now)) found.set(id, words);
      }
      return found;
    },
    findTogether: (rows) => findTogether(tree, rows, { unitMsMax, realMsMax }),
    findByTests: async (row, tests) => {
      const startedMs = performance.now();
      await clean();
      const { real } = reachOf([row.file], tests.filter(isReal));
      const nearest = withinTime([...new Set([...row.tests.filter(isReal), ...nearestFirst(row.file, real)])], realMsMax);
      let found: Found = null;
      for (const run of runsOf(row, tests, nearest, { unitMsMax, realMsMax })) found ??= await tryTests(row, run);
      const isSoon = found !== null && found.found !== 'real';
      return {
        found: found?.found ?? 'lost',
        by: found?.by ?? null,
        seconds: Math.round((performance.now() - startedMs) / 1_000),
        real: isSoon ? '0' : `${nearest.length} of ${real.length}`,
      };
    },
  };
}

interface Run {
  readonly project: 'unit' | 'real';
  /** For vitest. */
  readonly words: readonly string[];
  readonly msMax: number;
}

/** In this order: the expected unit tests, those beside the file, all that import it; the expected real tests, the nearest of the others. */
function runsOf(row: Plant, tests: readonly string[], nearest: readonly string[], { unitMsMax, realMsMax }: Bounds): readonly Run[] {
  const beside = tests.filter((test) => !isReal(test) && dirname(test) === dirname(row.file));
  const unit = (files: readonly string[]): readonly Run[] =>
    files.length === 0 ? [] : [{ project: 'unit', words: ['run', ...files], msMax: unitMsMax }];
  const real = (files: readonly string[]): readonly Run[] =>
    files.length === 0 ? [] : [{ project: 'real', words: ['run', ...files], msMax: 3 * realMsMax }];
  const isExpected = (test: string): boolean => row.tests.includes(test);
  return [
    ...unit(row.tests.filter((test) => !isReal(test))),
    ...unit(beside.filter((test) => !isExpected(test))),
    { project: 'unit', words: ['related', '--run', row.file], msMax: unitMsMax },
    ...real(nearest.filter(isExpected)),
    ...real(nearest.filter((test) => !isExpected(test))),
  ];
}

const isReal = (test: string): boolean => test.endsWith('.real.test.ts');

/** Files of the same folder first, then those whose path begins alike; the short ones before the long ones. */
export function nearestFirst(file: string, tests: readonly string[]): readonly string[] {
  const names = file.split('/');
  const far = (test: string): number => {
    const same = test.split('/').findIndex((name, at) => name !== names[at]);
    return names.length - same;
  };
  return tests.toSorted((one, other) => far(one) - far(other) || secondsOf(one) - secondsOf(other));
}

/** As many from the beginning as fit. */
export function withinTime(files: readonly string[], msMax: number): readonly string[] {
  let leftMs = msMax;
  return files.filter((file) => (leftMs -= 1_000 * secondsOf(file)) >= 0);
}

/** Files of which bundles are made; the portal of a test runs the others as they are. */
const isBundled = (file: string): boolean => !/^(?:api|bench|controller|reconcilers|store|test)\//.test(file);

/** The commands that read these files without running them. */
export function staticSteps(files: readonly string[]): readonly (readonly string[])[] {
  const code = files.filter((file) => /\.[jt]s$/.test(file));
  const isOfPages = (file: string): boolean => /^(?:shell|sdk\/web)\//.test(file);
  const types = code.filter((file) => file.endsWith('.ts'));
  return [
    ...(types.every(isOfPages) ? [] : [['tsc', '-p', '.', '--pretty', 'false']]),
    ...(types.some(isOfPages) ? [['tsc', '-p', 'shell', '--pretty', 'false']] : []),
    ...(code.length === 0 ? [] : [['oxlint', '--deny-warnings', '--type-aware', '--format=unix', ...code]]),
    ...files.filter((file) => file.endsWith('.py')).map((file) => ['python3', '-m', 'py_compile', file]),
    ...files.filter((file) => file.endsWith('.sh')).map((file) => ['bash', '-n', file]),
  ];
}

async function staticFindings(tree: Tree, rows: readonly Plant[]): Promise<ReadonlyMap<string, string>> {
  const restores = rows.map((row) => tree.plant(row));
  const found = new Map<string, string>();
  try {
    for (const argv of staticSteps(rows.map(({ file }) => file))) {
      const { code, output } = await tree.run(argv, staticMsMax);
      if (code === null) throw new Error(`${argv.join(' ')} took too long`);
      if (code === 0) continue;
      const named = rows.flatMap(({ id, file }): [string, string][] => {
        const line = output.split('\n').find((one) => one.includes(file));
        return line === undefined ? [] : [[id, `${argv[0]}: ${line.trim().slice(0, 200)}`]];
      });
      for (const [id, words] of named) found.set(id, words);
      if (named.length === 0) throw new Error(`${argv.join(' ')} fails, and names none of the files: ${output.slice(-1_000)}`);
    }
    return found;
  } finally {
    for (const restore of restores) restore();
  }
}

async function findTogether(tree: Tree, rows: readonly Plant[], { unitMsMax, realMsMax }: Bounds): Promise<ReadonlyMap<string, Result>> {
  const found = new Map<string, Result>();
  for (const [project, msMax] of [
    ['unit', unitMsMax],
    ['real', realMsMax],
  ] as const) {
    const isNamed = (test: string): boolean => isReal(test) === (project === 'real');
    const now = rows.filter(({ id, tests }) => !found.has(id) && tests.some(isNamed));
    const files = [...new Set(now.flatMap(({ tests }) => tests.filter(isNamed)))];
    if (files.length === 0 || msMax <= 0) continue;
    const startedMs = performance.now();
    const failed = await failuresTogether(tree, now, { project, words: ['run', ...files], msMax: 3 * msMax });
    const seconds = Math.round((performance.now() - startedMs) / 1_000 / now.length);
    for (const { id, tests } of now) {
      const one = failed.find(({ file }) => tests.includes(file));
      if (one !== undefined) found.set(id, { found: project, by: one.name, seconds, real: 'together' });
    }
  }
  return found;
}

async function failuresTogether(tree: Tree, rows: readonly Plant[], run: Run): Promise<readonly Failure[]> {
  const restores = rows.map((row) => tree.plant(row));
  try {
    if (run.project === 'real') await tree.run(['node', 'setup/build.ts'], buildMsMax);
    return failuresIn(await reportOf(tree, run), tree.folder);
  } finally {
    // A file with two faults gets back the text that it had before the first.
    for (const restore of restores.toReversed()) restore();
    if (run.project === 'real') await tree.run(['node', 'setup/build.ts'], buildMsMax);
  }
}

interface Failure {
  readonly file: string;
  readonly name: string;
}

/** Null: all passed, or their time was over before one failed. */
async function firstFailure(tree: Tree, run: Run): Promise<Failure | null> {
  const [first] = failuresIn(await reportOf(tree, { ...run, words: [...run.words, '--bail=1'] }), tree.folder);
  return first ?? null;
}

const nothing: Report = { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0, testResults: [] };

async function reportOf(tree: Tree, { project, words, msMax }: Run): Promise<Report> {
  const report = join(tree.folder, 'build/plants-report.json');
  rmSync(report, { force: true });
  await tree.run(['vitest', ...words, `--project=${project}`, '--passWithNoTests', '--reporter=json', `--outputFile=${report}`], msMax);
  try {
    return JSON.parse(readFileSync(report, 'utf8')) as Report;
  } catch {
    return nothing;
  }
}

/** The first of each file. */
export function failuresIn({ testResults }: Report, root: string): readonly Failure[] {
  return testResults.flatMap(({ name, status, assertionResults }) => {
    const file = relative(root, name);
    const test = assertionResults.find((one) => one.status === 'failed');
    if (test !== undefined) return [{ file, name: `${file} › ${test.fullName.trim()}` }];
    return status === 'failed' ? [{ file, name: file }] : [];
  });
}
