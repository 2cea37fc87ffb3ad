/**
 * `npm run test:changed [REF]`: the static steps, and the tests that what changed since the last commit (or since REF) can reach. For the minutes between
 * changes; `npm test` runs everything. See test/README.md.
 */
import { execFileSync } from 'node:child_process';
import { reachOf } from './changed.ts';
import { runLoudly } from './run.ts';
import { bin, compiledOnce, runStaticSteps } from './steps.ts';

const git = (...words: readonly string[]): readonly string[] =>
  execFileSync('git', words, { encoding: 'utf8', maxBuffer: 64 * 1_024 ** 2 })
    .split('\n')
    .filter((line) => line !== '');

const ref = process.argv[2] ?? 'HEAD';
const changed = [...new Set([...git('diff', '--name-only', ref, '--'), ...git('ls-files', '--others', '--exclude-standard')])];
const { isAll, sources, real } = reachOf(changed, git('ls-files', '--cached', '--others', '--exclude-standard', '*.real.test.ts'));
console.log(`${changed.length} files changed since ${ref}; ${real.length} files of real tests can see it`);

const env = { ...process.env, ...compiledOnce, SVC_TEST_RETRY: '1', SVC_TEST_BUILT: '1' };
const vitest = (project: 'unit' | 'real', ...words: readonly string[]): Promise<number> =>
  runLoudly({ name: project, argv: [bin('vitest'), ...words, '--project', project, '--passWithNoTests', '--reporter=default'] }, env);
const statics = await runStaticSteps({ withTypes: true });
const unit = isAll ? ['run'] : ['related', '--run', ...sources];
const codes = [
  sources.length === 0 ? await vitest('unit', 'run', 'test/docs.test.ts') : await vitest('unit', ...unit),
  real.length === 0 ? 0 : await vitest('real', 'run', ...real),
];
process.exitCode = statics.every(({ passed }) => passed) && codes.every((code) => code === 0) ? 0 : 1;
