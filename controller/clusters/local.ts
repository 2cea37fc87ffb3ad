/**
 * Cluster driver `local`, the embedded default: jobs on the portal's own machine, each a process in a session of its own that outlives the
 * portal and is found again by the record in its folder (pid, start time, boot). Without bubblewrap a job is a plain process under limits of the
 * shell. There is no queue: what is submitted runs. Decision: docs/decisions/0212-clusters.md
 */
import { access, constants, realpath } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Clock } from '../../schema/clock.ts';
import { SvcError } from '../../schema/errors.ts';
import { isAbsentOrClosed } from '../../schema/system-error.ts';
import { runProgram } from '../hosts/local-run.ts';
import type { Account } from '../../schema/account-lookup.ts';
import { isRoot, ownAccounts } from '../hosts/own-account.ts';
import type { Cluster, ClusterJob, ClusterSeen } from './cluster.ts';
import { jobFiles } from './job-files.ts';
import { callScript, checkJobName, endOf, filePairs, noteOf, readRecords, unreadJob, type JobRecord, type RunThere } from './job-server.ts';
import { limits } from './limits.ts';
import { wallsOf } from './walls.ts';

export interface LocalClusterOptions {
  readonly name: string;
  /** Absolute: where jobs are when they run as the account of the portal. */
  readonly folder: string;
  /** Paths that no confined job may see, for example the state folder of the portal. */
  readonly hidden: readonly string[];
  /** Paths that a confined job may read besides programs and their settings. Absent: none. */
  readonly readable?: readonly string[];
  /** Account that runs the jobs, for a portal that is root; null: the account of the portal. Their folder is in the home of the account then. */
  readonly account: string | null;
  readonly clock: Clock;
  /** Tests: without bubblewrap; and pauses of the wrapper. */
  readonly plain?: boolean;
  readonly overdueSeconds?: number;
  readonly pace?: string;
}

interface Parts {
  readonly options: LocalClusterOptions;
  readonly run: RunThere;
  folder(): Promise<string>;
  home(): Promise<string>;
  confines(signal: AbortSignal): Promise<Confinement>;
}

/** `unsized`: by a bubblewrap before 0.7, which can't bound files in memory. */
type Confinement = 'plain' | 'unsized' | 'sized';

export function createLocalCluster(options: LocalClusterOptions): Cluster {
  const parts = partsOf(options);
  const call = async (signal: AbortSignal, verb: string, ...words: readonly string[]) =>
    await callScript(parts.run, ['server.sh'], { account: null, words: [verb, await parts.folder(), ...words], signal });
  let isolation = 'plain';
  return {
    name: options.name,
    get isolation() {
      return isolation;
    },
    list: async (prefix, signal) => {
      isolation = (await parts.confines(signal)) === 'plain' ? 'plain' : 'bubblewrap';
      const lines = await call(signal, 'records', prefix, String(options.overdueSeconds ?? limits.jobOverdueSeconds));
      const { records, unread } = readRecords(lines.slice(0, limits.jobsListedMax));
      return [...records.flatMap(seenOf), ...unread.map((name) => unreadJob(name, 'its folder'))];
    },
    submit: async (job, signal) => {
      checkJobName(job.name);
      const launch = await launchOf(parts, job, signal);
      const files = jobFiles(job, { launch, limited: true, ...(options.pace !== undefined && { pace: options.pace }) });
      await call(signal, 'start', job.name, ...filePairs(files));
    },
    cancel: async (name, signal) => {
      checkJobName(name);
      await call(signal, 'stop', name, String(limits.jobStopSeconds));
    },
    forget: async (name, signal) => {
      checkJobName(name);
      await call(signal, 'forget', name);
    },
    close: async () => undefined,
  };
}

