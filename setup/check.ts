/** `npm run check`: format, types, lint, dead code and unit tests, in under a minute. Run it before each commit. */
import { runQuietly } from './run.ts';
import { bin, compiledOnce, runStaticSteps } from './steps.ts';

/** An eighth of the generated cases: `npm test` has them all. */
const env = { ...compiledOnce, ...process.env, SVC_TEST_QUICK: '1' };

const startedMs = performance.now();
const unit = { name: 'unit tests', argv: [bin('vitest'), 'run', '--project', 'unit', '--maxWorkers=2', '--reporter=default'] } as const;
// Two lanes: no step needs another one, and the static ones use a part of a core each.
const [statics, isRight] = await Promise.all([runStaticSteps(), runQuietly(unit, env)]);
console.log(`check took ${((performance.now() - startedMs) / 1000).toFixed(1)} s`);
process.exitCode = isRight && statics.every(Boolean) ? 0 : 1;
