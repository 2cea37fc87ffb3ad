/** The static steps of `npm run check` and `npm test`, in the order in which they are worth knowing. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { freemem } from 'node:os';
import { resolve } from 'node:path';
import { runQuietly, type Step } from './run.ts';

export const bin = (name: string): string => `node_modules/.bin/${name}`;

/** For the unit tests, whose worker threads and commands would strip and compile the same sources again and again. */
export const compiledOnce = { NODE_COMPILE_CACHE: resolve('build/compiled') } as const;

const staticSteps: readonly Step[] = [
  { name: 'format', argv: [bin('oxfmt'), '--check'] },
  // Checkers that work side by side each read the libraries anew: one takes half the processor time of four.
  { name: 'types', argv: [bin('tsc'), '-p', '.', '--checkers', '1'] },
  { name: 'types shell', argv: [bin('tsc'), '-p', 'shell', '--checkers', '1'] },
  { name: 'dead code', argv: [bin('knip'), '--no-progress', '--cache', '--cache-location', 'build/knip'] },
];

/**
 * The type checkers are Go programs that live for seconds: where there is memory for it, collecting garbage would be nearly half of what they do.
 */
const goEnv = freemem() > 8 * 1_024 ** 3 ? { GOGC: 'off', GOMEMLIMIT: '3GiB' } : {};

export interface StepResult {
  readonly name: string;
  readonly passed: boolean;
}

const lintArgv = [bin('oxlint'), '--deny-warnings'] as const;

/**
 * The rules of the linter that need types take ten times as long as the others: `withTypes` asks them of every file, otherwise they are asked of the
 * files that were changed since the last commit, or by it, fifty at most.
 */
function lintSteps(withTypes: boolean): readonly Step[] {
  if (withTypes) return [{ name: 'lint', argv: [...lintArgv, '--type-aware'] }];
  const recent = recentSources();
  const typed: Step = { name: 'lint types', argv: [...lintArgv, '--type-aware', ...recent] };
  return [{ name: 'lint', argv: lintArgv }, ...(recent.length === 0 ? [] : [typed])];
}

const typedLintFilesMax = 50;

function recentSources(): readonly string[] {
  const git = (...words: readonly string[]): readonly string[] =>
    execFileSync('git', words, { encoding: 'utf8', maxBuffer: 64 * 1_024 ** 2 }).split('\n');
  const isSource = (file: string): boolean => /\.[cm]?[jt]sx?$/.test(file) && existsSync(file);
  const changed = [...git('diff', '--name-only', 'HEAD'), ...git('ls-files', '--others', '--exclude-standard')].filter(isSource);
  const recent = changed.length > 0 ? [...new Set(changed)] : git('show', '--name-only', '--format=', 'HEAD').filter(isSource);
  return recent.slice(0, typedLintFilesMax);
}

/** Runs the static steps in order, beside the unit tests. */
export async function runStaticSteps(options: { readonly withTypes: boolean }): Promise<readonly StepResult[]> {
  const results: StepResult[] = [];
  for (const step of [...staticSteps, ...lintSteps(options.withTypes)])
    results.push({ name: step.name, passed: await runQuietly(step, { ...goEnv, ...process.env }) });
  return results;
}
