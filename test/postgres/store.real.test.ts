/** The contract of the store on a real PostgreSQL, and what only it has: other portals, restarts of the server, an older portal. */
import { DatabaseSync } from 'node:sqlite';
import { Client, Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSimulatedClock } from '../../controller/clock/simulated.ts';
import { systemClock } from '../../controller/clock/system.ts';
import type { Clock } from '../../schema/clock.ts';
import type { SvcError } from '../../schema/errors.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { newJobId, type Submitted } from '../../store/jobs.ts';
import { migrations } from '../../store/migrations.ts';
import { joinPortals } from '../../store/portals.ts';
import type { PostgresPlace } from '../../store/postgres-hosts.ts';
import { limits } from '../../store/limits.ts';
import { openMemberStore, openPostgresStore } from '../../store/postgres.ts';
import { postgresMigrations, readableFrom } from '../../store/postgres-migrations.ts';
import { migrate, type StoreSchema } from '../../store/postgres-schema.ts';
import { describeStore } from '../../store/store-contract.ts';
import type { Store, StoredEvent, StoredSession } from '../../store/store.ts';

const follower = { clock: systemClock, holder: null, migrates: true } as const;
let server: TestPostgres;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server?.remove());

/**
 * A single database for all, emptied: to make one takes longer than most tests, and so does TRUNCATE, which makes the files of each table
 * anew.
 */
let shared: PostgresPlace | null = null;
let emptied = '';
describeStore('postgres', async () => {
  const place = (shared ??= await server.database());
  const remove = async (): Promise<void> => {
    if (emptied === '') {
      const tables = `SELECT string_agg('DELETE FROM ' || quote_ident(tablename), '; ') AS all FROM pg_tables WHERE schemaname = 'public' AND tablename NOT IN ('svc_schema', 'counters')`;
      const [{ all }] = (await ask(place, tables)) as [{ all: string }];
      // In any order: rows that name one another go together.
      emptied = `SET session_replication_role = replica; ${all}; UPDATE counters SET n = 0`;
    }
    await ask(place, emptied);
  };
  return { open: () => openPostgresStore(place, follower), remove };
});

/** As an administrator of the database would. */
async function ask({ host, port, user, password, database }: PostgresPlace, text: string): Promise<readonly unknown[]> {
  const client = new Client({ host, port, user, password, database });
  await client.connect();
  const { rows } = await client.query<Record<string, unknown>>(text);
  await client.end();
  return rows;
}

const aSession: StoredSession = {
  tokenHash: 't1',
  person: 'ana',
  admin: false,
  audience: 'portal',
  createdAtMs: 1_000,
  expiresAtMs: 9_000,
  seenAtMs: 1_000,
  method: 'ssh',
  address: '192.0.2.7',
  agent: 'Firefox',
};

function submit(store: Store, chave: string): Promise<Submitted> {
  const request = { imagem: null, comando: ['true'], ambiente: {}, limites: { cpus: 2, memoriaMb: 64, segundos: 60, gpus: 0 } } as const;
  const job = { id: newJobId(), usuario: 'ana', app: 'notas', chave, nome: 'n', cluster: 'forno', createdAtMs: 1, request, inputs: [] };
  return store.jobs.submitJob(job, { ofPerson: 100 });
}

const event = (key: string, message: string): Omit<StoredEvent, 'seq'> => ({
  atMs: 1,
  key,
  type: 'Normal',
  reason: 'Healthy',
  message,
  round: 'r1',
  from: null,
  to: 'running',
});

