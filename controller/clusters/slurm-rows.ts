/** Reads Slurm's rows about jobs, as kit/job/slurm.sh prints them. Pure. */
import { isAccountName } from '../../schema/account-name.ts';
import type { ClusterJob, ClusterSeen, ClusterState } from './cluster.ts';
import { jobNamePattern, noteOf } from './job-server.ts';
import { limits } from './limits.ts';

/** A job that squeue shows. */
export interface SlurmRow {
  readonly seen: ClusterSeen;
  readonly account: string;
}

/**
 * States of squeue and sacct, by their first word ("CANCELLED by 1000"). A state that is missing here does not end a job. Source:
 * squeue(1), JOB STATE CODES.
 */
const states: Readonly<Record<string, ClusterState>> = {
  PENDING: 'waiting',
  CONFIGURING: 'waiting',
  REQUEUED: 'waiting',
  REQUEUE_FED: 'waiting',
  REQUEUE_HOLD: 'waiting',
  SPECIAL_EXIT: 'waiting',
  RESV_DEL_HOLD: 'waiting',
  COMPLETED: 'ended',
  FAILED: 'ended',
  CANCELLED: 'cancelled',
  REVOKED: 'cancelled',
  BOOT_FAIL: 'failed',
  DEADLINE: 'failed',
  NODE_FAIL: 'failed',
  OUT_OF_MEMORY: 'failed',
  PREEMPTED: 'failed',
  TIMEOUT: 'failed',
};

const columns = [24, 24, 16, 24, 24, 40, 40, 60, 80] as const;

/** Null for what is no row of a job of ours. */
export function readRow(line: string): SlurmRow | null {
  const [word, place = '', ...rest] = line.split('\t');
  if (word !== 'job') return null;
  const row = rest.join('\t');
  let at = 0;
  const cells = columns.map((width) => {
    at += width;
    return row.slice(at - width, at).trim();
  });
  const [id = '', state = '', exit = '', start, end, account = '', , reason = '', name = ''] = cells;
  if (!jobNamePattern.test(name) || !/^[0-9]{1,20}$/.test(id) || !isAccountName(account)) return null;
  const is = stateOf(state);
  const isWaiting = is === 'waiting';
  return {
    account,
    seen: {
      name,
      id,
      state: is,
      note: noteFor(state, reason),
      exitCode: is === 'ended' ? exitCodeOf(exit) : null,
      startedAtMs: isWaiting ? null : instant(start),
      endedAtMs: isWaiting || is === 'running' ? null : instant(end),
      place: isWaiting && /^[1-9]\d{0,8}$/.test(place) ? Number(place) : null,
    },
  };
}

/** A row of sacct: id, state, exit code, start, end. Null for one of a job that did not end. */
export function readAccounting(line: string): Omit<ClusterSeen, 'name' | 'place'> | null {
  const [word, row = ''] = line.split('\t');
  const [id = '', state = '', exit = '', start, end] = row.split('|');
  if (word !== 'ended' || !/^[0-9]{1,20}$/.test(id)) return null;
  const is = stateOf(state);
  if (is === 'waiting' || is === 'running') return null;
  return {
    id,
    state: is,
    note: noteFor(state, ''),
    exitCode: is === 'ended' ? exitCodeOf(exit) : null,
    startedAtMs: instant(start),
    endedAtMs: instant(end),
  };
}

function stateOf(word: string): ClusterState {
  return states[word.split(' ')[0] ?? ''] ?? 'running';
}

function noteFor(state: string, reason: string): string {
  return noteOf(['None', '', '(null)'].includes(reason) ? state : `${state} (${reason})`);
}

/** `3:0`: exit code and signal. squeue prints the whole wait status in some versions. */
function exitCodeOf(text: string): number | null {
  const [code = '', signal = '0'] = text.split(':');
  if (!/^\d{1,9}$/.test(code) || !/^\d{1,3}$/.test(signal)) return null;
  return Number(signal) > 0 ? 128 + Number(signal) : Number(code);
}

function instant(text: string | undefined): number | null {
  return text !== undefined && /^[1-9]\d{0,11}$/.test(text) ? Number(text) * 1_000 : null;
}

/** Options of sbatch for a backend of an app. Its own end comes first: Slurm's is for a node that does not see to it. */
export const backendOptions = (amounts: ClusterJob['limits'], wishes: SlurmWishes): readonly string[] =>
  sbatchOptions({ name: '', limits: amounts }, wishes).filter((option) => !/^--(?:job-name|comment)=/.test(option));

export interface SlurmWishes {
  readonly partition?: string;
  readonly account?: string;
  readonly qos?: string;
}

/** Options of sbatch for a job. Nothing secret, nothing of a person: `scontrol show job` shows them to everybody. */
export function sbatchOptions(
  { name, limits: wanted }: Pick<ClusterJob, 'name' | 'limits'>,
  { partition, account, qos }: SlurmWishes,
): readonly string[] {
  return [
    `--job-name=${name}`,
    `--comment=${name}`,
    '--nodes=1',
    '--ntasks=1',
    `--cpus-per-task=${wanted.cpus}`,
    `--mem=${wanted.memoryMb}M`,
    `--time=${Math.ceil((wanted.seconds + limits.jobDeliverySeconds) / 60) + 1}`,
    ...(wanted.gpus > 0 ? [`--gpus=${wanted.gpus}`] : []),
    // A command never runs twice: its outcome is reported instead.
    '--no-requeue',
    '--export=NONE',
    '--open-mode=append',
    ...(partition === undefined ? [] : [`--partition=${partition}`]),
    ...(account === undefined ? [] : [`--account=${account}`]),
    ...(qos === undefined ? [] : [`--qos=${qos}`]),
  ];
}
