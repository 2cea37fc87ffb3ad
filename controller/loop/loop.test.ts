/** The loop over a host that holds packages and answers no dial: what matters here is what is skipped and what is written. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../clock/system.ts';
import { createBus, type Bus } from '../../store/bus.ts';
import type { InstalledPackage } from '../hosts/host.ts';
import { memoryHost, packagesInMemory } from '../hosts/testing/memory-host.ts';
import { createController, type Controller } from './loop.ts';
import type { Log } from '../work/record.ts';
import { openSqliteStore } from '../../store/sqlite.ts';
import type { Store } from '../../store/store.ts';

let dir: string;
let store: Store;
let bus: Bus;
let controller: Controller;
let wallOffsetMs = 0;
/** The server's answer to a request for packages. */
let installed: () => readonly InstalledPackage[];
const logged: { readonly level: string; readonly fields: object; readonly message: string }[] = [];
const log = Object.fromEntries(
  ['info', 'warn', 'error', 'debug'].map((level) => [level, (fields: object, message: string) => logged.push({ level, fields, message })]),
) as unknown as Log;

beforeEach(() => {
  dir = mkdtempSync(path.join(os.tmpdir(), 'svc-loop-'));
  logged.length = 0;
  wallOffsetMs = 0;
});
afterEach(async () => {
  await controller.stop();
  await store.close();
  rmSync(dir, { recursive: true, force: true });
});

/** Everybody stopped each app once: what was never used has no part in the loop (resting.test.ts). */
async function used(people: number, apps: number): Promise<void> {
  const last = { state: 'stopped', reason: 'StoppedByPerson' };
  const context = { reason: 'StoppedByPerson', sinceMs: 1, last, saw: 'supervisorEnded' };
  const value = {
    state: 'stopped',
    context,
    start: null,
    sent: null,
    autostartedFor: null,
    startedAtMs: null,
    failedHash: null,
    since: {},
  };
  const common = { kind: 'Backend', state: 'stopped', reason: 'StoppedByPerson', message: '', conditions: [], generation: 0 } as const;
  const rest = { nextDeadlineMs: null, seenAtMs: 1, memory: { version: 1, value }, details: {} };
  const keys = Array.from({ length: people * apps }, (_, n) => `Backend/p${Math.floor(n / apps)}/app${n % apps}`);
  await Promise.all(keys.map((key) => store.putStatus({ key, ...common, ...rest })));
}

async function begin(people: number, apps: number): Promise<void> {
  const documents = ['apiVersion: svc/v1\nkind: Server\nmetadata: { name: casa }\nspec: { local: { prefix: casa, trusted: true } }\n'];
  for (let n = 0; n < people; n += 1) {
    documents.push(`apiVersion: svc/v1\nkind: Person\nmetadata: { name: p${n} }\nspec: { nome: P, login: p${n}, server: casa }\n`);
  }
  writeFileSync(path.join(dir, 'all.yaml'), documents.join('---\n'));
  store = await openSqliteStore(':memory:');
  await used(people, apps);
  bus = createBus();
  const packages = packagesInMemory(apps);
  installed = () => packages;
  controller = await createController({
    shellVersion: '1.0.0',
    dir,
    store,
    bus,
    clock: { ...systemClock, nowMs: () => systemClock.nowMs() + wallOffsetMs },
    log,
    createHost: () => ({ ...memoryHost([]), installed: async () => installed() }),
  });
  await controller.prepare();
  await controller.start();
  await controller.context.queue.idle();
  await controller.context.recorder.written();
}

/** CPU of one quiet resync, everything that it enqueues included; the least of five, since the machine is shared. */
async function quietResyncMs(): Promise<number> {
  const runs: number[] = [];
  for (let n = 0; n < 5; n += 1) {
    const before = process.cpuUsage();
    await controller.resync();
    await controller.context.queue.idle();
    const { user, system } = process.cpuUsage(before);
    runs.push((user + system) / 1_000);
  }
  return Math.min(...runs);
}

describe('a world in which nothing happens', () => {
  test('is decided once: no write, no event, no log line, nothing due', async () => {
    await begin(20, 10);
    await controller.resync();
    await controller.context.queue.idle();
    await controller.context.recorder.written();
    const events = await store.events({ limit: 10_000 });
    const lines = logged.length;
    const seen = (await store.statuses('')).map(({ key, seenAtMs }) => [key, seenAtMs]);
    for (let n = 0; n < 3; n += 1) {
      await controller.resync();
      await controller.context.queue.idle();
    }
    await controller.context.recorder.written();
    expect(controller.tick()).toBe(0);
    expect(await store.events({ limit: 10_000 })).toEqual(events);
    expect((await store.statuses('')).map(({ key, seenAtMs }) => [key, seenAtMs])).toEqual(seen);
    expect(logged.slice(lines)).toEqual([]);
    expect(seen.filter(([key]) => String(key).startsWith('Backend/'))).toHaveLength(200);
  });

  test(
    'costs less than 0.2 s of CPU at 10,000 backends, and grows no faster than they do',
    { tags: ['costly'], timeout: 30_000 },
    async () => {
      const people = 1_000;
      await begin(people / 10, 10);
      const small = await quietResyncMs();
      await controller.stop();
      await store.close();
      await begin(people, 10);
      const large = await quietResyncMs();
      expect(large).toBeLessThan(people / 5);
      // Ten times the objects; below a millisecond the clock of the kernel decides, hence the floor.
      expect(large).toBeLessThan(10 * Math.max(small, 8));
    },
  );
});

