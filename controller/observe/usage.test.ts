import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createSimulatedClock } from '../clock/simulated.ts';
import { createUsage } from './usage.ts';

const settle = async (): Promise<void> => {
  for (let at = 0; at < 10; at += 1) await turn();
};

function world() {
  const clock = createSimulatedClock(1_800_000_000_000);
  let asked = 0;
  const use = { app: 'notas', pid: 7, cpuMs: 0, memoryBytes: 4_096, tasks: 3 };
  const usage = createUsage(clock, async () => {
    asked += 1;
    return { atMs: 500 + clock.monotonicMs(), apps: [{ ...use }] };
  });
  return { clock, use, usage, asked: () => asked };
}

test('the first look takes two samples a second apart, the next ones one each', async () => {
  const { clock, use, usage, asked } = world();
  const first = usage.read();
  await settle();
  expect(usage.of('notas', 7)).toEqual({ cpu: null, memoria: 4_096, tarefas: 3 });
  use.cpuMs = 1_500;
  clock.advance(1_000);
  await first;
  expect([asked(), usage.of('notas', 7)?.cpu]).toEqual([2, 150]);
  clock.advance(4_000);
  use.cpuMs = 1_504;
  await usage.read();
  expect([asked(), usage.of('notas', 7)?.cpu]).toEqual([3, 0.1]);
});

test('who asks again within a second gets the same answer, and everybody at once one look', async () => {
  const { clock, usage, asked } = world();
  const looks = [usage.read(), usage.read()];
  await settle();
  clock.advance(1_000);
  await Promise.all(looks);
  await usage.read();
  expect(asked()).toBe(2);
});

test('nothing is told of another process, or of a look of long ago', async () => {
  const { clock, usage } = world();
  const look = usage.read();
  await settle();
  clock.advance(1_000);
  await look;
  expect(usage.of('notas', 8)).toBeNull();
  expect(usage.of('notas', null)).toBeNull();
  clock.advance(15_000);
  expect(usage.of('notas', 7)).toBeNull();
});

test('a supervisor that does not answer, or does not know the question, costs three seconds and no error', async () => {
  const clock = createSimulatedClock(0);
  const silent = createUsage(clock, () => new Promise(() => undefined));
  let done = false;
  void silent.read().then(() => (done = true));
  await settle();
  clock.advance(2_999);
  await settle();
  expect(done).toBe(false);
  clock.advance(1);
  await settle();
  expect(done).toBe(true);
  const old = createUsage(clock, () => Promise.reject(new Error('"op" is not one of this protocol')));
  await old.read();
  expect(old.of('notas', 7)).toBeNull();
});
