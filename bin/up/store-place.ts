/** Where the store is, as the Portal document says, and its opening: a file of the state folder, or a database of PostgreSQL. */
import { createHmac } from 'node:crypto';
import { hostname } from 'node:os';
import path from 'node:path';
import { readFolder } from '../../controller/desired/read-folder.ts';
import { readSecretReference } from '../../controller/desired/secret-reference.ts';
import type { Clock } from '../../schema/clock.ts';
import { SvcError } from '../../schema/errors.ts';
import { readPlainFile, whyUnread } from '../../schema/plain-file.ts';
import type { Bus } from '../../store/bus.ts';
import { openMemberStore, openPostgresStore, type MemberStore } from '../../store/postgres.ts';
import { livingPortals } from '../../store/portals.ts';
import type { PostgresHost, PostgresPlace } from '../../store/postgres-hosts.ts';
import type { Pools } from '../../store/postgres-pools.ts';
import { limits as sharedLimits } from '../../schema/limits.ts';
import { refuseForgotten, type FreshStoreOptions } from './fresh-store.ts';
import { embedded, rememberedPlace, storeFile, type StorePlace } from './remembered-store.ts';
import { createSharedBus, type SharedBus } from '../../store/shared-bus.ts';
import { openSqliteStore } from '../../store/sqlite.ts';
import type { Store } from '../../store/store.ts';

/** A broken folder leaves it where it was. */
export async function storePlace(dir: string, stateDir: string): Promise<StorePlace> {
  const answer = await readFolder(dir);
  if (!answer.ok) return await rememberedPlace(stateDir, answer.errors);
  const portal = answer.state.documents.map(({ document }) => document).find((document) => document.kind === 'Portal');
  const { store = embedded.store, storePassword, storeCa, portalKey } = portal?.spec ?? {};
  return {
    store,
    ...(storePassword === undefined ? {} : { storePassword }),
    ...(storeCa === undefined ? {} : { storeCa }),
    ...(portalKey === undefined ? {} : { portalKey }),
  };
}

export interface OpenStore {
  readonly store: Store;
  /** Rejects STATE_IN_USE when another portal took it over. */
  readonly lost: Promise<never> | null;
  /** Higher than that of any portal before; null: it only looks. */
  readonly leader: number | null;
  /** Resolves while no other portal can lead (store/lease.ts). */
  readonly held: () => Promise<void>;
  /** Null: it is a file. */
  readonly pools: Pools | null;
}

/** Parts that a portal shares with others. */
export interface OpenMember {
  readonly member: MemberStore;
  readonly shared: SharedBus;
  /** Secret by which the portals know each other. */
  readonly key: string;
  /** Once it is among the portals: rejects BAD_REQUEST when another one brought another key meanwhile. */
  readonly confirmKey: () => Promise<void>;
}

const portalKeyCharsMin = 32;

/** Opens the store of a portal among others; their messages arrive on `local`. */
export async function openMember(
  place: StorePlace,
  options: FreshStoreOptions & { readonly clock: Clock; readonly local: Bus },
): Promise<OpenMember> {
  const { stateDir, clock, local } = options;
  const [wrong] = place.unread ?? [];
  if (wrong !== undefined)
    throw new SvcError('BAD_REQUEST', `--join needs a desired folder without errors, which says where the store is:\n${wrong}`);
  if (storeFile(place, stateDir) !== null)
    throw new SvcError(
      'BAD_REQUEST',
      `--join needs a store that portals can share: Portal.spec.store is ${place.store}, expected postgres://USER@HOST/DATABASE`,
    );
  if (place.portalKey === undefined)
    throw new SvcError(
      'BAD_REQUEST',
      '--join needs Portal.spec.portalKey: { file: PATH } or { env: NAME }, the same for all portals of the store',
    );
  const key = await readSecretReference(place.portalKey, stateDir);
  if (key.length < portalKeyCharsMin)
    throw new SvcError('BAD_REQUEST', `Portal.spec.portalKey has ${key.length} characters, expected at least ${portalKeyCharsMin}`);
  const reached = await postgresPlace(place, stateDir);
  const mark = createHmac('sha256', key).update('svc portals').digest('hex');
  const member = await openMemberStore(reached, { clock, holder: holderName() });
  try {
    await refuseForgotten(member, place, options);
    await refuseOtherKey(member, { mark, clock });
  } catch (error) {
    await member.close();
    throw error;
  }
  const confirmKey = async (): Promise<void> => {
    if ((await member.value(keyMark)) !== mark) throw otherKey('one that began at the same time');
  };
  return { member, key, confirmKey, shared: createSharedBus({ hosts: member.pools.hosts, local, clock }) };
}

