/**
 * `npm run check`: format, types, lint, dead code and unit tests. Run it before each commit. Rules of the linter that need types are asked of recent changes; mutants,
 * simulations, generated cases and what compiles or measures run in `npm test` only.
 */
import { runQuietly } from './run.ts';
import { bin, compiledOnce, runStaticSteps } from './steps.ts';

/** Without the files that generate their cases (vitest.config.ts), and an eighth of the cases that others generate. */
const env = { ...compiledOnce, ...process.env, SVC_TEST_QUICK: '1' };

const startedMs = performance.now();
const unit = {
  name: 'unit tests',
  argv: [bin('vitest'), 'run', '--project', 'unit', '--maxWorkers=2', '--tagsFilter=!costly', '--reporter=default'],
} as const;
// Two lanes: no step needs another one, and the static ones use a part of a core each.
const [statics, isRight] = await Promise.all([runStaticSteps({ withTypes: false }), runQuietly(unit, env)]);
console.log(`check took ${((performance.now() - startedMs) / 1000).toFixed(1)} s`);
process.exitCode = isRight && statics.every(({ passed }) => passed) ? 0 : 1;
