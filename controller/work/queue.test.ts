import { expect, test } from 'vitest';
import { createWorkQueue, type QueueOptions } from './queue.ts';
import { createSimulatedClock } from '../clock/simulated.ts';

function gate(): { readonly promise: Promise<void>; open(): void } {
  let open = (): void => undefined;
  const promise = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { promise, open: () => open() };
}

function make(over: Partial<QueueOptions> = {}) {
  const clock = createSimulatedClock(1_000_000);
  const worked: string[] = [];
  const errors: string[] = [];
  const queue = createWorkQueue({
    clock,
    laneOf: (key) => key.split('/')[0] ?? '',
    parallelMax: 2,
    workDeadlineMs: 1_000,
    work: (key) => {
      worked.push(key);
    },
    onError: (key, error) => errors.push(`${key}: ${String(error)}`),
    onLate: (key) => errors.push(`${key} late`),
    ...over,
  });
  queue.open();
  return { queue, clock, worked, errors };
}

test('one key is never worked on twice at the same time, and what was asked for meanwhile is done once afterwards', async () => {
  const first = gate();
  let running = 0;
  let runningMax = 0;
  let runs = 0;
  const { queue } = make({
    work: async () => {
      runs += 1;
      running += 1;
      runningMax = Math.max(runningMax, running);
      await first.promise;
      running -= 1;
    },
  });
  for (let n = 0; n < 100; n += 1) queue.add('casa/a', n % 2 === 0);
  expect(runs).toBe(1);
  first.open();
  await queue.idle();
  expect({ runs, runningMax }).toEqual({ runs: 2, runningMax: 1 });
});

test('a click passes the resyncs that wait, and a lane runs no more than its share', async () => {
  const hold = gate();
  const order: string[] = [];
  let running = 0;
  let runningMax = 0;
  const { queue } = make({
    work: async (key) => {
      order.push(key);
      running += 1;
      runningMax = Math.max(runningMax, running);
      await hold.promise;
      running -= 1;
    },
  });
  for (const key of ['casa/1', 'casa/2', 'casa/3', 'casa/4']) queue.add(key, false);
  queue.add('casa/click', true);
  queue.add('casa/4', true);
  expect(order).toEqual(['casa/1', 'casa/2']);
  hold.open();
  await queue.idle();
  expect(order).toEqual(['casa/1', 'casa/2', 'casa/click', 'casa/4', 'casa/3']);
  expect(runningMax).toBe(2);
});

test('a server that hangs holds up its own lane only', async () => {
  const hang = gate();
  const done: string[] = [];
  const { queue } = make({
    parallelMax: 1,
    work: async (key) => {
      if (key.startsWith('stuck/')) await hang.promise;
      done.push(key);
    },
  });
  queue.add('stuck/1', false);
  queue.add('stuck/2', true);
  queue.add('casa/1', false);
  await expect.poll(() => done).toEqual(['casa/1']);
  hang.open();
  await queue.idle();
  expect(done).toEqual(['casa/1', 'stuck/1', 'stuck/2']);
});

test('work past its deadline is reported once and keeps its key', async () => {
  const hang = gate();
  const { queue, clock, errors } = make({ work: () => hang.promise });
  queue.add('casa/1', false);
  clock.advance(999);
  expect(errors).toEqual([]);
  clock.advance(1);
  expect(errors).toEqual(['casa/1 late']);
  hang.open();
  await queue.idle();
});

test('what the work throws is reported and the queue goes on', async () => {
  const { queue, errors } = make({
    work: (key) => {
      if (key === 'casa/sync') throw new Error('sync');
      return Promise.reject(new Error('async'));
    },
  });
  queue.add('casa/sync', false);
  queue.add('casa/async', false);
  await queue.idle();
  expect(errors).toEqual(['casa/sync: Error: sync', 'casa/async: Error: async']);
});

test('a key wakes at its time, a moved time replaces the one before, null clears it', () => {
  const { queue, clock, worked } = make();
  queue.wake('casa/1', clock.nowMs() + 5_000);
  queue.wake('casa/2', clock.nowMs() + 3_000);
  queue.wake('casa/3', clock.nowMs() + 4_000);
  queue.wake('casa/1', clock.nowMs() + 1_000);
  queue.wake('casa/3', null);
  clock.advance(999);
  expect(worked).toEqual([]);
  clock.advance(1);
  expect(worked).toEqual(['casa/1']);
  clock.advance(10_000);
  expect(worked).toEqual(['casa/1', 'casa/2']);
});

test('ten thousand alarms ring in the order of their times', () => {
  const { queue, clock, worked } = make();
  const times = new Map<string, number>();
  for (let n = 0; n < 10_000; n += 1) {
    const atMs = clock.nowMs() + ((n * 7_919) % 10_007);
    times.set(`casa/${n}`, atMs);
    queue.wake(`casa/${n}`, atMs);
  }
  clock.advance(10_007);
  expect(worked).toHaveLength(10_000);
  const rung = worked.map((key) => times.get(key) ?? 0);
  expect(rung).toEqual([...rung].sort((left, right) => left - right));
});

test('nothing is worked on before the queue is opened, and closing one that never was ends at once', async () => {
  const worked: string[] = [];
  const options = {
    clock: createSimulatedClock(0),
    laneOf: () => '',
    parallelMax: 1,
    workDeadlineMs: 1,
    onError: () => undefined,
    onLate: () => undefined,
  };
  const queue = createWorkQueue({ ...options, work: (key) => void worked.push(key) });
  queue.add('casa/1', true);
  expect(worked).toEqual([]);
  queue.open();
  expect(worked).toEqual(['casa/1']);
  const other = createWorkQueue({ ...options, work: (key) => void worked.push(key) });
  other.add('casa/2', true);
  await other.close();
  expect(worked).toEqual(['casa/1']);
});

test('closing forgets what waits and resolves when what runs has ended', async () => {
  const hold = gate();
  const worked: string[] = [];
  const { queue } = make({
    parallelMax: 1,
    work: async (key) => {
      worked.push(key);
      await hold.promise;
    },
  });
  queue.add('casa/1', false);
  queue.add('casa/2', false);
  let closed = false;
  const closing = (async () => {
    await queue.close();
    closed = true;
  })();
  queue.add('casa/3', true);
  await Promise.resolve();
  expect(closed).toBe(false);
  hold.open();
  await closing;
  expect(worked).toEqual(['casa/1']);
});
