/** The static steps of `npm run check` and `npm test`, in the order in which they are worth knowing. */
import { freemem } from 'node:os';
import { resolve } from 'node:path';
import { runQuietly, type Step } from './run.ts';

export const bin = (name: string): string => `node_modules/.bin/${name}`;

/** For the unit tests, whose worker threads and commands would strip and compile the same sources again and again. */
export const compiledOnce = { NODE_COMPILE_CACHE: resolve('build/compiled') } as const;

const staticSteps: readonly Step[] = [
  { name: 'format', argv: [bin('oxfmt'), '--check'] },
  { name: 'types', argv: [bin('tsc'), '-p', '.'] },
  { name: 'types shell', argv: [bin('tsc'), '-p', 'shell'] },
  { name: 'dead code', argv: [bin('knip'), '--no-progress', '--cache', '--cache-location', 'build/knip'] },
];

/**
 * The type checkers are Go programs that live for seconds: where there is memory for it, collecting garbage would be nearly half of what they do.
 */
const goEnv = freemem() > 8 * 1_024 ** 3 ? { GOGC: 'off', GOMEMLIMIT: '3GiB' } : {};

/**
 * Runs the static steps in order, beside the unit tests; resolves to their results. `withTypes`: with the rules that need types, which take
 * ten times as long.
 */
export async function runStaticSteps({ withTypes }: { readonly withTypes: boolean }): Promise<readonly boolean[]> {
  const lint: Step = { name: 'lint', argv: [bin('oxlint'), '--deny-warnings', ...(withTypes ? ['--type-aware'] : [])] };
  const passed: boolean[] = [];
  for (const step of [...staticSteps, lint]) passed.push(await runQuietly(step, { ...goEnv, ...process.env }));
  return passed;
}
