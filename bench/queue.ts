/**
 * The queue on a real Slurm of one node beside plain `sbatch`, in the same run: how fast jobs are taken, how fast tiny ones come to their
 * end, and the cost of waiting jobs for the portal. The portal is what `svc up` starts.
 */
import { execFile } from 'node:child_process';
import { readFile, rm, mkdtemp, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { writeQueueDesired } from '../test/integration/queue-world.ts';
import { whenInstalled } from '../test/integration/world.ts';
import { signInPage, type PageClient } from '../test/support/page-client.ts';
import { emptyServer, startPortal, until, type RunningPortal } from '../test/support/portal.ts';
import { startSlurm, type TestSlurm } from '../test/support/slurm.ts';
import { inspect, inspectable } from './inspected.ts';
import { cpuMsOf, watchLoad } from './load.ts';
import { profilingOf } from './profile.ts';
import { median, percentilesOf, type Area, type Row } from './rows.ts';
import { sayStep } from './steps.ts';

const call = promisify(execFile);
const profiling = profilingOf();
const crowd = Array.from({ length: 10 }, (_, n) => `pessoa${n}`);

interface World {
  readonly slurm: TestSlurm;
  readonly portal: RunningPortal;
  /** A page of each of ten people. */
  readonly pages: readonly PageClient[];
  readonly folder: string;
}

/** `parado` has one place, which is taken: what is submitted to it waits. `solto` lets all go. */
async function withWorld(work: (world: World) => Promise<readonly Row[]>): Promise<readonly Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'svcb-'));
  const slurm = await startSlurm({ patient: true });
  const cluster = (name: string, emVoo: number): string =>
    `kind: Cluster\nmetadata: { name: ${name} }\nspec: { scheduler: { slurm: { server: casa, partition: teste, conf: ${slurm.conf} } }, emVoo: ${emVoo} }`;
  const desired = await writeQueueDesired(folder, {
    fila: '{ clusters: [solto, parado] }',
    more: [cluster('solto', 200), cluster('parado', 1)],
    people: crowd,
  });
  const env = profiling === null ? {} : inspectable;
  const portal = await startPortal({ desired, state: join(folder, 's'), env });
  try {
    await whenInstalled(portal, 'notas');
    const pages = await Promise.all(
      crowd.map(async (person) => {
        const { link } = (await portal.admin('POST', '/api/admin/links', { person })).body as { link: string };
        return await signInPage(link, portal.port);
      }),
    );
    return await work({ slurm, portal, pages, folder });
  } finally {
    await portal.stop();
    await slurm.stop();
    await emptyServer(join(folder, 's'));
    await rm(folder, { recursive: true, force: true });
  }
}

let submitted = 0;
async function submit(page: PageClient, cluster: string, script: string): Promise<string> {
  submitted += 1;
  const limites = { cpus: 1, memoriaMb: 10, segundos: 1_800 };
  const body = { chave: `b${submitted}`, comando: ['bash', '-c', script], limites, cluster };
  const answer = await page.call('POST', '/api/fila/trabalhos?app=notas', body);
  if (answer.status !== 201) throw new Error(`${answer.status} ${answer.body.toString()}`);
  return (answer.json() as { id: string }).id;
}

