import { expect, test } from 'vitest';
import type { Store } from '../../store/store.ts';
import type { InstalledPackage } from '../hosts/host.ts';
import { emptyEntries, type PersonEntry, type ServerEntry } from '../entries.ts';
import { observeServer, observeSession } from './server.ts';

test('who was away and stays away costs no read of the store, ten thousand times a resync', async () => {
  let reads = 0;
  const kept = new Map([['presence/ana', '700']]);
  let sessions = 0;
  const store = {
    sessionsOf: async () => Array.from({ length: sessions }, () => ({ audience: 'portal' })),
    value: async (name: string) => {
      reads += 1;
      return kept.get(name) ?? null;
    },
    putValue: async (name: string, value: string) => void kept.set(name, value),
  } as unknown as Store;
  const person = { name: 'ana', session: false, sessionSinceMs: null, sessionLooked: false } as unknown as PersonEntry;
  expect(await observeSession(store, person, 1_000)).toBe(false);
  // The presence that an earlier run left open is closed.
  expect([reads, kept.get('presence/ana')]).toEqual([1, '0']);
  expect(await observeSession(store, person, 2_000)).toBe(false);
  expect(reads).toBe(1);
  sessions = 1;
  expect(await observeSession(store, person, 3_000)).toBe(true);
  expect([person.session, person.sessionSinceMs, kept.get('presence/ana')]).toEqual([true, 3_000, '3000']);
  expect(await observeSession(store, person, 4_000)).toBe(false);
  expect(reads).toBe(2);
  sessions = 0;
  expect(await observeSession(store, person, 5_000)).toBe(true);
  expect([person.session, kept.get('presence/ana')]).toEqual([false, '0']);
});

test('a slow look that began before an install takes nothing back from the look that saw it', async () => {
  const app: InstalledPackage = {
    app: 'notas',
    version: '1.0.0',
    hash: 'a'.repeat(64),
    delivered: 'a'.repeat(64),
    scope: 'sistema',
    previous: null,
    manifest: { id: 'notas', version: '1.0.0', backend: { runtime: 'node', entrypoint: 'main.js' } },
  };
  const answers: { readonly account: string | null; readonly give: (packages: readonly InstalledPackage[]) => void }[] = [];
  const host = {
    installed: (account: string | null) => new Promise((give) => answers.push({ account, give })),
    place: async () => ({ home: '/home/ana', prefix: '' }),
    closed: async () => new Map(),
  };
  const server = {
    host,
    system: new Map(),
    groupsOf: new Map(),
    seen: { status: 'unknown', message: '' },
    observationsStarted: 0,
    lastObservation: 0,
    nextAway: 0,
  } as unknown as ServerEntry;
  const person = {
    name: 'ana',
    account: 'ana',
    server,
    packages: new Map(),
    own: [],
    closed: null,
    accountSeen: null,
    lastObservation: 0,
    backends: new Map(),
  } as unknown as PersonEntry;
  const entries = emptyEntries({ documents: new Map() } as unknown as Parameters<typeof emptyEntries>[0]);
  entries.people.set('ana', person);
  const next = async (index: number, packages: readonly InstalledPackage[]): Promise<void> => {
    await expect.poll(() => answers.length).toBeGreaterThan(index);
    answers[index]?.give(packages);
  };
  const before = observeServer(entries, server, () => 1);
  const after = observeServer(entries, server, () => 1);
  await next(1, [app]);
  await next(2, [app]);
  expect(await after).toEqual([person]);
  await next(0, []);
  await next(3, []);
  expect(await before).toEqual([]);
  expect([[...server.system.keys()], [...person.packages.keys()]]).toEqual([['notas'], ['notas']]);
});

test('an app that was kept while its server did not answer is looked at once it does, and only then', async () => {
  const host = { installed: async () => [], place: async () => ({ home: '/home/ana', prefix: '' }), closed: async () => new Map() };
  const seen = { status: 'unreachable', message: 'no route' };
  const server = {
    host,
    seen,
    system: new Map(),
    groupsOf: new Map(),
    observationsStarted: 0,
    lastObservation: 0,
    nextAway: 0,
  } as unknown as ServerEntry;
  const person = {
    name: 'ana',
    account: 'ana',
    server,
    packages: new Map(),
    own: [],
    closed: null,
    accountSeen: true,
    lastObservation: 0,
    backends: new Map([['gone', {}]]),
  } as unknown as PersonEntry;
  const entries = emptyEntries({ documents: new Map() } as unknown as Parameters<typeof emptyEntries>[0]);
  entries.people.set('ana', person);
  expect(await observeServer(entries, server, () => 1)).toEqual([person]);
  expect(server.seen.status).toBe('reachable');
  expect(await observeServer(entries, server, () => 2)).toEqual([]);
});
