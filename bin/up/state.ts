/** Opens what is in the state folder: the store, the room log, the folder of attachments; and the watch that they are not replaced. */
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { MoreChecks } from '../../api/site/doctor.ts';
import type { PeerOptions } from '../../api/peers/portal-peers.ts';
import type { Relay } from '../../api/rooms/contract.ts';
import type { Bus } from '../../store/bus.ts';
import type { Bytes } from '../../store/bytes.ts';
import { livingPortals } from '../../store/portals.ts';
import { watchDatabases } from '../../store/database-watch.ts';
import { type MarkedRoomLog, openMarkedRoomLog } from '../../store/room-log-mark.ts';
import { refusable } from '../../store/room-log-refusal.ts';
import type { Leading, MemberStore } from '../../store/postgres.ts';
import type { Pools } from '../../store/postgres-pools.ts';
import type { Store } from '../../store/store.ts';
import { faultPoint } from '../../controller/faults.ts';
import type { PortalSeen } from '../../schema/portals.ts';
import { createErrorCount } from '../../store/counted-errors.ts';
import { withEdges } from '../../store/with-edges.ts';
import type { Clock } from '../../schema/clock.ts';
import type { DoctorCheck } from '../../schema/gateway.ts';
import { acceptLoss, attachmentsCheck, databasesCheck, roomsCheck } from './room-report.ts';
import { buildName } from './build-name.ts';
import { lookAtPortals, portalsCheck, portalsSeen } from './portals-check.ts';
import { openSharedRooms, type SharedRooms } from './shared-rooms.ts';
import { roomSpace } from './room-space.ts';
import { noteRecorded, recordedPortals } from './recorded-portals.ts';
import { joinAt } from './settings.ts';
import { openStoredBytes } from './stored-bytes.ts';
import { refuseForgotten, type FreshStoreOptions } from './fresh-store.ts';
import { rememberStore, storeFile, type StorePlace } from './remembered-store.ts';
import { openMember, openStore } from './store-place.ts';

export interface StateOptions extends FreshStoreOptions {
  readonly place: StorePlace;
  readonly bus: Bus;
  /** Where the other portals of the store reach this one (host:port); null: there are no others. */
  readonly joins: string | null;
  readonly clock: Clock;
  readonly log: Logger;
  /** Receives the function that closes it. */
  readonly ends: (() => Promise<void> | void)[];
}

export interface OpenState {
  readonly store: Store;
  /** Messages on it reach the other portals, too. */
  readonly bus: Bus;
  /** Null: no other portal uses the store. */
  readonly member: MemberStore | null;
  /** Options of the portal among others; null as `member`. */
  readonly peers: PeerOptions | null;
  /** Null as `member`. */
  readonly portals: (() => Promise<readonly PortalSeen[]>) | null;
  /** The store as the controller of a portal that leads has it. */
  readonly led: (leading: Leading) => Store;
  /** Failures of the store so far. */
  readonly storeErrors: () => number;
  /** Number of this portal's leadership, for its orders. */
  readonly leader: number | null;
  /** As OpenStore has it. */
  readonly held: () => Promise<void>;
  readonly roomLog: MarkedRoomLog;
  readonly attachments: Bytes;
  readonly attachmentsTrouble: string | null;
  /** Inputs, logs and outputs of jobs. */
  readonly jobFiles: Bytes;
  /** Rejects when another portal took the store over; null: that is not possible. */
  readonly storeLost: Promise<never> | null;
  /** Bytes that the rooms of a person hold on the disk. */
  readonly diskOf: (dona: string) => Promise<number>;
  /** Rooms that another portal took, which this one had. */
  readonly onRoomsTaken: (listener: (salas: readonly string[]) => void) => void;
  /** False: one of the databases is not what it was when it was opened. */
  mayClose(): boolean;
  /** `hasUrl`: the Portal document says what people type. */
  doctorChecks(relay: Pick<Relay, 'figures'>, hasUrl: () => boolean): MoreChecks;
}

