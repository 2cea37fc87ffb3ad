/**
 * Connections per backend generation. A backend that was restarted (another generation) never sees a request on a connection of its predecessor.
 * Free connections: the newest one is kept for route.keepIdleMs after the last request and counts as use of the app (rules 3.3 rule 3), the others
 * only for limits.proxySpareConnectionMsMax. Requests that find none free wait in one line, whether a connection is opened meanwhile or none may be:
 * the first in it gets the first that there is, a new one or one that was given back.
 * Decision: docs/decisions/0257-requests-die-young.md
 */
import type { Clock } from '../../schema/clock.ts';
import type { BackendRoute } from '../../schema/gateway.ts';
import { limits } from './limits.ts';
import { openConnection, type Connection } from './connection.ts';
import { createUnderWay, type UnderWay } from './under-way.ts';

export type TakeFailure = { readonly code: 'BACKEND_BUSY' | 'BACKEND_UNREACHABLE'; readonly message: string };

interface Waiter {
  /** Takes no connection that was used before. */
  readonly fresh: boolean;
  readonly done: (connection: Connection | null, failure: TakeFailure | null) => void;
  readonly sinceMs: number;
}

interface Pool {
  readonly key: string;
  route: BackendRoute;
  /** Newest last. */
  readonly free: Connection[];
  readonly busy: UnderWay<Connection>;
  /** Functions that end the connections which are being opened. */
  readonly opening: Set<() => void>;
  /** The oldest first. One connection is being opened for each, as far as there may be more of them. */
  readonly waiting: Waiter[];
}

export interface Pools {
  /** Calls back once, at once when a connection is free. `fresh` never gives a used one. Returns the cancel function. */
  take(key: string, route: BackendRoute, fresh: boolean, done: Waiter['done']): () => void;
  /** The user is done with it; `reusable` when another request may follow. */
  release(key: string, connection: Connection, reusable: boolean): void;
  /** Ends free and busy connections of all keys that `matches`. */
  drop(matches: (key: string) => boolean): void;
  close(): void;
}

const sweepMs = 1_000;

interface PoolSet {
  readonly clock: Clock;
  readonly pools: Map<string, Pool>;
  cancelSweep: (() => void) | null;
}

export function createPools(clock: Clock): Pools {
  const set: PoolSet = { clock, pools: new Map(), cancelSweep: null };
  return {
    take: (key, route, fresh, done) => take(set, poolOf(set, key, route), fresh, done),
    release: (key, connection, reusable) => release(set, set.pools.get(key), connection, reusable),
    drop: (matches) => {
      for (const pool of set.pools.values()) {
        if (!matches(pool.key)) continue;
        endAll(pool);
        serveWaiting(set, pool);
      }
    },
    close: () => {
      set.cancelSweep?.();
      set.cancelSweep = null;
      for (const pool of set.pools.values()) {
        for (const waiter of pool.waiting.splice(0)) waiter.done(null, { code: 'BACKEND_BUSY', message: 'the portal is closing' });
        endAll(pool);
      }
      set.pools.clear();
    },
  };
}

function poolOf(set: PoolSet, key: string, route: BackendRoute): Pool {
  let pool = set.pools.get(key);
  if (pool === undefined) {
    pool = { key, route, free: [], busy: createUnderWay(), opening: new Set(), waiting: [] };
    set.pools.set(key, pool);
    set.cancelSweep ??= set.clock.at(set.clock.monotonicMs() + sweepMs, () => sweep(set));
  } else if (pool.route.generation !== route.generation) {
    for (const connection of pool.free.splice(0)) connection.destroy();
  }
  pool.route = route;
  return pool;
}

function take(set: PoolSet, pool: Pool, fresh: boolean, done: Waiter['done']): () => void {
  pool.route.used?.();
  const free = fresh ? undefined : takeFree(pool);
  if (free !== undefined) {
    done(free, null);
    return nothing;
  }
  if (isFull(pool) && pool.waiting.length - pool.opening.size >= limits.proxyQueuePerBackendMax) {
    done(null, { code: 'BACKEND_BUSY', message: 'all connections to the backend are in use and the queue is full' });
    return nothing;
  }
  const waiter: Waiter = { fresh, done, sinceMs: set.clock.monotonicMs() };
  pool.waiting.push(waiter);
  serveWaiting(set, pool);
  return () => {
    const at = pool.waiting.indexOf(waiter);
    if (at !== -1) pool.waiting.splice(at, 1);
  };
}

const isFull = (pool: Pool): boolean => pool.busy.count() + pool.opening.size >= limits.proxySocketsPerBackendMax;

function serveWaiting(set: PoolSet, pool: Pool): void {
  while (pool.waiting.length > pool.opening.size && !isFull(pool)) open(set, pool);
}

