/**
 * Supervision against PM2 and supervisord: the time from `kill -9` to the first instruction of the new process, and what the manager costs while
 * nothing happens. Ours is started and attached to as the portal does it. The same backend everywhere: it notes the time and serves. Every
 * manager runs on its defaults; ours has its failure count reset between kills of one app (a manual start does that), so that the first
 * relaunch is what is measured. Ours and supervisord rest at the same time: they share nothing but the C library. PM2 has its own turn,
 * since it would share the pages of Node with ours.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { backendScript, type Manager } from './peers/manager.ts';
import { cpuMsOfAll, pssMibOfAll } from './peers/manager-cost.ts';
import { inspectSelf } from './inspected.ts';
import { inspectableManager, ourManager } from './peers/our-supervisor.ts';
import { pm2Manager } from './peers/pm2.ts';
import { supervisordManager } from './peers/supervisord.ts';
import { profilingOf, type Profiling } from './profile.ts';
import { median, percentilesOf, type Area, type Row } from './rows.ts';
import { sayStep } from './steps.ts';

interface Start {
  readonly atMs: number;
  readonly pid: number;
}

async function starts(folder: string, app: string): Promise<readonly Start[]> {
  const text = await readFile(join(folder, `${app}.starts`), 'utf8').catch(() => '');
  return text
    .split('\n')
    .filter((line) => /^\d+ \d+$/.test(line))
    .map((line) => {
      const [nanos, pid] = line.split(' ');
      return { atMs: Number(BigInt(nanos!) / 1_000n) / 1_000, pid: Number(pid) };
    });
}

async function until<T>(what: string, msMax: number, look: () => Promise<T | null>): Promise<T> {
  const endMs = performance.now() + msMax;
  for (;;) {
    const found = await look();
    if (found !== null) return found;
    if (performance.now() > endMs) throw new Error(`bench: ${what} did not happen within ${msMax} ms`);
    await sleep(2);
  }
}

/** Starts a manager of one person with apps that all have started. */
async function begin(manager: Manager, folder: string, apps: readonly string[]): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'backend.pl'), backendScript(folder), { mode: 0o755 });
  await manager.start(folder, apps);
  for (const app of apps) await until(`${app} started`, 120_000, async () => ((await starts(folder, app)).length > 0 ? true : null));
}

const namesOf = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => `a${index}`);

async function killAndWait(folder: string, app: string): Promise<number> {
  const before = await starts(folder, app);
  const last = before.at(-1);
  if (last === undefined) throw new Error(`bench: ${app} never started`);
  const killedAtMs = performance.timeOrigin + performance.now();
  process.kill(last.pid, 'SIGKILL');
  const next = await until(`${app} running again`, 20_000, async () => (await starts(folder, app))[before.length] ?? null);
  return next.atMs - killedAtMs;
}

interface Kills {
  readonly apps: readonly string[];
  readonly kills: number;
}

async function killEach(manager: Manager, folder: string, { apps, kills }: Kills): Promise<readonly number[]> {
  const times: number[] = [];
  for (let kill = 0; kill < kills; kill += 1) {
    const app = apps[kill % apps.length]!;
    await manager.reset(app);
    // Managers treat a process that lived under a second as one that never came up.
    await sleep(1_300);
    times.push(await killAndWait(folder, app));
  }
  return times;
}

