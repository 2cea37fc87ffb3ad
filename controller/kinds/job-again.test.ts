/** Jobs through the loop while something else is under way or fails: what has to be done once more is. */
import { expect, test } from 'vitest';
import { bus, clock, cluster, job, jobs, pass, settled, stateOf, submit, useJobWorld } from './testing/job-world.ts';

useJobWorld();

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
