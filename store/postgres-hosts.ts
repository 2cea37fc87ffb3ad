/**
 * The servers of one database: a primary, and standbys that may be promoted. Connections go to the one that takes writes; one that is a standby, or was
 * primary before another one was promoted, is not taken. Each connection is of an era: what one portal knew of the database before a promotion (or before
 * the database was put back) need not be true after it. Decision: docs/decisions/0307-when-a-standby-is-promoted.md
 */
import { Client, types, type ClientBase, type ClientConfig, type PoolConfig } from 'pg';
import type { Clock } from '../schema/clock.ts';
import { SvcError } from '../schema/errors.ts';
import { limits } from './limits.ts';

export interface PostgresHost extends Pick<PoolConfig, 'host' | 'port' | 'ssl'> {}

export interface PostgresPlace extends PostgresHost, Pick<PoolConfig, 'user' | 'password' | 'database'> {
  /** For messages: without the password. */
  readonly name: string;
  /** Further servers of the same database, one of which takes writes when the first one does not. */
  readonly others?: readonly PostgresHost[];
}

/** A server, as it answered. */
export interface HostSeen {
  /** host:port. */
  readonly at: string;
  /** `old`: it would take writes, and another one was promoted after it. `other`: of another cluster. */
  readonly state: 'primary' | 'standby' | 'old' | 'other' | 'away';
}

export interface PostgresHosts {
  readonly several: boolean;
  /** Not connected yet. `more`: of this connection. */
  newClient(more?: ClientConfig): Client;
  /** After it connected: rejects, as away, when this server is not to be written to. */
  admit(client: ClientBase): Promise<void>;
  /** Asks every server which one takes writes. It does not reject. */
  look(): Promise<readonly HostSeen[]>;
  /** Faults of each of several servers at its last query; '' when none reported any. */
  troubles(): string;
  /** Another server took over, or the database was put back: connections from before are cut, and what was known may not be true. */
  onEra(listener: () => void): void;
  stop(): void;
}

const eras = new WeakMap<ClientBase, number>();

/** Era of the connection's database, as this process counts: answers within one era are of one history. 0: it was not asked. */
export const eraOf = (client: ClientBase): number => eras.get(client) ?? 0;

interface Facts {
  readonly writable: boolean;
  /** Timeline of the cluster: each promotion begins a higher one. */
  readonly timeline: number;
  /** Id of the cluster. */
  readonly system: string;
}

interface State {
  readonly place: PostgresPlace;
  readonly clock: Clock;
  readonly hosts: readonly PostgresHost[];
  readonly clients: Set<Client>;
  readonly listeners: (() => void)[];
  /** By host:port, as `look` found it. */
  readonly troubles: Map<string, string>;
  /** Where the next connection goes. */
  target: PostgresHost;
  era: number;
  known: Facts | null;
  looking: Promise<readonly HostSeen[]> | null;
  /** When all are asked next. */
  lookAtMs: number;
  cancel: () => void;
  isOver: boolean;
}

/** Where there are several, all are asked every few seconds, and when a connection ends. */
export function createHosts(place: PostgresPlace, clock: Clock): PostgresHosts {
  const { host, port, ssl } = place;
  const hosts = [{ host, port, ssl }, ...(place.others ?? [])];
  const state: State = {
    place,
    clock,
    hosts,
    clients: new Set(),
    listeners: [],
    troubles: new Map(),
    target: hosts[0]!,
    era: 0,
    known: null,
    looking: null,
    lookAtMs: Infinity,
    cancel: () => undefined,
    isOver: false,
  };
  if (hosts.length > 1) lookLater(state, limits.storeLookMs);
  return {
    several: hosts.length > 1,
    newClient: (more = {}) => newClient(state, more),
    admit: (client) => admit(state, client),
    look: () => look(state),
    troubles: () => [...state.troubles].map(([at, why]) => `${at}: ${why}`).join('; '),
    onEra: (listener) => void state.listeners.push(listener),
    stop: () => {
      state.isOver = true;
      state.cancel();
    },
  };
}

function clientOf({ place: { user, password, database } }: State, host: PostgresHost, more: ClientConfig): Client {
  return cutWhenRefused(new Client({ user, password, database, ...connected, ...host, ...more }));
}

/** pg leaves the line open until the server gives up, and nothing ends before that. */
function cutWhenRefused(client: Client): Client {
  const connect = client.connect.bind(client);
  const refused = (error: Error): Error => {
    cut(client);
    return error;
  };
  client.connect = ((done?: (error?: Error) => void) =>
    done === undefined
      ? connect().catch((error: unknown) => {
          throw refused(error as Error);
        })
      : connect((error?: Error) => done(error && refused(error)))) as typeof client.connect;
  return client;
}

function newClient(state: State, more: ClientConfig): Client {
  const client = clientOf(state, state.target, more);
  state.clients.add(client);
  client.once('end', () => {
    state.clients.delete(client);
    // Perhaps the server is gone: who tries again should find the next one.
    if (state.hosts.length > 1 && state.looking === null) lookLater(state, limits.storeLookAgainMs);
  });
  return client;
}

/** No later than one that is due already: connections that end all the time must not put it off for ever. */
function lookLater(state: State, ms: number): void {
  const atMs = state.clock.monotonicMs() + ms;
  if (state.isOver || atMs >= state.lookAtMs) return;
  state.cancel();
  state.lookAtMs = atMs;
  state.cancel = state.clock.at(atMs, () => void look(state));
}

