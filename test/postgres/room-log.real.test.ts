/** Documents of rooms in a real PostgreSQL: the contract of the room log, whose a room is among several portals, and a server that goes away. */
import { Pool } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../controller/clock/system.ts';
import type { Clock } from '../../schema/clock.ts';
import { updatesIn } from '../../schema/room-frames.ts';
import { connected, type PostgresPlace } from '../../store/postgres-hosts.ts';
import { openPostgresStore } from '../../store/postgres.ts';
import { joinPortals, livingPortals, type Membership } from '../../store/portals.ts';
import { openPostgresRoomLog } from '../../store/postgres-room-log.ts';
import { framed, roomLogContract, typed, wholeYear } from '../../store/room-log-contract.ts';
import type { RoomLog } from '../../store/room-log.ts';
import { createRoomOwners, type RoomOwners } from '../../store/room-owners.ts';
import { startRelay, type RelayWorld } from '../support/relay-world.ts';
import { connect } from '../support/room-client.ts';
import * as Y from 'yjs';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';

interface OnePortal {
  readonly pool: Pool;
  readonly member: Membership;
  readonly owners: RoomOwners;
  readonly log: RoomLog;
  /** As SIGSTOP does: nothing of it runs on a timer. */
  pause(): void;
  goOn(): void;
  readonly lapses: number[];
  end(): Promise<void>;
}

let server: TestPostgres;
let place: PostgresPlace;
const open = new Set<OnePortal>();
beforeAll(async () => {
  server = await startPostgres();
  place = await server.database();
  await (await openPostgresStore(place, { clock: systemClock, holder: null, migrates: true })).close();
});
afterAll(() => server?.remove());
afterEach(async () => {
  for (const portal of open) await portal.end();
});

async function portal(holder: string): Promise<OnePortal> {
  const { name: _, ...connection } = place;
  const pool = new Pool({ ...connection, ...connected, max: 4 });
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  let isPaused = false;
  const late: (() => void)[] = [];
  const clock: Clock = { ...systemClock, at: (atMs, fn) => systemClock.at(atMs, () => (isPaused ? void late.push(fn) : fn())) };
  const lapses: number[] = [];
  const onLapsed = (): void => void lapses.push(1);
  const member = await joinPortals(pool, { holder, address: `${holder}:7000`, version: '1', clock, onLapsed });
  const owners = createRoomOwners(pool, member, clock);
  const log = openPostgresRoomLog({ pool, owners, clock });
  const one: OnePortal = {
    pool,
    member,
    owners,
    log,
    lapses,
    pause: () => {
      isPaused = true;
    },
    goOn: () => {
      isPaused = false;
      for (const fn of late.splice(0)) fn();
    },
    end: async () => {
      open.delete(one);
      await log.close();
      await member.leave();
      await pool.end();
    },
  };
  open.add(one);
  return one;
}

const empty = async (): Promise<void> => {
  const one = await portal('faxina');
  await one.pool.query(
    'DELETE FROM room_bases; DELETE FROM room_tails; DELETE FROM room_history; DELETE FROM room_version_names; DELETE FROM room_owners; DELETE FROM deleted_rooms',
  );
  await one.end();
};

roomLogContract(() => ({
  open: async () => {
    const one = await portal('contrato');
    return { ...one.log, close: () => one.end() };
  },
  remove: empty,
}));

const sala = 's000000000000000000007';
const key = { sala, canal: 'documento' } as const;
const row = (seq: number, text: number = seq) => ({ ...key, seq, frames: framed(typed(text, 3).updates) });
const seqIn = async (log: RoomLog): Promise<number> => (await log.load(key)).seq;

