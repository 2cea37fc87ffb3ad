/**
 * Changes one operator, condition, branch or literal of a folder's sources at a time (the mutants of Stryker) and runs the unit tests of that folder.
 * The tests and what they import are one script that holds all mutants; a global says which of them is active. So a mutant costs what the
 * tests that reach it cost, some milliseconds, and not a start of vitest.
 */
import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { compileFunction } from 'node:vm';
import { Instrumenter } from '@stryker-mutator/instrumenter';
import { build } from 'esbuild';
import * as fastCheck from 'fast-check';
import { expect } from 'vitest';
import { shareSeed as seed } from './share.ts';

const root = join(import.meta.dirname, '../..');
/** How often a mutant may run for each time that the tests ran its original: a loop without an end is noticed by it. */
const hitsMax = 100;
/** Cases of a property: a mutant that no other test notices is tried with all of them. */
const runsMax = 50;

export interface Mutant {
  readonly file: string;
  /** `file:line: original → replacement` */
  readonly name: string;
  /** Whether a test fails with it. */
  readonly isKilled: () => Promise<boolean>;
}

type Case = () => unknown;

/** State that the instrumented sources read and write: their interface with the runner of Stryker. */
interface Switch {
  activeMutant?: string | undefined;
  currentTestId?: string | undefined;
  hitCount?: number | undefined;
  hitLimit?: number | undefined;
  mutantCoverage?: { readonly static: Hits; readonly perTest: Record<string, Hits> };
}
type Hits = Readonly<Record<string, number>>;

export async function mutantsOf(folder: string): Promise<readonly Mutant[]> {
  const names = (await readdir(join(root, folder))).filter((name) => name.endsWith('.ts') && name !== 'mutation.test.ts');
  const isTest = (name: string) => name.endsWith('.test.ts');
  const read = async (name: string) => ({ name, mutate: true, content: await readFile(join(root, folder, name), 'utf8') });
  const sources = await Promise.all(names.filter((name) => !isTest(name) && !name.endsWith('-fixtures.ts')).map(read));
  const instrumented = await new Instrumenter(silent).instrument(sources, { plugins: null, ignorers: [], excludedMutations: [] });
  const loadCases = await loader(folder, names.filter(isTest), new Map(instrumented.files.map(({ name, content }) => [name, content])));

  const world: Switch = {};
  Object.assign(globalThis, { __stryker__: world });
  const reach = await firstRun(world, loadCases());
  const onLoad = world.mutantCoverage?.static ?? {};
  const lines = new Map(sources.map(({ name, content }) => [name, content.split('\n')]));
  return instrumented.mutants.map(({ id, fileName: file, location: { start, end }, replacement }) => {
    const original = textBetween(lines.get(file) ?? [], start, end);
    const isKilled = async () => {
      const reached = reach.filter(({ hits }) => id in hits);
      world.activeMutant = id;
      world.hitCount = 0;
      world.hitLimit = hitsMax * Math.max(...reach.map(({ hits }) => hits[id] ?? 0), onLoad[id] ?? 0);
      try {
        for (const { body } of reached) await body();
        if (!(id in onLoad)) return false;
        // It runs while its module, or the table of a test, is loaded.
        const anew = loadCases();
        for (const { at } of reach) await anew[at]?.();
        return false;
      } catch {
        return true;
      } finally {
        world.activeMutant = undefined;
      }
    };
    return { file, name: `${file}:${start.line + 1}: ${short(original)} → ${short(replacement)}`, isKilled };
  });
}

/** A function that loads the test files, with all that they import from this project, anew and returns their tests. */
async function loader(folder: string, tests: readonly string[], contents: ReadonlyMap<string, string>): Promise<() => readonly Case[]> {
  const { outputFiles } = await build({
    stdin: { contents: tests.map((name) => `import './${name}';`).join('\n'), resolveDir: join(root, folder) },
    bundle: true,
    write: false,
    platform: 'node',
    format: 'cjs',
    packages: 'external',
    plugins: [
      {
        name: 'mutants',
        setup: (bundle) =>
          bundle.onLoad({ filter: /\.ts$/ }, ({ path }) => {
            const text = path.startsWith(join(root, folder, '/')) ? contents.get(path.slice(join(root, folder, '/').length)) : undefined;
            return text === undefined ? null : { contents: text, loader: 'ts' };
          }),
      },
    ],
  });
  const script = compileFunction(outputFiles[0]?.text ?? '', ['require', 'module']);
  const requirePackage = createRequire(import.meta.url);
  return () => {
    const cases: Case[] = [];
    const vitest = vitestThat((body) => cases.push(body));
    const packages: Readonly<Record<string, object>> = { vitest, 'fast-check': seededFastCheck };
    script((name: string): unknown => packages[name] ?? requirePackage(name), { exports: {} });
    if (cases.length === 0) throw new Error(`no tests in ${folder}`);
    return cases;
  };
}

/** Runs properties with a fixed seed, so that their findings repeat. */
const seededFastCheck = {
  ...fastCheck,
  assert: (property: fastCheck.IRawProperty<unknown>, { numRuns = runsMax, ...given }: fastCheck.Parameters<unknown> = {}) =>
    fastCheck.assert(property, { ...given, seed, numRuns: Math.min(numRuns, runsMax) }),
};

/** A vitest whose tests are collected, and not run. */
function vitestThat(collect: (body: Case) => void): object {
  const register = (take: (body: Case) => void) =>
    Object.assign((_name: string, body: Case) => take(body), {
      for: (rows: readonly unknown[]) => (_name: string, body: (row: unknown) => unknown) => {
        for (const row of rows) take(() => body(row));
      },
    });
  const describe = register((body) => void body());
  return { expect, describe, test: register(collect), it: register(collect) };
}

interface Reach {
  /** Which of the tests. */
  readonly at: number;
  readonly body: Case;
  readonly hits: Hits;
  readonly tookMs: number;
}

/** All tests once with no mutant active: they pass, and say what they reach. The quick ones come first. */
async function firstRun(world: Switch, cases: readonly Case[]): Promise<readonly Reach[]> {
  const reach: Reach[] = [];
  for (const [at, body] of cases.entries()) {
    world.currentTestId = `case ${at}`;
    const startedMs = performance.now();
    await body();
    reach.push({ at, body, hits: world.mutantCoverage?.perTest[world.currentTestId] ?? {}, tookMs: performance.now() - startedMs });
  }
  world.currentTestId = undefined;
  return reach.sort((one, other) => one.tookMs - other.tookMs);
}

interface Place {
  readonly line: number;
  readonly column: number;
}

function textBetween(lines: readonly string[], start: Place, end: Place): string {
  const last = lines[end.line]?.slice(0, end.column) ?? '';
  return [...lines.slice(start.line, end.line), last].join('\n').slice(start.column);
}

function short(code: string): string {
  const line = code.replaceAll(/\s+/g, ' ');
  return line.length <= 90 ? line : `${line.slice(0, 60)} … ${line.slice(-25)}`;
}

const no = () => false;
const nothing = () => undefined;
const silent = {
  isTraceEnabled: no,
  isDebugEnabled: no,
  isInfoEnabled: no,
  isWarnEnabled: no,
  isErrorEnabled: no,
  isFatalEnabled: no,
  trace: nothing,
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
  fatal: nothing,
};
