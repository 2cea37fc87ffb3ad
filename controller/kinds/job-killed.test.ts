/**
 * The portal dies at each step of a job, and another one goes on over the same store and cluster: no job is lost, and none runs twice. With real kills, at
 * some of the points: test/integration/queue-killed.real.test.ts.
 */
import { afterEach, expect, test } from 'vitest';
import { jobFaultPoints, watchFaultPoints } from '../faults.ts';
import { deathAt } from '../testing/death.ts';
import { begin, bus, clock, cluster, controller, job, jobs, pass, settled, stateOf, useJobWorld } from './testing/job-world.ts';

useJobWorld();
afterEach(() => watchFaultPoints(null));

const made = (): ReturnType<typeof job> => job('1');
const id = `j${'1'.padStart(20, '0')}`;
const name = (): string => cluster.submitted[0] ?? '';

/** Events of a job from outside; a portal that died of one gets it again. */
const submits = async (): Promise<void> => {
  await jobs.submitJob(made(), { ofPerson: 10 });
  bus.enqueue(`Job/${id}`, true);
  await settled();
  // Longer than an order to a cluster may take, whose answer nobody received.
  await pass(45_000);
};
const runs = async (): Promise<void> => {
  cluster.become(name(), 'running');
  await pass(5_000);
};
const cancels = async (): Promise<void> => {
  await jobs.cancelJob(id, clock.nowMs());
  bus.enqueue(`Job/${id}`, true);
  await pass(5_000);
};
const ends = async (): Promise<void> => {
  await jobs.reportJob(id, { estado: 'terminado', codigo: 0, progresso: null, atMs: clock.nowMs() });
  // Forgotten already, where the portal died after it.
  if (cluster.there.has(name())) cluster.become(name(), 'ended', { exitCode: 0 });
  bus.enqueue(`Job/${id}`, true);
  await pass(5_000);
};
const expires = async (): Promise<void> => {
  clock.advance(8 * 24 * 60 * 60_000);
  await pass(5_000);
};

test.for(jobFaultPoints)('%s', async (point) => {
  await controller.stop();
  const death = deathAt(point);
  await begin(death.reached);
  const isCancelled = point.includes('cancel');
  const seen: unknown[] = [];
  for (const happens of [submits, runs, isCancelled ? cancels : ends, expires]) {
    const isAnother = death.isDead();
    await (isAnother ? happens() : Promise.race([happens(), death.came]));
    if (!isAnother && death.isDead()) {
      await begin();
      await happens();
    }
    const row = await jobs.job(id);
    seen.push([await stateOf(id), row?.outcome?.estado, row?.outcome?.codigo]);
  }
  expect(death.isDead()).toBe(true);
  const outcome = isCancelled ? ['cancelado', 'cancelado', null] : ['terminado', 'terminado', 0];
  expect(seen).toEqual([['na-fila', undefined, undefined], ['a-correr', undefined, undefined], outcome, [undefined, undefined, undefined]]);
  expect([cluster.submitted.length, cluster.forgotten.length > 0, [...cluster.there.keys()]]).toEqual([1, true, []]);
  // Its key outlives it: the same submission runs nothing again.
  expect((await jobs.submitJob(made(), { ofPerson: 10 })).kind).not.toBe('new');
});