describe('portals of one database', () => {
  let first: OnePortal;
  let second: OnePortal;
  beforeEach(async () => {
    await empty();
    first = await portal('casa1');
    second = await portal('casa2');
  });

  test('know each other, and one that left or stood still is none', async () => {
    const holders = async () => (await livingPortals(second.pool, systemClock)).map(({ holder, address }) => `${holder} ${address}`);
    expect(await holders()).toEqual(['casa1 casa1:7000', 'casa2 casa2:7000']);
    first.pause();
    await expect.poll(holders).toEqual(['casa2 casa2:7000']);
    expect(first.lapses).toEqual([]);
    first.goOn();
    await expect.poll(holders).toEqual(['casa1 casa1:7000', 'casa2 casa2:7000']);
    await expect.poll(() => first.lapses).toEqual([1]);
    await first.end();
    expect(await holders()).toEqual(['casa2 casa2:7000']);
  });

  test('one of them has a room, however many ask at once, until it gives it back', async () => {
    const taken = await Promise.all([first, second, first, second].map(({ owners }) => owners.take(sala)));
    const owner = taken[0]?.kind === 'ours' ? first : second;
    const other = owner === first ? second : first;
    const theirs = { kind: 'elsewhere', portal: owner.member.id, address: owner === first ? 'casa1:7000' : 'casa2:7000' };
    expect(taken.filter(({ kind }) => kind === 'ours')).toEqual([
      { kind: 'ours', number: 1 },
      { kind: 'ours', number: 1 },
    ]);
    expect(taken.filter(({ kind }) => kind !== 'ours')).toEqual([theirs, theirs]);
    expect(await other.owners.ownerOf(sala)).toEqual({ portal: theirs.portal, address: theirs.address });
    await expect(other.log.load(key)).rejects.toMatchObject({ code: 'ROOM_ELSEWHERE', details: { salas: [sala] } });
    await owner.owners.release(sala);
    expect(await other.owners.ownerOf(sala)).toBeNull();
    expect(await other.owners.take(sala)).toEqual({ kind: 'ours', number: 2 });
    // A late write of the earlier owner is refused, also when nobody else wrote yet.
    await expect(owner.log.append([row(1)])).rejects.toMatchObject({ code: 'ROOM_ELSEWHERE' });
    await other.owners.releaseAll();
    expect(await owner.owners.take(sala)).toEqual({ kind: 'ours', number: 3 });
  });

  test('one that stood still while another took its room over writes nothing, not even what else was in the group', async () => {
    const elsewhere = { ...row(1), sala: 's000000000000000000008' };
    await first.log.load(key);
    await first.log.append([row(1), elsewhere]);
    first.pause();
    await expect.poll(() => second.owners.take(sala)).toEqual({ kind: 'ours', number: 2 });
    expect(await seqIn(second.log)).toBe(1);
    await second.log.append([row(2)]);
    const late = first.log.append([{ ...elsewhere, seq: 2 }, row(2, 9)]);
    await expect(late).rejects.toMatchObject({ code: 'ROOM_ELSEWHERE', details: { salas: [sala] } });
    await expect(first.log.compact(key, wholeYear)).rejects.toMatchObject({ code: 'ROOM_ELSEWHERE' });
    const { tail, seq } = await second.log.load(key);
    expect([seq, updatesIn(tail)]).toEqual([2, [...typed(1, 3).updates, ...typed(2, 3).updates]]);
    first.goOn();
    await expect.poll(() => first.lapses).toEqual([1]);
    expect(await first.owners.lost()).toEqual([sala]);
    // The rest is its own still.
    await first.log.append([{ ...elsewhere, seq: 2 }]);
    expect(await first.owners.take(elsewhere.sala)).toEqual({ kind: 'ours', number: 1 });
  });

  test('a write that is under way ends before another portal has the room', async () => {
    await first.log.load(key);
    const client = await first.pool.connect();
    await client.query('BEGIN');
    await client.query('SELECT FROM room_owners WHERE sala = $1 FOR SHARE', [sala]);
    await client.query(`INSERT INTO room_tails VALUES ($1, 'documento', 1, $2)`, [sala, Buffer.from(row(1).frames)]);
    await first.member.leave();
    const taking = second.log.load(key);
    await expect.poll(async () => (await first.pool.query(`SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'`)).rowCount).toBe(1);
    await client.query('COMMIT');
    client.release();
    expect((await taking).seq).toBe(1);
  });

  test('a room that was deleted is deleted for all, whoever does it', async () => {
    await first.log.load(key);
    await first.log.append([row(1)]);
    await second.log.deleteRoom(sala);
    await first.log.append([row(2)]);
    expect(await second.owners.take(sala)).toEqual({ kind: 'deleted' });
    expect([await seqIn(first.log), await first.log.sizeOf(sala)]).toEqual([0, 0]);
  });

  test('people in a room that another portal took are sent to it with all that they wrote, and the other rooms go on', async () => {
    const [here, there] = [await startRelay({ wrap: () => first.log }), await startRelay({ wrap: () => second.log })];
    const enter = ({ url }: RelayWorld, room: string, doc = new Y.Doc()) => connect(`${url}/${room}/documento`, 'ana:dona', { doc });
    const other = 's000000000000000000008';
    const [ana, bia] = [enter(here, sala), enter(here, other)];
    await Promise.all([ana.synced, bia.synced]);
    ana.doc.getText('t').insert(0, 'antes ');
    await expect.poll(() => first.log.sizeOf(sala)).toBeGreaterThan(0);
    first.pause();
    await expect.poll(() => second.owners.take(sala)).toMatchObject({ kind: 'ours' });
    ana.doc.getText('t').insert(6, 'depois');
    bia.doc.getText('t').insert(0, 'outra sala');
    expect(await ana.closed).toBe(1013);
    const again = enter(there, sala, ana.doc);
    await again.synced;
    const reader = enter(there, sala);
    await expect.poll(() => reader.doc.getText('t').toJSON()).toBe('antes depois');
    await expect.poll(() => second.log.sizeOf(other)).toBeGreaterThan(0);
    // A client of the wrong portal is asked to try again, and nothing is shown as blank.
    expect(await enter(here, sala).closed).toBe(1013);
    expect([here.reports, there.reports]).toEqual([[], []]);
    for (const client of [again, reader, bia]) client.end();
    await here.close();
    await there.close();
  });

  test('damage is said: a hole, a torn row, a row that is there with other bytes', async () => {
    const room = (n: number) => ({ ...key, sala: `s00000000000000000000${n}` });
    const [hole, torn, based] = [room(1), room(2), room(3)] as const;
    for (const mine of [hole, torn, based]) for (const seq of [1, 2, 3]) await first.log.append([{ ...row(seq), ...mine }]);
    await first.log.compact(based, wholeYear);
    await expect(first.log.append([{ ...row(3, 4), ...hole }])).rejects.toMatchObject({ code: 'STORE_FAILED' });
    await first.log.append([{ ...row(3), ...hole }]);
    await first.pool.query('DELETE FROM room_tails WHERE sala = $1 AND seq = 2', [hole.sala]);
    await first.pool.query('UPDATE room_tails SET frames = substring(frames FOR octet_length(frames) - 1) WHERE sala = $1 AND seq = 3', [
      torn.sala,
    ]);
    await first.log.append([{ ...row(4), ...based }]);
    await first.pool.query('DELETE FROM room_bases WHERE sala = $1', [based.sala]);
    for (const read of [() => first.log.load(hole), () => first.log.compact(torn, wholeYear), () => first.log.load(based)])
      await expect(read()).rejects.toMatchObject({ code: 'STORE_FAILED' });
  });

  test('a base of many MiB is read as it was written', async () => {
    const base = Buffer.alloc(3 * 1_024 * 1_024 + 17, 'svc');
    await first.log.load(key);
    await first.pool.query(`INSERT INTO room_bases VALUES ($1, 'documento', 5, $2, '', '')`, [sala, base]);
    const loaded = await first.log.load(key);
    expect([loaded.seq, Buffer.compare(loaded.base!, base)]).toEqual([5, 0]);
  });

  test('a server that is ended at any moment, stands still and comes back loses nothing that was acknowledged', async () => {
    await first.log.load(key);
    let acknowledged = 0;
    const stop = new AbortController();
    const writing = (async () => {
      for (let seq = 1; !stop.signal.aborted;) {
        // As the relay does: the same rows again until it is said that they are kept.
        const written = await first.log.append([row(seq)]).then(
          () => true,
          () => false,
        );
        if (!written) continue;
        acknowledged = seq;
        seq += 1;
      }
    })();
    const goesOn = async (): Promise<void> => {
      const before = acknowledged;
      await expect.poll(() => acknowledged).toBeGreaterThan(before + 20);
    };
    for (const mode of ['immediate', 'fast', 'immediate'] as const) {
      await goesOn();
      await server.stop(mode);
      await server.start();
    }
    await goesOn();
    const goOn = server.pause();
    await new Promise<void>((resolve) => systemClock.at(systemClock.monotonicMs() + 1_500, resolve));
    goOn();
    await goesOn();
    stop.abort();
    await writing;
    const { tail, seq } = await first.log.load(key);
    expect(seq).toBe(acknowledged);
    const all = Array.from({ length: acknowledged }, (_, n) => typed(n + 1, 3).updates).flat();
    expect(updatesIn(tail).map((update) => Buffer.from(update).toString('hex'))).toEqual(
      all.map((update) => Buffer.from(update).toString('hex')),
    );
  });
});
