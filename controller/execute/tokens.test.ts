/** Tokens of living processes, as a supervisor tells them. */
import { expect, test } from 'vitest';
import type { BackendEntry, Entries } from '../entries.ts';
import { followToken, recallLiving, rereadToken } from './tokens.ts';

/** A backend whose supervisor answers what `tell` says. */
function backendWith(tell: () => Promise<{ token: string | null }>): BackendEntry {
  const process = { pid: 7, startTicks: 8, bootId: 'b', startedAtMs: 0, hash: null };
  const link = { view: () => ({ status: 'up' }), snapshot: () => ({ process }), ask: tell };
  return { app: 'notas', person: { link }, token: null } as unknown as BackendEntry;
}

test('a token that the backend refused is asked for again, though its process is the same', async () => {
  let token = 'one';
  let asked = 0;
  const entry = backendWith(async () => {
    asked += 1;
    return await Promise.resolve({ token });
  });
  await followToken(entry);
  await followToken(entry);
  expect([entry.token?.value, asked]).toEqual(['one', 1]);
  const { serial } = entry.token!;
  token = 'two';
  await Promise.all([rereadToken(entry), rereadToken(entry)]);
  expect([entry.token?.value, asked]).toEqual(['two', 2]);
  // Connections of before are not used again.
  expect(entry.token?.serial).not.toBe(serial);
});

test('a supervisor that does not answer leaves what was known', async () => {
  let away = false;
  const entry = backendWith(() => (away ? Promise.reject(new Error('away')) : Promise.resolve({ token: 'one' })));
  await followToken(entry);
  away = true;
  await rereadToken(entry);
  expect(entry.token?.value).toBe('one');
});

test('another controller of the portal recalls what lives, but nothing of who is on another account or server now', () => {
  const of = (places: Readonly<Record<string, readonly [account: string, server: string]>>, value: string | null) => {
    const recalled: string[] = [];
    const people = Object.entries(places).map(([name, [account, server]]) => {
      const link = { snapshots: () => [], seenAtMs: () => 7, recall: () => void recalled.push(name) };
      const backends = new Map([['notas', { token: value === null ? null : { value, serial: 1, process: null } }]]);
      return [name, { account, server: { name: server }, link, backends }] as const;
    });
    return { recalled, entries: { people: new Map(people) } as unknown as Entries };
  };
  const before = of({ ana: ['ana', 'um'], bia: ['bia', 'um'], caio: ['caio', 'um'] }, 'one');
  const now = of({ ana: ['ana', 'um'], bia: ['bia', 'dois'], caio: ['caio2', 'um'], davi: ['davi', 'um'] }, null);
  recallLiving(before.entries, now.entries);
  const tokens = [...now.entries.people].map(([name, { backends }]) => [name, backends.get('notas')?.token?.value ?? null]);
  expect([now.recalled, tokens]).toEqual([
    ['ana'],
    [
      ['ana', 'one'],
      ['bia', null],
      ['caio', null],
      ['davi', null],
    ],
  ]);
});
