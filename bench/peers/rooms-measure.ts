/** Readings of a load process while it works: CPU of the server and its own, percentiles; and how it hands over its figures. */
import { readdirSync, readFileSync } from 'node:fs';
import type { Access } from './rooms-access.ts';
import type { Turn } from './rooms-turns.ts';
import type { DialectName } from './rooms-wire.ts';

/** Processes whose CPU is counted. */
export interface ServerProcesses {
  readonly pids: readonly number[];
  /** The process of what they keep things in, counted by itself with those that it started; null: nothing. */
  readonly store: number | null;
}

export interface ScenarioInput {
  readonly access: Access;
  readonly dialect: DialectName;
  /** Process id of the server: the first of its processes. */
  readonly pid: number;
  readonly work: ServerProcesses;
  /** How much there is to do. */
  readonly seconds: number;
  readonly slices: number;
  readonly turn: Turn;
}

/** `problems` is empty when every check held; a figure counts only then. */
export interface LoadResult {
  readonly figures: Readonly<Record<string, number>>;
  readonly problems: readonly string[];
}

/** User and system time of all threads of a process, ended ones too, in seconds (the kernel says hundredths). */
export function cpuSeconds(pid: number): number {
  const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** Time on a CPU of each living thread, in seconds to the nanosecond. */
function threadSeconds(pid: number): ReadonlyMap<string, number> {
  const folder = `/proc/${pid}/task`;
  return new Map(readdirSync(folder).map((id) => [id, Number(readFileSync(`${folder}/${id}/schedstat`, 'latin1').split(' ')[0]) / 1e9]));
}

export function rssKb(pid: number): number {
  return Number(/^Rss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1'))?.[1]);
}

/** CPU seconds of a database and the processes that it has at the moment. */
export function storeSeconds(pid: number | null): number {
  if (pid === null) return 0;
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').split(' ').filter(Boolean).map(Number);
  return [pid, ...children].reduce((sum, one) => sum + [...threadSeconds(one).values()].reduce((total, each) => total + each, 0), 0);
}

export interface Window {
  readonly seconds: number;
  readonly serverCpuSeconds: number;
  readonly storeCpuSeconds: number;
  /** Share of one CPU that the load itself took. */
  readonly loadCpu: number;
}

/** The CPU of one process from now on. */
function countCpu(pid: number): () => number {
  const coarse = cpuSeconds(pid);
  const before = threadSeconds(pid);
  return () => {
    const now = threadSeconds(pid);
    // The time of an ended thread is in the sum of the process alone.
    if ([...before.keys()].some((id) => !now.has(id))) return cpuSeconds(pid) - coarse;
    return [...now].reduce((sum, [id, spent]) => sum + spent - (before.get(id) ?? 0), 0);
  };
}

export function openWindow({ pids, store }: ServerProcesses): () => Window {
  const startMs = performance.now();
  const counts = pids.map(countCpu);
  const storeBefore = storeSeconds(store);
  const own = process.cpuUsage();
  return () => {
    const seconds = (performance.now() - startMs) / 1_000;
    const used = process.cpuUsage(own);
    const serverCpuSeconds = counts.reduce((sum, count) => sum + count(), 0);
    const storeCpuSeconds = storeSeconds(store) - storeBefore;
    return { seconds, serverCpuSeconds, storeCpuSeconds, loadCpu: (used.user + used.system) / 1e6 / seconds };
  };
}

export interface SteadyWork {
  readonly work: ServerProcesses;
  readonly perSecond: number;
  readonly seconds: number;
  readonly act: () => void;
  /** In which the receivers write down how long each message was on its way, in ms. */
  readonly latencies: number[];
  readonly allSeen: () => boolean;
}

/** Measures a slice at a steady pace: shares of a CPU of server and load, and the delays. */
export async function steady({ work, perSecond, seconds, act, latencies, allSeen }: SteadyWork) {
  latencies.length = 0;
  const window = openWindow(work);
  await paced(perSecond, seconds, act);
  const { seconds: took, serverCpuSeconds, storeCpuSeconds, loadCpu } = window();
  await cameTrue(allSeen, 15_000);
  const cpu = serverCpuSeconds / took;
  const cpuSecondsPer100k = (cpu * 1e5) / perSecond;
  const storeCpu = storeCpuSeconds / took;
  return { cpu, cpuSecondsPer100k, storeCpu, load: loadCpu, p50Ms: percentile(latencies, 0.5), p99Ms: percentile(latencies, 0.99) };
}

/** Resolves once the process has used less than 2 % of a CPU for a second, or after `msMax`. */
export async function untilQuiet(pid: number, msMax: number): Promise<void> {
  const endMs = performance.now() + msMax;
  for (let before = cpuSeconds(pid); performance.now() < endMs;) {
    await after(1_000);
    const now = cpuSeconds(pid);
    if (now - before < 0.02) return;
    before = now;
  }
}

export const after = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Waits for `look` to hold; answers whether it did. */
export async function cameTrue(look: () => boolean, msMax: number): Promise<boolean> {
  const endMs = performance.now() + msMax;
  while (!look()) {
    if (performance.now() > endMs) return false;
    await after(10);
  }
  return true;
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = Float64Array.from(values).toSorted();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** Calls `act` `perSecond` times a second for `seconds`; what a late timer missed is made up for at once. */
export function paced(perSecond: number, seconds: number, act: (n: number) => void): Promise<void> {
  const total = Math.round(perSecond * seconds);
  const startMs = performance.now();
  let done = 0;
  return new Promise((resolve) => {
    const step = (): void => {
      const due = Math.min(total, Math.floor(((performance.now() - startMs) * perSecond) / 1_000));
      for (; done < due; done += 1) act(done);
      if (done === total) resolve();
      else setTimeout(step, 1);
    };
    step();
  });
}
