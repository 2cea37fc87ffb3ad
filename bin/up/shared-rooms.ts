/**
 * Documents of rooms in the database that portals share. The portal joins the others under its name, also when its rooms stay shut, and has
 * the rooms that it opens. The first start moves documents of an earlier portal's rooms.db there.
 * Decision: docs/decisions/0297-rooms-move-into-the-database.md
 */
import { existsSync, renameSync } from 'node:fs';
import type { ClientBase } from 'pg';
import type { Logger } from 'pino';
import { faultPoint } from '../../controller/faults.ts';
import type { Clock } from '../../schema/clock.ts';
import { joinPortals } from '../../store/portals.ts';
import type { Pools } from '../../store/postgres-pools.ts';
import { openPostgresRoomLog } from '../../store/postgres-room-log.ts';
import { alone } from '../../store/postgres-alone.ts';
import { inTransaction, storeError } from '../../store/postgres-patience.ts';
import { copyDocuments, inDatabase, roomLogName } from '../../store/room-log-move.ts';
import { type MarkedRoomLog, openMarkedRoomLog } from '../../store/room-log-mark.ts';
import { limits } from '../limits.ts';
import { buildName } from './build-name.ts';
import { holderName } from './store-place.ts';
import { createRoomOwners, type RoomOwners } from '../../store/room-owners.ts';
import type { Store } from '../../store/store.ts';

export interface SharedRooms extends MarkedRoomLog {
  /** Id of this portal among those of the database. */
  readonly portal: string;
  /** Null: no room can be entered (`trouble`). */
  readonly owners: RoomOwners | null;
  /** Rooms that this portal had and another one took meanwhile. */
  onTaken(listener: (salas: readonly string[]) => void): void;
}

export interface SharedRoomsOptions {
  readonly pools: Pools;
  readonly store: Store;
  /** Where documents lay before. */
  readonly file: string;
  readonly acceptLossFile: string;
  /** Where the others reach this portal; '': nowhere. */
  readonly address: string;
  readonly clock: Clock;
  readonly log: Logger;
  /** Receives the function that closes it. */
  readonly ends: (() => Promise<void> | void)[];
}

export async function openSharedRooms(options: SharedRoomsOptions): Promise<SharedRooms> {
  const { pools, address, clock, log, ends } = options;
  const { pool, renewals, hosts } = pools;
  const listeners: ((salas: readonly string[]) => void)[] = [];
  const onTaken: SharedRooms['onTaken'] = (listener) => void listeners.push(listener);
  let owners: RoomOwners | null = null;
  const look = (): void => {
    owners
      ?.lost()
      .then((salas) => (salas.length === 0 ? null : listeners.forEach((listener) => listener(salas))))
      .catch((error: unknown) => {
        log.warn({ why: String(error) }, 'which rooms other portals took is not known yet; asked again');
        clock.at(clock.monotonicMs() + limits.roomsTakenAgainMs, look);
      });
  };
  const member = await joinPortals(renewals, { holder: holderName(), address, version: buildName(), clock, onLapsed: look });
  ends.push(() => member.leave());
  const shut = await moveDocuments(options);
  if (shut !== null) return { ...shut, owners, portal: member.id, onTaken };
  owners = createRoomOwners(pool, member, clock);
  owners.onTakenAnew((sala) => listeners.forEach((listener) => listener([sala])));
  hosts.onEra(() => {
    log.warn({}, 'another server of the database takes writes now: rooms are read anew');
    look();
  });
  const roomLog = openPostgresRoomLog({ pool, owners, clock });
  ends.push(() => roomLog.close());
  return { log: roomLog, trouble: null, unknownRooms: 0, setAside: null, owners, portal: member.id, onTaken };
}

/** Null: all documents are in the database. Else what is wrong with the file that holds them. */
async function moveDocuments(options: SharedRoomsOptions): Promise<MarkedRoomLog | null> {
  const {
    pools: { pool },
    store,
    clock,
  } = options;
  if ((await store.value(roomLogName)) === inDatabase) return null;
  // Portals that begin at once: one of them moves, the others find it done.
  return await alone(pool, clock, async (client) => await moveHere(client, options));
}

async function moveHere(
  client: ClientBase,
  { store, file, acceptLossFile, clock, log, ends }: SharedRoomsOptions,
): Promise<MarkedRoomLog | null> {
  const where = await store.value(roomLogName);
  if (where === inDatabase) return null;
  if (where === null) {
    await store.putValue(roomLogName, inDatabase);
    return null;
  }
  const isElsewhere = !existsSync(file);
  const marked = await openMarkedRoomLog({ file, acceptLossFile, store, nowMs: clock.nowMs() });
  ends.push(() => marked.log.close());
  if (marked.trouble !== null) return isElsewhere ? { ...marked, trouble: `${marked.trouble}${hint}` } : marked;
  await marked.log.close();
  ends.pop();
  try {
    const moved = await inTransaction(client, async () => {
      const copied = await copyDocuments(file, client);
      faultPoint('up/rooms-copied');
      return copied;
    });
    faultPoint('up/rooms-moved');
    const kept = `${file}.moved-${clock.nowMs()}`;
    renameSync(file, kept);
    log.warn({ ...moved, kept }, 'the documents of rooms were moved into the database');
    return null;
  } catch (error) {
    throw storeError(error);
  }
}

const hint =
  '. If they lie in the state folder of another portal, start that one, which moves them into the database, and then this one again';
