/** Memory of processes, with what they share divided among those that share it. */
import { readFileSync } from 'node:fs';

/** In MiB. */
export function pssMib(pids: readonly number[]): number {
  const kb = (pid: number): number =>
    Number(/^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1'))?.[1] ?? Number.NaN);
  return pids.reduce((sum, pid) => sum + kb(pid), 0) / 1_024;
}
