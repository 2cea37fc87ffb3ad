/**
 * Cluster driver `slurm`: its commands on a server, over the same ssh as everything else there. Commands for a job run as the account of
 * the person, the listing of all jobs as the server's administrator. Jobs that squeue has forgotten (MinJobAge) are found in accounting,
 * where there is some, and in the files that the wrapper left in the job's folder. Decision: docs/decisions/0212-clusters.md
 */
import type { Clock } from '../../schema/clock.ts';
import { SvcError } from '../../schema/errors.ts';
import type { Cluster, ClusterSeen } from './cluster.ts';
import { jobFiles } from './job-files.ts';
import { callScript, checkJobName, endOf, filePairs, readRecords, unreadJob, type JobRecord, type RunThere } from './job-server.ts';
import { limits } from './limits.ts';
import { createPace, inGroups } from './pace.ts';
import { readAccounting, readRow, sbatchOptions, type SlurmRow, type SlurmWishes } from './slurm-rows.ts';

export interface SlurmClusterOptions extends SlurmWishes {
  readonly name: string;
  /** Runs a program on the server: Host.run. */
  readonly run: RunThere;
  /** The jobs that the portal has under way there: what a restarted portal looks for. */
  readonly jobs: () => readonly { readonly name: string; readonly account: string }[];
  readonly bin?: string;
  readonly conf?: string;
  readonly clock: Clock;
  /** Tests: pauses of the wrapper. */
  readonly pace?: string;
}

/** Below the home of the account, which every node has. */
const folder = '.svc-jobs';

const msOf: Readonly<Record<string, number>> = { submit: limits.submitMsMax, records: limits.accountAnswerMsMax };

interface State {
  /** The program that runs images on the server; its nodes are taken to have the same. `plain`: none. */
  isolation: string;
  readonly options: SlurmClusterOptions;
  /** Account of each job that was seen or submitted. */
  readonly owners: Map<string, string>;
  /** Jobs that ended, as long as their folders are there. */
  readonly ended: Map<string, ClusterSeen>;
  readonly ask: (account: string | null, signal: AbortSignal, verb: string, ...words: readonly string[]) => Promise<readonly string[]>;
}

export function createSlurmCluster(options: SlurmClusterOptions): Cluster {
  const state = stateOf(options);
  const ownerOf = async (name: string, signal: AbortSignal): Promise<string | null> => {
    checkJobName(name);
    if (!state.owners.has(name)) await list(state, name, signal);
    return state.owners.get(name) ?? null;
  };
  return {
    name: options.name,
    get isolation() {
      return state.isolation;
    },
    list: async (prefix, signal) => {
      const seen = await list(state, prefix, signal);
      return seen.slice(0, limits.jobsListedMax);
    },
    submit: async (job, signal) => {
      checkJobName(job.name);
      if (job.account === null) throw new SvcError('REFUSED', 'a job on Slurm needs the account of its person');
      const files = filePairs(jobFiles(job, { ...(options.pace !== undefined && { pace: options.pace }) }));
      const words = sbatchOptions(job, options);
      try {
        await state.ask(job.account, signal, 'submit', folder, job.name, String(words.length), ...words, ...files);
      } finally {
        state.owners.set(job.name, job.account);
      }
    },
    cancel: async (name, signal) => {
      const account = await ownerOf(name, signal);
      if (account !== null) await state.ask(account, signal, 'scancel', folder, name);
    },
    forget: async (name, signal) => {
      const account = await ownerOf(name, signal);
      if (account !== null) await state.ask(account, signal, 'remove', folder, name);
      state.owners.delete(name);
      state.ended.delete(name);
    },
    close: async () => undefined,
  };
}

function stateOf(options: SlurmClusterOptions): State {
  const turn = createPace(options.clock, limits.schedulerCallsPerSecondMax);
  return {
    options,
    isolation: 'plain',
    owners: new Map(),
    ended: new Map(),
    ask: async (account, signal, verb, ...words) => {
      const asksScheduler = !['records', 'remove'].includes(verb);
      if (asksScheduler) await turn(signal);
      const where = asksScheduler ? [options.bin ?? '', options.conf ?? ''] : [];
      const msMax = msOf[verb] ?? limits.clusterAnswerMsMax;
      return await callScript(options.run, ['server.sh', 'slurm.sh'], { account, words: [verb, ...where, ...words], signal, msMax });
    },
  };
}

/**
 * The scheduler's list first. Folders are read only of accounts with a job which the list does not show as going on; a job whose folder
 * shows no end is looked for in the list once more: it may be younger than the first. An account that can't be read keeps its own jobs as
 * they are, and no others.
 */
