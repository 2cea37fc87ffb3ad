import { expect, test } from 'vitest';
import { limits } from '../limits.ts';
import { createSessionPool } from './session-pool.ts';

/** Takes a turn and says in `order` when it came. */
function taker(pool: ReturnType<typeof createSessionPool>, order: number[]) {
  return (n: number): void => {
    void pool.take().then(() => order.push(n));
  };
}
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('so many at once, the others in order', async () => {
  const pool = createSessionPool(2);
  const order: number[] = [];
  [1, 2, 3, 4].forEach(taker(pool, order));
  await turn();
  expect(order).toEqual([1, 2]);
  pool.give();
  await turn();
  expect(order).toEqual([1, 2, 3]);
  pool.give();
  await turn();
  expect(order).toEqual([1, 2, 3, 4]);
});

test('a refusal of the server is learned from, and not forgotten on this connection', async () => {
  const pool = createSessionPool(6);
  const order: number[] = [];
  [1, 2, 3, 4].forEach(taker(pool, order));
  await turn();
  // The fourth was refused: three are what this server opens.
  expect(pool.refused()).toBe(true);
  pool.give();
  [5, 6].forEach(taker(pool, order));
  await turn();
  expect(order).toEqual([1, 2, 3, 4]);
  pool.give();
  await turn();
  expect(order).toEqual([1, 2, 3, 4, 5]);
});

test('who is cancelled leaves the queue, and takes no turn', async () => {
  const pool = createSessionPool(1);
  const order: number[] = [];
  const take = taker(pool, order);
  take(1);
  const abort = new AbortController();
  const cancelled = pool.take(abort.signal);
  take(2);
  abort.abort();
  await expect(cancelled).rejects.toMatchObject({ code: 'CANCELLED' });
  await expect(pool.take(abort.signal)).rejects.toMatchObject({ code: 'CANCELLED' });
  expect(order).toEqual([1]);
  pool.give();
  await turn();
  expect(order).toEqual([1, 2]);
});

test('with nothing of ours running a refusal is not about us', async () => {
  const pool = createSessionPool(6);
  await pool.take();
  expect(pool.refused()).toBe(false);
});

test('the queue has an end', async () => {
  const pool = createSessionPool(1);
  await pool.take();
  for (let n = 0; n < limits.sshSessionsWaitingMax; n += 1) void pool.take();
  await expect(pool.take()).rejects.toMatchObject({ code: 'SSH_SATURATED' });
});
