/** Jobs through the loop, with a cluster in memory: handed over once whatever is lost, found again, unknown and never failed while nobody answers. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { ClusterDocument } from '../../schema/desired/documents.ts';
import { createMemoryCluster } from '../clusters/testing/memory-cluster.ts';
import { engineOf } from '../jobs/engine.ts';
import { createGateway } from '../views/gateway.ts';
import {
  begin,
  bus,
  clock,
  cluster,
  controller,
  dir,
  documents,
  job,
  jobs,
  logged,
  pass,
  settled,
  stateOf,
  store,
  submit,
  switchTo,
  useJobWorld,
} from './testing/job-world.ts';

useJobWorld();

const reasonOf = async (id: string): Promise<string | undefined> => (await store.status(`Job/${id}`))?.reason;
const nameOf = (id: string): string => [...cluster.jobs.keys()].find((name) => name.endsWith(id)) ?? '';
const report = async (
  id: string,
  estado: 'iniciado' | 'a-correr' | 'a-enviar' | 'terminado',
  codigo: number | null = null,
): Promise<void> => {
  await jobs.reportJob(id, { estado, codigo, progresso: null, atMs: clock.nowMs() });
  bus.enqueue(`Job/${id}`, true);
  await settled();
};

test('from the submission to the last of it', async () => {
  logged.length = 0;
  const id = await submit('1', { requestId: 'r-1' });
  expect(cluster.submitted).toEqual([nameOf(id)]);
  expect(nameOf(id)).toMatch(/^svc-[0-9a-f]{12}-j0{19}1$/);
  expect(cluster.jobs.get(nameOf(id))).toMatchObject({
    account: 'ana',
    command: ['true'],
    report: { url: 'http://127.0.0.1:1/api/fila/executor' },
  });
  await pass(2_000);
  expect(await stateOf(id)).toBe('na-fila');
  cluster.become(nameOf(id), 'running');
  await pass(3_000);
  expect(await stateOf(id)).toBe('a-correr');
  await report(id, 'a-enviar');
  expect(await stateOf(id)).toBe('a-recolher');
  const told: unknown[] = [];
  const off = bus.onPublish((...of) => told.push(of));
  await report(id, 'terminado', 0);
  off();
  expect(told).toEqual([['ana', { type: 'avisos' }]]);
  expect([await stateOf(id), await reasonOf(id)]).toEqual(['terminado', 'JobDone']);
  expect((await jobs.job(id))?.outcome).toMatchObject({ estado: 'terminado', codigo: 0 });
  // The same request id from its line in the log to the end of the job.
  const steps = logged.filter(({ key, to }) => key === `Job/${id}` && to !== undefined);
  expect(steps.map(({ to }) => to)).toEqual(expect.arrayContaining(['a-submeter', 'na-fila', 'a-correr', 'a-recolher', 'terminado']));
  expect(new Set(steps.map(({ requestId }) => requestId))).toEqual(new Set(['r-1']));
  expect(await createGateway(controller.context).admin.why(`Job/${id}`)).toMatchObject({ requestId: 'r-1' });
  cluster.become(nameOf(id), 'ended', { exitCode: 0 });
  await pass(5_000);
  expect(cluster.forgotten).toEqual([nameOf(id)]);
  await pass(1);
  clock.advance(8 * 24 * 60 * 60_000);
  await settled();
  expect(await jobs.job(id)).toBeNull();
  expect(await store.status(`Job/${id}`)).toBeNull();
  expect(await jobs.leftovers(10)).toEqual([{ kind: 'job', name: id }]);
});

test.for([
  ['the answer', 'loseAnswer'],
  ['the order', 'loseOrder'],
] as const)('%s is lost: it is looked for by name, and runs once', async ([, what]) => {
  cluster[what] = true;
  const id = await submit('1');
  await pass(10_000);
  expect(cluster.submitted).toEqual([nameOf(id)]);
  expect(await stateOf(id)).toBe('na-fila');
});

test('a portal that died while the cluster was asked does not ask again before the first question must have ended', async () => {
  // As it is after a death between the attempt and its answer.
  await controller.stop();
  const made = job('1');
  await jobs.submitJob(made, { ofPerson: 10 });
  await jobs.releaseJobs([made.id], clock.nowMs());
  await jobs.noteAttempt(made.id, clock.nowMs(), {
    tokenHash: 'h',
    engine: engineOf({ spec: { scheduler: { local: {} } } } as ClusterDocument),
  });
  await begin();
  await pass(20_000);
  expect([cluster.submitted, await stateOf(made.id)]).toEqual([[], 'desconhecido']);
  await pass(20_000);
  expect(cluster.submitted).toHaveLength(1);
});

test('a cluster that does not answer makes its jobs unknown, for as long as it lasts, and fails none', async () => {
  const id = await submit('1');
  cluster.become(nameOf(id), 'running');
  await pass(4_000);
  cluster.down = true;
  await pass(4_000);
  expect([await stateOf(id), await reasonOf(id)]).toEqual(['desconhecido', 'ClusterUnreachable']);
  const waiting = await submit('2');
  expect(await stateOf(waiting)).toBe('em-espera');
  expect(createGateway(controller.context).queue.stateOf(waiting)).toMatchObject({
    estado: 'em-espera',
    reason: 'ClusterUnreachable',
    lugar: 1,
  });
  expect(createGateway(controller.context).queue.off()).toMatchObject({ codigo: 'INALCANCAVEL' });
  await pass(600_000);
  expect((await jobs.job(id))?.outcome).toBeNull();
  cluster.down = false;
  await pass(70_000);
  expect(await stateOf(id)).toBe('a-correr');
  expect(cluster.submitted).toHaveLength(2);
});

test('a job that the cluster took and forgot is given up after a while, not at once, and not while its wrapper is heard', async () => {
  const id = await submit('1');
  await pass(3_000);
  await report(id, 'a-correr');
  cluster.there.clear();
  await pass(50_000);
  expect(await stateOf(id)).toBe('a-correr');
  await pass(60_000);
  expect((await jobs.job(id))?.outcome).toBeNull();
  await pass(30_000);
  expect([await stateOf(id), await reasonOf(id)]).toEqual(['falhou', 'JobLost']);
  expect(cluster.submitted).toHaveLength(1);
});

test.for([
  ['failed', 'OutOfMemory', 137, 'falhou', 'CommandFailed'],
  ['failed', 'TIMEOUT', null, 'falhou', 'JobFailed'],
  ['cancelled', 'by root', null, 'cancelado', 'JobCancelled'],
  ['ended', '', 3, 'falhou', 'CommandFailed'],
  ['ended', '', 0, 'terminado', 'OutputsIncomplete'],
] as const)('the cluster says %s (%s, code %s) and the wrapper nothing: %s, %s', async ([state, note, exitCode, estado, reason]) => {
  const id = await submit('1');
  cluster.become(nameOf(id), state, { note, exitCode });
  await pass(6_000);
  expect((await jobs.job(id))?.outcome).toBeNull();
  await pass(15_000);
  expect([await stateOf(id), await reasonOf(id)]).toEqual([estado, reason]);
});

test('what is refused for good fails with the words of the cluster, and is not tried again', async () => {
  cluster.refuses = 'no such partition';
  const id = await submit('1');
  await pass(5_000);
  expect((await jobs.job(id))?.outcome).toMatchObject({ estado: 'falhou', reason: 'JobRefused', message: 'no such partition' });
});

test('cancelled while it waits, while it runs, and while its cluster does not answer', async () => {
  const ids = await Promise.all(['1', '2', '3'].map((id) => submit(id)));
  await pass(3_000);
  const [first = '', second = '', third = ''] = ids;
  const cancel = async (id: string): Promise<void> => {
    await jobs.cancelJob(id, clock.nowMs());
    bus.enqueue(`Job/${id}`, true);
    await settled();
  };
  await cancel(third);
  expect(await stateOf(third)).toBe('cancelado');
  cluster.become(nameOf(first), 'running');
  await cancel(first);
  await pass(3_000);
  expect(await stateOf(first)).toBe('cancelado');
  cluster.down = true;
  await cancel(second);
  await pass(10_000);
  expect([await stateOf(second), await reasonOf(second)]).toEqual(['desconhecido', 'ClusterUnreachable']);
  cluster.down = false;
  await pass(70_000);
  expect(await stateOf(second)).toBe('cancelado');
  expect(cluster.submitted).toHaveLength(2);
});

test('only so many are under way, and the next goes when one has ended', async () => {
  const ids = await Promise.all(['1', '2', '3', '4'].map((id) => submit(id)));
  expect(cluster.submitted).toHaveLength(2);
  const view = createGateway(controller.context).queue;
  expect(new Set(ids.map((id) => view.stateOf(id).lugar))).toEqual(new Set([1, 2, null]));
  expect(view.clusters()).toEqual([expect.objectContaining({ nome: 'forno', emVoo: 2, emVooMax: 2, emEspera: 2 })]);
  const first = ids.find((id) => nameOf(id) === cluster.submitted[0]) ?? '';
  await report(first, 'terminado', 0);
  await pass(2_000);
  expect(cluster.submitted).toHaveLength(3);
});

test('a plan says what is about to be done for jobs', async () => {
  cluster.down = true;
  await pass(15_000);
  const id = await submit('1');
  const planned = async () =>
    (await createGateway(controller.context).admin.plan(null)).changes.filter(({ key }) => /^(?:Job|Cluster)/.test(key));
  expect(await planned()).toEqual([]);
  cluster.down = false;
  controller.context.entries.clusters.get('forno')!.sight = { status: 'reachable', jobs: new Map(), startedAtMs: clock.nowMs() };
  expect(await planned()).toEqual([{ key: 'Cluster/forno', action: 'job/release', detail: id }]);
});

test('jobs are found again by a portal that starts anew, and none is handed over twice', async () => {
  const ids = await Promise.all(['1', '2', '3'].map((id) => submit(id)));
  await pass(3_000);
  await controller.stop();
  cluster.become(cluster.submitted[0] ?? '', 'running');
  await begin();
  await pass(5_000);
  expect(cluster.submitted).toHaveLength(2);
  expect(new Set(await Promise.all(ids.map(stateOf)))).toEqual(new Set(['a-correr', 'em-espera', 'na-fila']));
});

test('jobs of who leaves the portal are ended and go; under our names, others are left alone', async () => {
  const id = await submit('1');
  cluster.become(nameOf(id), 'running');
  const stranger = `${nameOf(id).slice(0, -1)}9`;
  cluster.become(stranger, 'running');
  await pass(3_000);
  for (const each of await jobs.forgetJobsOf('ana', clock.nowMs())) bus.enqueue(`Job/${each}`, true);
  await pass(10_000);
  expect(cluster.cancelled).toEqual([nameOf(id)]);
  expect(await jobs.job(id)).toBeNull();
  expect(cluster.there.get(stranger)?.state).toBe('running');
  expect((await store.status('Cluster/forno'))?.message).toContain('1 jobs there have our names');
});

test('what a document does not name any more ends first, then goes', async () => {
  const id = await submit('1');
  cluster.become(nameOf(id), 'running');
  await pass(3_000);
  writeFileSync(path.join(dir, 'all.yaml'), documents(', emVoo: 2').replace(/---\napiVersion: svc\/v1\nkind: Cluster[^]*$/, ''));
  await createGateway(controller.context).commands.admin.apply(true);
  await settled();
  expect((await store.status('Cluster/forno'))?.state).toBe('leaving');
  await report(id, 'terminado', 0);
  await pass(15_000);
  expect(await stateOf(id)).toBe('terminado');
  expect(await store.status('Cluster/forno')).toBeNull();
});

const write = async (text: string): Promise<void> => {
  writeFileSync(path.join(dir, 'all.yaml'), text);
  await createGateway(controller.context).commands.admin.apply(true);
  await settled();
};
const withServer = documents(', emVoo: 2').replace('scheduler: { local: { trusted: true } }', 'scheduler: { slurm: { server: casa } }');

test('another engine under the name of the cluster judges no job of the one before: unknown, never lost, never run twice', async () => {
  const old = cluster;
  const [queued, running] = [await submit('1'), await submit('2')];
  const waiting = await submit('3');
  await pass(3_000);
  await report(running, 'a-correr');
  switchTo(createMemoryCluster('forno'));
  await write(withServer);
  // Two are under way still: the third waits for one of them.
  await pass(180_000);
  expect([await stateOf(queued), await reasonOf(queued)]).toEqual(['desconhecido', 'ClusterChanged']);
  expect([await stateOf(running), await reasonOf(running)]).toEqual(['desconhecido', 'ClusterChanged']);
  expect(cluster.submitted).toEqual([]);
  expect(await createGateway(controller.context).admin.why(`Job/${queued}`)).toMatchObject({
    sentence: expect.stringContaining('another engine now'),
    fix: expect.stringContaining('engine of before'),
  });
  // The wrapper's report counts; its place is free, and the job that waits goes to the engine of now.
  await report(running, 'terminado', 0);
  await pass(3_000);
  expect([await stateOf(running), cluster.submitted.length]).toEqual(['terminado', 1]);
  expect(cluster.submitted[0]).toContain(waiting);
  // The engine of before is named again: the job is found where it was.
  switchTo(old);
  await write(documents(', emVoo: 2'));
  await pass(5_000);
  expect([await stateOf(queued), await reasonOf(waiting)]).toEqual(['na-fila', 'ClusterChanged']);
  expect(old.submitted).toHaveLength(2);
  // The way out for the other one.
  await jobs.cancelJob(waiting, clock.nowMs());
  bus.enqueue(`Job/${waiting}`, true);
  await settled();
  expect((await jobs.job(waiting))?.outcome).toMatchObject({ estado: 'cancelado', message: expect.stringContaining('could not confirm') });
});

test('other caps and another partition are no other engine', async () => {
  const id = await submit('1');
  await pass(3_000);
  await write(documents(', emVoo: 7, porPessoa: 3'));
  await pass(3_000);
  expect(await stateOf(id)).toBe('na-fila');
});

test('a cluster that is removed and put back: what runs there ends, what waits goes on waiting, and each runs once', async () => {
  const [first, second, third] = [await submit('1'), await submit('2'), await submit('3')];
  cluster.become(nameOf(first), 'running');
  await pass(3_000);
  const all = documents(', emVoo: 2');
  await write(all.replace(/---\napiVersion: svc\/v1\nkind: Cluster[^]*$/, ''));
  await pass(5_000);
  const stateNow = (id: string) => createGateway(controller.context).queue.stateOf(id);
  expect([await stateOf(first), stateNow(third).estado]).toEqual(['a-correr', 'em-espera']);
  await report(first, 'terminado', 0);
  await report(second, 'terminado', 0);
  await pass(30_000);
  expect((await store.status('Cluster/forno'))?.state).toBeUndefined();
  expect(stateNow(third)).toMatchObject({ estado: 'em-espera', reason: 'ClusterMissing' });
  await controller.stop();
  await begin();
  await write(all);
  await pass(5_000);
  expect(await stateOf(third)).toBe('na-fila');
  expect(cluster.submitted).toHaveLength(3);
  await report(third, 'terminado', 0);
  expect(await Promise.all([first, second, third].map(stateOf))).toEqual(['terminado', 'terminado', 'terminado']);
});