test('a wall clock that was set back lets everything be decided once more: a deadline of before would lie a day ahead', async () => {
  await begin(2, 5);
  expect(controller.tick()).toBe(0);
  wallOffsetMs = -24 * 3_600_000;
  // Ten apps, two people, two supervisors.
  expect(controller.tick()).toBe(14);
  await controller.context.queue.idle();
  expect(controller.tick()).toBe(0);
  // The packages are observed by their age too, which must not be a day less than nothing.
  await controller.resync();
  await controller.context.queue.idle();
  const [server] = controller.context.entries.servers.values();
  expect(server?.observedAtMs).toBeLessThanOrEqual(systemClock.nowMs() + wallOffsetMs);
});

test('the last window of an app that is gone closes: it is no object again', async () => {
  await begin(1, 2);
  // An account that was never looked at is not known to have lost anything.
  Object.assign(controller.context.entries.people.get('p0')!, { accountSeen: true });
  bus.enqueue('Backend/p0/gone', false);
  // The store is asked for orders before.
  await sleep(100);
  await controller.context.queue.idle();
  await controller.context.recorder.written();
  expect(controller.context.entries.backends.has('Backend/p0/gone')).toBe(false);
  expect((await store.statuses('Backend/')).map(({ key }) => key)).not.toContain('Backend/p0/gone');
});

test('an intent of the api is read, carried as far as it can be, and its transition has a reason and a round', async () => {
  await begin(1, 1);
  await store.putIntent({ person: 'p0', app: 'app0', wish: 'start', by: 'person', requestId: 'q1', atMs: Date.now() });
  bus.enqueue('Backend/p0/app0', true);
  await expect.poll(async () => (await store.status('Backend/p0/app0'))?.reason).toBe('SupervisorStarting');
  await expect.poll(async () => (await store.status('Supervisor/p0'))?.state).toBe('backoff');
  // The supervisor can't be had: the order stays, and no failure is counted for the app.
  expect((await store.intent('p0', 'app0'))?.done).toBe(false);
  const transitions = logged.filter(({ message }) => message === 'transition').map(({ fields }) => fields);
  for (const fields of transitions) {
    expect(fields).toMatchObject({
      round: expect.any(String) as string,
      key: expect.any(String) as string,
      reason: expect.stringMatching(/./) as string,
    });
  }
});

test('what a person said to apps goes with either app, once it was seen to be gone', async () => {
  await begin(2, 3);
  const put = (usuario: string, de: string, para: string): Promise<string> =>
    store.putConsent({ id: `${usuario} ${de} ${para}`, usuario, de, para, capacidade: 'x/v1', resposta: 'sim', atMs: 1 });
  for (const usuario of ['p0', 'p1']) {
    await put(usuario, 'app0', 'app1');
    await put(usuario, 'app1', 'app2');
    await put(usuario, 'app0', 'app2');
  }
  const kept = async (): Promise<string[]> =>
    (await Promise.all(['p0', 'p1'].map((one) => store.consents(one)))).flat().map(({ id }) => id);
  const lookAgain = async (): Promise<void> => {
    for (const server of controller.context.entries.servers.values()) server.observedAtMs = 0;
    await controller.resync();
    await controller.context.queue.idle();
  };
  const packages = installed();
  installed = () => {
    throw new Error('the disk does not answer');
  };
  await lookAgain();
  expect(await kept()).toHaveLength(6);
  installed = () => packages.filter(({ app }) => app !== 'app1');
  await lookAgain();
  expect(await kept()).toEqual(['p0 app0 app2', 'p1 app0 app2']);
  // A person who leaves takes along what is left.
  await controller.context.executors['person/sign-out']({ kind: 'person/sign-out', person: 'p0' });
  expect(await kept()).toEqual(['p1 app0 app2']);
});

test('who gets the name of a person who left holds back no version', async () => {
  await begin(2, 1);
  const held = ['Package/p0', 'Package/p0/app0', 'Package/p1/app0'];
  for (const key of held) await store.putRollback({ key, from: '2.0.0', to: '1.0.0', requestId: key, atMs: 1 });
  await controller.context.executors['person/forget']({ kind: 'person/forget', person: 'p0' });
  expect((await store.rollbacks()).map(({ key }) => key)).toEqual(['Package/p0', 'Package/p1/app0']);
});

test('a person may be asked for thousands of times within a minute: what finds nothing to do is no loop', async () => {
  await begin(1, 1);
  const { context } = controller;
  for (let n = 0; n < 600; n += 1) {
    context.queue.add('Person/p0', true);
    context.queue.add('Supervisor/p0', true);
    await context.queue.idle();
  }
  expect(logged.filter(({ level }) => level === 'error')).toEqual([]);
});
