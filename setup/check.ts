/** `npm run check`: format, types, lint, dead code and unit tests, in under a minute. Run it before each commit. */
import { runQuietly, type Step } from './run.ts';

const bin = (name: string): string => `node_modules/.bin/${name}`;

/** Two lanes for two cores: the static tools in one, the unit tests in the other. */
const lanes: readonly (readonly Step[])[] = [
  [
    { name: 'format', argv: [bin('oxfmt'), '--check'] },
    { name: 'types', argv: [bin('tsc'), '-p', '.'] },
    { name: 'types shell', argv: [bin('tsc'), '-p', 'shell'] },
    { name: 'lint', argv: [bin('oxlint'), '--deny-warnings'] },
    { name: 'dead code', argv: [bin('knip'), '--no-progress'] },
  ],
  [{ name: 'unit tests', argv: [bin('vitest'), 'run', '--project', 'unit', '--maxWorkers=2', '--reporter=default'] }],
];

async function runLane(steps: readonly Step[]): Promise<boolean> {
  let passed = true;
  for (const step of steps) passed = (await runQuietly(step)) && passed;
  return passed;
}

const startedMs = performance.now();
const results = await Promise.all(lanes.map(runLane));
console.log(`check took ${((performance.now() - startedMs) / 1000).toFixed(1)} s`);
process.exitCode = results.every(Boolean) ? 0 : 1;
