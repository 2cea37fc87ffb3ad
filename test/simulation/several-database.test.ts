/** The database of the model keeps to what PostgreSQL does. */
import { setImmediate as turn } from 'node:timers/promises';
import { createSimulatedClock } from '../../controller/clock/simulated.ts';
import { toPostgres } from '../../store/sql-text.ts';
import { limits } from '../../store/limits.ts';
import { createDatabase } from './portals/database.ts';
import { actText, fencingContract } from './portals/fencing-contract.ts';
import { openLine } from './portals/line.ts';
import { createProcessClock } from './portals/process.ts';
import { createRandom } from './random.ts';
import { startWallMs } from './world.ts';

fencingContract(async () => {
  const clock = createSimulatedClock(startWallMs);
  const database = createDatabase(clock);
  database.acts.set(toPostgres(actText), () => undefined);
  const process = createProcessClock(clock, { offMs: 0, drift: 0 });
  const weather = { isAway: false, cut: new Set<object>(), mended: new Map<object, number>(), slowMs: 0, lostCommits: 0 };
  const onUnknown = (error: Error): void => {
    throw error;
  };
  const { pool } = openLine({ database, weather, clock: process, random: createRandom(1), owner: process, onUnknown });
  return {
    pool,
    still: { ...process, at: () => () => undefined },
    expire: async () => clock.advance(Math.max(limits.leaseMs, limits.memberMs) + 1),
    run: async (work) => {
      const ends = { isThere: false };
      const settle = (): void => {
        ends.isThere = true;
      };
      work.then(settle, settle);
      await turn();
      while (!ends.isThere && clock.step()) await turn();
      return await work;
    },
    remove: async () => undefined,
  };
});
