/** Jobs through the loop while something else is under way or fails: what has to be done once more is. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createBus, type Bus } from '../../store/bus.ts';
import type { JobStore, NewJob } from '../../store/jobs.ts';
import { openSqliteStore } from '../../store/sqlite.ts';
import type { Store } from '../../store/store.ts';
import { createSimulatedClock, type SimulatedClock } from '../clock/simulated.ts';
import { createMemoryCluster, type MemoryCluster } from '../clusters/testing/memory-cluster.ts';
import { memoryHost } from '../hosts/testing/memory-host.ts';
import { createController, type Controller } from '../loop/loop.ts';
import type { Log } from '../loop/record.ts';

const log = Object.fromEntries(['info', 'warn', 'error', 'debug'].map((level) => [level, () => undefined])) as unknown as Log;
const documents = (caps: string): string => `
apiVersion: svc/v1
kind: Server
metadata: { name: casa }
spec: { local: { prefix: casa, trusted: true } }
---
apiVersion: svc/v1
kind: Person
metadata: { name: ana }
spec: { nome: Ana, login: ana, server: casa }
---
apiVersion: svc/v1
kind: Portal
metadata: { name: portal }
spec: { fila: {} }
---
apiVersion: svc/v1
kind: Cluster
metadata: { name: forno }
spec: { scheduler: { local: { trusted: true } }${caps} }
`;

let dir: string;
let store: Store;
let jobs: JobStore;
let bus: Bus;
let clock: SimulatedClock;
let controller: Controller;
let cluster: MemoryCluster;

async function begin(): Promise<void> {
  controller = await createController({
    shellVersion: '1.0.0',
    dir,
    store,
    bus,
    clock,
    log,
    createHost: () => memoryHost([]),
    createCluster: () => cluster,
    portalUrlOfJobs: async () => 'http://127.0.0.1:1',
  });
  await controller.prepare();
  await controller.start();
  await settled();
}

beforeEach(async () => {
  dir = mkdtempSync(path.join(os.tmpdir(), 'svc-job-'));
  writeFileSync(path.join(dir, 'all.yaml'), documents(', emVoo: 2'));
  store = await openSqliteStore(':memory:');
  ({ jobs } = store);
  bus = createBus();
  clock = createSimulatedClock(Date.UTC(2026, 10, 23));
  cluster = createMemoryCluster('forno');
  await begin();
});
afterEach(async () => {
  await controller.stop();
  await store.close();
  rmSync(dir, { recursive: true, force: true });
});

async function settled(): Promise<void> {
  for (let round = 0; round < 20; round += 1) {
    await controller.context.queue.idle();
    await new Promise((resolve) => setImmediate(resolve));
  }
  await controller.context.recorder.written();
}

const job = (id: string, over: Partial<NewJob> = {}): NewJob => ({
  id: `j${id.padStart(20, '0')}`,
  usuario: 'ana',
  app: 'notas',
  chave: id,
  nome: '',
  cluster: 'forno',
  createdAtMs: clock.nowMs(),
  request: { imagem: null, comando: ['true'], ambiente: {}, limites: { cpus: 1, memoriaMb: 64, segundos: 60, gpus: 0 } },
  inputs: [],
  ...over,
});

async function submit(id: string, over: Partial<NewJob> = {}): Promise<string> {
  const submitted = await jobs.submitJob(job(id, over), { ofPerson: 1_000 });
  if (submitted.kind !== 'new') throw new Error(submitted.kind);
  bus.enqueue(`Job/${submitted.job.id}`, true);
  await settled();
  return submitted.job.id;
}

/** Time passes in the steps of the cluster's list. */
async function pass(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 1_000) {
    clock.advance(Math.min(left, 1_000));
    await settled();
  }
}

const stateOf = async (id: string): Promise<string | undefined> => (await store.status(`Job/${id}`))?.state;

test('what is handed over while the cluster is listed is looked for right after that list', async () => {
  const gates: Record<'submit' | 'list', (() => void)[]> = { submit: [], list: [] };
  const held = (gate: keyof typeof gates): Promise<void> => new Promise((resolve) => gates[gate].push(resolve));
  const { list, submit: take } = cluster;
  cluster.submit = async (...order) => {
    await held('submit');
    await take(...order);
  };
  const made = job('1');
  await jobs.submitJob(made, { ofPerson: 10 });
  bus.enqueue(`Job/${made.id}`, true);
  await expect.poll(() => gates.submit.length).toBe(1);
  cluster.list = async (...asked) => {
    const seen = await list(...asked);
    await held('list');
    return seen;
  };
  clock.advance(2_000);
  await expect.poll(() => gates.list.length).toBe(1);
  // Lists that take so long are made a tenth of the time.
  clock.advance(6_000);
  gates.submit[0]?.();
  await expect.poll(async () => (await jobs.job(made.id))?.acceptedAtMs).not.toBeNull();
  cluster.list = list;
  gates.list[0]?.();
  await settled();
  expect(await stateOf(made.id)).toBe('na-fila');
});

test('an end that the store did not take is written again, and the last of a job too', async () => {
  await submit('1');
  await submit('2');
  const id = await submit('3');
  expect(await stateOf(id)).toBe('em-espera');
  const { settleJob, dropJob } = jobs;
  jobs.settleJob = () => Promise.reject(new Error('database or disk is full'));
  jobs.dropJob = () => Promise.reject(new Error('database or disk is full'));
  await jobs.cancelJob(id, clock.nowMs());
  bus.enqueue(`Job/${id}`, true);
  await settled();
  expect((await jobs.job(id))?.outcome).toBeNull();
  Object.assign(jobs, { settleJob });
  await pass(11_000);
  expect(await stateOf(id)).toBe('cancelado');
  clock.advance(8 * 24 * 60 * 60_000);
  await settled();
  expect(await jobs.job(id)).not.toBeNull();
  Object.assign(jobs, { dropJob });
  await pass(11_000);
  expect(await jobs.job(id)).toBeNull();
});