describe('several portals of one database', () => {
  let stores: readonly Store[];
  beforeAll(async () => {
    const place = await server.database();
    // At once: the schema is made by one of them.
    stores = await Promise.all([0, 1, 2].map(() => openPostgresStore(place, follower)));
  });
  afterAll(async () => {
    for (const store of stores ?? []) await store.close();
  });

  test('a pass is taken once', async () => {
    const [first] = stores;
    for (let n = 0; n < 20; n += 1)
      await first!.putPass({ passHash: `p${n}`, person: 'ana', admin: false, audience: 'portal', expiresAtMs: 9_000 });
    for (let n = 0; n < 20; n += 1) {
      const taken = await Promise.all(stores.map((store) => store.takePass(`p${n}`, 1_000)));
      expect(taken.filter((pass) => pass !== null)).toHaveLength(1);
    }
  });

  test('a declared room is made once, and changes of jobs have each a number of its own', async () => {
    const room = (id: string) => ({ id, app: 'notas', nome: 'Atas', dona: 'ana', createdAtMs: 1, changedAtMs: 1, declaredName: 'atas' });
    const made = await Promise.all(stores.map((store, n) => store.rooms.createRoom(room(`s${n}`))));
    expect(made.toSorted()).toEqual(['created', 'taken', 'taken']);
    const submitted = await Promise.all(stores.flatMap((store, n) => Array.from({ length: 10 }, (_, m) => submit(store, `${n}-${m}`))));
    const changes = submitted.map((answer) => (answer.kind === 'new' ? answer.job.change : null));
    expect(new Set(changes).size).toBe(30);
  });

  test('the same key of a job, at once by all, is one job', async () => {
    const answers = await Promise.all(stores.map((store) => submit(store, 'mesma')));
    expect(answers.map(({ kind }) => kind).toSorted()).toEqual(['known', 'known', 'new']);
  });

  test('a statement that the database refuses takes no other write of its turn with it', async () => {
    const [store] = stores;
    const session = { ...aSession, expiresAtMs: 0.5 };
    const [good, bad, other] = await Promise.allSettled([store!.putValue('a', '1'), store!.putSession(session), store!.putValue('b', '2')]);
    expect([good.status, bad.status, other.status]).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect((bad as PromiseRejectedResult).reason).toMatchObject({ code: 'STORE_FAILED' });
    expect([await store!.value('a'), await store!.value('b')]).toEqual(['1', '2']);
  });

  test('many writes of one turn that find the server away are refused together, and what came of none is not there', async () => {
    const [store] = stores;
    await server.stop('fast');
    const asked = await Promise.allSettled(Array.from({ length: 200 }, (_, n) => store!.putValue(`fora/${n}`, 'x')));
    await server.start();
    expect(new Set(asked.map((one) => (one.status === 'rejected' ? (one.reason as SvcError).code : one.status)))).toEqual(
      new Set(['STORE_FAILED']),
    );
    expect(await store!.values('fora/')).toEqual(new Map());
  });

  test('a server that stands still is waited for, and then given up; what was asked meanwhile is done once or refused', async () => {
    const [store] = stores;
    const goOn = server.pause();
    const asked = store!.appendEvent(event('Server/parado', 'um')).then(
      () => 1,
      () => 0,
    );
    const other = store!.value('a').catch((error: unknown) => (error as SvcError).code);
    expect(await other).toBe('STORE_FAILED');
    goOn();
    const done = await asked;
    await expect.poll(() => store!.value('a').catch(() => 'away')).toBe('1');
    const kept = await store!.events({ under: 'Server/parado', limit: 10 });
    expect(kept.length).toBeLessThanOrEqual(1);
    expect(kept.length).toBeGreaterThanOrEqual(done);
  });

  test('one that leads begins nothing while the database does not answer and another one may lead, and goes on when it answers', async () => {
    const clock = createSimulatedClock(Date.now());
    const member = await openMemberStore(await server.database(), { clock, holder: 'um' });
    const leading = (await member.lead())!;
    const held = (): Promise<string> =>
      leading.held().then(
        () => 'held',
        (error: unknown) => (error as SvcError).code,
      );
    const goOn = server.pause();
    clock.advance(2_000);
    expect(await held()).toBe('held');
    clock.advance(600);
    const asked = held();
    clock.advance(3_000);
    expect(await asked).toBe('STORE_FAILED');
    const waiting = held();
    goOn();
    // The renewal that was under way is of long ago: the next one counts.
    await expect.poll(() => (clock.advance(100), Promise.race([waiting, Promise.resolve('waits')]))).toBe('held');
    await leading.release();
    await member.close();
  });

  test('a read waits for the writes that were asked for before it, and not for those of others after it', async () => {
    const [store] = stores;
    const order: string[] = [];
    let isOver = false;
    const writing = (async () => {
      // A write is always on its way.
      for (let n = 0; n < 2_000; n += 1) {
        if (isOver) return;
        await store!.putValue('sempre', String(n));
      }
      order.push('written');
    })();
    await store!.putValue('antes', '1');
    const found = await store!.value('antes');
    order.push('read');
    isOver = true;
    await writing;
    expect([found, order]).toEqual(['1', ['read']]);
  });

  test('a server that is ended at any moment, and comes back, loses nothing that was answered and does nothing twice', async () => {
    const [store] = stores;
    const stop = new AbortController();
    const answered: string[] = [];
    const refused: string[] = [];
    const writing = (async () => {
      for (let n = 0; !stop.signal.aborted; n += 1) {
        const messages = [0, 1, 2].map((part) => `${n}-${part}`);
        const tried = await Promise.allSettled(messages.map((message) => store!.appendEvent(event(`Server/s/${n}`, message))));
        // On a busy machine the server may be away for longer than a write waits: that one was refused, and may be there all the same.
        for (const [part, { status }] of tried.entries()) (status === 'fulfilled' ? answered : refused).push(messages[part]!);
      }
    })();
    for (const mode of ['immediate', 'fast', 'immediate'] as const) {
      const before = answered.length;
      await expect.poll(() => answered.length).toBeGreaterThan(before + 30);
      await server.stop(mode);
      await server.start();
    }
    await expect.poll(() => answered.length).toBeGreaterThan(100);
    stop.abort();
    await writing;
    const kept: string[] = [];
    let afterSeq = 0;
    for (let page = await store!.events({ under: 'Server/s', afterSeq, limit: 100_000 }); page.length > 0;) {
      kept.push(...page.map(({ message }) => message));
      afterSeq = page.at(-1)!.seq;
      page = await store!.events({ under: 'Server/s', afterSeq, limit: 100_000 });
    }
    expect(kept.filter((message) => !refused.includes(message)).toSorted()).toEqual(answered.toSorted());
    expect(new Set(kept).size).toBe(kept.length);
  });
});