async function list(state: State, prefix: string, signal: AbortSignal): Promise<readonly ClusterSeen[]> {
  const { owners, ended } = state;
  const rows = await rowsOf(state, prefix, signal);
  for (const { name, account } of state.options.jobs()) if (name.startsWith(prefix)) owners.set(name, account);
  // The portal's own record wins: Slurm cuts a long name, and may know the account under another spelling.
  const addOwners = (): void => {
    for (const [name, { account }] of rows) if (!owners.has(name)) owners.set(name, account);
  };
  addOwners();
  const over = [...owners].filter(([name]) => name.startsWith(prefix) && !isGoingOn(rows.get(name)) && !ended.has(name));
  const accounts = [...new Set(over.map(([, account]) => account))];
  const answers = await inGroups(accounts, limits.accountsAtOnceMax, async (account) => await recordsOf(state, account, prefix, signal));
  addOwners();
  const records = answers.flatMap((answer) => answer.records);
  const open = records.filter(({ name, code, id }) => !isGoingOn(rows.get(name)) && code === null && id !== '');
  const again = open.some(({ name }) => !rows.has(name)) ? await rowsOf(state, prefix, signal) : rows;
  const told = await accountingOf(
    state,
    open.filter(({ name }) => !again.has(name)),
    signal,
  );
  // A missing folder proves something only for a job that was over before the folders were read.
  const shown = new Map([...again].map(([name, { seen }]) => [name, asOf(seen, rows.get(name)?.seen)] as const));
  for (const record of records) {
    const row = rows.get(record.name);
    if (isGoingOn(row) || ended.has(record.name) || (row === undefined && again.has(record.name))) continue;
    if (told === null && row === undefined && record.code === null && record.id !== '') {
      shown.set(record.name, unreadJob(record.name, 'the accounting of Slurm does not answer'));
      continue;
    }
    const end = endWith(record, row, told?.get(record.id));
    if (end !== null) ended.set(record.name, end);
  }
  for (const [name, one] of ended) if (name.startsWith(prefix) && !isGoingOn(again.get(name))) shown.set(name, one);
  for (const { account, error } of answers) {
    if (error === null) continue;
    for (const [name, owner] of over) if (owner === account && !shown.has(name)) shown.set(name, unreadJob(name, error.message));
  }
  for (const name of answers.flatMap((answer) => answer.unread)) if (!shown.has(name)) shown.set(name, unreadJob(name, 'its folder'));
  return [...shown.values()];
}

/** The later observation for jobs that are there, the earlier one for jobs that are over: between the two the job may have ended. */
function asOf(later: ClusterSeen, earlier: ClusterSeen | undefined): ClusterSeen {
  if (later.state === 'waiting' || later.state === 'running') return later;
  return earlier ?? { ...later, state: 'running', exitCode: null, endedAtMs: null };
}

const isGoingOn = (row: SlurmRow | undefined): boolean => row !== undefined && ['waiting', 'running'].includes(row.seen.state);

/** Null: nothing says that it ever was a job of the cluster. */
function endWith(record: JobRecord, row: SlurmRow | undefined, told: Omit<ClusterSeen, 'name' | 'place'> | undefined): ClusterSeen | null {
  const id = row?.seen.id ?? record.id;
  const { name } = record;
  if (record.code !== null) return endOf(record, id);
  // How the cluster ended it is what there is to tell: the wrapper was not asked.
  if (row !== undefined) return row.seen.state === 'ended' ? { ...endOf(record, id), note: row.seen.note } : row.seen;
  if (told !== undefined) return { ...told, name, place: null };
  return record.id === '' && !record.claimed ? null : endOf(record, id);
}

async function rowsOf(state: State, prefix: string, signal: AbortSignal): Promise<ReadonlyMap<string, SlurmRow>> {
  const found = new Map<string, SlurmRow>();
  const lines = await state.ask(null, signal, 'jobs', prefix);
  state.isolation = lines.flatMap((line) => /^runtime\t(apptainer|singularity)$/.exec(line)?.[1] ?? [])[0] ?? 'plain';
  for (const line of lines) {
    const row = readRow(line);
    if (row !== null && isBetter(row, found.get(row.seen.name))) found.set(row.seen.name, row);
  }
  return found;
}

/** Prefers, among rows with one name, the one that runs, then one that waits, then the first: the wrapper lets only one of them run. */
function isBetter({ seen }: SlurmRow, than: SlurmRow | undefined): boolean {
  if (than === undefined) return true;
  const rank = ({ state }: ClusterSeen): number =>
    ['running', 'waiting'].indexOf(state) + 3 * Number(!['running', 'waiting'].includes(state));
  return rank(seen) < rank(than.seen) || (rank(seen) === rank(than.seen) && BigInt(seen.id) < BigInt(than.seen.id));
}

interface Records {
  readonly account: string;
  readonly records: readonly JobRecord[];
  /** Jobs whose folders can't be read now. */
  readonly unread: readonly string[];
  /** Why they can't be read: the account is a person's, who may do with it what they like. */
  readonly error: SvcError | null;
}

async function recordsOf({ ask, owners }: State, account: string, prefix: string, signal: AbortSignal): Promise<Records> {
  try {
    const lines = await ask(account, signal, 'records', folder, prefix);
    const { records, unread } = readRecords(lines);
    const names = new Set([...records.map(({ name }) => name), ...unread]);
    // Jobs without a folder were refused or removed.
    for (const [name, owner] of owners) if (owner === account && name.startsWith(prefix) && !names.has(name)) owners.delete(name);
    for (const name of names) owners.set(name, account);
    return { account, records, unread, error: null };
  } catch (error) {
    if (!(error instanceof SvcError) || error.code === 'CANCELLED') throw error;
    return { account, records: [], unread: [], error };
  }
}

/** Null: the accounting does not answer now, which says nothing of how they ended. */
async function accountingOf(
  state: State,
  records: readonly JobRecord[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Omit<ClusterSeen, 'name' | 'place'>> | null> {
  const ids = records.map(({ id }) => id).filter((id) => /^[0-9]{1,20}$/.test(id));
  const lines: string[] = [];
  for (let at = 0; at < ids.length; at += idsAtOnce)
    lines.push(...(await state.ask(null, signal, 'accounting', ...ids.slice(at, at + idsAtOnce))));
  if (lines.includes('unknown')) return null;
  return new Map(lines.flatMap((line) => readAccounting(line) ?? []).map((one) => [one.id, one]));
}

const idsAtOnce = 500;
