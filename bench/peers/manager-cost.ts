/** Reads the cost of a process, as the kernel counts it. */
import { readdir, readFile } from 'node:fs/promises';

/** CPU nanoseconds of all its threads so far, finer than clock ticks. */
async function cpuNanos(pid: number): Promise<number> {
  const tasks = await readdir(`/proc/${pid}/task`);
  const texts = await Promise.all(tasks.map((task) => readFile(`/proc/${pid}/task/${task}/schedstat`, 'utf8').catch(() => '0')));
  return texts.reduce((sum, text) => sum + Number(text.split(' ')[0]), 0);
}

async function pssKib(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8');
  return Number(/^Pss:\s+(\d+) kB/m.exec(text)?.[1] ?? Number.NaN);
}

const totalOf = async (pids: readonly number[], of: (pid: number) => Promise<number>): Promise<number> =>
  (await Promise.all(pids.map(of))).reduce((sum, value) => sum + value, 0);

export const cpuMsOfAll = async (pids: readonly number[]): Promise<number> => (await totalOf(pids, cpuNanos)) / 1e6;
export const pssMibOfAll = async (pids: readonly number[]): Promise<number> => (await totalOf(pids, pssKib)) / 1_024;
