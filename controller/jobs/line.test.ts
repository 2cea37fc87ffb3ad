/** Tests the turn of many jobs: shares of people on a few slots, places that come true, and the cost of a decision with very many waiting. */
import { expect, test } from 'vitest';
import { turns } from '../../reconcilers/cluster.ts';
import type { StoredJob } from '../../store/jobs.ts';
import { createLine, type ClusterLine } from './line.ts';

const row = (id: string, usuario: string, createdAtMs: number, over: Partial<StoredJob> = {}): StoredJob => ({
  id,
  change: 1,
  usuario,
  app: 'notas',
  chave: id,
  nome: '',
  cluster: 'forno',
  cpus: 1,
  requestId: null,
  engine: null,
  createdAtMs,
  releasedAtMs: null,
  attemptAtMs: null,
  acceptedAtMs: null,
  cancelAtMs: null,
  report: null,
  startedAtMs: null,
  logBytes: 0,
  outcome: null,
  forgottenAtMs: null,
  expiresAtMs: null,
  ...over,
});

const look = (line: ClusterLine, free: number, nowMs: number) =>
  ({ status: 'reachable', message: '', strangers: 0, nextLookMs: null, ...line.look(free, nowMs) }) as const;

/** A number from 0 to 1 that follows from the seed. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

interface Run {
  readonly order: readonly string[];
  /** Slot time of each person until somebody had nothing left. */
  readonly used: ReadonlyMap<string, number>;
}

/** All of them wait from the beginning, those of one person after those of the other; two slots, each job takes its time. */
function run(jobs: readonly StoredJob[], slots: number, tookMs: (job: StoredJob) => number): Run {
  const line = createLine();
  for (const job of jobs) line.wait(job);
  const left = new Map<string, number>();
  for (const { usuario } of jobs) left.set(usuario, (left.get(usuario) ?? 0) + 1);
  const byId = new Map(jobs.map((job) => [job.id, job]));
  const under = new Map<string, { readonly job: StoredJob; readonly endMs: number }>();
  const used = new Map<string, number>();
  const order: string[] = [];
  let nowMs = 1_000;
  let counts = true;
  for (;;) {
    for (const id of turns({ inFlightMax: slots, perPersonMax: null, perAppMax: null }, look(line, slots - under.size, nowMs))) {
      const waiting = byId.get(id)!;
      const job = { ...waiting, releasedAtMs: nowMs };
      line.leave(waiting);
      line.begin(job);
      order.push(id);
      under.set(id, { job, endMs: nowMs + tookMs(job) });
    }
    const next = [...under.values()].toSorted((one, other) => one.endMs - other.endMs)[0];
    if (next === undefined) return { order, used };
    nowMs = next.endMs;
    under.delete(next.job.id);
    const { job } = next;
    line.end(
      { ...job, outcome: { estado: 'terminado', reason: 'JobDone', message: '', codigo: 0, iniciadoEm: null, terminadoEm: nowMs } },
      nowMs,
    );
    if (counts) used.set(job.usuario, (used.get(job.usuario) ?? 0) + nowMs - (job.releasedAtMs ?? 0));
    left.set(job.usuario, (left.get(job.usuario) ?? 0) - 1);
    if (left.get(job.usuario) === 0) counts = false;
  }
}

const people = Array.from({ length: 10 }, (_, index) => `pessoa${index}`);
const share = ({ used }: Run): number => Math.max(...used.values()) / Math.min(...people.map((usuario) => used.get(usuario) ?? 0));
const seed = Number(process.env['FC_SEED'] ?? process.env['SVC_TEST_RUN_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

test.for([
  ['one after the other, all equally long', () => 60_000],
  ['from a second to two minutes', (next: () => number) => 1_000 + 119_000 * next()],
] as const)(`1,000 jobs of 10 people on 2 slots, %s: no person has 1.2 times the share of another (seed ${seed})`, ([, took]) => {
  const next = random(seed);
  // The first submitted all of theirs before the second came.
  const jobs = people.flatMap((usuario, at) => Array.from({ length: 100 }, (_, n) => row(`${usuario}-${n}`, usuario, at * 1_000 + n)));
  const made = run(jobs, 2, () => took(next));
  expect(made.order).toHaveLength(1_000);
  expect(share(made)).toBeLessThanOrEqual(1.2);
});

test('who used it all day yields to who comes', () => {
  const line = createLine();
  const hourMs = 60 * 60_000;
  const ended = (terminadoEm: number) =>
    ({ estado: 'terminado', reason: 'JobDone', message: '', codigo: 0, iniciadoEm: null, terminadoEm }) as const;
  line.recall(row('long', 'ana', 0, { releasedAtMs: 0, outcome: ended(hourMs) }));
  line.wait(row('a', 'ana', hourMs));
  line.wait(row('b', 'bia', hourMs + 5));
  expect(line.look(1, 2 * hourMs).used.get('ana')).toBeCloseTo(1_800, 0);
  expect(turns({ inFlightMax: 1, perPersonMax: null, perAppMax: null }, look(line, 1, hourMs + 10))).toEqual(['b']);
});

test('places say in which order they go, where all take the same time', () => {
  const line = createLine();
  const jobs = [
    row('a1', 'ana', 1),
    row('a2', 'ana', 2),
    row('a3', 'ana', 3),
    row('b1', 'bia', 4),
    row('c1', 'caio', 5),
    row('c2', 'caio', 6),
  ];
  for (const job of jobs) line.wait(job);
  expect(jobs.map((job) => line.place(job))).toEqual([1, 4, 6, 2, 3, 5]);
  line.leave(jobs[0]!);
  line.leave(jobs[0]!);
  expect(line.waiting()).toBe(5);
  line.begin({ ...jobs[0]!, releasedAtMs: 9 });
  expect(jobs.slice(1).map((job) => line.place(job))).toEqual([3, 5, 1, 2, 4]);
});

test('a decision is given what there are people, not what there are jobs', () => {
  const given = (jobs: number): number => {
    const line = createLine();
    for (let n = 0; n < jobs; n += 1) line.wait(row(`${n}`, people[n % 10] ?? '', n));
    return look(line, 2, 1).lines.reduce((sum, { jobs: some }) => sum + some.length, 0);
  };
  expect(given(10_000)).toBe(given(1_000));
  expect(given(1_000)).toBeLessThanOrEqual(2 * 10);
});
