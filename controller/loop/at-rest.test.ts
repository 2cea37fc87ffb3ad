/**
 * Many people who are here and of whom nothing runs: what a resync asks of them, and that nothing is missed by what it leaves out.
 * Decision: docs/decisions/0253-what-is-skipped.md
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { alive } from '../../reconcilers/backend-fixtures.ts';
import { createBus } from '../../store/bus.ts';
import { openSqliteStore } from '../../store/sqlite.ts';
import type { Store } from '../../store/store.ts';
import { createSimulatedClock, type SimulatedClock } from '../clock/simulated.ts';
import type { InstalledPackage } from '../hosts/host.ts';
import { packagesInMemory } from '../hosts/testing/memory-host.ts';
import { memorySupervisors, type MemorySupervisors } from '../hosts/testing/memory-supervisors.ts';
import { limits } from '../limits.ts';
import { createController, type Controller } from './loop.ts';

const rounds = limits.restingLooks;
const people = 2 * rounds * limits.restingLookMin;
const names = Array.from({ length: people }, (_, n) => `p${n}`);
const ownApp: InstalledPackage = { ...packagesInMemory(3)[2]!, scope: 'pessoa' };

let dir: string;
let store: Store;
let clock: SimulatedClock;
let server: MemorySupervisors;
let controller: Controller;
/** Accounts whose homes were observed. */
let homes: string[];

beforeEach(async () => {
  dir = mkdtempSync(path.join(os.tmpdir(), 'svc-rest-'));
  store = await openSqliteStore(':memory:');
  clock = createSimulatedClock(1_700_000_000_000);
  server = memorySupervisors(packagesInMemory(2), alive);
  for (const name of names) server.up.add(name);
});
afterEach(async () => {
  await controller.stop();
  await store.close();
  rmSync(dir, { recursive: true, force: true });
});

/** The first ones of `names`, all signed in. */
async function begin(count: number): Promise<void> {
  const documents = ['apiVersion: svc/v1\nkind: Server\nmetadata: { name: casa }\nspec: { local: { prefix: casa, trusted: true } }\n'];
  const nowMs = clock.nowMs();
  const times = { createdAtMs: nowMs, expiresAtMs: nowMs + 24 * 3_600_000, seenAtMs: nowMs };
  const session = { admin: false, audience: 'portal', method: 'link', address: '', agent: '', ...times } as const;
  for (const name of names.slice(0, count)) {
    documents.push(`apiVersion: svc/v1\nkind: Person\nmetadata: { name: ${name} }\nspec: { nome: P, login: ${name}, server: casa }\n`);
    await store.putSession({ tokenHash: `h-${name}`, person: name, ...session });
  }
  writeFileSync(path.join(dir, 'all.yaml'), documents.join('---\n'));
  const nothing = (): void => undefined;
  const { installed } = server.host;
  homes = [];
  controller = await createController({
    shellVersion: '1.0.0',
    dir,
    store,
    bus: createBus(),
    clock,
    log: { info: nothing, warn: nothing, error: nothing, debug: nothing },
    createHost: () => ({
      ...server.host,
      installed: async (account, next) => {
        if (account !== null) homes.push(account);
        return await installed(account, next);
      },
    }),
  });
  await controller.prepare();
  await controller.start();
  await expect
    .poll(() => [...controller.context.entries.people.values()].filter(({ link }) => link.view().status === 'up').length)
    .toBe(count);
  await controller.context.queue.idle();
}

const hellos = (): readonly string[] => server.asked.flatMap((line) => (line.endsWith(' hello') ? [line.slice(0, -6)] : []));

/** Runs a resync; returns the people whose supervisor was asked whether it answers, and those whose home was observed. */
async function resync(): Promise<{ readonly asked: readonly string[]; readonly looked: readonly string[] }> {
  server.asked.length = 0;
  homes.length = 0;
  // The loop's own resync does not come in between.
  clock.shiftWall(limits.packagePollMs + 1);
  await controller.resync();
  await controller.context.queue.idle();
  // Lets the lines written to the streams be read.
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
  return { asked: hellos(), looked: [...homes] };
}

test('each resync asks a sixth of them, and six ask everybody once', async () => {
  await begin(people);
  const all = [];
  for (let n = 0; n < rounds; n += 1) all.push(await resync());
  expect(all.map(({ asked }) => asked.length)).toEqual(Array.from({ length: rounds }, () => people / rounds));
  expect(all.map(({ looked }) => looked.length)).toEqual(Array.from({ length: rounds }, () => people / rounds));
  expect(all.flatMap(({ asked }) => asked).toSorted()).toEqual(names.toSorted());
  expect(all.flatMap(({ looked }) => looked).toSorted()).toEqual(names.toSorted());
});

test('few people are asked each time, as if there were no such rule', async () => {
  await begin(limits.restingLookMin);
  for (let n = 0; n < 2; n += 1) {
    const { asked, looked } = await resync();
    expect([asked.length, new Set(looked).size]).toEqual([limits.restingLookMin, limits.restingLookMin]);
  }
});

test('the home of who installed an app by hand is looked at when their supervisor tells, and from then on each time', async () => {
  await begin(people);
  await resync();
  // The person whose turn is the furthest away.
  const last = (await resync()).looked.at(-1)!;
  server.own.set(last, [ownApp]);
  expect((await resync()).looked).not.toContain(last);
  server.tell(last, ownApp.app);
  await expect.poll(() => controller.context.entries.people.get(last)?.lookDue).toBe(true);
  expect((await resync()).looked).toContain(last);
  const person = controller.context.entries.people.get(last)!;
  expect([person.packages.get(ownApp.app)?.scope, person.lookDue]).toEqual(['pessoa', false]);
  expect((await resync()).looked).toContain(last);
});
