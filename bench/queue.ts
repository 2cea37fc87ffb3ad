/**
 * The queue on a real Slurm of one node beside plain `sbatch`, in the same run: how fast jobs are taken, how fast tiny ones come to their end, and what those
 * that wait cost the portal. The portal is what `svc up` starts. Source: issue 13.
 */
import { execFile } from 'node:child_process';
import { readFile, rm, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { writeQueueDesired } from '../test/integration/queue-world.ts';
import { whenInstalled } from '../test/integration/world.ts';
import { signInPage, type PageClient } from '../test/support/page-client.ts';
import { emptyServer, startPortal, until, type RunningPortal } from '../test/support/portal.ts';
import { startSlurm, type TestSlurm } from '../test/support/slurm.ts';
import type { Area, Row } from './rows.ts';

const call = promisify(execFile);
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
  const slurm = await startSlurm();
  const cluster = (name: string, emVoo: number): string =>
    `kind: Cluster\nmetadata: { name: ${name} }\nspec: { scheduler: { slurm: { server: casa, partition: teste, conf: ${slurm.conf} } }, emVoo: ${emVoo} }`;
  const desired = await writeQueueDesired(folder, {
    fila: '{ clusters: [solto, parado] }',
    more: [cluster('solto', 200), cluster('parado', 1)],
    people: crowd,
  });
  const portal = await startPortal({ desired, state: join(folder, 's') });
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

/** Seconds of so many calls, so many at a time. */
async function secondsOf(times: number, atOnce: number, work: (n: number) => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < times) {
      next += 1;
      await work(next);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return (performance.now() - startedMs) / 1_000;
}

const sbatch = ({ slurm }: World, ...words: readonly string[]): Promise<unknown> =>
  call('sbatch', ['--parsable', '--mem=10M', '--output=/dev/null', ...words, '--wrap=true'], {
    cwd: '/',
    env: { PATH: '/usr/bin:/bin', SLURM_CONF: slurm.conf },
  });

async function taking(world: World, atOnce: number, times: number): Promise<Row> {
  const { pages } = world;
  const seconds = await secondsOf(times, atOnce, (n) => submit(pages[n % pages.length]!, 'parado', 'true'));
  const peerSeconds = await secondsOf(times / 4, atOnce, () => sbatch(world, '--hold'));
  await world.slurm.ask('scontrol', 'show', 'config');
  await call('scancel', ['--user=root', '--state=PENDING'], { env: { PATH: '/usr/bin:/bin', SLURM_CONF: world.slurm.conf } });
  const [ours, peer] = [times / seconds, times / 4 / peerSeconds];
  return {
    name: `submissions a second, ${atOnce === 1 ? 'one by one' : `${atOnce} at once`}`,
    ours: `${ours.toFixed(0)}/s (${times}, each on the disk)`,
    peer: `sbatch in a loop: ${peer.toFixed(0)}/s (${times / 4})`,
    ratio: (ours / peer).toFixed(2),
    target: '≥ 1×',
    held: ours >= peer,
  };
}

async function tiny(world: World, times: number): Promise<Row> {
  const { pages, slurm } = world;
  const page = pages[0]!;
  const peerStartedMs = performance.now();
  await secondsOf(times, 4, () => sbatch(world));
  await until(
    'the plain ones',
    async () => (await slurm.ask('squeue', '--noheader', '--states=PD,R,CG', '--partition=teste')).trim() === '',
    300_000,
    100,
  );
  const peer = times / ((performance.now() - peerStartedMs) / 1_000);
  const startedMs = performance.now();
  await secondsOf(times, 4, () => submit(page, 'solto', 'true'));
  await until(
    'ours',
    async () => {
      const { trabalhos } = (await page.call('GET', '/api/fila?app=notas')).json() as {
        trabalhos: readonly { cluster: string; terminadoEm: number | null }[];
      };
      return trabalhos.filter(({ cluster, terminadoEm }) => cluster === 'solto' && terminadoEm !== null).length >= times;
    },
    600_000,
    100,
  );
  const ours = times / ((performance.now() - startedMs) / 1_000);
  return {
    name: `jobs \`true\` from submission to their end, ${times} of one person`,
    ours: `${ours.toFixed(1)}/s`,
    peer: `sbatch --wrap=true until squeue is empty: ${peer.toFixed(1)}/s`,
    ratio: (ours / peer).toFixed(2),
    // Each fetches, tells, sends and is collected: a dozen processes, where `true` is one.
    target: '≥ 0.5×',
    held: ours >= 0.5 * peer,
  };
}

interface Idle {
  readonly waiting: number;
  /** Percent of a core. */
  readonly cpu: number;
  readonly pssMb: number;
}

/** utime and stime, in clock ticks of a hundredth of a second. */
async function ticksOf(pid: number): Promise<number> {
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ').at(-1)?.split(' ') ?? [];
  return Number(fields[11]) + Number(fields[12]);
}

async function idle({ portal }: World, waiting: number, seconds: number): Promise<Idle> {
  // What the submissions left to do is done.
  await sleep(10_000);
  const [before, fromMs] = [await ticksOf(portal.pid), performance.now()];
  await sleep(seconds * 1_000);
  const cpu = (await ticksOf(portal.pid)) - before;
  const pss = /^Pss:\s+(\d+)/m.exec(await readFile(`/proc/${portal.pid}/smaps_rollup`, 'utf8'))?.[1];
  return { waiting, cpu: (cpu * 1_000) / (performance.now() - fromMs), pssMb: Number(pss) / 1_024 };
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
      'CPU of the portal with so many jobs that wait',
      ({ cpu }) => `${cpu.toFixed(2)} %`,
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

export const queueArea: Area = async ({ short }) =>
  await withWorld(async (world) => {
    const [few, many] = short ? [100, 1_000] : [1_000, 10_000];
    const seconds = short ? 10 : 60;
    const gate = join(world.folder, 'portao');
    const tinyRow = await tiny(world, short ? 40 : 160);
    await submit(world.pages[0]!, 'parado', `until [ -e ${gate} ]; do sleep 1; done`);
    const all = [await idle(world, 0, seconds)];
    const half = few / 2;
    const rows = [await taking(world, 1, half), await taking(world, 16, half)];
    all.push(await idle(world, few, seconds));
    await secondsOf(many - few, 16, (n) => submit(world.pages[n % world.pages.length]!, 'parado', 'true'));
    all.push(await idle(world, many, seconds));
    await writeFile(gate, '');
    return [...rows, tinyRow, ...idleRows(all)];
  });
