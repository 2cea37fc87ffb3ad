import type { Pool } from 'pg';
import { expect, test } from 'vitest';
import type { Clock } from '../schema/clock.ts';
import { tryLease } from './lease.ts';
import { limits } from './limits.ts';

test('a leader whose database is silent begins nothing more half a second before another one may lead', async () => {
  let nowMs = 0;
  const clock: Clock = { nowMs: () => nowMs, monotonicMs: () => nowMs, at: () => () => undefined };
  const rows = [{ free: true, number: 7 }];
  const pool = { query: async () => ({ rows, rowCount: 1 }) } as unknown as Pool;
  const lease = await tryLease(pool, { holder: 'one', clock, name: 'svc', seen: { number: 0 } });
  const isHeld = (): Promise<boolean> =>
    Promise.race([lease!.held().then(() => true), new Promise<boolean>((resolve) => setImmediate(() => resolve(false)))]);
  const seen: boolean[] = [];
  for (nowMs of [0, limits.leaseMs - 501, limits.leaseMs - 499]) seen.push(await isHeld());
  expect(seen).toEqual([true, true, false]);
});
