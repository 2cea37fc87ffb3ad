/**
 * Supervision against PM2 and supervisord: the time from `kill -9` to the first instruction of the new process, idle CPU with 200 apps,
 * memory, of one and of twenty on one machine. The same backend everywhere: a shell script that notes the time and sleeps. Every manager
 * runs on its defaults; ours has its failure count reset between kills of one app (a manual start does that), so that the first
 * relaunch is what is measured.
 */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pm2Manager } from './peers/pm2.ts';
import { supervisordManager } from './peers/supervisord.ts';
import { ourManager } from './peers/our-supervisor.ts';
import { backendScript, type Manager } from './peers/manager.ts';
import { median, type Area, type Row } from './rows.ts';

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

async function killAndWait(folder: string, app: string): Promise<number> {
  const before = await starts(folder, app);
  const last = before.at(-1);
  if (last === undefined) throw new Error(`bench: ${app} never started`);
  const killedAtMs = performance.timeOrigin + performance.now();
  process.kill(last.pid, 'SIGKILL');
  const next = await until(`${app} running again`, 20_000, async () => (await starts(folder, app))[before.length] ?? null);
  return next.atMs - killedAtMs;
}

/** CPU nanoseconds of a process so far, finer than clock ticks. */
async function cpuNanos(pid: number): Promise<number> {
  const tasks = await readFile(`/proc/${pid}/schedstat`, 'utf8');
  return Number(tasks.split(' ')[0]);
}

async function pssKib(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8');
  return Number(/^Pss:\s+(\d+) kB/m.exec(text)?.[1] ?? Number.NaN);
}

interface Figures {
  readonly relaunchMs: number;
  readonly idleCpuPercent: number;
  readonly pssMib: number;
}

