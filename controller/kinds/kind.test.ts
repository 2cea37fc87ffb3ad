/**
 * A kind that nobody knows is kept by the loop as it is: its record alone brings it into the queue, the statuses, the events and the acts.
 * Later kinds (consents, jobs, preferences) must fit in the same way.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fields, number } from '../../reconcilers/memory.ts';
import type { Decision } from '../../reconcilers/decision.ts';
import { makeKey, objectKinds } from '../../schema/keys.ts';
import { SvcError } from '../../schema/errors.ts';
import { createBus, type Bus } from '../../store/bus.ts';
import { openSqliteStore } from '../../store/sqlite.ts';
import type { Store } from '../../store/store.ts';
import { createSimulatedClock, type SimulatedClock } from '../clock/simulated.ts';
import { memoryHost } from '../hosts/testing/memory-host.ts';
import { createController, type Controller } from '../loop/loop.ts';
import { allKinds } from './all.ts';
import type { Inputs } from '../work/inputs.ts';
import type { Kind } from './kind.ts';
import { silentLog } from '../loop/testing/silent-log.ts';

interface Bell {
  readonly name: string;
  person: string;
  rings: number;
  last: Decision<BellMemory> | null;
  inputs: Inputs<BellDesired, BellObserved> | null;
}
interface BellDesired {
  readonly person: string;
}
interface BellObserved {
  readonly rings: number;
}
interface BellMemory {
  readonly decisions: number;
}

const dueMs = 60_000;
let bells: Map<string, Bell>;
let decided: string[];
let told: string[];
let dir: string;
let store: Store;
let bus: Bus;
let clock: SimulatedClock;
let controller: Controller;
let started: string[];

const bellKind: Kind<Bell, BellDesired, BellObserved, BellMemory> = {
  name: 'Bell',
  entries: () => bells.values(),
  find: (_world, name) => bells.get(name),
  keyOf: ({ name }) => makeKey('Bell', name),
  lane: () => 'bells',
  desired: (_context, { person }) => ({ person }),
  observed: (_context, { rings }) => ({ rings }),
  decide: (desired, { rings }, memory, nowMs) => {
    decided.push(`${desired.person} ${rings}`);
    return {
      actions: rings === 0 ? [{ kind: 'supervisor/ensure', person: desired.person }] : [],
      state: rings === 0 ? 'starting' : 'running',
      reason: rings === 0 ? 'StartRequested' : 'Healthy',
      message: '',
      conditions: [],
      nextDeadlineMs: rings === 0 ? null : nowMs + dueMs,
      memory: { decisions: (memory?.decisions ?? 0) + 1 },
    };
  },
  memory: { version: 2, read: fields<BellMemory>({ decisions: number }) },
  keep: (bell, { desired, observed, atMs, decision }) => {
    Object.assign(bell, { last: decision, inputs: { desired, observed, atMs } });
    return decision;
  },
  last: (bell) => bell.last,
  lastInputs: (bell) => bell.inputs,
  report: (_context, { rings }) => ({ generation: 7, details: { rings } }),
  notify: (_context, { name }, { decision }, { before }) => void told.push(`${name} ${before?.state ?? '-'} ${decision.state}`),
  onEdge: async ({ queue }, key, urgent) => {
    const bell = bells.get(key.slice('Bell/'.length));
    if (bell) bell.rings += 1;
    queue.add(key, urgent);
  },
};

beforeEach(async () => {
  dir = mkdtempSync(path.join(os.tmpdir(), 'svc-kind-'));
  bells = new Map([['torre', { name: 'torre', person: 'ana', rings: 0, last: null, inputs: null }]]);
  decided = [];
  told = [];
  started = [];
  store = await openSqliteStore(':memory:');
  bus = createBus();
  clock = createSimulatedClock(Date.UTC(2026, 10, 22));
  writeFileSync(
    path.join(dir, 'all.yaml'),
    'apiVersion: svc/v1\nkind: Server\nmetadata: { name: casa }\nspec: { local: { prefix: casa, trusted: true } }\n---\n' +
      'apiVersion: svc/v1\nkind: Person\nmetadata: { name: ana }\nspec: { nome: Ana, login: ana, server: casa }\n',
  );
});
afterEach(async () => {
  await controller.stop();
  await store.close();
  rmSync(dir, { recursive: true, force: true });
});

async function begin(): Promise<void> {
  const host = {
    ...memoryHost([]),
    startSupervisor: async (account: string) => {
      started.push(account);
      throw new SvcError('SERVER_UNREACHABLE', 'nobody listens');
    },
  };
  controller = await createController({
    shellVersion: '1.0.0',
    dir,
    store,
    bus,
    clock,
    log: silentLog,
    createHost: () => host,
    kinds: [...allKinds, bellKind],
  });
  await controller.prepare();
  await controller.start();
  await settled();
}

async function settled(): Promise<void> {
  await controller.context.queue.idle();
  await controller.context.recorder.written();
}

test('its record is all that the loop needs: status, event, act, edge, deadline', async () => {
  await begin();
  expect(decided).toEqual(['ana 0']);
  expect(started).toEqual(['ana']);
  expect(await store.status('Bell/torre')).toMatchObject({ kind: 'Bell', state: 'starting', generation: 7, details: { rings: 0 } });
  bus.enqueue('Bell/torre', true);
  await expect.poll(async () => (await store.status('Bell/torre'))?.state).toBe('running');
  expect(told).toEqual(['torre - starting', 'torre starting running']);
  expect((await store.events({ limit: 100 })).filter(({ key }) => key === 'Bell/torre').map(({ to }) => to)).toEqual([
    'starting',
    'running',
  ]);
  // Nothing of it is another one, and its deadline is ahead.
  await controller.resync();
  await settled();
  expect([controller.tick(), decided]).toEqual([0, ['ana 0', 'ana 1']]);
  clock.advance(dueMs);
  await settled();
  expect(decided).toEqual(['ana 0', 'ana 1', 'ana 1']);
  const bell = bells.get('torre');
  if (bell) bell.person = 'bia';
  expect(controller.tick()).toBe(1);
  await settled();
  expect(decided.at(-1)).toBe('bia 1');
});

test('people name each kind that the loop keeps', () => {
  expect(allKinds.map(({ name }) => name).sort()).toEqual([...objectKinds].sort());
});

test('what an earlier run decided is remembered while the object is there, and forgotten when it is not', async () => {
  await begin();
  await controller.stop();
  bells.set('torre', { name: 'torre', person: 'ana', rings: 3, last: null, inputs: null });
  await begin();
  expect((await store.status('Bell/torre'))?.memory).toEqual({ version: 2, value: { decisions: 2 } });
  await controller.stop();
  bells.clear();
  await begin();
  expect(await store.status('Bell/torre')).toBeNull();
});
