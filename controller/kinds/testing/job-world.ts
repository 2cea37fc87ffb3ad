/** A controller with one person and one cluster in memory, for tests of jobs: the bindings are those of the test that runs. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { createBus, type Bus } from '../../../store/bus.ts';
import type { JobStore, NewJob } from '../../../store/jobs.ts';
import { openSqliteStore } from '../../../store/sqlite.ts';
import type { Store } from '../../../store/store.ts';
import { createSimulatedClock, type SimulatedClock } from '../../clock/simulated.ts';
import { createMemoryCluster, type MemoryCluster } from '../../clusters/testing/memory-cluster.ts';
import { memoryHost } from '../../hosts/testing/memory-host.ts';
import { createController, type Controller } from '../../loop/loop.ts';
import type { Log } from '../../work/record.ts';

export const logged: Record<string, unknown>[] = [];
const log = Object.fromEntries(
  ['info', 'warn', 'error', 'debug'].map((level) => [level, (fields: Record<string, unknown>) => logged.push(fields)]),
) as unknown as Log;
export const documents = (caps: string): string => `
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

export let dir: string;
export let store: Store;
export let jobs: JobStore;
export let bus: Bus;
export let clock: SimulatedClock;
export let controller: Controller;
export let cluster: MemoryCluster;

/** `reached`: the store and the cluster as this controller reaches them. */
export async function begin(reached: <Asked extends object>(asked: Asked) => Asked = (asked) => asked): Promise<void> {
  controller = await createController({
    shellVersion: '1.0.0',
    dir,
    store: reached(store),
    bus,
    clock,
    log,
    createHost: () => memoryHost([]),
    createCluster: () => reached(cluster),
    portalUrlOfJobs: async () => 'http://127.0.0.1:1',
  });
  await controller.prepare();
  await controller.start();
  await settled();
}

/** A world of its own for each test of the file that calls this. */
export function useJobWorld(): void {
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
}

/** From now on what is asked of the cluster is asked of that one. */
export function switchTo(next: MemoryCluster): void {
  cluster = next;
}

export async function settled(): Promise<void> {
  for (let round = 0; round < 20; round += 1) {
    await controller.context.queue.idle();
    await new Promise((resolve) => setImmediate(resolve));
  }
  await controller.context.recorder.written();
}

export const job = (id: string, over: Partial<NewJob> = {}): NewJob => ({
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

export async function submit(id: string, over: Partial<NewJob> = {}): Promise<string> {
  const submitted = await jobs.submitJob(job(id, over), { ofPerson: 1_000 });
  if (submitted.kind !== 'new') throw new Error(submitted.kind);
  bus.enqueue(`Job/${submitted.job.id}`, true);
  await settled();
  return submitted.job.id;
}

/** Time passes in the steps of the cluster's list. */
export async function pass(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 1_000) {
    clock.advance(Math.min(left, 1_000));
    await settled();
  }
}

export const stateOf = async (id: string): Promise<string | undefined> => (await store.status(`Job/${id}`))?.state;