/** Where a test kills the portal between what a person said and its row. */
function withFaultPoints(store: Store): Store {
  return {
    ...store,
    putConsent: async (consent) => {
      faultPoint('consent/before-write');
      const id = await store.putConsent(consent);
      faultPoint('consent/written');
      return id;
    },
  };
}

/** Before documents are read: a Grant makes rooms. */
export async function openState({ stateDir, fresh, place, bus: local, joins, clock, log, ends }: StateOptions): Promise<OpenState> {
  // Before anything is opened.
  if (joins !== null) joinAt(joins);
  const joined = joins !== null ? await openMember(place, { stateDir, fresh, clock, local }) : null;
  const opened =
    joined === null
      ? await openStore(place, { stateDir, clock, leads: true })
      : { store: joined.member, leader: null, lost: null, held: async () => undefined, pools: joined.member.pools };
  const bus = joined?.shared.bus ?? local;
  const errors = createErrorCount();
  const store = withFaultPoints(errors.of(withEdges(opened.store, bus)));
  ends.push(() => store.close());
  if (joined === null) await refuseForgotten(opened.store, place, { stateDir, fresh });
  else ends.push(() => joined.shared.stop());
  rememberStore(stateDir, place);
  const file = storeFile(place, stateDir);
  const lost = new Map<string, string>();
  const roomFile = path.join(stateDir, 'rooms.db');
  const acceptLossFile = path.join(stateDir, acceptLoss);
  const { pools } = opened;
  const pool = pools?.pool ?? null;
  const shared =
    pools === null ? null : await openSharedRooms({ pools, store, file: roomFile, acceptLossFile, address: joins ?? '', clock, log, ends });
  await joined?.confirmKey();
  if (joins !== null) await noteRecorded(store, joins, clock);
  const roomLog = shared ?? (await openRoomLog({ roomFile, acceptLossFile, store, clock, ends }, () => lost.get(roomFile) ?? null));
  reportRoomLog(roomLog, log);
  const { attachmentsTrouble, ...stored } = await openStoredBytes({ stateDir, store, pool, clock, log });
  if (attachmentsTrouble !== null) log.error({ attachmentsTrouble }, 'nothing of them is collected. svc doctor says how to mend it');
  const lose =
    (name: string, act: (why: string) => void) =>
    (why: string): void => {
      lost.set(name, why);
      act(why);
      log.error({ why }, 'it is written to no more. svc doctor says how to mend it');
    };
  const watch = await watchDatabases(
    [
      ...(file === null ? [] : [{ file, onLost: lose(file, (why) => store.giveUp(why)) }]),
      ...(shared === null && roomLog.trouble === null ? [{ file: roomFile, onLost: lose(roomFile, () => undefined) }] : []),
    ],
    clock,
  );
  ends.push(() => watch.stop());
  return {
    store,
    bus,
    member: joined?.member ?? null,
    portals: pool === null || joins === null ? null : () => portalsSeen(pool, clock),
    peers: joins === null || joined === null ? null : peersOf(joins, joined.key, { shared, ...lookAt(store, pool, clock) }),
    led: (leading) => errors.of(withEdges(leading.store, bus)),
    storeErrors: () => errors.soFar(),
    leader: opened.leader,
    held: opened.held,
    roomLog,
    ...stored,
    attachmentsTrouble,
    storeLost: opened.lost,
    diskOf: roomSpace({ stateDir: shared === null ? stateDir : null, rooms: store.rooms, log: roomLog.log }),
    onRoomsTaken: (listener) => shared?.onTaken(listener),
    mayClose: () => lost.size === 0,
    doctorChecks: (relay, hasUrl) => ({
      databases: () => checkDatabases(watch, lost, pools, place.store ?? ''),
      rooms: () => roomsCheck(relay, { ...roomLog, isFile: shared === null }),
      ...(pools === null || joins === null ? {} : { portals: () => checkPortals(pools, { clock, hasUrl: hasUrl() }) }),
      attachments: () => attachmentsCheck(store, attachmentsTrouble, clock.nowMs()),
    }),
  };
}

