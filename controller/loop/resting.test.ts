/**
 * Tests that the loop skips, and misses nothing by it: apps of people who are away that were never started, and their homes.
 * Decision: docs/decisions/0253-what-is-skipped.md
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { decideBackend } from '../../reconcilers/backend.ts';
import type { Gateway } from '../../schema/gateway.ts';
import { createBus, type Bus } from '../../store/bus.ts';
import { openSqliteStore } from '../../store/sqlite.ts';
import type { Store } from '../../store/store.ts';
import { createSimulatedClock, type SimulatedClock } from '../clock/simulated.ts';
import { newBackend } from '../entries.ts';
import type { InstalledPackage } from '../hosts/host.ts';
import { memoryHost, packagesInMemory } from '../hosts/testing/memory-host.ts';
import { backendDesired, backendObserved } from '../kinds/backend.ts';
import { limits } from '../limits.ts';
import { createGateway } from '../views/gateway.ts';
import { createController, type Controller } from './loop.ts';
import type { Log } from '../work/record.ts';

const people = 200;
const apps = 3;

let dir: string;
let store: Store;
let bus: Bus;
let clock: SimulatedClock;
let controller: Controller;
let gateway: Gateway;
let isUp: boolean;
/** Packages that people installed for themselves, by account. */
let own: Map<string, readonly InstalledPackage[]>;
/** Accounts that were asked for since it was emptied. */
let asked: string[];
let logged: { readonly fields: object; readonly message: string }[];

beforeEach(async () => {
  dir = mkdtempSync(path.join(os.tmpdir(), 'svc-rest-'));
  [isUp, own, asked, logged] = [true, new Map(), [], []];
  const documents = ['apiVersion: svc/v1\nkind: Server\nmetadata: { name: casa }\nspec: { local: { prefix: casa, trusted: true } }\n'];
  for (let n = 0; n < people; n += 1)
    documents.push(`apiVersion: svc/v1\nkind: Person\nmetadata: { name: p${n} }\nspec: { nome: P, login: p${n}, server: casa }\n`);
  writeFileSync(path.join(dir, 'all.yaml'), documents.join('---\n'));
  store = await openSqliteStore(':memory:');
  clock = createSimulatedClock(1_700_000_000_000);
  await begin();
});
afterEach(async () => {
  await controller.stop();
  await store.close();
  rmSync(dir, { recursive: true, force: true });
});

async function begin(): Promise<void> {
  bus = createBus();
  const log = Object.fromEntries(
    ['info', 'warn', 'error', 'debug'].map((level) => [level, (fields: object, message: string) => void logged.push({ fields, message })]),
  ) as unknown as Log;
  const system = packagesInMemory(apps);
  const installed = async (account: string | null): Promise<readonly InstalledPackage[]> => {
    if (!isUp) throw new Error('no route to it');
    if (account !== null) asked.push(account);
    return account === null ? system : [...system, ...(own.get(account) ?? [])];
  };
  controller = await createController({
    shellVersion: '1.0.0',
    dir,
    store,
    bus,
    clock,
    log,
    createHost: () => ({
      ...memoryHost([]),
      installed,
    }),
  });
  gateway = createGateway(controller.context);
  await controller.prepare();
  await controller.start();
  await settled();
}

async function settled(): Promise<void> {
  await controller.context.queue.idle();
  await controller.context.recorder.written();
}

async function look(): Promise<void> {
  clock.advance(limits.packagePollMs + 1);
  await controller.resync();
  await settled();
}

async function comes(person: string): Promise<void> {
  const nowMs = clock.nowMs();
  const times = { createdAtMs: nowMs, expiresAtMs: nowMs + 24 * 3_600_000, seenAtMs: nowMs };
  await store.putSession({
    tokenHash: `h-${person}`,
    person,
    admin: false,
    audience: 'portal',
    method: 'link',
    address: '',
    agent: '',
    ...times,
  });
  bus.enqueue(`Person/${person}`, true);
}

async function leaves(person: string): Promise<void> {
  await store.deleteSessionsOf(person);
  bus.enqueue(`Person/${person}`, true);
}

const rows = async (): Promise<number> => (await store.statuses('Backend/')).length;

const ownApp: InstalledPackage = { ...packagesInMemory(apps + 1)[apps]!, scope: 'pessoa' };

test('apps that were never started of people who are away have no entry, row, event or log line, and are shown as they are', async () => {
  const { entries } = controller.context;
  expect([entries.backends.size, await rows()]).toEqual([0, 0]);
  expect(logged.filter(({ fields }) => JSON.stringify(fields).includes('Backend/'))).toEqual([]);
  expect([...gateway.apps.byState()]).toEqual([['stopped', people * apps]]);
  const shown = gateway.admin.objects('Backend/');
  expect(shown).toHaveLength(people * apps);
  expect(new Set(shown.map(({ state, reason }) => `${state} ${reason}`))).toEqual(new Set(['stopped NeverStarted']));
  expect(gateway.admin.objects('Backend/p7/').map(({ key }) => key)).toEqual(['Backend/p7/app0', 'Backend/p7/app1', 'Backend/p7/app2']);
  expect(gateway.admin.objects('Backend/', { after: 'Backend/p7/app1', limit: 2 }).map(({ key }) => key)).toEqual([
    'Backend/p7/app2',
    'Backend/p70/app0',
  ]);
  expect(JSON.stringify(await gateway.admin.why('Backend/p7/app1'))).toContain('not requested yet');
  expect(await gateway.admin.why('Backend/p7/app9')).toBeNull();
  // Nobody knows since when they have not signed in.
  expect(gateway.admin.objects('Person/p7').flatMap(({ conditions }) => conditions.map(({ sinceMs }) => sinceMs))[0]).toBe(0);
  expect((await gateway.admin.why('Person/p7'))?.sentence).toMatch(/^Person\/p7 is away because /);
  expect(gateway.apps.of('p7').map(({ id, status }) => [id, status])).toEqual([
    ['app0', 'stopped'],
    ['app1', 'stopped'],
    ['app2', 'stopped'],
  ]);
});