/**
 * With another key nothing could be carried between them, and that would be seen only by those in a room.
 * Decision: docs/decisions/0313-a-portal-with-another-key.md
 */
async function refuseOtherKey(member: MemberStore, { mark, clock }: { readonly mark: string; readonly clock: Clock }): Promise<void> {
  const before = await member.value(keyMark);
  if (before === mark) return;
  // Written first: of two that begin at once at least one sees the other's, here or when it has joined.
  await member.putValue(keyMark, mark);
  const others = before === null ? [] : await livingPortals(member.pools.pool, clock);
  if (before === null || others.length === 0) return;
  await member.putValue(keyMark, before);
  throw otherKey(others.map(({ holder }) => holder).join('; '));
}

const otherKey = (whose: string): SvcError =>
  new SvcError(
    'BAD_REQUEST',
    `Portal.spec.portalKey is not that of the portals that run (${whose}): it is the same for all; to change it, end all of them first`,
  );

const keyMark = 'portalKey';

/** Name of this portal for people: in the lease, and among the portals. */
export const holderName = (): string => `${hostname()}, process ${process.pid}`;

/** `leads`: it is this portal's alone. A portal that only looks does not ask whose it is. */
export async function openStore(
  place: StorePlace,
  options: { readonly stateDir: string; readonly clock: Clock; readonly leads: boolean },
): Promise<OpenStore> {
  const { stateDir, clock, leads } = options;
  const file = storeFile(place, stateDir);
  if (file !== null) {
    const store = await openSqliteStore(file);
    return { store, lost: null, leader: leads ? await nextLeader(store, clock.nowMs()) : null, held: async () => undefined, pools: null };
  }
  const holder = leads ? holderName() : null;
  const store = await openPostgresStore(await postgresPlace(place, stateDir), { clock, holder, migrates: leads });
  return { store, lost: store.lost, leader: store.leader, held: store.held, pools: store.pools };
}

/** At least the time, so that numbers go on in another store; and higher than the last one, also when the clock was set back. */
async function nextLeader(store: Store, nowMs: number): Promise<number> {
  const before = Number(await store.value('leader')) || 0;
  const number = Math.max(before + 1, nowMs);
  await store.putValue('leader', String(number));
  return number;
}

const loopback: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** `postgres://USER@HOST[:PORT][,HOST[:PORT]…]/DATABASE`, as the schema of the Portal document lets it in. */
const storeUrl = /^postgres:\/\/([^@]+)@([^/]+)\/([^/]+)$/;
const hostAndPort = /^(\[[^\]]+\]|[^:]+)(?::(\d+))?$/;

/** How the database of a place is reached, with the password that the document names. */
export async function postgresPlace({ store = '', storePassword, storeCa }: StorePlace, stateDir: string): Promise<PostgresPlace> {
  const [, user = '', listed = '', database = ''] = storeUrl.exec(store) ?? [];
  const names = listed.split(',');
  const password = storePassword === undefined ? undefined : await readSecretReference(storePassword, stateDir);
  const ca = storeCa === undefined ? {} : { ca: await readCa(path.resolve(stateDir, storeCa)) };
  const hosts = names.map((each): PostgresHost => {
    const [, host = '', port = '5432'] = hostAndPort.exec(each) ?? [];
    return {
      host: host.replaceAll(/^\[|\]$/g, ''),
      port: Number(port),
      // Over a network only with a certificate that is this server's.
      ssl: loopback.has(host) ? false : { rejectUnauthorized: true, ...ca },
    };
  });
  const [first, ...others] = hosts;
  const different = new Set(hosts.map(({ host, port }) => `${host}:${port}`)).size;
  if (first === undefined || first.host === '' || different !== hosts.length || hosts.length > sharedLimits.storeHostsMax)
    throw new SvcError(
      'BAD_REQUEST',
      `Portal.spec.store ${store}: expected postgres://USER@HOST,HOST/DATABASE with 1 to ${sharedLimits.storeHostsMax} different hosts`,
    );
  return { name: store, ...first, others, user, database, ...(password === undefined ? {} : { password }) };
}

async function readCa(file: string): Promise<string> {
  try {
    return String(await readPlainFile(file));
  } catch (error) {
    throw new SvcError('BAD_REQUEST', `Portal.spec.storeCa ${file} can't be read: ${whyUnread(error)}`);
  }
}
