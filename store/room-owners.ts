/**
 * Ownership of rooms: one portal at a time, with a number that grows with each change of hands. Every write to the documents of a room
 * carries the number (`refuseTaken`), so a portal that stood still while another one took its room writes nothing. A room is taken from
 * nobody whose row among the portals lives. A room taken before a standby was promoted is held no more: its documents may be shorter there
 * than the portal knows them. Decisions: docs/decisions/0296-a-room-has-one-portal.md, docs/decisions/0307-when-a-standby-is-promoted.md
 */
import type { ClientBase, Pool } from 'pg';
import type { Clock } from '../schema/clock.ts';
import { SvcError } from '../schema/errors.ts';
import { createTurns } from '../schema/turns.ts';
import type { Membership } from './portals.ts';
import { eraOf } from './postgres-hosts.ts';
import { patiently, storeError, withClient } from './postgres-patience.ts';

export interface RoomPlace {
  /** Id of a portal, and where it is reached. */
  readonly portal: string;
  readonly address: string;
}

export type Taken =
  | { readonly kind: 'ours'; readonly number: number }
  | ({ readonly kind: 'elsewhere' } & RoomPlace)
  /** It was deleted: nobody has it any more. */
  | { readonly kind: 'deleted' };

/** Under which a room was taken. */
export interface Held {
  readonly number: number;
  /** Era of the database (postgres-hosts.ts). */
  readonly era: number;
}

/** Every promise rejects with STORE_FAILED when the database does not answer. */
export interface RoomOwners {
  readonly portal: string;
  /** Ours from now on, unless a portal that lives has it. Again it answers the same number. */
  take(sala: string): Promise<Taken>;
  /** The portal that lives and has it; null: nobody. */
  ownerOf(sala: string): Promise<RoomPlace | null>;
  /** Last hold of the room here; undefined: never. The database checks at each write whether it is still ours. */
  heldOf(sala: string): Held | undefined;
  /** Gives one back that is not written to any more: anybody may take it. */
  release(sala: string): Promise<void>;
  releaseAll(): Promise<void>;
  /** Rooms taken here that are not ours now. */
  lost(): Promise<readonly string[]>;
  /** Calls the listener when a room that was held here and not given back is taken anew: what was known of it is not true any more. */
  onTakenAnew(listener: (sala: string) => void): void;
}

export function createRoomOwners(pool: Pool, member: Pick<Membership, 'id' | 'renew'>, clock: Clock): RoomOwners {
  // Rooms that were given back stay in here: a late write is refused by its number.
  const held = new Map<string, Held & { readonly isGiven: boolean }>();
  const listeners: ((sala: string) => void)[] = [];
  const askOf = asker(pool, clock);
  const ask = async <Row extends object>(text: string, values: readonly unknown[]): Promise<readonly Row[]> =>
    (await askOf<Row>(text, values)).rows;
  const tryTake = async (sala: string): Promise<Taken | 'not a member' | 'changed'> => {
    const { rows, era } = await askOf<{ readonly number: number }>(takeRoom, [sala, member.id]);
    const [taken] = rows;
    if (taken !== undefined) {
      const before = held.get(sala);
      held.set(sala, { ...taken, era, isGiven: false });
      if (before?.isGiven === false && (before.number !== taken.number || before.era !== era))
        for (const listener of listeners) listener(sala);
      return { kind: 'ours', number: taken.number };
    }
    const [seen] = await ask<Standing>(standing, [sala, member.id]);
    if (seen?.deleted === true) return { kind: 'deleted' };
    if (seen?.member !== true) return 'not a member';
    return seen.portal === null ? 'changed' : { kind: 'elsewhere', portal: seen.portal, address: seen.address };
  };
  const take = async (sala: string): Promise<Taken> => {
    for (let tries = 0; tries < takesMax; tries += 1) {
      const taken = await tryTake(sala);
      if (taken === 'not a member') await member.renew();
      else if (taken !== 'changed') return taken;
    }
    throw new SvcError('STORE_FAILED', `whose the room ${sala} is changes all the time`);
  };
  const release = async (sala: string): Promise<void> => {
    const given = held.get(sala);
    if (given === undefined) return;
    await ask(`UPDATE room_owners SET portal = '' WHERE sala = $1 AND portal = $2 AND number = $3`, [sala, member.id, given.number]);
    held.set(sala, { ...given, isGiven: true });
  };
  // A client that enters a room that is being given back takes it after that.
  const inTurn = createTurns();
  return {
    portal: member.id,
    take: (sala) => inTurn(sala, () => take(sala)),
    ownerOf: async (sala) => {
      const [found] = await ask<RoomPlace>(
        `SELECT o.portal, p.address FROM room_owners o JOIN portals p ON p.id = o.portal WHERE o.sala = $1 AND p.until > clock_timestamp()`,
        [sala],
      );
      return found ?? null;
    },
    heldOf: (sala) => held.get(sala),
    release: (sala) => inTurn(sala, () => release(sala)),
    releaseAll: async () => {
      await ask(`UPDATE room_owners SET portal = '' WHERE portal = $1`, [member.id]);
    },
    lost: async () => {
      const { rows, era } = await askOf<{ readonly sala: string }>(
        `SELECT held.sala FROM unnest($1::text[], $2::bigint[]) AS held (sala, number) LEFT JOIN room_owners o
           ON o.sala = held.sala AND o.number = held.number AND o.portal = $3 WHERE o.sala IS NULL`,
        [[...held.keys()], [...held.values()].map(({ number }) => number), member.id],
      );
      const before = [...held].flatMap(([sala, one]) => (one.era === era ? [] : [sala]));
      return [...new Set([...rows.map(({ sala }) => sala), ...before])];
    },
    onTakenAnew: (listener) => void listeners.push(listener),
  };
}