async function checkDatabases(
  watch: { check(): Promise<void> },
  lost: ReadonlyMap<string, string>,
  pools: Pools | null,
  name: string,
): Promise<DoctorCheck> {
  await watch.check();
  return databasesCheck([...lost.values()], pools === null ? null : { name, away: await awayOf(pools) });
}

/** Why the database does not answer; null: it does. */
async function awayOf({ pool }: Pools): Promise<string | null> {
  return await pool.query('SELECT').then(
    () => null,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
}

async function checkPortals(
  { pool, hosts }: Pools,
  { clock, hasUrl }: { readonly clock: Clock; readonly hasUrl: boolean },
): Promise<DoctorCheck> {
  const seen = await lookAtPortals(pool, clock);
  return portalsCheck(seen, { version: buildName(), hosts: hosts.several ? await hosts.look() : [], hasUrl });
}

/** Where the portals that live are reached. */
async function livingAt(pool: Pool | null, clock: Clock): Promise<ReadonlySet<string>> {
  const members = pool === null ? [] : await livingPortals(pool, clock);
  return new Set(members.map(({ address }) => address));
}

function lookAt(store: Store, pool: Pool | null, clock: Clock): Pick<PeerOptions, 'living' | 'recorded'> {
  const living = (): Promise<ReadonlySet<string>> => livingAt(pool, clock);
  return { living, recorded: () => recordedPortals(store, living, clock) };
}

function peersOf(
  address: string,
  key: string,
  { shared, living, recorded }: Pick<PeerOptions, 'living' | 'recorded'> & { readonly shared: SharedRooms | null },
): PeerOptions {
  const owners = shared?.owners ?? null;
  return {
    key,
    portal: shared?.portal ?? '',
    ...joinAt(address),
    address,
    living,
    recorded,
    elsewhere: async (sala) => {
      // Nobody enters a room while its documents can't be read.
      const taken = (await owners?.take(sala)) ?? null;
      return taken?.kind === 'elsewhere' ? taken.address : null;
    },
  };
}

type RoomLogPlace = Pick<StateOptions, 'clock' | 'ends'> & {
  readonly roomFile: string;
  readonly acceptLossFile: string;
  readonly store: Store;
};

/** The portal closes the relay, and the file goes after it. */
async function openRoomLog(
  { roomFile, acceptLossFile, store, clock, ends }: RoomLogPlace,
  whyLost: () => string | null,
): Promise<MarkedRoomLog> {
  const opened = await openMarkedRoomLog({ file: roomFile, acceptLossFile, store, nowMs: clock.nowMs() });
  const roomLog = refusable(opened.log, whyLost);
  ends.push(() => roomLog.close());
  if (opened.trouble === null) ends.push(keepOpen(roomFile, whyLost));
  return { ...opened, log: roomLog };
}

function reportRoomLog({ trouble, unknownRooms, setAside }: MarkedRoomLog, log: Logger): void {
  if (trouble !== null) log.error({ trouble }, 'no room can be entered; apps and everything else go on. svc doctor says how to repair it');
  if (unknownRooms > 0)
    log.error({ unknownRooms }, 'rooms.db holds rooms that the store does not know: was svc.db lost? They are kept; svc doctor');
  if (setAside !== null) log.warn({ setAside }, 'the loss of the documents of rooms was accepted: they begin empty');
}

/** Keeps a second reader open: a dying thread of the room log would be the last to close the file, and take its write-ahead log away. */
function keepOpen(file: string, whyLost: () => string | null): () => void {
  const database = new DatabaseSync(file, { readOnly: true, timeout: 5_000 });
  database.prepare('PRAGMA user_version').get();
  return () => {
    if (whyLost() === null) database.close();
  };
}
