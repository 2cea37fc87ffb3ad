/** Measures a pass of the loop with very many jobs that wait. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createBus } from '../../store/bus.ts';
import { newJobId } from '../../store/jobs.ts';
import { openSqliteStore } from '../../store/sqlite.ts';
import { tellCount } from '../../test/support/counts.ts';
import { createSimulatedClock } from '../clock/simulated.ts';
import { createMemoryCluster } from '../clusters/testing/memory-cluster.ts';
import { memoryHost } from '../hosts/testing/memory-host.ts';
import { createController } from '../loop/loop.ts';
import { createGateway } from '../views/gateway.ts';
import { silentLog } from '../loop/testing/silent-log.ts';

const documents = `
apiVersion: svc/v1
kind: Portal
metadata: { name: portal }
spec: { fila: {} }
---
apiVersion: svc/v1
kind: Cluster
metadata: { name: forno }
spec: { scheduler: { local: { trusted: true } }, emVoo: 2 }
`;
const request = { imagem: null, comando: ['true'], ambiente: {}, limites: { cpus: 1, memoriaMb: 64, segundos: 60, gpus: 0 } };

/** CPU milliseconds of a pass in which nothing changed, and of the first one. */
async function cost(waiting: number): Promise<{ readonly round: number; readonly due: number; readonly began: number }> {
  const dir = mkdtempSync(path.join(os.tmpdir(), 'svc-load-'));
  writeFileSync(path.join(dir, 'all.yaml'), documents);
  const store = await openSqliteStore(':memory:');
  const clock = createSimulatedClock(Date.UTC(2026, 10, 23));
  const cluster = createMemoryCluster('forno');
  await Promise.all(
    Array.from({ length: waiting }, (_, n) => {
      const id = newJobId();
      const of = { usuario: `pessoa${n % 10}`, app: 'notas', chave: id, nome: '', cluster: 'forno', createdAtMs: clock.nowMs() - n };
      return store.jobs.submitJob({ id, ...of, request, inputs: [] }, { ofPerson: waiting });
    }),
  );
  const controller = await createController({
    shellVersion: '1.0.0',
    dir,
    store,
    bus: createBus(),
    clock,
    log: silentLog,
    createHost: () => memoryHost([]),
    createCluster: () => cluster,
    portalUrlOfJobs: async () => 'http://127.0.0.1:1',
  });
  const cpuOf = async (work: () => Promise<unknown>): Promise<number> => {
    // CPU time of this thread: the garbage collector and the workers beside it are other threads.
    const before = process.threadCpuUsage();
    await work();
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1_000;
  };
  const { queue } = controller.context;
  const began = await cpuOf(async () => {
    await controller.prepare();
    await controller.start();
    for (let turn = 0; turn < 20; turn += 1) {
      await queue.idle();
      await new Promise((resolve) => setImmediate(resolve));
    }
  });
  expect(createGateway(controller.context).queue.clusters()[0]).toMatchObject({ emVoo: 2, emEspera: waiting - 2 });
  expect(cluster.submitted).toHaveLength(2);
  const rounds: number[] = [];
  // The smallest counts: a large collection stops this thread, too, and falls into one or the other of so many.
  for (let n = 0; n < 15; n += 1)
    rounds.push(
      await cpuOf(async () => {
        await controller.resync();
        await queue.idle();
      }),
    );
  const due = controller.tick();
  await queue.idle();
  await controller.stop();
  await store.close();
  rmSync(dir, { recursive: true, force: true });
  return { round: Math.min(...rounds), due, began };
}

test('a round costs the same with 1,000 and with 10,000 jobs that wait', { timeout: 60_000 }, async () => {
  const few = await cost(1_000);
  const many = await cost(10_000);
  tellCount(
    `jobs that wait, 1,000 and 10,000: a round ${few.round.toFixed(2)} and ${many.round.toFixed(2)} ms of CPU, the first one ${few.began.toFixed(0)} and ${many.began.toFixed(0)} ms`,
  );
  // At most the two jobs that are under way.
  expect([few.due, many.due].every((due) => due <= 2)).toBe(true);
  expect(many.round).toBeLessThan(3 * few.round + 5);
});
