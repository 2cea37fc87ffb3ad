/**
 * Small worlds from random seeds with many faults, and a slice of the big one: every invariant of invariants.ts at every step, convergence
 * at every rest. A failure prints the seed of fast-check and, in each violation, the seed of the world: `node test/simulation/simulate.ts SEED`.
 */
import { assert, integer, property, record } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tellCount } from '../support/counts.ts';
import { dayOf, simulate } from './simulate.ts';
import { amount } from '../support/amount.ts';

describe('the model world', () => {
  it('holds its invariants in small worlds with heavy faults', () => {
    const totals = { hours: 0, decisions: 0, faults: 0 };
    const seed = Number(process.env['SVC_SIM_SEED'] ?? Math.floor(performance.timeOrigin) % 2_147_483_647);
    assert(
      property(
        record({ seed: integer({ min: 1, max: 2 ** 31 - 1 }), people: integer({ min: 1, max: 4 }), apps: integer({ min: 1, max: 4 }) }),
        (one) => {
          const report = simulate({
            ...dayOf(one.seed, one.people, one.apps, 12),
            faultsPerHour: 60,
            portalDeathsPerHour: 6,
            restEveryMs: 10 * 60_000,
          });
          totals.hours += report.simulatedHours;
          totals.decisions += report.decisions;
          totals.faults += report.faultsInjected;
          expect(report.violations).toEqual([]);
        },
      ),
      { numRuns: amount(25), seed },
    );
    console.info(
      `seed ${seed}: ${Math.round(totals.hours)} simulated hours, ${totals.decisions} decisions, ${totals.faults} faults, 0 violations`,
    );
    expect(totals.faults).toBeGreaterThan(amount(1_000));
  }, 60_000);

  it('a person who leaves a moment after a start whose push is late: the app ends with them', () => {
    const report = simulate({ ...dayOf(721_527_085, 4, 1, 12), faultsPerHour: 60, portalDeathsPerHour: 6, restEveryMs: 10 * 60_000 });
    expect(report.violations).toEqual([]);
  });

  it('holds them while the wall clock is set forward and back by up to a day', () => {
    const totals = { hours: 0, jumps: 0 };
    const seed = Number(process.env['SVC_SIM_SEED'] ?? Math.floor(performance.timeOrigin) % 2_147_483_647);
    assert(
      property(record({ seed: integer({ min: 1, max: 2 ** 31 - 1 }), people: integer({ min: 1, max: 4 }) }), (one) => {
        const report = simulate({
          ...dayOf(one.seed, one.people, 3, 12),
          faultsPerHour: 30,
          clockJumpsPerHour: 12,
          restEveryMs: 10 * 60_000,
        });
        totals.hours += report.simulatedHours;
        totals.jumps += report.faults['wall clock moved'] ?? 0;
        expect(report.violations).toEqual([]);
      }),
      { numRuns: amount(25), seed },
    );
    tellCount(
      `simulation: ${Math.round(totals.hours)} hours, ${totals.jumps} jumps of the wall clock by up to a day, 0 violations, seed ${seed}`,
    );
    expect(totals.jumps).toBeGreaterThan(amount(1_000));
  }, 60_000);

  it('plays the same world again from the same seed', () => {
    const [first, second] = [simulate(dayOf(7, 5, 4, 12)), simulate(dayOf(7, 5, 4, 12))];
    expect({ ...second, wallMs: 0 }).toEqual({ ...first, wallMs: 0 });
    expect(simulate(dayOf(8, 5, 4, 12)).decisions).not.toBe(first.decisions);
  });
});