test('what is shown of them is what decide says of each, whatever is seen of their server', async () => {
  const { entries } = controller.context;
  const compare = (): void => {
    for (const person of entries.people.values()) {
      for (const app of person.packages.keys()) {
        const entry = newBackend(person, app, null);
        const { state, reason, message, ready, actions } = decideBackend(
          backendDesired(entry, entries),
          backendObserved(entry),
          null,
          clock.nowMs(),
        );
        expect(gateway.apps.find(person.name, app)).toMatchObject({ status: state, reason, message, ready });
        expect(actions).toEqual([]);
      }
    }
  };
  compare();
  isUp = false;
  await look();
  expect(gateway.apps.find('p1', 'app0')).toMatchObject({ status: 'unknown', reason: 'ServerUnreachable' });
  compare();
  isUp = true;
  await look();
  expect(gateway.apps.find('p1', 'app0')).toMatchObject({ status: 'stopped', reason: 'NeverStarted' });
  compare();
});

test('who comes has entries, and once they are gone again what they never used is forgotten', async () => {
  const { entries } = controller.context;
  await comes('p7');
  await expect.poll(() => entries.backends.size).toBe(apps);
  await settled();
  expect([...gateway.apps.byState()].reduce((sum, [, count]) => sum + count, 0)).toBe(people * apps);
  await expect.poll(rows).toBe(apps);
  await leaves('p7');
  await expect.poll(async () => [entries.people.get('p7')?.session, await rows()]).toEqual([false, 0]);
  await look();
  expect(entries.backends.size).toBe(0);
});

test('a wish for an app of who is away is taken, and found again by a portal that starts', async () => {
  await store.putIntent({ person: 'p9', app: 'app2', wish: 'start', by: 'admin', requestId: 'q', atMs: clock.nowMs() });
  bus.enqueue('Backend/p9/app2', true);
  await expect.poll(async () => (await store.status('Backend/p9/app2'))?.reason).toBe('SupervisorStarting');
  await controller.stop();
  await begin();
  expect([...controller.context.entries.backends.keys()]).toEqual(['Backend/p9/app2']);
});

test('rows of apps that were never started, as an earlier svc wrote them for everybody, go at the next start', async () => {
  await comes('p3');
  await expect.poll(rows).toBe(apps);
  await controller.stop();
  await store.deleteSessionsOf('p3');
  await begin();
  expect([await rows(), controller.context.entries.backends.size]).toEqual([0, 0]);
});

test('of homes of people who are away a part is looked at each time, and all of them within the bound', async () => {
  asked.length = 0;
  await look();
  expect(asked.length).toBe(limits.awayLookMin);
  own.set('p150', [ownApp]);
  const looksMax = Math.ceil(people / limits.awayLookMin);
  for (let n = 0; n < looksMax; n += 1) await look();
  // A change that no event announced was found, and nobody was left out.
  expect(gateway.apps.find('p150', ownApp.app)?.id).toBe(ownApp.app);
  expect(new Set(asked).size).toBe(people);
  own.delete('p150');
  for (let n = 0; n < looksMax; n += 1) await look();
  expect(gateway.apps.find('p150', ownApp.app)).toBeNull();
});

test('who comes is looked at at once, and at each time while they are here', async () => {
  own.set('p180', [ownApp]);
  await look();
  await comes('p180');
  await expect.poll(() => gateway.apps.find('p180', ownApp.app)?.id).toBe(ownApp.app);
  for (let n = 0; n < 3; n += 1) {
    asked.length = 0;
    await look();
    expect(asked).toContain('p180');
  }
});

test('a server that does not answer is unknown for everybody, and what it has for all reaches everybody at the look that sees it', async () => {
  const { entries } = controller.context;
  expect(new Set([...entries.people.values()].map(({ packages }) => packages)).size).toBe(1);
  isUp = false;
  await look();
  expect(entries.people.get('p5')?.packages.size).toBe(apps);
  // Changes made meanwhile are seen for everybody as soon as it answers again; and when an administrator applies.
  own.set('p190', [ownApp]);
  isUp = true;
  await look();
  expect(gateway.apps.find('p190', ownApp.app)?.id).toBe(ownApp.app);
  own.delete('p190');
  await gateway.commands.admin.apply(false);
  await settled();
  expect(gateway.apps.find('p190', ownApp.app)).toBeNull();
  isUp = false;
  await look();
  expect(gateway.admin.objects('Person/p5')[0]?.reason).toBe('ServerUnreachable');
});
