/** What a load process reads while it works: CPU of the server and its own, percentiles; and how it hands over its figures. */
import { readFileSync } from 'node:fs';

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

export function rssKb(pid: number): number {
  return Number(/^Rss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1'))?.[1]);
}

export interface Window {
  readonly seconds: number;
  readonly serverCpuSeconds: number;
  /** Share of one CPU that the load itself took. */
  readonly loadCpu: number;
}

export function openWindow(pid: number): () => Window {
  const startMs = performance.now();
  const server = cpuSeconds(pid);
  const own = process.cpuUsage();
  return () => {
    const seconds = (performance.now() - startMs) / 1_000;
    const used = process.cpuUsage(own);
    return { seconds, serverCpuSeconds: cpuSeconds(pid) - server, loadCpu: (used.user + used.system) / 1e6 / seconds };
  };
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
