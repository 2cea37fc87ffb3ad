/** Measures the cost and the speed of one portal of so many people from outside: the real `svc up`, its processes as the kernel sees them. */
import { readdir, readFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { signInPage, type PageClient } from '../../test/support/page-client.ts';
import { startPortal, until, type RunningPortal } from '../../test/support/portal.ts';
import type { ObjectView, StartAnswer } from '../../schema/wire/http.ts';
import { inspect, inspectable } from '../inspected.ts';
import type { Profiling } from '../profile.ts';
import { pssMib } from '../pss.ts';
import { manyApps, personName, writeManyWorld, type ManyWorld } from './world.ts';

export interface ManyFigures {
  readonly people: number;
  readonly signedIn: number;
  readonly listenS: number;
  readonly packagesS: number;
  /** Until everybody is signed in and has a supervisor that answers. */
  readonly signedInS: number;
  /** From the start until less than a tenth of a core was used for five seconds. */
  readonly calmS: number;
  readonly idlePercent: number;
  readonly pssMib: number;
  readonly heapMib: number;
  readonly externalMib: number;
  /** From writing the file until the portal says so: of one person; of the last of all. */
  readonly editOneMs: number;
  readonly editAllMs: number;
  readonly clickMs: readonly number[];
  readonly clickInEditMs: readonly number[];
}

export interface ManyOptions {
  readonly people: number;
  /** People who are signed in all the time, each with a supervisor. */
  readonly signedIn: number;
  readonly idleS: number;
  /** Measures nothing more when it is not calm after this. */
  readonly calmSMax: number;
  /** Profiling of the idle time. */
  readonly profiling: Profiling | null;
}

/** CPU seconds of a process and its threads so far. */
async function cpuS(pid: number): Promise<number> {
  let nanos = 0n;
  for (const task of await readdir(`/proc/${pid}/task`)) {
    const text = await readFile(`/proc/${pid}/task/${task}/schedstat`, 'utf8').catch(() => '0');
    nanos += BigInt(text.split(' ')[0] ?? '0');
  }
  return Number(nanos / 1_000n) / 1e6;
}

async function percentOver(pid: number, seconds: number): Promise<number> {
  const [before, fromMs] = [await cpuS(pid), performance.now()];
  await sleep(seconds * 1_000);
  return (((await cpuS(pid)) - before) / ((performance.now() - fromMs) / 1_000)) * 100;
}

async function memory(portal: RunningPortal): Promise<Pick<ManyFigures, 'pssMib' | 'heapMib' | 'externalMib'>> {
  const metrics = String((await portal.admin('GET', '/metrics')).body);
  const figure = (name: string): number => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(metrics)?.[1] ?? Number.NaN) / 2 ** 20;
  return {
    pssMib: pssMib([portal.pid]),
    heapMib: figure('svc_nodejs_heap_size_used_bytes'),
    externalMib: figure('svc_nodejs_external_memory_bytes'),
  };
}

export async function packagesIn(portal: RunningPortal): Promise<boolean> {
  const { body } = await portal.admin('GET', '/api/admin/objects?prefix=Package/');
  return (body as readonly ObjectView[]).filter(({ state }) => state === 'installed').length === manyApps.length;
}

async function signIn(portal: RunningPortal, n: number): Promise<PageClient> {
  const { body } = await portal.admin('POST', '/api/admin/links', { person: personName(n) });
  return await signInPage((body as { readonly link: string }).link, portal.port);
}

/** So many wait for the portal at once. */
const signInsAtOnce = 8;

/** Until the supervisor of each answers. */
async function signInAll(portal: RunningPortal, count: number): Promise<void> {
  const waiting = Array.from({ length: count }, (_, n) => n).values();
  const worker = async (): Promise<void> => {
    for (const n of waiting) await signIn(portal, n);
  };
  await Promise.all(Array.from({ length: signInsAtOnce }, worker));
  await until(`${count} supervisors answer`, async () => (await supervisorsUp(portal)) >= count, 900_000, 500);
}

/** The portal answers a page at a time. */
async function supervisorsUp(portal: RunningPortal): Promise<number> {
  let up = 0;
  let after = '';
  for (;;) {
    const { body } = await portal.admin('GET', `/api/admin/objects?prefix=Supervisor/&after=${encodeURIComponent(after)}`);
    const page = body as readonly ObjectView[];
    if (page.length === 0) return up;
    up += page.filter(({ state }) => state === 'up').length;
    after = page.at(-1)!.key;
  }
}

