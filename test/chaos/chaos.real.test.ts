/** A seeded part of `npm run chaos`: faults of every family, several at once, and the world is as it should be soon after. */
import { expect, test } from 'vitest';
import { tellCount } from '../support/counts.ts';
import { runChaos } from './run.ts';

const long = process.env['SVC_TEST_LONG'] === '1';

test(
  'faults fall, several at once, and everything is as the desired state says soon after',
  { timeout: long ? 7_200_000 : 1_800_000 },
  async () => {
    const seed = Number(process.env['SVC_TEST_SEED'] ?? (long ? Date.now() % 1_000_000 : 20_261_122));
    // A round takes half a minute, however many fall in it.
    const report = await runChaos({ seed, ...(long ? { faults: 500 } : { faults: 16, aRound: 16 }), say: (line) => console.log(line) });
    tellCount(
      `chaos: ${report.faults} faults of ${report.kinds} kinds in ${report.rounds} rounds, seed ${seed}, ${report.edits} edits, ${report.wrong.length} wrong`,
    );
    expect(report.wrong).toEqual([]);
  },
);
