/**
 * A portal of many people serves before each home was observed: until then they are unknown, and their apps are found afterwards. Decision:
 * docs/decisions/0253-what-is-skipped.md
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { alive } from '../../reconcilers/backend-fixtures.ts';
import type { Gateway } from '../../schema/gateway.ts';
import { createBus, type Bus } from '../../store/bus.ts';
import { openSqliteStore } from '../../store/sqlite.ts';
import type { Store } from '../../store/store.ts';
import { createSimulatedClock, type SimulatedClock } from '../clock/simulated.ts';
import { packagesInMemory } from '../hosts/testing/memory-host.ts';
import { memorySupervisors, type MemorySupervisors } from '../hosts/testing/memory-supervisors.ts';
import { limits } from '../limits.ts';
import { createController, type Controller } from '../loop/loop.ts';
import { createGateway } from '../views/gateway.ts';

const people = 2 * limits.strangersAtOnceMax + 10;

let dir: string;
let store: Store;
let bus: Bus;
let clock: SimulatedClock;
let server: MemorySupervisors;
let controller: Controller;
let gateway: Gateway;
let asked: Set<string>;

beforeEach(async () => {
  dir = mkdtempSync(path.join(os.tmpdir(), 'svc-str-'));
  const documents = ['apiVersion: svc/v1\nkind: Server\nmetadata: { name: casa }\nspec: { local: { prefix: casa, trusted: true } }\n'];
  for (let n = 0; n < people; n += 1)
    documents.push(`apiVersion: svc/v1\nkind: Person\nmetadata: { name: p${n} }\nspec: { nome: P, login: p${n}, server: casa }\n`);
  writeFileSync(path.join(dir, 'all.yaml'), documents.join('---\n'));
  store = await openSqliteStore(':memory:');
  clock = createSimulatedClock(1_700_000_000_000);
  server = memorySupervisors(packagesInMemory(2), alive);
  await begin();
});
afterEach(async () => {
  await controller.stop();
  await store.close();
  rmSync(dir, { recursive: true, force: true });
});

async function begin(): Promise<void> {
  bus = createBus();
  asked = new Set();
  const nothing = (): void => undefined;
  const { installed } = server.host;
  controller = await createController({
    shellVersion: '1.0.0',
    dir,
    store,
    bus,
    clock,
    log: { info: nothing, warn: nothing, error: nothing, debug: nothing },
    createHost: () => ({
      ...server.host,
      installed: async (account, next) => {
        if (account !== null) asked.add(account);
        return await installed(account, next);
      },
    }),
  });
  gateway = createGateway(controller.context);
  await controller.prepare();
  await controller.start();
  await controller.context.queue.idle();
}

const seen = (name: string): readonly (string | undefined)[] =>
  ['Person', 'Supervisor'].map((kind) => gateway.admin.objects(`${kind}/${name}`)[0]).map((one) => one && `${one.state} ${one.reason}`);

async function everybodyIsLookedAt(): Promise<void> {
  clock.advance(limits.strangersAfterMs + 1);
  await expect.poll(() => [...controller.context.entries.people.values()].filter(({ waits }) => waits).length).toBe(0);
  await controller.context.queue.idle();
  await controller.context.recorder.written();
}

async function signIn(person: string): Promise<void> {
  const nowMs = clock.nowMs();
  const times = { createdAtMs: nowMs, expiresAtMs: nowMs + 24 * 3_600_000, seenAtMs: nowMs };
  const session = { tokenHash: `h-${person}`, person, admin: false, audience: 'portal', method: 'link', address: '', agent: '' } as const;
  await store.putSession({ ...session, ...times });
  bus.enqueue(`Person/${person}`, true);
}

test('it serves before anybody was looked at, says that it does not know, and writes nothing of who never came', async () => {
  expect(asked.size).toBe(0);
  expect(seen('p77')).toEqual(['unknown NotObservedYet', 'unknown NotObservedYet']);
  expect(gateway.apps.of('p77').map(({ id, status }) => `${id} ${status}`)).toEqual(['app0 unknown', 'app1 unknown']);
  await everybodyIsLookedAt();
  expect(asked.size).toBe(people);
  expect(seen('p77')).toEqual(['away NeverSignedIn', 'ended NeverSignedIn']);
  expect(gateway.apps.of('p77').map(({ id, status }) => `${id} ${status}`)).toEqual(['app0 stopped', 'app1 stopped']);
  expect(gateway.admin.objects('Person/')).toHaveLength(people);
  expect((await store.statuses('')).filter(({ kind }) => kind === 'Person' || kind === 'Supervisor')).toEqual([]);
});

test('what runs although nothing is known of it is found, and shown as unknown until then', async () => {
  await controller.stop();
  server.living.set('p300', new Map([['app1', 'Healthy']]));
  server.up.add('p300');
  await begin();
  expect(gateway.apps.find('p300', 'app1')).toMatchObject({ status: 'unknown' });
  await everybodyIsLookedAt();
  await expect.poll(() => gateway.apps.find('p300', 'app1')?.status).toBe('running');
  expect(seen('p300')[1]).toMatch(/^up /);
});

test('who comes does not wait for their turn, and at the next start is among the first', async () => {
  server.own.set('p400', [{ ...packagesInMemory(3)[2]!, scope: 'pessoa' }]);
  await signIn('p400');
  await expect.poll(() => gateway.apps.of('p400').map(({ id }) => id)).toEqual(['app0', 'app1', 'app2']);
  expect([...asked]).toEqual(['p400']);
  await expect.poll(() => seen('p400')[1]).toMatch(/^up /);
  await controller.stop();
  await begin();
  expect([...asked]).toEqual(['p400']);
  expect(seen('p400')[1]).toMatch(/^up /);
});
