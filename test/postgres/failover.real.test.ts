/**
 * The primary of the database is killed, or stands still, under writers, and its standby is promoted: what was confirmed and is there, what is lost,
 * and that everything goes on by itself. Two portals in this process, as `svc up --join` puts them together; real servers, which stream.
 */
import { join } from 'node:path';
import { Client } from 'pg';
import { pino } from 'pino';
import { afterEach, expect, test } from 'vitest';
import * as Y from 'yjs';
import { openSharedRooms } from '../../bin/up/shared-rooms.ts';
import { systemClock } from '../../controller/clock/system.ts';
import { updatesIn } from '../../schema/room-frames.ts';
import type { LogRow } from '../../store/room-log.ts';
import type { Leading, MemberStore } from '../../store/postgres.ts';
import { openMemberStore } from '../../store/postgres.ts';
import { createBus } from '../../store/bus.ts';
import { createSharedBus } from '../../store/shared-bus.ts';
import { until } from '../support/portal.ts';
import { startPair, type PostgresPair } from '../support/postgres-standby.ts';
import { startRelay, type RelayWorld } from '../support/relay-world.ts';
import { connect, said, type RawClient } from '../support/room-client.ts';

let pair: PostgresPair | null = null;
const ends: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
  await pair?.remove();
  pair = null;
});

interface Portal {
  readonly store: MemberStore;
  readonly relay: RelayWorld;
  /** Rows of documents that were confirmed. */
  readonly confirmed: LogRow[];
  /** Its terms, the last one first; it leads as long as the first one is not over. */
  readonly terms: { readonly leading: Leading; isOver: boolean }[];
}

async function portal(name: string): Promise<Portal> {
  const { place } = pair!;
  const clock = systemClock;
  const store = await openMemberStore(place, { clock, holder: name });
  ends.push(() => store.close());
  const bus = createSharedBus({ hosts: store.pools.hosts, local: createBus(), clock });
  ends.push(() => bus.stop());
  const log = pino({ level: 'silent' });
  const none = join('/nonexistent', name);
  const rooms = await openSharedRooms({ pools: store.pools, store, file: none, acceptLossFile: none, address: '', clock, log, ends });
  const confirmed: LogRow[] = [];
  const relay = await startRelay({
    wrap: () => ({
      ...rooms.log,
      append: async (rows) => {
        const copies = rows.map((row) => ({ ...row, frames: Uint8Array.from(row.frames) }));
        await rooms.log.append(rows);
        confirmed.push(...copies);
      },
    }),
  });
  ends.push(() => relay.close());
  rooms.onTaken((salas) => relay.relay.letGo(salas));
  const one: Portal = { store, relay, confirmed, terms: [] };
  follow(one);
  return one;
}

/** As bin/up/leadership-terms.ts does. */
function follow({ store, terms }: Portal): void {
  const stop = new AbortController();
  const loop = (async () => {
    while (!stop.signal.aborted) {
      await pause(250);
      const leading = terms[0] !== undefined && !terms[0].isOver ? null : await store.lead().catch(() => null);
      if (leading === null) continue;
      const term = { leading, isOver: false };
      terms.unshift(term);
      leading.lost.catch(() => {
        term.isOver = true;
      });
    }
    await terms[0]?.leading.release();
  })();
  ends.push(async () => {
    stop.abort();
    await loop;
  });
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => systemClock.at(systemClock.monotonicMs() + ms, resolve));

interface Person {
  readonly sala: string;
  /** Entries that they wrote. */
  written(): number;
  stop(): Promise<RawClient>;
}

/** A person in a room, who writes all the time and comes again whenever they are sent away. */
function person(url: string, name: string, sala: string): Person {
  const doc = new Y.Doc();
  const stop = new AbortController();
  // Also when the test failed before.
  ends.push(() => stop.abort());
  let client: RawClient | null = null;
  let n = 0;
  const stay = (async () => {
    while (!stop.signal.aborted) {
      const here = connect(`${url}/${sala}/documento`, `${name}:editar`, { doc });
      client = here;
      await here.synced.catch(() => undefined);
      await Promise.race([here.closed, new Promise((resolve) => stop.signal.addEventListener('abort', resolve))]);
      if (!stop.signal.aborted) await pause(100);
    }
  })();
  const writing = (async () => {
    while (!stop.signal.aborted) {
      doc.getArray('written').push([`${name}-${(n += 1)}`]);
      await pause(20);
    }
  })();
  return {
    sala,
    written: () => n,
    stop: async () => {
      stop.abort();
      await Promise.all([stay, writing]);
      client?.end();
      // With all that it has, as a page that comes back.
      return await until('the room', async () => {
        const again = connect(`${url}/${sala}/documento`, `${name}:editar`, { doc });
        return await again.synced.then(
          () => again,
          () => null,
        );
      });
    },
  };
}