/** So many calls, so many at a time, or for so long: milliseconds of each. */
async function calls(times: number, atOnce: number, work: (n: number) => Promise<unknown>, msMax = Infinity): Promise<readonly number[]> {
  const startedMs = performance.now();
  const took: number[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < times && performance.now() - startedMs < msMax) {
      next += 1;
      const fromMs = performance.now();
      await work(next);
      took.push(performance.now() - fromMs);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return took;
}

const sbatch = ({ slurm }: World, script: string, ...words: readonly string[]): Promise<unknown> =>
  call('sbatch', ['--parsable', '--mem=10M', '--output=/dev/null', ...words, `--wrap=${script}`], {
    cwd: '/',
    env: { PATH: '/usr/bin:/bin', SLURM_CONF: slurm.conf },
  });

const ms = (value: number): string => `${value.toFixed(value < 10 ? 1 : 0)} ms`;
const sliceMs = 1_000;

interface Taken {
  readonly perSecond: number[];
  readonly took: number[];
  readonly loads: number[];
}

/** Runs a slice of submissions of one side. */
async function slice(into: Taken, atOnce: number, work: (n: number) => Promise<unknown>): Promise<void> {
  const [load, fromMs] = [watchLoad(), performance.now()];
  const took = await calls(Infinity, atOnce, work, sliceMs);
  into.perSecond.push((took.length * 1_000) / (performance.now() - fromMs));
  into.took.push(...took);
  into.loads.push(Number.parseFloat(load.share()));
}

async function taking(world: World, atOnce: number, rounds: number): Promise<Row> {
  const { pages, portal } = world;
  const side = (): Taken => ({ perSecond: [], took: [], loads: [] });
  const [ours, peer] = [side(), side()];
  const looked = profiling === null ? null : await inspect(portal.child);
  let cpuMs = 0;
  for (let round = 0; round <= rounds; round += 1) {
    // The first round warms both.
    const [own, other] = round === 0 ? [side(), side()] : [ours, peer];
    if (round > 0 && looked !== null) await profiling?.begin(looked);
    const before = cpuMsOf(portal.pid);
    await slice(own, atOnce, (n) => submit(pages[n % pages.length]!, 'parado', 'true'));
    if (round > 0) cpuMs += cpuMsOf(portal.pid) - before;
    if (round > 0 && looked !== null) await profiling?.end(looked);
    await slice(other, atOnce, () => sbatch(world, 'true', '--hold'));
  }
  if (looked !== null) profiling?.write(`The portal while jobs are submitted, ${atOnce} at once`);
  await world.slurm.ask('scontrol', 'show', 'config');
  await call('scancel', ['--user=root', '--state=PENDING'], { env: { PATH: '/usr/bin:/bin', SLURM_CONF: world.slurm.conf } });
  const ratio = median(ours.perSecond) / median(peer.perSecond);
  const told = ({ perSecond, took }: Taken): string => `${median(perSecond).toFixed(0)}/s, ${percentilesOf(took, ms)}`;
  const loads = [ours, peer].map(({ loads: all }) => `${median(all).toFixed(0)} %`).join(' · ');
  return {
    name: `submissions a second, ${atOnce === 1 ? 'one by one' : `${atOnce} at once`} (load ${loads})`,
    ours: `${told(ours)}; CPU of the portal for 100 ${ms((100 * cpuMs) / ours.took.length)}`,
    peer: `sbatch in a loop: ${told(peer)}`,
    ratio: ratio.toFixed(2),
    target: '≥ 1×',
    held: ratio >= 1,
  };
}

interface Ending {
  readonly id: string;
  readonly estado: string;
  readonly codigo?: number | null;
  readonly terminadoEm: number | null;
}

/** In slices of a fourth, theirs first; each writes a letter, so that it is known that it ran once. */
async function tiny(world: World, times: number): Promise<Row> {
  const { pages, slurm, folder } = world;
  const page = pages[0]!;
  const [ourMark, peerMark] = [join(folder, 'nossos'), join(folder, 'deles')];
  const quarter = times / 4;
  const rates: { readonly ours: number[]; readonly peer: number[] } = { ours: [], peer: [] };
  const lasted: number[] = [];
  const rateSince = (fromMs: number): number => quarter / ((performance.now() - fromMs) / 1_000);
  for (let round = 0; round < 4; round += 1) {
    sayStep(`queue: tiny jobs, slice ${round + 1} of 4`);
    const peerFromMs = performance.now();
    await calls(quarter, 4, () => sbatch(world, `printf x >>${peerMark}`));
    const empty = async (): Promise<boolean> =>
      (await slurm.ask('squeue', '--noheader', '--states=PD,R,CG', '--partition=teste')).trim() === '';
    await until('the plain ones', empty, 300_000, 100);
    rates.peer.push(rateSince(peerFromMs));
    const [ids, fromMs] = [new Map<string, number>(), performance.now()];
    await calls(quarter, 4, async () => {
      const submittedMs = performance.now();
      ids.set(await submit(page, 'solto', `printf x >>${ourMark}`), submittedMs);
    });
    const over = async (): Promise<boolean> => {
      const { trabalhos } = (await page.call('GET', '/api/fila?app=notas')).json() as { readonly trabalhos: readonly Ending[] };
      for (const job of trabalhos) {
        const since = ids.get(job.id);
        if (since === undefined || job.terminadoEm === null) continue;
        if (job.estado !== 'terminado') throw new Error(`a job ended as ${JSON.stringify(job)}`);
        lasted.push(performance.now() - since);
        ids.delete(job.id);
      }
      return ids.size === 0;
    };
    await until('ours', over, 600_000, 100);
    rates.ours.push(rateSince(fromMs));
  }
  for (const mark of [ourMark, peerMark]) {
    const { size } = await stat(mark);
    if (size !== times) throw new Error(`${size} runs of ${times} jobs: ${mark}`);
  }
  const [ours, peer] = [median(rates.ours), median(rates.peer)];
  return {
    name: `jobs of one letter from submission to their end, ${times} of one person`,
    ours: `${ours.toFixed(1)}/s, ${percentilesOf(lasted, ms)}`,
    peer: `sbatch --wrap until squeue is empty: ${peer.toFixed(1)}/s`,
    ratio: (ours / peer).toFixed(2),
    // Each fetches, tells, sends and is collected: a dozen processes, where the command is one.
    target: '≥ 0.5×',
    held: ours >= 0.5 * peer,
  };
}

interface Idle {
  readonly waiting: number;
  /** Percent of a core. */
  readonly cpu: number;
  readonly pssMb: number;
  /** Milliseconds of the first page of the queue, asked for after that. */
  readonly listMs: readonly number[];
}

async function idle({ portal, pages }: World, waiting: number, seconds: number): Promise<Idle> {
  // Work that the submissions left is done by then.
  await sleep(10_000);
  sayStep(`queue: ${waiting} wait`);
  const [before, fromMs] = [cpuMsOf(portal.pid), performance.now()];
  await sleep(seconds * 1_000);
  const cpu = ((cpuMsOf(portal.pid) - before) * 100) / (performance.now() - fromMs);
  const pss = /^Pss:\s+(\d+)/m.exec(await readFile(`/proc/${portal.pid}/smaps_rollup`, 'utf8'))?.[1];
  const listMs = await calls(100, 1, (n) => pages[n % pages.length]!.call('GET', '/api/fila?app=notas'));
  return { waiting, cpu, pssMb: Number(pss) / 1_024, listMs };
}

function idleRows(all: readonly Idle[]): readonly Row[] {
  const [none, some, many] = all as readonly [Idle, Idle, Idle];
  const growth = (of: (one: Idle) => number): number => of(many) / Math.max(of(some), 0.01);
  const row = (name: string, show: (one: Idle) => string, ratio: number, target: number): Row => ({
    name,
    ours: all.map((one) => `${one.waiting.toLocaleString('en')}: ${show(one)}`).join('; '),
    peer: 'itself with a tenth of them',
    ratio: ratio.toFixed(2),
    target: `≤ ${target}×`,
    held: ratio <= target,
  });
  return [
    row(
      'CPU of the portal with so many jobs that wait; the first page of the queue',
      ({ cpu, listMs }) => `${cpu.toFixed(2)} %; ${percentilesOf(listMs, ms)}`,
      growth(({ cpu }) => cpu),
      2,
    ),
    row(
      'memory (PSS) of the portal with so many',
      ({ pssMb }) => `${pssMb.toFixed(0)} MB (+${(pssMb - none.pssMb).toFixed(0)})`,
      growth(({ pssMb }) => pssMb),
      2,
    ),
  ];
}

/** Every job that was submitted there is in the list, and none ended. */
async function allWait({ portal }: World, cluster: string, count: number): Promise<void> {
  const seen = new Set<string>();
  let before = '';
  for (;;) {
    const { body } = await portal.admin('GET', `/api/admin/fila?cluster=${cluster}${before}`);
    const { trabalhos, mais } = body as { readonly trabalhos: readonly Ending[]; readonly mais: boolean };
    for (const { id, terminadoEm } of trabalhos) if (terminadoEm === null) seen.add(id);
    if (!mais) break;
    before = `&antes=${trabalhos.at(-1)!.id}`;
  }
  if (seen.size !== count) throw new Error(`${seen.size} jobs wait, ${count} were submitted`);
}

/** Only what the portal is loaded by: submissions, the job before them holds the one place. */
async function profiled(world: World, rounds: number): Promise<readonly Row[]> {
  await submit(world.pages[0]!, 'parado', 'sleep 600');
  return [await taking(world, 16, rounds)];
}

export const queueArea: Area = async ({ short }) =>
  await withWorld(async (world) => {
    const [few, many] = short ? [100, 1_000] : [1_000, 10_000];
    const seconds = short ? 10 : 30;
    const gate = join(world.folder, 'portao');
    if (profiling !== null) return await profiled(world, short ? 5 : 10);
    const tinyRow = await tiny(world, short ? 40 : 160);
    const first = submitted;
    await submit(world.pages[0]!, 'parado', `until [ -e ${gate} ]; do sleep 1; done`);
    const here = (): number => submitted - first;
    const fill = (to: number): Promise<unknown> =>
      calls(Math.max(0, to - here()), 16, (n) => submit(world.pages[n % world.pages.length]!, 'parado', 'true'));
    const all = [await idle(world, 0, seconds)];
    await fill(few);
    all.push(await idle(world, few, seconds));
    sayStep('queue: submissions');
    const rounds = short ? 2 : 5;
    const rows = [await taking(world, 1, rounds), await taking(world, 16, rounds)];
    await fill(many);
    all.push(await idle(world, here(), seconds));
    await allWait(world, 'parado', here());
    await writeFile(gate, '');
    return [...rows, tinyRow, ...idleRows(all)];
  });