async function measure(manager: Manager, appCount: number, kills: number, idleMs: number, settleMs: number): Promise<Figures> {
  const folder = await mkdtemp(join(tmpdir(), 'svcb-'));
  try {
    await writeFile(join(folder, 'backend.sh'), backendScript, { mode: 0o755 });
    const apps = Array.from({ length: appCount }, (_, index) => `a${index}`);
    await manager.start(folder, apps);
    for (const app of apps) await until(`${app} started`, 120_000, async () => ((await starts(folder, app)).length > 0 ? true : null));
    await sleep(settleMs);
    const pids = manager.managerPids();
    const cpuBefore = await Promise.all(pids.map(cpuNanos));
    await sleep(idleMs);
    const cpuAfter = await Promise.all(pids.map(cpuNanos));
    const spent = cpuAfter.reduce((sum, nanos, index) => sum + nanos - (cpuBefore[index] ?? 0), 0);
    const pss = (await Promise.all(pids.map(pssKib))).reduce((sum, kib) => sum + kib, 0);
    const times: number[] = [];
    for (let kill = 0; kill < kills; kill += 1) {
      const app = apps[kill % apps.length]!;
      await manager.reset(app);
      // Managers treat a process that lived under a second as one that never came up.
      await sleep(1_300);
      times.push(await killAndWait(folder, app));
    }
    return { relaunchMs: median(times), idleCpuPercent: (spent / 1e6 / idleMs) * 100, pssMib: pss / 1024 };
  } finally {
    await manager.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** MiB of PSS, each and together, of managers side by side: one a person, as everybody runs these, with one app each. */
async function measurePeople(
  create: () => Manager,
  people: number,
  settleMs: number,
): Promise<{ readonly each: number; readonly sum: number }> {
  const root = await mkdtemp(join(tmpdir(), 'svcb-'));
  const managers: Manager[] = [];
  try {
    for (let person = 0; person < people; person += 1) {
      const folder = join(root, `p${person}`);
      await mkdir(folder);
      await writeFile(join(folder, 'backend.sh'), backendScript, { mode: 0o755 });
      const manager = create();
      managers.push(manager);
      await manager.start(folder, ['a0']);
      await until(`a0 of p${person} started`, 60_000, async () => ((await starts(folder, 'a0')).length > 0 ? true : null));
    }
    await sleep(settleMs);
    const pss = await Promise.all(managers.flatMap((manager) => manager.managerPids()).map(pssKib));
    return { each: median(pss) / 1024, sum: pss.reduce((sum, kib) => sum + kib, 0) / 1024 };
  } finally {
    for (const manager of managers) await manager.stop();
    await rm(root, { recursive: true, force: true });
  }
}

const ms = (value: number): string => `${value.toFixed(1)} ms`;
const percent = (value: number): string => `${value.toFixed(3)} %`;

export const supervisionArea: Area = async ({ short }) => {
  const kills = short ? 3 : 15;
  const idleMs = short ? 5_000 : 20_000;
  const rows: Row[] = [];
  for (const appCount of short ? [1] : [1, 20]) {
    const [ours, pm2, supervisord] = [
      await measure(ourManager(), appCount, kills, 1_000, 3_000),
      await measure(pm2Manager(), appCount, kills, 1_000, 3_000),
      await measure(supervisordManager(), appCount, kills, 1_000, 3_000),
    ];
    rows.push({
      name: `kill -9 → running again, ${appCount} app${appCount > 1 ? 's' : ''}, median of ${kills}`,
      ours: ms(ours.relaunchMs),
      peer: `PM2 ${ms(pm2.relaunchMs)} · supervisord ${ms(supervisord.relaunchMs)}`,
      ratio: `${(ours.relaunchMs / pm2.relaunchMs).toFixed(2)} · ${(ours.relaunchMs / supervisord.relaunchMs).toFixed(4)}`,
      target: '≤ 20 ms',
      held: ours.relaunchMs <= 20,
    });
  }
  const many = short ? 20 : 200;
  // What a start leaves to do (probing times, first rounds) is over by then, for every manager.
  const settleMs = short ? 5_000 : 25_000;
  const ours = await measure(ourManager(), many, 0, idleMs, settleMs);
  const pm2 = await measure(pm2Manager(), many, 0, idleMs, settleMs);
  const supervisord = await measure(supervisordManager(), many, 0, idleMs, settleMs);
  rows.push({
    name: `idle CPU of the manager, ${many} apps, ${idleMs / 1000} s`,
    ours: percent(ours.idleCpuPercent),
    peer: `PM2 ${percent(pm2.idleCpuPercent)} · supervisord ${percent(supervisord.idleCpuPercent)}`,
    ratio: `${(ours.idleCpuPercent / pm2.idleCpuPercent).toFixed(2)} · ${(ours.idleCpuPercent / supervisord.idleCpuPercent).toFixed(2)}`,
    target: "≤ supervisord's",
    held: ours.idleCpuPercent <= supervisord.idleCpuPercent,
  });
  rows.push({
    name: `memory (PSS) of the manager, ${many} apps`,
    ours: `${ours.pssMib.toFixed(1)} MB`,
    peer: `PM2 ${pm2.pssMib.toFixed(1)} MB · supervisord ${supervisord.pssMib.toFixed(1)} MB`,
    ratio: `${(ours.pssMib / pm2.pssMib).toFixed(2)} · ${(ours.pssMib / supervisord.pssMib).toFixed(2)}`,
    target: 'reported',
    held: true,
  });
  rows.push(await peopleRow(short ? 5_000 : 60_000));
  return rows;
};

async function peopleRow(settleMs: number): Promise<Row> {
  const people = 20;
  const ours = await measurePeople(ourManager, people, settleMs);
  const pm2 = await measurePeople(pm2Manager, people, settleMs);
  const supervisord = await measurePeople(supervisordManager, people, settleMs);
  const told = ({ each, sum }: typeof ours): string => `${sum.toFixed(0)} MB (${each.toFixed(1)} each)`;
  return {
    name: `memory (PSS) of ${people} managers on one machine, one a person with one app`,
    ours: told(ours),
    peer: `PM2 ${told(pm2)} · supervisord ${told(supervisord)}`,
    ratio: `${(ours.sum / pm2.sum).toFixed(2)} · ${(ours.sum / supervisord.sum).toFixed(2)}`,
    target: "≤ supervisord's",
    held: ours.sum <= supervisord.sum,
  };
}
