/**
 * Cluster driver `local`, the embedded default: jobs on the portal's own machine, each a process in a session of its own that outlives the
 * portal and is found again by the record in its folder (pid, start time, boot). Without bubblewrap a job is a plain process under limits of the
 * shell. There is no queue: what is submitted runs. Decision: docs/decisions/0212-clusters.md
 */
import { access, constants } from 'node:fs/promises';
import path from 'node:path';
import type { Clock } from '../../schema/clock.ts';
import { SvcError } from '../../schema/errors.ts';
import { runProgram } from '../hosts/local-run.ts';
import type { Account } from '../../schema/account-lookup.ts';
import { isRoot, ownAccounts } from '../hosts/own-account.ts';
import type { Cluster, ClusterSeen } from './cluster.ts';
import { jobFiles } from './job-files.ts';
import { callScript, checkJobName, endOf, filePairs, readRecord, type JobRecord, type RunThere } from './job-server.ts';
import { limits } from './limits.ts';

export interface LocalClusterOptions {
  readonly name: string;
  /** Absolute: where jobs are when they run as the account of the portal. */
  readonly folder: string;
  /** What no job may see where it is confined, for example the state folder of the portal. */
  readonly hidden: readonly string[];
  /** Who runs the jobs, for a portal that is root; null: the account of the portal. Their folder is in the home of the account then. */
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
  confines(signal: AbortSignal): Promise<boolean>;
}

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
      isolation = (await parts.confines(signal)) ? 'bubblewrap' : 'plain';
      const lines = await call(signal, 'records', prefix, String(options.overdueSeconds ?? limits.jobOverdueSeconds));
      return lines.slice(0, limits.jobsListedMax).flatMap((line) => seenOf(readRecord(line)));
    },
    submit: async (job, signal) => {
      checkJobName(job.name);
      const confined = await parts.confines(signal);
      const folder = path.join(await parts.folder(), job.name);
      const launch = confined ? confinement(options, folder) : [];
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
  let confined: Promise<boolean> | null = null;
  return {
    options,
    run,
    folder: async () => {
      const become = await account();
      return become === null ? options.folder : path.join(become.home, '.svc-jobs');
    },
    confines: async (signal) => {
      if (options.plain === true) return false;
      confined ??= isConfining(run, signal);
      return await confined.catch(() => {
        confined = null;
        return false;
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

/** Whether bubblewrap is here and the kernel lets it work. */
async function isConfining(run: RunThere, signal: AbortSignal): Promise<boolean> {
  const places = (process.env['PATH'] ?? '').split(':').map((folder) => path.join(folder, 'bwrap'));
  const found = await Promise.all(
    places.map((file) =>
      access(file, constants.X_OK).then(
        () => true,
        () => false,
      ),
    ),
  );
  if (!found.includes(true)) return false;
  const argv = ['bwrap', ...walls, 'true'];
  const end = await run(null, { argv, stdin: '', onLine: () => undefined, signal, msMax: limits.clusterAnswerMsMax });
  return end.code === 0;
}

const walls = [
  '--die-with-parent',
  '--unshare-pid',
  '--unshare-ipc',
  '--new-session',
  '--ro-bind',
  '/',
  '/',
  '--dev',
  '/dev',
  '--proc',
  '/proc',
];

/** The machine's files read-only without homes, sockets and what the portal has; its own work folder to write in. The network is the machine's. */
function confinement({ hidden }: LocalClusterOptions, folder: string): readonly string[] {
  const empty = ['/tmp', '/var/tmp', '/run', '/root', '/home', ...hidden].flatMap((one) => ['--tmpfs', one]);
  const work = path.join(folder, 'work');
  const names = ['--ro-bind-try', '/run/systemd/resolve', '/run/systemd/resolve'];
  return ['bwrap', ...walls, ...empty, ...names, '--bind', work, work, '--chdir', work];
}

function seenOf(record: JobRecord | null): readonly ClusterSeen[] {
  if (record === null || !record.claimed) return [];
  const { name, id } = record;
  if (!record.lives) return [endOf(record, id)];
  return [{ name, id, state: 'running', note: '', exitCode: null, startedAtMs: record.begunMs, endedAtMs: null, place: null }];
}
