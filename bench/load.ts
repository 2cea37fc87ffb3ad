/** CPU as the kernel counts it, in ticks of a hundredth of a second: of the servers that are measured, and of what drives them. */
import { readFileSync } from 'node:fs';

const msPerTick = 10;

function statOf(pid: number | 'self'): readonly string[] {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return text.slice(text.lastIndexOf(') ') + 2).split(' ');
}

const sum = (fields: readonly string[], from: number, to: number): number =>
  fields.slice(from, to).reduce((total, field) => total + Number(field), 0) * msPerTick;

/** CPU time of a process and its threads, user and system. */
export const cpuMsOf = (pid: number): number => sum(statOf(pid), 11, 13);

export interface Load {
  /** Percent of one CPU that this process used since then, with all that it started and that has ended: curl, sftp, commands. */
  share(): string;
}

/** The load's own share of the machine from now on; a peer that is a command is in it, too. */
export function watchLoad(): Load {
  const own = (): number => sum(statOf('self'), 11, 15);
  const [before, fromMs] = [own(), performance.now()];
  return { share: () => `${((100 * (own() - before)) / (performance.now() - fromMs)).toFixed(0)} %` };
}
