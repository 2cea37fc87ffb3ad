/**
 * The model's database answers the statements of lease, portals, owners and logs as PostgreSQL does: one suite for both
 * (test/simulation/several-database.test.ts and test/postgres/fencing.real.test.ts).
 */
import type { Pool, PoolClient } from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Clock } from '../../../schema/clock.ts';
import { updateFrameBytes, writeUpdateFrame } from '../../../schema/room-frames.ts';
import { tryLease } from '../../../store/lease.ts';
import { fencedSql } from '../../../store/postgres.ts';
import { beginNumbered, lastNumber } from '../../../store/postgres-sql.ts';
import { openPostgresRoomLog } from '../../../store/postgres-room-log.ts';
import { joinPortals } from '../../../store/portals.ts';
import { createRoomOwners } from '../../../store/room-owners.ts';

export interface FencingFixture {
  readonly pool: Pool;
  /** A clock whose deadlines never come: nothing is renewed by itself. */
  readonly still: Clock;
  /** Leases and portals that nobody renews are over. */
  expire(): Promise<void>;
  /** Lets time pass until it is settled. */
  run<Result>(work: Promise<Result>): Promise<Result>;
  remove(): Promise<void>;
}

/** An act of both: a row in a table that nothing else here reads. */
export const actText = 'INSERT INTO deleted_rooms VALUES (?) ON CONFLICT (room) DO NOTHING';

const sala = 's000000000000000000001';
const canal = 'documento';

function row(seq: number, text: string): { sala: string; canal: typeof canal; seq: number; frames: Uint8Array } {
  const bytes = Buffer.from(text);
  const frames = new Uint8Array(updateFrameBytes(bytes.length));
  writeUpdateFrame(frames, 0, bytes);
  return { sala, canal, seq, frames };
}

const writer = '6f1b7a52-6c1e-4a35-9f7e-2f0f8a3d9c01';

const beginGroup = (n: number): string => beginNumbered({ writer, n });

