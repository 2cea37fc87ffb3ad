import { Duplex } from 'node:stream';
import { describe, expect, test } from 'vitest';
import type { Clock } from '../../schema/clock.ts';
import type { BackendRoute } from '../../schema/gateway.ts';
import type { Connection } from './connection.ts';
import { limits } from './limits.ts';
import { createPools, type TakeFailure } from './pool.ts';
import { moving } from '../../schema/testing/moving.ts';

const key = 'ana notas';

const stream = (): Duplex => new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() });

/** A pool whose connections are made when the test says so, and who took what. */
function startPool() {
  let nowMs = 0;
  const due = new Map<() => void, number>();
  const clock: Clock = {
    nowMs: moving(() => nowMs),
    monotonicMs: moving(() => nowMs),
    at: (atMs, fn) => {
      due.set(fn, atMs);
      return () => due.delete(fn);
    },
  };
  const dials: PromiseWithResolvers<Duplex>[] = [];
  const route = (generation: string): BackendRoute => ({
    generation,
    socketPath: null,
    token: 't',
    keepIdleMs: 600_000,
    dial: () => {
      dials.push(Promise.withResolvers<Duplex>());
      return dials.at(-1)!.promise;
    },
  });
  const pools = createPools(clock);
  const got = new Map<string, Connection | TakeFailure>();
  const cancels = new Map<string, () => void>();
  return {
    pools,
    dials,
    /** In the order of their coming. */
    got,
    connection: (name: string) => got.get(name) as Connection,
    take: (name: string, { generation = 'g1', fresh = false } = {}) => {
      const cancel = pools.take(key, route(generation), fresh, (connection, failure) => got.set(name, connection ?? failure!));
      cancels.set(name, cancel);
    },
    leave: (name: string) => cancels.get(name)!(),
    /** Lets the pending steps run, one after the other, with their consequences. */
    settle: async () => {
      for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
    },
    pass: (ms: number) => {
      nowMs += ms;
      for (const [fn, atMs] of due) if (atMs <= nowMs && due.delete(fn)) fn();
    },
  };
}

type Pool = ReturnType<typeof startPool>;

const arrive = async (pool: Pool, at: number): Promise<Duplex> => {
  const made = stream();
  pool.dials[at]!.resolve(made);
  await pool.settle();
  return made;
};

describe('who waits for a connection', () => {
  test('takes the first that is given back, and the one that was opened meanwhile is free', async () => {
    const pool = startPool();
    pool.take('a');
    await arrive(pool, 0);
    pool.take('b');
    pool.pools.release(key, pool.connection('a'), true);
    expect(pool.connection('b')).toBe(pool.connection('a'));
    const second = await arrive(pool, 1);
    pool.take('c');
    expect(pool.connection('c').stream).toBe(second);
    expect(pool.connection('c').kept).toBe(true);
    expect(pool.dials).toHaveLength(2);
  });

  test('is served in the order of coming, whichever connection is there first', async () => {
    const pool = startPool();
    for (const name of ['a', 'b', 'c']) pool.take(name);
    await arrive(pool, 2);
    await arrive(pool, 0);
    pool.take('d');
    pool.pools.release(key, pool.connection('a'), true);
    await arrive(pool, 1);
    expect([...pool.got.keys()]).toEqual(['a', 'b', 'c', 'd']);
  });

  test('gets no used one when asked for a new one, and lets others by', async () => {
    const pool = startPool();
    pool.take('a');
    await arrive(pool, 0);
    pool.take('b', { fresh: true });
    pool.take('c');
    pool.pools.release(key, pool.connection('a'), true);
    expect(pool.connection('c')).toBe(pool.connection('a'));
    expect(pool.got.has('b')).toBe(false);
    await arrive(pool, 1);
    expect(pool.connection('b').kept).toBe(false);
  });

  test('hears of a failure unless as many are still being opened as wait', async () => {
    const pool = startPool();
    pool.take('a');
    pool.take('b');
    pool.leave('a');
    pool.dials[0]!.reject(Object.assign(new Error('no'), { code: 'ECONNREFUSED' }));
    await pool.settle();
    expect(pool.got.size).toBe(0);
    pool.dials[1]!.reject(Object.assign(new Error('no'), { code: 'ECONNREFUSED' }));
    await pool.settle();
    expect(pool.got.get('b')).toEqual({ code: 'BACKEND_UNREACHABLE', message: 'no connection to the backend (ECONNREFUSED)' });
    expect(pool.dials).toHaveLength(2);
  });

  test('is told in time when nothing comes of it, and what comes later is ended', async () => {
    const pool = startPool();
    pool.take('a');
    pool.pass(limits.proxyConnectMsMax + 1);
    expect(pool.got.get('a')).toMatchObject({ code: 'BACKEND_UNREACHABLE' });
    expect((await arrive(pool, 0)).destroyed).toBe(true);
  });

  test('waits no longer than a connection may take, although others were faster', () => {
    const pool = startPool();
    pool.take('a', { fresh: true });
    pool.pass(limits.proxyConnectMsMax - 1_000);
    pool.take('b', { fresh: true });
    pool.pass(1_000);
    pool.pass(1_000);
    expect(pool.got.get('a')).toMatchObject({ code: 'BACKEND_UNREACHABLE' });
    expect(pool.got.has('b')).toBe(false);
  });

  test('never gets one to a backend that was restarted meanwhile', async () => {
    const pool = startPool();
    pool.take('a');
    pool.take('b', { generation: 'g2' });
    expect((await arrive(pool, 0)).destroyed).toBe(true);
    expect(pool.got.size).toBe(0);
    await arrive(pool, 1);
    await arrive(pool, 2);
    expect([pool.connection('a').generation, pool.connection('b').generation]).toEqual(['g2', 'g2']);
  });
});

test('what is being opened ends with the app, and nobody gets it', async () => {
  const pool = startPool();
  pool.take('a');
  pool.leave('a');
  pool.pools.drop(() => true);
  expect((await arrive(pool, 0)).destroyed).toBe(true);
  pool.take('b');
  expect(pool.dials).toHaveLength(2);
});