/** For whoever is the first to wait when it is there. */
function open(set: PoolSet, pool: Pool): void {
  const { route } = pool;
  const end = (): void => {
    pool.opening.delete(end);
    cancelDeadline();
    cancelOpen();
  };
  pool.opening.add(end);
  const opened = (connection: Connection | null, message: string): void => {
    if (!pool.opening.delete(end)) return connection?.destroy();
    cancelDeadline();
    // Its backend is gone: who waits shall have one to its successor.
    const isOfNow = pool.route.generation === route.generation;
    if (connection === null) {
      // While others are being opened for all who wait, the failure is not reported.
      if (isOfNow && pool.waiting.length > pool.opening.size) pool.waiting.shift()!.done(null, { code: 'BACKEND_UNREACHABLE', message });
    } else if (isOfNow) {
      give(set, pool, connection, pool.waiting.shift());
    } else {
      connection.destroy();
    }
    serveWaiting(set, pool);
  };
  const cancelDeadline = set.clock.at(set.clock.monotonicMs() + limits.proxyConnectMsMax, () => {
    cancelOpen();
    opened(null, lateMessage);
  });
  const cancelOpen = openConnection(route, (connection, error) => opened(connection, reasonOf(error)));
}

const lateMessage = 'the backend did not take a connection in time';

/** To who waits, or to the free ones. */
function give(set: PoolSet, pool: Pool, connection: Connection, waiter: Waiter | undefined): void {
  if (waiter !== undefined) {
    pool.busy.add(connection);
    waiter.done(connection, null);
  } else if (pool.free.length >= limits.proxyFreeSocketsPerBackendMax) {
    connection.destroy();
  } else {
    connection.kept = true;
    connection.idleSinceMs = set.clock.monotonicMs();
    pool.free.push(connection);
  }
}

/** The first that takes a used connection. */
function shiftUsedTaker({ waiting }: Pool): Waiter | undefined {
  const at = waiting.findIndex(({ fresh }) => !fresh);
  return at === -1 ? undefined : waiting.splice(at, 1)[0];
}

function endAll(pool: Pool): void {
  for (const end of pool.opening) end();
  for (const connection of [...pool.free.splice(0), ...pool.busy.all()]) connection.destroy();
}

function release(set: PoolSet, pool: Pool | undefined, connection: Connection, reusable: boolean): void {
  connection.user = null;
  connection.deadlineMs = Infinity;
  connection.waitsSinceMs = Infinity;
  pool?.busy.delete(connection);
  if (pool === undefined || !reusable || connection.gone || pool.route.generation !== connection.generation) {
    if (!connection.gone) connection.destroy();
    if (pool !== undefined) serveWaiting(set, pool);
    return;
  }
  connection.kept = true;
  give(set, pool, connection, shiftUsedTaker(pool));
  serveWaiting(set, pool);
}

function nothing(): void {}

function sweep(set: PoolSet): void {
  const nowMs = set.clock.monotonicMs();
  for (const pool of set.pools.values()) {
    sweepPool(pool, nowMs);
    if (isEmpty(pool)) set.pools.delete(pool.key);
  }
  set.cancelSweep = set.pools.size === 0 ? null : set.clock.at(nowMs + sweepMs, () => sweep(set));
}

function takeFree(pool: Pool): Connection | undefined {
  for (;;) {
    const connection = pool.free.pop();
    if (connection === undefined) return undefined;
    if (connection.gone) continue;
    pool.busy.add(connection);
    return connection;
  }
}

function sweepPool(pool: Pool, nowMs: number): void {
  const keepMs = pool.route.keepIdleMs;
  const kept = pool.free.filter((connection, index) => {
    const newest = index === pool.free.length - 1;
    const idleMsMax = Math.min(connection.idleMsMax, newest ? keepMs : Math.min(keepMs, limits.proxySpareConnectionMsMax));
    if (connection.gone) return false;
    if (nowMs - connection.idleSinceMs < idleMsMax) return true;
    connection.destroy();
    return false;
  });
  pool.free.splice(0, pool.free.length, ...kept);
  for (const connection of pool.busy.all()) {
    if (connection.gone) pool.busy.delete(connection);
    else if (connection.deadlineMs <= nowMs) connection.user?.deadlinePassed();
    else if (nowMs - connection.waitsSinceMs >= limits.proxyDoubtMs) connection.user?.doubted();
  }
  const isLate = (at: number, msMax: number): boolean => at < pool.waiting.length && nowMs - pool.waiting[at]!.sinceMs >= msMax;
  // Nothing is being opened for those behind the first ones.
  while (isLate(pool.opening.size, limits.proxyQueueMsMax)) {
    const [waiter] = pool.waiting.splice(pool.opening.size, 1);
    waiter!.done(null, { code: 'BACKEND_BUSY', message: 'no connection to the backend became free in time' });
  }
  while (isLate(0, limits.proxyConnectMsMax)) pool.waiting.shift()!.done(null, { code: 'BACKEND_UNREACHABLE', message: lateMessage });
}

function isEmpty(pool: Pool): boolean {
  return pool.free.length === 0 && pool.busy.count() === 0 && pool.opening.size === 0 && pool.waiting.length === 0;
}

/** The code alone: a path or address of the server must not reach a browser. */
function reasonOf(error: NodeJS.ErrnoException | null): string {
  return `no connection to the backend (${error?.code ?? 'failed'})`;
}
