/**
 * The product's own controller, store, supervisor lines, starts, relay and page connection over a simulated site. A failure prints the history that
 * leads to it; `node test/simulation/site/simulate.ts SEED HOURS` makes it as short as it gets.
 */
import { expect, it } from 'vitest';
import { amount } from '../../support/amount.ts';
import { tellCount } from '../../support/counts.ts';
import { shareSeed } from '../../support/share.ts';
import type { Act } from './acts.ts';
import { hunt, play } from './hunt.ts';
import { planted } from './planted.ts';

const isLong = process.env['SVC_TEST_LONG'] === '1';

it('nothing is lost, doubled or untrue in histories of people and faults', { timeout: 3_600_000 }, async () => {
  const stepsMin = amount(10_000, 1_000_000);
  const first = Number(process.env['SVC_SIM_SEED'] ?? (isLong ? shareSeed % 1_000_000 : 101 + (shareSeed % 4)));
  const sums: Record<string, number> = {};
  let [steps, seeds, acts] = [0, 0, 0];
  const seedsMin = amount(1, 100);
  for (let seed = first; steps < stepsMin || seeds < seedsMin; seed += 1) {
    const report = await play(null, { seed, hours: isLong ? 0.4 : 0.25 });
    expect(report.violations).toEqual([]);
    [steps, seeds, acts] = [steps + report.steps, seeds + 1, acts + report.acts];
    for (const [what, count] of Object.entries(report.counts)) sums[what] = (sums[what] ?? 0) + count;
  }
  tellCount(
    `simulated site: ${steps} steps in ${seeds} histories from seed ${first}, ${acts} acts, ${sums['lives of the portal']} lives of the portal, 0 violations`,
  );
  expect(sums['answered running']).toBeGreaterThan(seeds);
});

/** A day in four minutes: people come, write and go, an app is started, replaced and stopped, and a package goes. */
const short: readonly Act[] = [
  [14_000, 'window opened', 5],
  [18_000, 'window opened', 77],
  [24_000, 'role taken', 9],
  [30_000, 'restart', 3],
  [40_000, 'code changed', 4],
  [44_000, 'start and stop', 8],
  [60_000, 'package leaves', 12],
  [80_000, 'person leaves', 21],
  [95_000, 'stop', 6],
  [100_000, 'page opened', 2],
];

it('the portal dies at a call, at either end of it', { timeout: 3_600_000 }, async () => {
  const history = { seed: 7, hours: 0.07, acts: short, restEveryMs: 110_000, people: 3, apps: 2, servers: 1 };
  const whole = await play(null, history);
  expect(whole.violations).toEqual([]);
  const all = Array.from({ length: whole.calls }, (_, at) => at + 1);
  for (const diesAtCall of all.filter((call) => isLong || call % Math.ceil(whole.calls / 5) === 1)) {
    const report = await play(null, { ...history, diesAtCall });
    expect({ diesAtCall, violations: report.violations }).toEqual({ diesAtCall, violations: [] });
    expect(report.counts['portal killed at a call']).toBe(1);
  }
});

const known = planted.filter(({ isFound }) => isFound);

it.for(isLong ? known.filter((_, at) => (at + shareSeed) % 8 === 0) : [])(
  'shows a planted bug: $is',
  { timeout: 1_200_000 },
  async (bug) => {
    expect((await hunt(bug)).violation).not.toBe('');
  },
);
