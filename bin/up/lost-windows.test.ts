import { expect, test } from 'vitest';
import { createSimulatedClock } from '../../controller/clock/simulated.ts';
import { limits } from '../../schema/limits.ts';
import { closeLostWindows } from './lost-windows.ts';

test('windows of a portal are over once two looks of the one that leads did not find it; what the database does not say is no look', async () => {
  const clock = createSimulatedClock(0);
  let living: readonly string[] | Error = ['one', 'two'];
  let isLeading = true;
  const kept: (readonly string[])[] = [];
  const queued: string[] = [];
  const errors: unknown[] = [];
  const end = closeLostWindows({
    living: async () => {
      if (living instanceof Error) throw living;
      return living;
    },
    store: {
      closeWindows: async (_isOf, portals) => {
        kept.push(portals);
        return portals.includes('two') ? [] : [{ person: 'ana', app: 'notas' }];
      },
    },
    bus: { enqueue: (key) => void queued.push(key) },
    clock,
    leads: () => isLeading,
    onError: (error) => void errors.push(error),
  });
  const look = async (): Promise<void> => {
    clock.advance(limits.resyncMs);
    for (let n = 0; n < 10; n += 1) await Promise.resolve();
  };
  await look();
  expect(kept).toEqual([]);
  await look();
  living = new Error('away');
  await look();
  // It is back, and only one of them has renewed its row yet.
  living = ['one'];
  await look();
  expect(kept).toEqual([
    ['one', 'two'],
    ['one', 'two'],
  ]);
  expect([errors.length, queued]).toEqual([1, []]);
  await look();
  expect(kept.at(-1)).toEqual(['one']);
  expect(queued).toHaveLength(1);
  // An observation from before another portal led is not trusted.
  isLeading = false;
  await look();
  isLeading = true;
  const looks = kept.length;
  await look();
  expect(kept).toHaveLength(looks);
  end();
  await look();
  expect(kept).toHaveLength(looks);
});
