import { expect, test } from 'vitest';
import { createManualClock } from '../testing/manual-clock.ts';
import { createMemoryStore } from '../testing/memory-store.ts';
import { openKeyRings } from './key-rings.ts';
import { seal, unseal } from './sealed.ts';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

async function twoPortals() {
  const store = createMemoryStore();
  const clock = createManualClock(1_700_000_000_000);
  const [here, there] = [await openKeyRings(store, clock), await openKeyRings(store, clock)];
  return { store, clock, here, there };
}

/** Values read from the store arrive a turn of the event loop later. */
const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
};

test('a new key is used two minutes later, when the other portal knows it, and the one before counts as long as its work lives', async () => {
  const { clock, here, there } = await twoPortals();
  const before = seal(here.seal, 'x', { a: 1 });
  await here.rotate();
  expect(unseal(there.seal, 'x', seal(here.seal, 'x', { a: 2 }))).toEqual({ a: 2 });
  clock.advance(minuteMs);
  await settle();
  clock.advance(minuteMs);
  await settle();
  expect(here.seal.current()).not.toEqual(here.seal.all()[0]);
  expect(unseal(there.seal, 'x', seal(here.seal, 'x', { a: 3 }))).toEqual({ a: 3 });
  expect(unseal(there.seal, 'x', before)).toEqual({ a: 1 });
  clock.advance(11 * minuteMs);
  await settle();
  expect(unseal(there.seal, 'x', before)).toBeNull();
  expect([here.sessions.all().length, here.browsers.all().length]).toEqual([2, 2]);
  clock.advance(180 * dayMs);
  expect([here.sessions.all().length, here.browsers.all().length]).toEqual([1, 1]);
});

test('asked again before the new one is used nothing is changed; later both before it count, also after a restart', async () => {
  const { store, clock, here } = await twoPortals();
  await here.rotate();
  await here.rotate();
  expect(here.sessions.all()).toHaveLength(2);
  clock.advance(dayMs);
  await here.rotate();
  expect((await openKeyRings(store, clock)).sessions.all()).toEqual(here.sessions.all());
  expect(here.sessions.all()).toHaveLength(3);
});