test('a store of a newer svc is refused and left as it is', async () => {
  const place = await server.database();
  await (await openPostgresStore(place, follower)).close();
  await ask(place, 'UPDATE svc_schema SET version = 99, readable_from = NULL');
  await expect(openPostgresStore(place, follower)).rejects.toMatchObject({ code: 'STORE_NEWER' });
  expect(await ask(place, 'SELECT version FROM svc_schema')).toEqual([{ version: '99' }]);
});

test('who only looks makes no tables', async () => {
  const place = await server.database();
  const looking = { ...follower, migrates: false };
  await expect(openPostgresStore(place, looking)).rejects.toMatchObject({
    code: 'STORE_FAILED',
    message: expect.stringContaining('svc up makes') as string,
  });
  expect(await ask(place, `SELECT count(*) AS n FROM pg_tables WHERE schemaname = 'public'`)).toEqual([{ n: '0' }]);
  await (await openPostgresStore(place, follower)).close();
  await (await openPostgresStore(place, looking)).close();
});

test('a server that is away, a wrong password and a database that is missing are said, without the password', async () => {
  const place = await server.database();
  const cases: readonly (readonly [Partial<PostgresPlace>, RegExp])[] = [
    [{ port: 1 }, /ECONNREFUSED/],
    [{ password: 'errada' }, /password authentication failed/],
    [{ database: 'nenhuma' }, /does not exist/],
  ];
  for (const [wrong, message] of cases) {
    const opened = openPostgresStore({ ...place, ...wrong }, follower);
    await expect(opened).rejects.toMatchObject({ code: 'STORE_FAILED', message: expect.stringMatching(message) as string });
    await expect(opened).rejects.not.toMatchObject({ message: expect.stringContaining(String(place.password)) as string });
  }
});