const takesMax = 5;

const asker =
  (pool: Pool, clock: Clock) =>
  async <Row extends object>(text: string, values: readonly unknown[]): Promise<Answer<Row>> => {
    const ask = async (client: ClientBase): Promise<Answer<Row>> => {
      const { rows } = await client.query<Row>(text, [...values]);
      return { rows, era: eraOf(client) };
    };
    try {
      return await patiently(clock, async () => await withClient(pool, ask));
    } catch (error) {
      throw storeError(error);
    }
  };

interface Answer<Row> {
  readonly rows: readonly Row[];
  /** Era of the connection that it came by. */
  readonly era: number;
}

const lives = (portal: string): string => `EXISTS (SELECT FROM portals p WHERE p.id = ${portal} AND p.until > clock_timestamp())`;

const takeRoom = `INSERT INTO room_owners AS o (sala, portal, number)
  SELECT $1, $2, 1 WHERE ${lives('$2')} AND NOT EXISTS (SELECT FROM deleted_rooms WHERE room = $1)
  ON CONFLICT (sala) DO UPDATE SET portal = excluded.portal, number = o.number + CASE WHEN o.portal = excluded.portal THEN 0 ELSE 1 END
  WHERE o.portal = excluded.portal OR NOT ${lives('o.portal')}
  RETURNING number`;

interface Standing {
  readonly deleted: boolean;
  readonly member: boolean;
  /** Id of the owning portal that lives. */
  readonly portal: string | null;
  readonly address: string;
}

const standing = `SELECT EXISTS (SELECT FROM deleted_rooms WHERE room = $1) AS deleted, ${lives('$2')} AS member, p.id AS portal, p.address
  FROM (SELECT) AS one LEFT JOIN (room_owners o JOIN portals p ON p.id = o.portal AND p.until > clock_timestamp()) ON o.sala = $1`;

/**
 * Within a transaction, before its first write: throws ROOM_ELSEWHERE with the rooms (`salas`) that are not ours under the number given; answers those
 * that were deleted. Until the transaction ends nobody takes or deletes one.
 */
export async function refuseTaken(
  client: ClientBase,
  portal: string,
  held: ReadonlyMap<string, Held | null>,
): Promise<ReadonlySet<string>> {
  const { rows } = await client.query<{ readonly sala: string; readonly portal: string; readonly number: number }>({
    name: 'room-owners',
    text: 'SELECT sala, portal, number FROM room_owners WHERE sala = ANY ($1::text[]) ORDER BY sala FOR SHARE',
    values: [[...held.keys()]],
  });
  const era = eraOf(client);
  const isOurs = (row: { readonly sala: string; readonly portal: string; readonly number: number }): boolean =>
    row.portal === portal && held.get(row.sala)?.number === row.number && held.get(row.sala)?.era === era;
  const ours = new Set(rows.filter(isOurs).map(({ sala }) => sala));
  const others = [...held.keys()].filter((sala) => !ours.has(sala));
  if (others.length === 0) return new Set();
  // The deletion of a room is written before its row is freed.
  const deleted = await client.query<{ readonly room: string }>('SELECT room FROM deleted_rooms WHERE room = ANY ($1::text[])', [others]);
  const gone = new Set(deleted.rows.map(({ room }) => room));
  const salas = others.filter((sala) => !gone.has(sala));
  if (salas.length > 0) throw roomsElsewhere(salas);
  return gone;
}

export function roomsElsewhere(salas: readonly string[]): SvcError {
  return new SvcError('ROOM_ELSEWHERE', `another portal took over: ${salas.slice(0, 3).join(', ')}`, { salas });
}