/** Use of a core while idle; the profile shows where, if one is asked for. */
async function idleOf(portal: RunningPortal, seconds: number, profiling: Profiling | null): Promise<number> {
  const inspected = profiling === null ? null : await inspect(portal.child);
  if (inspected !== null) await profiling?.begin(inspected);
  const percent = await percentOver(portal.pid, seconds);
  if (inspected !== null) await profiling?.end(inspected);
  return percent;
}

async function click(page: PageClient, app: string): Promise<number> {
  const fromMs = performance.now();
  const answer = (await page.call('POST', `/api/apps/${app}/start`)).json() as StartAnswer;
  const tookMs = performance.now() - fromMs;
  // Whoever waits 20 s in vain waited for that long.
  if (!answer.ready) console.error(`bench: ${app} did not start: ${JSON.stringify(answer)}`);
  await page.call('POST', `/api/apps/${app}/stop`);
  return tookMs;
}

async function clicks(pages: readonly PageClient[], isOver: (count: number) => boolean): Promise<readonly number[]> {
  const took: number[] = [];
  for (let n = 0; !isOver(n); n += 1) took.push(await click(pages[n % pages.length]!, manyApps[n % manyApps.length]!));
  return took;
}

async function groupsOf(page: PageClient): Promise<readonly string[]> {
  return ((await page.call('GET', '/api/pessoas/eu')).json() as { readonly grupos: readonly string[] }).grupos;
}

const editMsMax = 120_000;

async function whenIn(page: PageClient, group: string): Promise<number> {
  const fromMs = performance.now();
  // An edit that is not in force by then counts as so long.
  await until(
    `the group ${group}`,
    async () => performance.now() - fromMs > editMsMax || (await groupsOf(page)).includes(group),
    600_000,
    25,
  );
  return performance.now() - fromMs;
}

const seconds = (sinceMs: number): number => (performance.now() - sinceMs) / 1_000;

interface Edits extends Pick<ManyFigures, 'editOneMs' | 'editAllMs' | 'clickMs' | 'clickInEditMs'> {}

/** `pages`: of the first and of the last person, who see the edits, and of those who click. */
async function edits(world: ManyWorld, pages: readonly PageClient[]): Promise<Edits> {
  const [first, last] = [pages[0]!, pages.at(-1)!];
  await clicks(pages, (count) => count >= pages.length);
  const clickMs = await clicks(pages, (count) => count >= 20);
  world.write((n) => (n === 0 ? 'um' : 'todos'));
  const editOneMs = await whenIn(first, 'um');
  await sleep(3_000);
  let taken = 0;
  world.write(() => 'outros');
  const fromMs = performance.now();
  const edited = whenIn(last, 'outros').then((ms) => {
    taken = performance.now();
    return ms;
  });
  // Until it is in force, and so long again: the rounds that follow from it.
  const clickInEditMs = await clicks(pages, (count) => count >= 20 && taken > 0 && performance.now() - fromMs > 2 * (taken - fromMs));
  return { clickMs, editOneMs, editAllMs: await edited, clickInEditMs };
}

export async function measureMany({ people, signedIn, idleS, calmSMax, profiling }: ManyOptions): Promise<ManyFigures> {
  const folder = await mkdtemp(join(tmpdir(), 'svcm-'));
  const world = writeManyWorld(folder, people);
  const fromMs = performance.now();
  const portal = await startPortal({
    desired: world.desired,
    state: join(folder, 's'),
    listenMsMax: 600_000,
    env: profiling === null ? {} : inspectable,
  });
  try {
    const listenS = seconds(fromMs);
    await until('ten packages installed', () => packagesIn(portal), 900_000, 500);
    const packagesS = seconds(fromMs);
    await signInAll(portal, signedIn);
    const signedInS = seconds(fromMs);
    while ((await percentOver(portal.pid, 5)) > 10) if (seconds(fromMs) > signedInS + calmSMax) break;
    const calmS = seconds(fromMs);
    const idlePercent = await idleOf(portal, idleS, profiling);
    const seen = await memory(portal);
    console.error(`bench: ${people} people: ${JSON.stringify({ listenS, packagesS, signedInS, calmS, idlePercent, ...seen })}`);
    const clickers = [...new Set([0, Math.floor(people / 2), people - 1])];
    const pages: PageClient[] = [];
    for (const n of clickers) pages.push(await signIn(portal, n));
    return { people, signedIn, listenS, packagesS, signedInS, calmS, idlePercent, ...seen, ...(await edits(world, pages)) };
  } finally {
    await portal.stop();
    await rm(folder, { recursive: true, force: true });
  }
}