/** Tables that an embedded store has no use for. */
const ofPostgres = [
  'svc_schema',
  'leases',
  'portals',
  'room_owners',
  'room_bases',
  'room_tails',
  'room_history',
  'room_version_names',
  'files',
  'file_pieces',
  'last_writes',
]
  .map((name) => `'${name}'`)
  .join(', ');

test('its tables are those of SQLite', async () => {
  const place = await server.database();
  await (await openPostgresStore(place, follower)).close();
  const sqlite = new DatabaseSync(':memory:');
  for (const step of migrations) sqlite.exec(step);
  const columnsOf = `SELECT t.name AS "table", c.name AS "column", c."notnull" = 1 OR c.pk > 0 AS needed FROM sqlite_master t JOIN pragma_table_info(t.name) c
    WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%' ORDER BY t.name, c.cid`;
  const embedded = (sqlite.prepare(columnsOf).all() as { table: string; column: string; needed: number }[]).map(
    ({ table, column, needed }) => `${table}.${column} ${needed === 1}`,
  );
  const columns = (await ask(
    place,
    `SELECT table_name, column_name, is_nullable FROM information_schema.columns WHERE table_schema = 'public' AND table_name NOT IN (${ofPostgres})
       ORDER BY table_name COLLATE "C", ordinal_position`,
  )) as { table_name: string; column_name: string; is_nullable: string }[];
  expect(columns.map((row) => `${row.table_name}.${row.column_name} ${row.is_nullable === 'NO'}`)).toEqual(embedded);
  const indexes = (
    sqlite.prepare("SELECT name FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL ORDER BY name").all() as { name: string }[]
  ).map(({ name }) => name);
  const made = (await ask(
    place,
    `SELECT indexname FROM pg_indexes WHERE schemaname = 'public' AND tablename NOT IN (${ofPostgres}) ORDER BY indexname COLLATE "C"`,
  )) as {
    indexname: string;
  }[];
  expect(made.map(({ indexname }) => indexname).filter((name) => !/(_pkey|_id_key)$/.test(name))).toEqual(indexes);
});

describe('the portal that leads', () => {
  test('is one: another is refused and told whose it is, and takes over at once what was given back', async () => {
    const place = await server.database();
    const first = await openPostgresStore(place, { clock: systemClock, holder: 'casa 1', migrates: true });
    await first.putValue('a', '1');
    await expect(openPostgresStore(place, { clock: systemClock, holder: 'casa 2', migrates: true })).rejects.toMatchObject({
      code: 'STATE_IN_USE',
      message: expect.stringContaining('casa 1') as string,
    });
    await first.close();
    const next = await openPostgresStore(place, { clock: systemClock, holder: 'casa 2', migrates: true });
    expect(await next.value('a')).toBe('1');
    await next.close();
  });

  test('one that stood still for longer than its lease, and comes back, writes nothing and knows that it leads no more', async () => {
    const place = await server.database();
    let isPaused = false;
    const pausing: Clock = { ...systemClock, at: (atMs, fn) => systemClock.at(atMs, () => (isPaused ? undefined : fn())) };
    const old = await openPostgresStore(place, { clock: pausing, holder: 'casa 1', migrates: true });
    await old.putValue('who', 'old');
    isPaused = true;
    const next = await openPostgresStore(place, { clock: systemClock, holder: 'casa 2', migrates: true });
    await next.putValue('who', 'new');
    isPaused = false;
    await expect(old.putValue('who', 'old')).rejects.toMatchObject({ code: 'STATE_IN_USE' });
    expect(await next.value('who')).toBe('new');
    await old.close();
    await next.putValue('who', 'still new');
    await next.close();
  });

  test('keeps its lease while its connections are all in use, and when the database forgot it; a number that was seen is given out once', async () => {
    const place = await server.database();
    const [first, second] = await Promise.all(['casa 1', 'casa 2'].map((holder) => openMemberStore(place, { clock: systemClock, holder })));
    const leading = await first!.lead();
    expect([leading?.number, await second!.lead()]).toEqual([expect.any(Number), null]);
    const over = new AbortController();
    const longer = (limits.leaseMs + 500) / 1_000;
    const slow = Array.from({ length: limits.storeConnectionsMax }, () => first!.pools.pool.query('SELECT pg_sleep($1)', [longer]));
    const all = Promise.all(slow).finally(() => over.abort());
    const looks: unknown[] = [];
    while (!over.signal.aborted) looks.push(await second!.lead());
    await all;
    expect([looks.length > 10, new Set(looks)]).toEqual([true, new Set([null])]);
    // As a standby has it that was behind when it was promoted: of the one before, who may go on, too.
    await ask(place, `UPDATE leases SET number = number - 5000, holder = 'casa 0', until = clock_timestamp() + interval '3 seconds'`);
    await leading!.store.putValue('a', '1');
    expect(await ask(place, 'SELECT number::text, holder FROM leases')).toEqual([{ number: String(leading!.number), holder: 'casa 1' }]);
    await leading!.release();
    await ask(place, `UPDATE leases SET number = 5, until = '-infinity'`);
    // And its clock may be wrong.
    const later = leading!.number + 60_000;
    await ask(place, `UPDATE leases SET number = ${later}, until = clock_timestamp() + interval '3 seconds'`);
    expect(await second!.lead()).toBeNull();
    await ask(place, `UPDATE leases SET number = 5, until = '-infinity'`);
    const next = await second!.lead();
    expect(next!.number).toBeGreaterThan(later);
    await next!.release();
    for (const store of [first, second]) await store!.close();
  });
});

