/**
 * Cluster driver `slurm`: its commands on a server, over the same ssh as everything else there; those of a job as the account of the person, the look
 * at all of them as who administers the server. What squeue has forgotten (MinJobAge) is known by accounting, where there is some, and by what
 * the wrapper left in the job's folder. Decision: docs/decisions/0212-clusters.md
 */
import type { Clock } from '../../schema/clock.ts';
import { SvcError } from '../../schema/errors.ts';
import type { Cluster, ClusterSeen } from './cluster.ts';
import { jobFiles } from './job-files.ts';
import { callScript, checkJobName, endOf, filePairs, readRecord, type JobRecord, type RunThere } from './job-server.ts';
import { limits } from './limits.ts';
import { createPace, inGroups } from './pace.ts';
import { readAccounting, readRow, sbatchOptions, type SlurmRow, type SlurmWishes } from './slurm-rows.ts';

export interface SlurmClusterOptions extends SlurmWishes {
  readonly name: string;
  /** Runs a program on the server: Host.run. */
  readonly run: RunThere;
  /** Accounts that may have jobs there: those of the people of the server. */
  readonly accounts: () => readonly string[];
  readonly bin?: string;
  readonly conf?: string;
  readonly clock: Clock;
  /** Tests: pauses of the wrapper. */
  readonly pace?: string;
}

/** Below the home of the account, which every node has. */
const folder = '.svc-jobs';

interface State {
  readonly options: SlurmClusterOptions;
  /** Whose each job is that was seen or submitted. */
  readonly owners: Map<string, string>;
  /** Jobs that ended, as long as their folders are there. */
  readonly ended: Map<string, ClusterSeen>;
  /** Accounts whose folders were read since the portal started, each behind the prefix. */
  readonly read: Set<string>;
  ask(account: string | null, signal: AbortSignal, verb: string, ...words: readonly string[]): Promise<readonly string[]>;
}

export function createSlurmCluster(options: SlurmClusterOptions): Cluster {
  const state = stateOf(options);
  const ownerOf = async (name: string, signal: AbortSignal): Promise<string | null> => {
    checkJobName(name);
    if (!state.owners.has(name)) await list(state, name, signal);
    return state.owners.get(name) ?? null;
  };
  let isolation = 'plain';
  return {
    name: options.name,
    get isolation() {
      return isolation;
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
    owners: new Map(),
    ended: new Map(),
    read: new Set(),
    ask: async (account, signal, verb, ...words) => {
      await turn(signal);
      const where = ['records', 'remove'].includes(verb) ? [] : [options.bin ?? '', options.conf ?? ''];
      const msMax = verb === 'submit' ? limits.submitMsMax : limits.clusterAnswerMsMax;
      return await callScript(options.run, ['server.sh', 'slurm.sh'], { account, words: [verb, ...where, ...words], signal, msMax });
    },
  };
}

/**
 * The scheduler's list first. Folders are read only of accounts that were not read yet or that have a job which the list no longer shows as going
 * on; a job of which they tell no end is looked for in the list once more: it may be younger than the first.
 */
async function list(state: State, prefix: string, signal: AbortSignal): Promise<readonly ClusterSeen[]> {
  const { owners, ended } = state;
  const rows = await rowsOf(state, prefix, signal);
  const own = (): void => {
    for (const [name, { account }] of rows) owners.set(name, account);
  };
  own();
  const isOver = (name: string): boolean => !isGoingOn(rows.get(name));
  const changed = [...owners].flatMap(([name, account]) => (name.startsWith(prefix) && isOver(name) && !ended.has(name) ? [account] : []));
  const asked = new Set([...state.options.accounts().filter((account) => !state.read.has(`${prefix} ${account}`)), ...changed]);
  const records = (await inGroups([...asked], limits.accountsAtOnceMax, (account) => recordsOf(state, account, prefix, signal))).flat();
  own();
  const open = records.filter(({ name, code, id }) => isOver(name) && code === null && id !== '');
  const again = open.some(({ name }) => !rows.has(name)) ? await rowsOf(state, prefix, signal) : rows;
  const told = await accountingOf(
    state,
    open.filter(({ name }) => !again.has(name)),
    signal,
  );
  for (const record of records) {
    const row = again.get(record.name);
    if (isGoingOn(row) || ended.has(record.name)) continue;
    const end = endWith(record, row, told.get(record.id));
    if (end !== null) ended.set(record.name, end);
  }
  const going = [...again.values()].flatMap(({ seen }) => (ended.has(seen.name) && !isGoingOn(again.get(seen.name)) ? [] : [seen]));
  const names = new Set(going.map(({ name }) => name));
  return [...going, ...[...ended.values()].filter(({ name }) => name.startsWith(prefix) && !names.has(name))];
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
  for (const line of await state.ask(null, signal, 'jobs', prefix)) {
    const row = readRow(line);
    if (row !== null && isBetter(row, found.get(row.seen.name))) found.set(row.seen.name, row);
  }
  return found;
}

/** Of several under one name the one that runs, then one that waits, then the first: the wrapper lets one of them run. */
function isBetter({ seen }: SlurmRow, than: SlurmRow | undefined): boolean {
  if (than === undefined) return true;
  const rank = ({ state }: ClusterSeen): number =>
    ['running', 'waiting'].indexOf(state) + 3 * Number(!['running', 'waiting'].includes(state));
  return rank(seen) < rank(than.seen) || (rank(seen) === rank(than.seen) && BigInt(seen.id) < BigInt(than.seen.id));
}

/** Rejects when they can't be read. An account that is not there, or that lets nobody in, has no jobs of ours. */
async function recordsOf(state: State, account: string, prefix: string, signal: AbortSignal): Promise<readonly JobRecord[]> {
  try {
    const lines = await state.ask(account, signal, 'records', folder, prefix);
    const records = lines.flatMap((line) => readRecord(line) ?? []);
    const names = new Set(records.map(({ name }) => name));
    // What left nothing was refused or removed.
    for (const [name, owner] of state.owners)
      if (owner === account && name.startsWith(prefix) && !names.has(name)) state.owners.delete(name);
    for (const name of names) state.owners.set(name, account);
    state.read.add(`${prefix} ${account}`);
    return records;
  } catch (error) {
    if (error instanceof SvcError && (error.code === 'NOT_FOUND' || error.code === 'SSH_REFUSED')) return [];
    throw error;
  }
}

async function accountingOf(
  state: State,
  records: readonly JobRecord[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Omit<ClusterSeen, 'name' | 'place'>>> {
  const ids = records.map(({ id }) => id).filter((id) => /^[0-9]{1,20}$/.test(id));
  if (ids.length === 0) return new Map();
  const lines = await state.ask(null, signal, 'accounting', ...ids.slice(0, 500));
  return new Map(lines.flatMap((line) => readAccounting(line) ?? []).map((one) => [one.id, one]));
}
