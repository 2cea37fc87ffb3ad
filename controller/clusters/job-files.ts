/** Names of the files in a job's folder on a cluster, for the wrapper (kit/job/wrapper.sh says what each file means). */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { SvcError } from '../../schema/errors.ts';
import type { ClusterJob } from './cluster.ts';
import { limits } from './limits.ts';

const scripts = path.resolve(import.meta.dirname, '../../kit/job');

/** Text of a script of kit/job. */
export function jobScriptText(name: 'wrapper.sh' | 'server.sh' | 'slurm.sh'): string {
  return readFileSync(path.join(scripts, name), 'utf8');
}

export interface JobFilesOptions {
  /** Words before the command: what confines it. */
  readonly launch?: readonly string[];
  /** Limits by the shell, where the cluster keeps none: of each process. */
  readonly limited?: boolean;
  /** Whether something on the cluster runs the image itself. */
  readonly ownImage?: boolean;
  readonly pace?: string;
}

const words = (list: readonly string[]): string => list.map((word) => `${word}\0`).join('');

/** By name. Throws REFUSED for what no cluster could run. */
export function jobFiles(job: ClusterJob, options: JobFilesOptions = {}): Readonly<Record<string, string>> {
  const { cpus, memoryMb, seconds } = job.limits;
  const environment = Object.entries(job.env).map(([name, value]) => {
    if (!/^[A-Za-z_][A-Za-z0-9_]{0,127}$/.test(name)) throw new SvcError('REFUSED', 'a name in the environment is none of a variable');
    return `${name}=${value}`;
  });
  const everything = [...job.command, ...environment];
  if (job.command.length === 0 || everything.some((word) => word.includes('\0')) || words(everything).length > limits.jobCommandBytesMax) {
    throw new SvcError('REFUSED', `a command has at least one word, no NUL and at most ${limits.jobCommandBytesMax} bytes`);
  }
  for (const line of [job.report.url, job.report.token, job.image ?? '']) {
    if (/[\s\u0000-\u001f\u007f]/.test(line))
      throw new SvcError('REFUSED', 'the address, the token or the image of a job is no plain word');
  }
  return {
    url: `${job.report.url}\n`,
    header: `Authorization: Bearer ${job.report.token}\n`,
    seconds: `${seconds}\n`,
    delivery: `${limits.jobDeliverySeconds}\n`,
    command: words(job.command),
    env: words(environment),
    launch: words(options.launch ?? []),
    ...(job.image !== null && options.ownImage !== true && { image: `${job.image}\n` }),
    ...(options.limited === true && { memory: `${memoryMb * 1_024}\n`, cpu: `${seconds * cpus}\n` }),
    ...(options.pace !== undefined && { pace: `${options.pace}\n` }),
    wrapper: jobScriptText('wrapper.sh'),
  };
}