/** Writes one value after the other; those that were confirmed. */
function writer(store: MemberStore, name: string): { readonly confirmed: string[]; readonly refused: string[]; stop(): Promise<void> } {
  const confirmed: string[] = [];
  const refused: string[] = [];
  const stop = new AbortController();
  ends.push(() => stop.abort());
  const writing = (async () => {
    for (let n = 0; !stop.signal.aborted; n += 1) {
      const key = `escrita/${name}/${n}`;
      await store.putValue(key, '1').then(
        () => confirmed.push(key),
        async () => {
          refused.push(key);
          await pause(20);
        },
      );
    }
  })();
  return {
    confirmed,
    refused,
    stop: async () => {
      stop.abort();
      await writing;
    },
  };
}

/** As an administrator who asks the new primary, before anybody wrote there. */
async function asked<Row extends object>(port: number, text: string, values: readonly unknown[] = []): Promise<Row[]> {
  const { user, password, database } = pair!.place;
  const client = new Client({ host: '127.0.0.1', port, user, password, database });
  await client.connect();
  try {
    return (await client.query<Row>(text, [...values])).rows;
  } finally {
    await client.end();
  }
}

const salaOf = (n: number): string => `s00000000000000000000${n}`;

interface World {
  readonly portals: readonly Portal[];
  readonly people: readonly ReturnType<typeof person>[];
  readonly writers: readonly ReturnType<typeof writer>[];
}

async function underLoad(): Promise<World> {
  const portals = [await portal('casa1'), await portal('casa2')];
  await until('one to lead', () => portals.some(leads));
  const people = portals.flatMap(({ relay }, at) => [0, 1, 2, 3].map((n) => person(relay.url, `p${at}${n}`, salaOf(2 * at + (n % 2)))));
  const writers = portals.map(({ store }, at) => writer(store, `casa${at}`));
  await until(
    'rows',
    () => writers.every(({ confirmed }) => confirmed.length > 50) && portals.every(({ confirmed }) => confirmed.length > 20),
  );
  return { portals, people, writers };
}

const leads = ({ terms }: Portal): boolean => terms[0]?.isOver === false;

/** Nothing is refused any more, and more is written at each portal. */
async function goesOn({ portals, writers }: World): Promise<void> {
  const [values, rows] = [writers.map(({ confirmed }) => confirmed.length), portals.map(({ confirmed }) => confirmed.length)];
  const isMore = (): boolean =>
    writers.every(({ confirmed }, at) => confirmed.length > values[at]! + 20) &&
    portals.every(({ confirmed }, at) => confirmed.length > rows[at]! + 20);
  await until('both to write', isMore);
  await until('one to lead', () => portals.filter(leads).length === 1);
}

interface Missing {
  readonly values: number;
  readonly rows: number;
}

/** Finds the confirmed writes that this server does not have. */
async function missingAt(port: number, { portals, writers }: World): Promise<Missing> {
  const keys = writers.flatMap(({ confirmed }) => confirmed);
  const rows = portals.flatMap(({ confirmed }) => confirmed);
  const values = await asked(port, 'SELECT k FROM unnest($1::text[]) AS k WHERE k NOT IN (SELECT name FROM named_values)', [keys]);
  const documents = await asked(
    port,
    `SELECT g.seq FROM unnest($1::text[], $2::bigint[], $3::text[]) AS g (sala, seq, frames) WHERE NOT EXISTS (SELECT FROM room_tails t
       WHERE t.sala = g.sala AND t.canal = 'documento' AND t.seq = g.seq AND encode(t.frames, 'hex') = g.frames)
       AND NOT EXISTS (SELECT FROM room_bases b WHERE b.sala = g.sala AND b.seq >= g.seq)`,
    [rows.map(({ sala }) => sala), rows.map(({ seq }) => seq), rows.map(({ frames }) => Buffer.from(frames).toString('hex'))],
  );
  return { values: values.length, rows: documents.length };
}

