import { expect, test } from 'vitest';
import type { Store } from '../store/store.ts';
import type { PersonEntry } from '../world.ts';
import { lookAtSession } from './look.ts';

test('who was away and stays away costs no read of the store, ten thousand times a resync', async () => {
  let reads = 0;
  const kept = new Map([['presence/ana', '700']]);
  let sessions = 0;
  const store = {
    sessionsOf: async () => Array.from({ length: sessions }, () => ({})),
    value: async (name: string) => {
      reads += 1;
      return kept.get(name) ?? null;
    },
    putValue: async (name: string, value: string) => void kept.set(name, value),
  } as unknown as Store;
  const person = { name: 'ana', session: false, sessionSinceMs: null, sessionLooked: false } as unknown as PersonEntry;
  expect(await lookAtSession(store, person, 1_000)).toBe(false);
  // The presence that an earlier run left open is closed.
  expect([reads, kept.get('presence/ana')]).toEqual([1, '0']);
  expect(await lookAtSession(store, person, 2_000)).toBe(false);
  expect(reads).toBe(1);
  sessions = 1;
  expect(await lookAtSession(store, person, 3_000)).toBe(true);
  expect([person.session, person.sessionSinceMs, kept.get('presence/ana')]).toEqual([true, 3_000, '3000']);
  expect(await lookAtSession(store, person, 4_000)).toBe(false);
  expect(reads).toBe(2);
  sessions = 0;
  expect(await lookAtSession(store, person, 5_000)).toBe(true);
  expect([person.session, kept.get('presence/ana')]).toEqual([false, '0']);
});
