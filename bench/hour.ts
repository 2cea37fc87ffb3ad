/**
 * Memory after an hour of coming and going: the acts of 200 people in an hour, as fast as a portal that runs as it ships takes them. Each
 * visit signs in, opens the events, starts an app and stops it, makes a room and types in it, uploads a file and deletes it, opens a shell,
 * now and then runs a job, and signs out, and checks that all of it was done. Before the first and after each tenth, when nobody is there:
 * living memory after a collection, and PSS.
 * `npm run bench -- hour [--visits=N]`
 */
import { readFile, rm, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeDesired } from '../test/integration/world.ts';
import { copyExamples } from '../test/support/example-desired.ts';
import { emptyServer, processesBelow, startPortal, until, type RunningPortal } from '../test/support/portal.ts';
import type { ObjectView } from '../schema/wire/http.ts';
import { visit } from './hour/visit.ts';
import { inspect, inspectable, type Inspected } from './inspected.ts';
import { countOf } from './options.ts';
import { profilingOf } from './profile.ts';
import { percentilesOf, type Area, type Row } from './rows.ts';
import { sayStep } from './steps.ts';

const people = Array.from({ length: 20 }, (_, n) => `v${n}`);
const atOnce = 6;
/** Every so many visits one runs a job. */
const perJob = 4;
const apps = ['notas', 'caderno'] as const;
/** Share that the last half of the hour may add. */
const growthMax = 0.05;

interface Seen {
  readonly visits: number;
  readonly heapMb: number;
  readonly pssMb: number;
  /** Memory of all supervisors together. */
  readonly supervisorsMb: number;
}

async function pssMb(pid: number): Promise<number> {
  const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '');
  return Number(/^Pss:\s+(\d+) kB/m.exec(rollup)?.[1] ?? 0) / 1_024;
}

async function look(portal: RunningPortal, inspected: Inspected, visits: number): Promise<Seen> {
  const heapMb = (await inspected.heapBytes()) / 2 ** 20;
  let supervisorsMb = 0;
  for (const { pid } of processesBelow(portal.state)) supervisorsMb += await pssMb(pid);
  const seen = { visits, heapMb, pssMb: await pssMb(portal.pid), supervisorsMb };
  sayStep(`hour: ${JSON.stringify(seen)}`);
  return seen;
}

/** So many visits, a few at once; the same person is never there twice. */
async function visits(portal: RunningPortal, from: number, to: number): Promise<readonly number[]> {
  let next = from;
  const took: number[] = [];
  const worker = async (own: readonly string[]): Promise<void> => {
    for (let n = 0; next < to; n += 1) {
      next += 1;
      const startedMs = performance.now();
      await visit(portal, { person: own[n % own.length]!, withJob: next % perJob === 0 });
      took.push(performance.now() - startedMs);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, (_, at) => worker(people.filter((_person, n) => n % atOnce === at))));
  return took;
}

async function furnished(folder: string): Promise<string> {
  const packages = join(folder, 'p');
  await copyExamples(apps, packages);
  const file = join(packages, 'notas/svc-app.json');
  await writeFile(file, JSON.stringify({ ...(JSON.parse(await readFile(file, 'utf8')) as object), recursos: { fila: true } }));
  return await writeDesired(join(folder, 'd'), { apps, packages, people, fila: '{}' });
}

const mb = (value: number): string => `${value.toFixed(1)} MB`;

function row(name: string, all: readonly Seen[], of: (seen: Seen) => number): Row {
  const figures = all.map(of);
  const half = Math.ceil(figures.length / 2);
  // A figure that grows ends highest; memory that V8 collects at its own times goes up and down.
  const [first, last] = [Math.max(...figures.slice(0, half)), Math.max(...figures.slice(half))];
  return {
    name,
    ours: `at most ${mb(last)} in the last half (at 0, 10 … 100 %: ${figures.map((figure) => figure.toFixed(1)).join(' · ')})`,
    peer: `${mb(first)} in the first`,
    ratio: `${(last / first).toFixed(3)}×`,
    target: `≤ ${1 + growthMax}×`,
    held: last <= first * (1 + growthMax),
  };
}

export const hourArea: Area = async ({ short }) => {
  const count = countOf('visits', short ? 100 : 600);
  const folder = await mkdtemp(join(tmpdir(), 'svcb-'));
  const state = join(folder, 's');
  const portal = await startPortal({ desired: await furnished(folder), state, env: { SVC_LOG_LEVEL: 'error', ...inspectable } });
  try {
    await until('the apps of everybody', async () => {
      const { body } = await portal.admin('GET', '/api/admin/objects?prefix=Backend/');
      return (body as readonly ObjectView[]).length === (people.length + 1) * apps.length;
    });
    const inspected = await inspect(portal.child);
    // Everybody once, so that each has a home and a supervisor.
    await visits(portal, 0, 2 * people.length);
    const seen = [await look(portal, inspected, 0)];
    const profiling = profilingOf();
    const took: number[] = [];
    for (let tenth = 1; tenth <= 10; tenth += 1) {
      await profiling?.begin(inspected);
      took.push(...(await visits(portal, Math.round(((tenth - 1) * count) / 10), Math.round((tenth * count) / 10))));
      await profiling?.end(inspected);
      seen.push(await look(portal, inspected, took.length));
    }
    if (profiling !== null) sayStep(`hour: ${profiling.write(`svc portal, ${took.length} visits, ${atOnce} at once`)}`);
    const each = `${took.length.toLocaleString('en')} visits, ${atOnce} at once, ${percentilesOf(took, (ms) => `${ms.toFixed(0)} ms`)}`;
    return [
      row(`living heap of the portal, ${each}`, seen, ({ heapMb }) => heapMb),
      row('PSS of the portal at the same', seen, ({ pssMb: pss }) => pss),
      row('PSS of all supervisors at the same', seen, ({ supervisorsMb }) => supervisorsMb),
    ];
  } finally {
    await portal.stop();
    await emptyServer(state);
    await rm(folder, { recursive: true, force: true });
  }
};