async function admit(state: State, client: ClientBase): Promise<void> {
  const facts = await askFacts(client);
  const verdict = judge(state, facts);
  if (verdict !== 'primary') throw Object.assign(new Error(refusals[verdict]), { code: '25006' });
  learn(state, facts);
  eras.set(client, state.era);
}

const refusals = {
  standby: 'this server of the database is a standby, or takes no writes',
  old: 'this server of the database was the primary before another one was promoted',
  other: 'this server is not of the database that was used before',
} as const;

function judge({ known, hosts }: State, { writable, timeline, system }: Facts): 'primary' | keyof typeof refusals {
  if (!writable) return 'standby';
  if (known === null) return 'primary';
  // The only one there is may have been put back from a dump.
  if (system !== known.system) return hosts.length > 1 ? 'other' : 'primary';
  return timeline < known.timeline ? 'old' : 'primary';
}

/** Records the facts of a server that takes writes. */
function learn(state: State, facts: Facts): void {
  const before = state.known;
  if (before !== null && before.system === facts.system && before.timeline === facts.timeline) return;
  state.known = facts;
  state.era += 1;
  if (before === null) return;
  for (const client of state.clients) if (eras.has(client) && eraOf(client) !== state.era) cut(client);
  for (const listener of state.listeners) listener();
}

/** At once: a server that stands still would answer no goodbye. */
function cut(client: Client): void {
  (client as unknown as { readonly connection: { readonly stream: { destroy(): void } } }).connection.stream.destroy();
}

const facts = `SELECT NOT pg_is_in_recovery() AND current_setting('transaction_read_only') = 'off' AS writable,
  CASE WHEN pg_is_in_recovery() THEN 0 ELSE ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::bigint END AS timeline,
  (SELECT system_identifier::text FROM pg_control_system()) AS system`;

async function askFacts(client: ClientBase): Promise<Facts> {
  const { rows } = await client.query<Facts>({ text: facts, query_timeout: limits.storeConnectMsMax } as { readonly text: string });
  const [row] = rows;
  if (row === undefined) throw new SvcError('STORE_FAILED', 'the database does not say which server it is');
  return row;
}

const nameOf = ({ host, port }: PostgresHost): string => `${host}:${port}`;

function look(state: State): Promise<readonly HostSeen[]> {
  state.looking ??= lookAtAll(state).then((seen) => {
    state.looking = null;
    if (state.hosts.length > 1)
      lookLater(state, seen.some((one) => one.state === 'primary') ? limits.storeLookMs : limits.storeLookAgainMs);
    return seen;
  });
  return state.looking;
}

async function lookAtAll(state: State): Promise<readonly HostSeen[]> {
  state.cancel();
  state.lookAtMs = Infinity;
  state.troubles.clear();
  const answers = await Promise.all(state.hosts.map(async (host) => ({ host, facts: await askHost(state, host) })));
  const primaries = answers.filter((answer): answer is { host: PostgresHost; facts: Facts } => {
    return answer.facts !== null && judge(state, answer.facts) === 'primary';
  });
  const [best] = primaries.toSorted((a, b) => b.facts.timeline - a.facts.timeline);
  if (best !== undefined && !state.isOver) {
    state.target = best.host;
    learn(state, best.facts);
  }
  return answers.map((answer) => ({
    at: nameOf(answer.host),
    state: answer.facts === null ? 'away' : judge(state, answer.facts),
  }));
}

/** Null: it does not answer, or refuses. */
async function askHost(state: State, host: PostgresHost): Promise<Facts | null> {
  const client = clientOf(state, host, { connectionTimeoutMillis: limits.storeLookMsMax, query_timeout: limits.storeLookMsMax });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await askFacts(client);
  } catch (error) {
    state.troubles.set(nameOf(host), error instanceof Error ? error.message : String(error));
    return null;
  } finally {
    // Said before the line is cut: a server that stands still would answer no goodbye.
    client.end().catch(() => undefined);
    const cancel = state.clock.at(state.clock.monotonicMs() + limits.storeLookMsMax, () => cut(client));
    client.once('end', cancel);
  }
}

/** bigint and numeric: what is stored in them here fits a number. */
const numericTypes: ReadonlySet<number> = new Set<number>([types.builtins.INT8, types.builtins.NUMERIC]);

const numbersWhole: typeof types.getTypeParser = (oid: number, format?: 'text' | 'binary') =>
  numericTypes.has(oid) ? Number : (types.getTypeParser as (oid: number, format?: string) => unknown)(oid, format);

/** Options of every connection to a store. */
export const connected = {
  connectionTimeoutMillis: limits.storeConnectMsMax,
  keepAlive: true,
  application_name: 'svc',
  statement_timeout: limits.storeStatementMsMax,
  // A server that stands still, or a network that drops everything, says nothing at all.
  query_timeout: limits.storeStatementMsMax + limits.storeHeldMsMax,
  // A portal stopped in the middle of a transaction must not hold up the others, nor end it once another one leads.
  idle_in_transaction_session_timeout: limits.storeHeldMsMax,
  types: { getTypeParser: numbersWhole },
} satisfies ClientConfig;