/** Everybody ends up with the same, and the database with all that anybody wrote. */
async function nothingMissing({ people, writers }: World): Promise<void> {
  for (const one of writers) await one.stop();
  const last = await Promise.all(people.map((one) => one.stop()));
  let written = 0;
  for (const sala of new Set(people.map((one) => one.sala))) {
    const clients = last.filter((_, at) => people[at]!.sala === sala);
    await until('the same', () => new Set(clients.map(said)).size === 1);
    await until('it in the database', async () => said({ doc: await documentAt(pair!.ports[1], sala) }) === said(clients[0]!));
    // A row that the database lost, with others behind it, would be damage.
    const rows = await asked<{ seq: string }>(
      pair!.ports[1],
      `SELECT seq FROM room_tails WHERE sala = $1 AND seq > coalesce((SELECT seq FROM room_bases WHERE sala = $1), 0) ORDER BY seq`,
      [sala],
    );
    // None is there while all of them have just become the base.
    const first = Number(rows[0]?.seq ?? 0);
    expect(rows.map(({ seq }) => Number(seq))).toEqual(rows.map((_row, n) => first + n));
    written += clients[0]!.doc.getArray('written').length;
    for (const client of clients) client.end();
  }
  expect(written).toBe(people.reduce((sum, one) => sum + one.written(), 0));
}

async function documentAt(port: number, sala: string): Promise<Y.Doc> {
  const doc = new Y.Doc();
  const bases = await asked<{ base: Buffer }>(port, `SELECT base FROM room_bases WHERE sala = $1 AND canal = 'documento'`, [sala]);
  for (const { base } of bases) Y.applyUpdate(doc, base);
  const tail = `SELECT frames FROM room_tails WHERE sala = $1 AND canal = 'documento' ORDER BY seq`;
  for (const { frames } of await asked<{ frames: Buffer }>(port, tail, [sala]))
    for (const update of updatesIn(frames)) Y.applyUpdate(doc, update);
  return doc;
}

const killed = async (synchronous: boolean): Promise<readonly [World, Missing]> => {
  pair = await startPair({ synchronous });
  const world = await underLoad();
  if (!synchronous) {
    pair.holdBack();
    const before = world.writers[0]!.confirmed.length;
    await until('more', () => world.writers[0]!.confirmed.length > before + 50);
  }
  pair.killPrimary();
  await pair.promote();
  const missing = await missingAt(pair.ports[1], world);
  await goesOn(world);
  return [world, missing];
};

test('synchronous: the primary is killed, the standby promoted: nothing that was confirmed is missing', async () => {
  const [world, missing] = await killed(true);
  expect(missing).toEqual({ values: 0, rows: 0 });
  expect(world.writers.flatMap(({ refused }) => refused)).toEqual([]);
  await nothingMissing(world);
});

test('asynchronous: what the standby did not have is lost in the database, and people bring what they wrote', async () => {
  const [world, missing] = await killed(false);
  expect(missing.values).toBeGreaterThan(50);
  expect(missing.rows).toBeGreaterThan(0);
  await nothingMissing(world);
});

test('a primary that stands still is left for the promoted one, and nothing is written to it when it goes on', async () => {
  pair = await startPair({ synchronous: true });
  const world = await underLoad();
  const goOn = pair.pausePrimary();
  await pair.promote();
  expect(await missingAt(pair.ports[1], world)).toEqual({ values: 0, rows: 0 });
  await goesOn(world);
  goOn();
  const of = `SELECT (SELECT count(*) FROM named_values WHERE name LIKE 'escrita/%')::int AS values, (SELECT count(*) FROM room_tails)::int AS rows`;
  const before = await asked(pair.ports[0], of);
  await goesOn(world);
  // A portal that starts now finds both of them taking writes.
  const third = await portal('casa3');
  await third.store.putValue('escrita/casa3', '1');
  expect(await asked(pair.ports[1], `SELECT FROM named_values WHERE name = 'escrita/casa3'`)).toHaveLength(1);
  expect(await asked(pair.ports[0], of)).toEqual(before);
  expect((await third.store.pools.hosts.look()).map(({ state }) => state)).toEqual(['old', 'primary']);
  await nothingMissing(world);
});
