/**
 * A virtual day of 150 people with 10 apps each, under seeded faults; SVC_TEST_LONG=1 has 1,000 people. The events of a person, an app or a
 * server are the same in both: there are more of them. `SVC_SIM_SEED=n` plays another day.
 */
import { expect, it } from 'vitest';
import { tellCount } from '../support/counts.ts';
import { dayOf, simulate } from './simulate.ts';

const people = process.env['SVC_TEST_LONG'] === '1' ? 1_000 : 150;

it(`lives through a day of ${people} people with 10 apps each without a violation`, () => {
  const report = simulate(dayOf(Number(process.env['SVC_SIM_SEED'] ?? 20_261_121), people, 10, 24));
  console.info(JSON.stringify(report, null, 2));
  tellCount(
    `simulation: a day of ${people} people × 10 apps, ${report.faultsInjected} faults, ${report.violations.length} violations, seed ${report.seed}`,
  );
  expect(report.violations).toEqual([]);
  expect(report.simulatedHours).toBeGreaterThanOrEqual(23.9);
  expect(report.objects).toBe(people * 10);
  expect(report.faultsInjected).toBeGreaterThan(people * 5);
  // In seconds, not minutes; the target of 20 s for 1,000 people holds on an idle machine.
  expect(report.wallMs).toBeLessThan(90_000);
});