async function killTimes(manager: Manager, appCount: number, kills: number): Promise<readonly number[]> {
  const folder = await mkdtemp(join(tmpdir(), 'svcb-'));
  const apps = namesOf(appCount);
  try {
    await begin(manager, folder, apps);
    await sleep(3_000);
    return await killEach(manager, folder, { apps, kills });
  } finally {
    await manager.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function killRow(appCount: number, kills: number): Promise<Row> {
  const ours = await killTimes(ourManager(), appCount, kills);
  const pm2 = await killTimes(pm2Manager(), appCount, kills);
  const supervisord = await killTimes(supervisordManager(), appCount, kills);
  const told = (times: readonly number[]): string => percentilesOf(times, (value) => `${value.toFixed(1)} ms`);
  return {
    name: `kill -9 → running again, ${appCount} app${appCount > 1 ? 's' : ''}, ${kills} times`,
    ours: told(ours),
    peer: `PM2 ${told(pm2)} · supervisord ${told(supervisord)}`,
    ratio: `${(median(ours) / median(pm2)).toFixed(2)} · ${(median(ours) / median(supervisord)).toFixed(4)}`,
    target: 'p50 ≤ 1,020 ms, of which the specification waits 1 s',
    held: median(ours) <= 1_020,
  };
}

interface Rest {
  readonly people: number;
  readonly appCount: number;
  readonly settleMs: number;
  readonly idleMs: number;
}

interface Cost {
  readonly cpuPercent: number;
  readonly pssMib: number;
}

/** Measures the managers of each kind side by side, one a person, while nothing happens. */
async function costsAtRest(kinds: readonly (() => Manager)[], { people, appCount, settleMs, idleMs }: Rest): Promise<readonly Cost[]> {
  const root = await mkdtemp(join(tmpdir(), 'svcb-'));
  const groups = kinds.map((create) => Array.from({ length: people }, create));
  const all = groups.flat();
  try {
    await Promise.all(all.map((manager, at) => begin(manager, join(root, `p${at}`), namesOf(appCount))));
    await sleep(settleMs);
    const pids = groups.map((managers) => managers.flatMap((manager) => manager.managerPids()));
    const [before, fromMs] = [await Promise.all(pids.map(cpuMsOfAll)), performance.now()];
    await sleep(idleMs);
    const [after, tookMs] = [await Promise.all(pids.map(cpuMsOfAll)), performance.now() - fromMs];
    const pss = await Promise.all(pids.map(pssMibOfAll));
    return pss.map((pssMib, kind) => ({ pssMib, cpuPercent: (100 * (after[kind]! - before[kind]!)) / tookMs }));
  } finally {
    await Promise.all(all.map((manager) => manager.stop()));
    await rm(root, { recursive: true, force: true });
  }
}

const mb = (value: number): string => `${value.toFixed(1)} MB`;
const percent = (value: number): string => `${value.toFixed(3)} %`;

/** Compares one cost with supervisord, and with PM2 where it ran. */
function costRow(name: string, show: (value: number) => string, of: (cost: Cost) => number, costs: readonly Cost[]): Row {
  const [ours = Number.NaN, supervisord = Number.NaN, pm2] = costs.map(of);
  return {
    name,
    ours: show(ours),
    peer: `supervisord ${show(supervisord)}${pm2 === undefined ? '' : ` · PM2 ${show(pm2)}`}`,
    ratio: `${(ours / supervisord).toFixed(2)}${pm2 === undefined ? '' : ` · ${(ours / pm2).toFixed(2)}`}`,
    target: "≤ supervisord's",
    held: ours <= supervisord,
  };
}

const cpuOf = ({ cpuPercent }: Cost): number => cpuPercent;
const pssOf = ({ pssMib }: Cost): number => pssMib;

/** An empty process of Node beside this one, with the flags of bin/svc-app-supervisor: below this no supervisor in Node gets. */
async function floorRow(supervisord: Cost): Promise<Row> {
  const shim = await readFile(new URL('../bin/svc-app-supervisor', import.meta.url), 'utf8');
  const command = shim.slice(shim.lastIndexOf('exec flock'));
  const flags = [...command.matchAll(/ (--[a-z0-9-]+(=[A-Za-z0-9]+)?)(?= |$)/gm)]
    .map(([, flag]) => flag!)
    .filter((flag) => flag !== '--no-fork');
  const child = spawn(process.execPath, [...flags, '--eval', 'setInterval(() => {}, 1e9)'], { stdio: 'ignore' });
  try {
    await once(child, 'spawn');
    await sleep(2_000);
    const pssMib = await pssMibOfAll([child.pid!]);
    return {
      name: '… of these an empty Node process with the same flags',
      ours: mb(pssMib),
      peer: `supervisord ${mb(supervisord.pssMib)}`,
      ratio: (pssMib / supervisord.pssMib).toFixed(2),
      target: 'the floor',
      held: null,
    };
  } finally {
    child.kill();
    await once(child, 'exit');
  }
}

const pair = [ourManager, supervisordManager] as const;

interface Graphs {
  readonly supervisor: Profiling;
  readonly portal: Profiling;
}

/** Two graphs: of the supervisor, and of what the portal does about it, which is in this process beside the killing. */
async function profiled({ supervisor, portal }: Graphs, short: boolean): Promise<readonly Row[]> {
  const { appCount, kills, idleMs } = short ? { appCount: 20, kills: 10, idleMs: 30_000 } : { appCount: 200, kills: 15, idleMs: 60_000 };
  sayStep(`supervision: the profile of ${kills} kills and ${appCount} apps at rest`);
  const folder = await mkdtemp(join(tmpdir(), 'svcb-'));
  const manager = inspectableManager();
  try {
    const apps = namesOf(appCount);
    await begin(manager, folder, apps);
    await sleep(3_000);
    const [inspected, self] = [await manager.inspected(), inspectSelf()];
    await Promise.all([supervisor.begin(inspected), portal.begin(self)]);
    const times = await killEach(manager, folder, { apps, kills });
    await sleep(idleMs);
    await Promise.all([supervisor.end(inspected), portal.end(self)]);
    for (const looked of [inspected, self]) looked.close();
    const what = `${kills} kills of ${appCount} apps, and ${idleMs / 1_000} s at rest`;
    supervisor.write(`The supervisor: ${what}`);
    portal.write(`The portal's side of a supervisor, in the bench itself: ${what}`);
    const name = `kill -9 → running again, ${appCount} apps, ${kills} times, with the profiler`;
    const ours = percentilesOf(times, (value) => `${value.toFixed(1)} ms`);
    return [{ name, ours, peer: '–', ratio: '–', target: 'none: what is measured is the graph', held: null }];
  } finally {
    await manager.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

export const supervisionArea: Area = async ({ short }) => {
  const [supervisor, portal] = [profilingOf('supervisor'), profilingOf('portal')];
  if (supervisor !== null && portal !== null) return await profiled({ supervisor, portal }, short);
  const rows: Row[] = [];
  const step = (text: string): void => sayStep(`supervision: ${text}`);
  for (const appCount of short ? [1] : [1, 20]) {
    step(`kills of ${appCount}`);
    rows.push(await killRow(appCount, short ? 3 : appCount === 1 ? 5 : 15));
  }
  // The first question after an app's health comes within its first minute; in what a start leaves to do PM2 has nothing like that.
  const rest = { settleMs: short ? 25_000 : 65_000, idleMs: 20_000 };
  const many = short ? 20 : 200;
  step(`${many} apps at rest`);
  const manyApps = { ...rest, people: 1, appCount: many };
  const atMany = [...(await costsAtRest(pair, manyApps)), ...(await costsAtRest([pm2Manager], { ...manyApps, settleMs: 10_000 }))];
  rows.push(costRow(`idle CPU of the manager, ${many} apps`, percent, cpuOf, atMany));
  rows.push(costRow(`memory (PSS) of the manager, ${many} apps`, mb, pssOf, atMany));
  step('one person with 10 apps');
  const atOne = await costsAtRest(pair, { people: 1, appCount: 10, settleMs: 25_000, idleMs: 1_000 });
  rows.push(costRow('memory (PSS) of the manager, one person with 10 apps', mb, pssOf, atOne), await floorRow(atOne[1]!));
  const people = short ? 5 : 20;
  step(`${people} people with 10 apps each`);
  const everybody = { ...rest, people, appCount: 10 };
  const atAll = await costsAtRest(pair, everybody);
  rows.push(costRow(`idle CPU of ${people} managers, 10 apps each`, percent, cpuOf, atAll));
  step(`PM2, ${people} people`);
  const [pm2] = await costsAtRest([pm2Manager], { ...everybody, settleMs: 5_000, idleMs: 1_000 });
  rows.push(costRow(`memory (PSS) of ${people} managers, 10 apps each`, mb, pssOf, [...atAll, ...(pm2 === undefined ? [] : [pm2])]));
  return rows;
};