function partsOf(options: LocalClusterOptions): Parts {
  const { clock, account: name } = options;
  let known: Promise<Account | null> | null = null;
  const account = async (): Promise<Account | null> => {
    known ??= accountOf(name);
    return await known.catch((error: unknown) => {
      known = null;
      throw error;
    });
  };
  const run: RunThere = async (_, command) => {
    const become = await account();
    const home = become?.home ?? process.env['HOME'] ?? '/';
    return await runProgram({ ...command, home, clock, ...(become !== null && { become }) });
  };
  let confined: Promise<Confinement> | null = null;
  const home = async (): Promise<string> => {
    const folder = (await account())?.home ?? os.homedir();
    return await realpath(folder).catch(() => folder);
  };
  return {
    options,
    run,
    home,
    folder: async () => ((await account()) === null ? options.folder : path.join(await home(), '.svc-jobs')),
    confines: async (signal) => {
      if (options.plain === true) return 'plain';
      confined ??= confinementOf(run, signal);
      return await confined.catch((error: unknown) => {
        confined = null;
        throw error;
      });
    },
  };
}

async function accountOf(name: string | null): Promise<Account | null> {
  if (name === null) return null;
  if (!isRoot()) throw new SvcError('REFUSED', `the portal does not run as root: it can't run jobs as ${name}`);
  const own = (await ownAccounts([name], undefined)).get(name);
  if (own?.kind === 'account') return own.account;
  throw new SvcError('REFUSED', own?.kind === 'portal' ? own.why.en : `there is no account ${name}`);
}

/** Whether bubblewrap is here and the kernel lets it work. Rejects where that can't be told now: a job would run without its walls. */
export async function confinementOf(run: RunThere, signal: AbortSignal, searchPath = process.env['PATH'] ?? ''): Promise<Confinement> {
  const found = await Promise.all(searchPath.split(':').map((folder) => isProgram(path.join(folder, 'bwrap'))));
  if (!found.includes(true)) return 'plain';
  const works = async (...words: readonly string[]): Promise<boolean> => {
    const argv = ['bwrap', '--unshare-pid', '--unshare-ipc', '--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', ...words, 'true'];
    const { code, said } = await run(null, { argv, stdin: '', onLine: () => undefined, signal, msMax: limits.clusterAnswerMsMax });
    if (code !== 0 && passing.test(said))
      throw new SvcError('CLUSTER_UNREACHABLE', `whether jobs can be confined can't be told now: ${noteOf(said)}`);
    return code === 0;
  };
  if (await works('--size', '65536', '--tmpfs', '/tmp')) return 'sized';
  return (await works()) ? 'unsized' : 'plain';
}

/** EAGAIN, ENOMEM, EMFILE and ENFILE in the words of bubblewrap: the machine is busy, which says nothing of what its kernel allows. */
const passing = /Resource temporarily unavailable|Cannot allocate memory|Too many open files/;

const isProgram = async (file: string): Promise<boolean> =>
  await access(file, constants.X_OK).then(
    () => true,
    (error: unknown) => {
      if (isAbsentOrClosed(error)) return false;
      throw error;
    },
  );

/** The words before the command of a job; none where nothing confines it. */
async function launchOf({ options, run, ...parts }: Parts, job: ClusterJob, signal: AbortSignal): Promise<readonly string[]> {
  const confinement = await parts.confines(signal);
  if (confinement === 'plain') return [];
  const folder = await parts.folder();
  if ((await realpath(folder).catch(() => null)) === null) {
    // Before the first job: what is not there can't be hidden.
    const argv = ['mkdir', '-p', '-m', '700', '--', folder];
    const made = await run(null, { argv, stdin: '', onLine: () => undefined, signal, msMax: limits.clusterAnswerMsMax });
    if (made.code !== 0) throw new SvcError('CLUSTER_UNREACHABLE', noteOf(made.said));
  }
  return await wallsOf({
    work: path.join(folder, job.name, 'work'),
    hidden: [...options.hidden, folder],
    homes: [await parts.home()],
    readable: options.readable ?? [],
    memoryMb: confinement === 'sized' ? job.limits.memoryMb : null,
  });
}

function seenOf(record: JobRecord): readonly ClusterSeen[] {
  if (!record.claimed) return [];
  const { name, id } = record;
  if (!record.lives) return [endOf(record, id)];
  return [{ name, id, state: 'running', note: '', exitCode: null, startedAtMs: record.begunMs, endedAtMs: null, place: null }];
}