describe('tables of a newer svc', () => {
  const nextStep = 'CREATE TABLE of_tomorrow (a TEXT); ALTER TABLE sessions ADD COLUMN of_tomorrow TEXT';
  const known = postgresMigrations.length;
  const adds: StoreSchema = { steps: [...postgresMigrations, nextStep], readableFrom };
  const changes: StoreSchema = { steps: [...postgresMigrations, nextStep], readableFrom: known + 1 };
  const bring = async (place: PostgresPlace, schema: StoreSchema): Promise<void> => {
    const { name, ...reached } = place;
    const pool = new Pool(reached);
    try {
      await migrate(pool, { clock: systemClock, name, schema });
    } finally {
      await pool.end();
    }
  };

  test('what only adds an older portal goes on with, with the statements that it had, and when it is started again', async () => {
    const place = await server.database();
    const running = await openMemberStore(place, { clock: systemClock, holder: 'casa 1' });
    await running.putSession(aSession);
    // Each connection has the statement.
    const found = async (): Promise<readonly (string | undefined)[]> =>
      await Promise.all(Array.from({ length: 20 }, async () => (await running.session(aSession.tokenHash, 2_000))?.person));
    expect(new Set(await found())).toEqual(new Set(['ana']));
    await bring(place, adds);
    expect(new Set(await found())).toEqual(new Set(['ana']));
    await running.putSession({ ...aSession, tokenHash: 't2' });
    await running.close();
    const again = await openMemberStore(place, { clock: systemClock, holder: 'casa 1' });
    expect((await again.session('t2', 2_000))?.person).toBe('ana');
    await again.close();
    await (await openPostgresStore(place, { ...follower, migrates: false })).close();
    expect(await ask(place, 'SELECT version, readable_from AS from FROM svc_schema')).toEqual([
      { version: String(known + 1), from: String(readableFrom) },
    ]);
  });

  test('what does more waits until no older portal is left, and none is let in after it', async () => {
    const place = await server.database();
    const running = await openMemberStore(place, { clock: systemClock, holder: 'casa 1' });
    const member = { holder: 'casa 1', address: '', version: '1', clock: systemClock, onLapsed: () => undefined };
    const membership = await joinPortals(running.pools.renewals, member);
    await expect(bring(place, changes)).rejects.toMatchObject({
      code: 'STATE_IN_USE',
      message: expect.stringContaining('casa 1') as string,
    });
    await running.putSession(aSession);
    await membership.leave();
    await running.close();
    await bring(place, changes);
    for (const migrates of [true, false])
      await expect(openPostgresStore(place, { ...follower, migrates })).rejects.toMatchObject({ code: 'STORE_NEWER' });
  });
});