// oxlint-disable-next-line max-lines-per-function -- one suite
export function fencingContract(create: () => Promise<FencingFixture>): void {
  // oxlint-disable-next-line max-lines-per-function -- one suite
  describe('fences', () => {
    let world: FencingFixture;
    beforeEach(async () => {
      world = await create();
    });
    afterEach(() => world.remove());

    const lead = async (holder: string) => {
      const base = { pool: world.pool, clock: world.still, name: 'base' };
      const lease = await world.run(tryLease(world.pool, { ...base, holder, seen: { number: 0 } }));
      if (lease === null) return null;
      const { sql, release } = fencedSql(base, lease);
      return {
        number: lease.number,
        write: () => world.run(sql.write(() => sql.prepare(actText).run(`x${holder}`))),
        release: () => world.run(release()),
        releaseMeanwhile: release,
      };
    };
    const join = async (holder: string) => {
      const { pool, still: clock } = world;
      const lapses: string[] = [];
      const onLapsed = (): void => void lapses.push(holder);
      const member = await world.run(joinPortals(pool, { holder, address: `${holder}:1`, version: '1', clock, onLapsed }));
      const owners = createRoomOwners(pool, member, clock);
      const log = openPostgresRoomLog({ pool, owners, clock });
      return { id: member.id, member, owners, lapses, append: (seq: number, text: string) => world.run(log.append([row(seq, text)])), log };
    };
    const open = (): Promise<PoolClient> => world.run(world.pool.connect());

    test('one leads; who was deposed writes nothing and gives nothing away', async () => {
      const first = await lead('a');
      expect(first?.number).toBeGreaterThan(0);
      expect(await lead('b')).toBeNull();
      await first?.write();
      await world.expire();
      const second = await lead('b');
      expect(second?.number).toBeGreaterThan(first?.number ?? Infinity);
      await expect(first?.write()).rejects.toMatchObject({ code: 'STATE_IN_USE' });
      await first?.release();
      expect(await lead('a')).toBeNull();
      await second?.write();
      await second?.release();
      const third = await lead('a');
      expect(third?.number).toBeGreaterThan(second?.number ?? Infinity);
      await expect(second?.write()).rejects.toMatchObject({ code: 'STATE_IN_USE' });
    });

    test('what is under way under a number holds up who changes hands', async () => {
      const first = await lead('a');
      const client = await open();
      const order: string[] = [];
      await world.run(client.query('BEGIN'));
      await world.run(client.query(`SELECT number, holder FROM leases WHERE name = 'leader' FOR SHARE`));
      const released = first?.releaseMeanwhile().then(() => order.push('released')) ?? Promise.resolve(0);
      for (let n = 0; n < 5; n += 1) await world.run(client.query(lastNumber, [writer]));
      order.push('commits');
      await world.run(client.query('COMMIT'));
      client.release();
      await world.run(released);
      expect(order).toEqual(['commits', 'released']);
    });

    test('a transaction that began before the number changed begins again', async () => {
      const first = await lead('a');
      const client = await open();
      await world.run(client.query(beginGroup(1)));
      await first?.release();
      const asked = world.run(client.query(`SELECT number, holder FROM leases WHERE name = 'leader' FOR SHARE`));
      await expect(asked).rejects.toMatchObject({ code: '40001' });
      await world.run(client.query('ROLLBACK'));
      client.release();
    });

    test('the number of a group of writes is there once it is committed; who asks meanwhile waits', async () => {
      const [client, other] = [await open(), await open()];
      const lastOf = async (): Promise<number> => (await other.query<{ n: number }>(lastNumber, [writer])).rows[0]!.n;
      const order: unknown[] = [];
      const askedBeforeEnd = async (group: number, end: 'COMMIT' | 'ROLLBACK'): Promise<void> => {
        await world.run(client.query(beginGroup(group)));
        const asked = lastOf().then((n) => order.push(n));
        for (let n = 0; n < 20; n += 1) await world.run(client.query(`SELECT number, holder FROM leases WHERE name = 'leader' FOR SHARE`));
        order.push(end);
        await world.run(client.query(end));
        await world.run(asked);
      };
      expect(await world.run(lastOf())).toBe(0);
      // Also the first one, of which there is no row that could be locked, and one after it.
      for (const [group, end] of [
        [1, 'COMMIT'],
        [2, 'ROLLBACK'],
        [2, 'COMMIT'],
      ] as const)
        await askedBeforeEnd(group, end);
      expect(order).toEqual(['COMMIT', 1, 'ROLLBACK', 1, 'COMMIT', 2]);
      for (const one of [client, other]) one.release();
    });

    test('a room is of one portal that lives, with a number that grows', async () => {
      const [a, b] = [await join('a'), await join('b')];
      const take = (one: typeof a) => world.run(one.owners.take(sala));
      expect(await take(a)).toEqual({ kind: 'ours', number: 1 });
      expect(await take(a)).toEqual({ kind: 'ours', number: 1 });
      expect(await take(b)).toEqual({ kind: 'elsewhere', portal: a.id, address: 'a:1' });
      expect(await world.run(b.owners.ownerOf(sala))).toEqual({ portal: a.id, address: 'a:1' });
      await a.append(1, 'um');
      await world.run(a.owners.release(sala));
      expect(await world.run(b.owners.ownerOf(sala))).toBeNull();
      expect(await take(b)).toEqual({ kind: 'ours', number: 2 });
      await expect(a.append(2, 'dois')).rejects.toMatchObject({ code: 'ROOM_ELSEWHERE', details: { salas: [sala] } });
      expect(await world.run(a.owners.lost())).toEqual([sala]);
      await world.expire();
      expect(await take(a)).toEqual({ kind: 'ours', number: 3 });
      expect(a.lapses).toEqual(['a']);
      await expect(b.append(2, 'dois')).rejects.toMatchObject({ code: 'ROOM_ELSEWHERE' });
      await a.append(2, 'deux');
      await world.run(a.owners.releaseAll());
      await world.run(b.member.renew());
      expect(await take(b)).toEqual({ kind: 'ours', number: 4 });
      expect((await world.run(b.log.load({ sala, canal }))).seq).toBe(2);
    });

    test('a row is there once: again it does nothing, with other bytes it is refused', async () => {
      const a = await join('a');
      await a.append(1, 'um');
      await a.append(1, 'um');
      await expect(a.append(1, 'outro')).rejects.toMatchObject({
        code: 'STORE_FAILED',
        message: expect.stringContaining('other bytes') as string,
      });
      const { tail, seq } = await world.run(a.log.load({ sala, canal }));
      expect([Buffer.from(tail), seq]).toEqual([Buffer.from(row(1, 'um').frames), 1]);
    });

    test('a portal that left holds nothing', async () => {
      const [a, b] = [await join('a'), await join('b')];
      await world.run(a.owners.take(sala));
      await world.run(a.member.leave());
      expect(await world.run(b.owners.take(sala))).toEqual({ kind: 'ours', number: 2 });
    });
  });
}
