/**
 * bin/upgrade/: what this svc would do to a site of another version at its first start. Everything is read, nothing is written: neither into the state
 * folder nor into the database, and no server is asked. Decision: docs/decisions/0421-what-an-upgrade-would-do.md
 */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import about from '../../package.json' with { type: 'json' };
import { systemClock } from '../../controller/clock/system.ts';
import { readFolder, type FolderAnswer } from '../../controller/desired/read-folder.ts';
import { repositoriesOf, repositoryFolders } from '../../kit/repository/reading/location.ts';
import { kitProcessors, kitsFolder, readKitRecord } from '../../kit/server/parts.ts';
import { inLine } from '../../reconcilers/kit-rollout.ts';
import { SvcError } from '../../schema/errors.ts';
import { makeKey, readKey } from '../../schema/keys.ts';
import { isOlderKit } from '../../schema/supervisor-protocol.ts';
import type { PortalDocument } from '../../schema/desired/documents.ts';
import { roomLogSteps } from '../../store/room-log-database.ts';
import type { StoreLook } from '../../store/upgrade/look.ts';
import { lookAtPostgres } from '../../store/upgrade/postgres-look.ts';
import { lookAtSqlite } from '../../store/upgrade/sqlite-look.ts';
import { createClient } from '../client.ts';
import { storeFile } from '../up/remembered-store.ts';
import { postgresPlace, storePlace } from '../up/store-place.ts';

export interface UpgradePlan {
  readonly state: string;
  readonly desired: string;
  readonly isRunning: boolean;
  /** Null: there is no store yet. */
  readonly store: DatabaseLook | null;
  /** Documents of rooms in a file of their own; null: there is none. */
  readonly rooms: DatabaseLook | null;
  /** In the order in which they get the kit of this svc. */
  readonly kits: readonly KitChange[];
  readonly apps: readonly AppChange[];
  /** Findings of this svc in the desired folder, ready to print. */
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
}

export type DatabaseLook = Omit<StoreLook, 'statuses'> & { readonly at: string };

export interface KitChange {
  readonly server: string;
  readonly from: string | null;
  /** A name for each kind of processor. */
  readonly to: readonly string[];
  /** Apps that run there now. */
  readonly apps: number;
  /** Nothing can be started there before the new kit is. */
  readonly isTooOld: boolean;
}

/** A package whose repository is the apps that come with svc. */
export interface AppChange {
  readonly package: string;
  readonly app: string;
  readonly wanted: string;
  /** Null: it comes with svc no more. */
  readonly brought: string | null;
}

const root = path.resolve(import.meta.dirname, '../..');

export async function planUpgrade(desired: string, state: string): Promise<UpgradePlan> {
  const isRunning = await runs(state);
  const place = await storePlace(desired, state);
  const file = storeFile(place, state);
  const look = file === null ? await lookAtPostgres(await postgresPlace(place, state), systemClock) : await lookAtSqlite(file, isRunning);
  const folder = await readFolder(desired);
  const { statuses = [], ...store } = look ?? {};
  const roomFile = path.join(state, 'rooms.db');
  const rooms = file === null ? null : await lookAtSqlite(roomFile, isRunning, roomLogSteps);
  return {
    state,
    desired,
    isRunning,
    store: look === null ? null : { ...(store as Omit<StoreLook, 'statuses'>), at: file ?? place.store ?? '' },
    rooms: rooms === null ? null : aboutRooms(roomFile, rooms),
    kits: kitsOf(statuses, await ownKits()),
    apps: folder.ok ? await appsOf(folder, desired, statuses) : [],
    errors: folder.ok ? [] : folder.errors,
    warnings: folder.ok ? folder.warnings : [],
  };
}

/** Tables that were there before keep what they say. */
const aboutRooms = (at: string, { schema, own, isReadable, mayGoBack }: StoreLook): DatabaseLook => ({
  at,
  schema,
  own,
  isReadable,
  mayGoBack,
  touched: [],
});

async function runs(state: string): Promise<boolean> {
  try {
    await createClient(state).call('GET /api/admin/objects', { query: { prefix: makeKey('Portal', '') } });
    return true;
  } catch (error) {
    if (error instanceof SvcError && error.code === 'PORTAL_NOT_RUNNING') return false;
    // It answers, or is alive and busy: its files are in use either way.
    return true;
  }
}

async function ownKits(): Promise<readonly string[]> {
  const records = await Promise.all(
    Object.keys(kitProcessors).map((processor) => readFile(path.join(root, kitsFolder, `${processor}.json`), 'utf8').catch(() => '')),
  );
  return records.flatMap((text) => readKitRecord(text)?.id ?? []);
}

type Statuses = StoreLook['statuses'];

function kitsOf(statuses: Statuses, own: readonly string[]): readonly KitChange[] {
  const serverOf = new Map(
    statuses.flatMap(({ key, details }) =>
      readKey(key).kind === 'Person' ? [[readKey(key).name, String(details['server'])] as const] : [],
    ),
  );
  const apps = new Map<string, number>();
  for (const { key, state } of statuses) {
    const { kind, parts } = readKey(key);
    const server = kind === 'Backend' && state === 'running' ? serverOf.get(parts[0]) : undefined;
    if (server !== undefined) apps.set(server, (apps.get(server) ?? 0) + 1);
  }
  return statuses
    .filter(({ key, state, details }) => readKey(key).kind === 'Server' && 'kit' in details && state !== 'removed')
    .map(({ key, details }) => ({ name: readKey(key).name, from: typeof details['kit'] === 'string' ? details['kit'] : null }))
    .filter(({ from }) => from === null || !own.includes(from))
    .map(({ name, from }) => ({ name, from, apps: apps.get(name) ?? 0 }))
    .toSorted((one, other) => Number(one.from === null) - Number(other.from === null) || inLine(one, other))
    .map(({ name, from, apps: running }) => ({ server: name, from, to: own, apps: running, isTooOld: from !== null && isOlderKit(from) }));
}

/** The apps that change with svc: those of a repository which is the folder of apps of an installation. */
async function appsOf(folder: Extract<FolderAnswer, { ok: true }>, desired: string, statuses: Statuses): Promise<readonly AppChange[]> {
  const portal = folder.state.documents.find((placed) => placed.document.kind === 'Portal');
  const named = repositoriesOf(desired, portal === undefined ? null : { ...portal, document: portal.document as PortalDocument });
  const bundled = await Promise.all(repositoryFolders(named).map(isBundled));
  if (!bundled.includes(true)) return [];
  const changes = await Promise.all(
    statuses.map(async ({ key, details }): Promise<AppChange | null> => {
      const { kind, name } = readKey(key);
      const { app, version } = details;
      if (kind !== 'Package' || typeof app !== 'string' || typeof version !== 'string') return null;
      const brought = await jsonText(path.join(root, 'examples/apps', app, 'svc-app.json'), 'version');
      return brought === version ? null : { package: name, app, wanted: version, brought };
    }),
  );
  return changes.filter((change) => change !== null);
}

const isBundled = async (folder: string): Promise<boolean> =>
  folder.endsWith('/examples/apps') && (await jsonText(path.resolve(folder, '../../package.json'), 'name')) === about.name;

async function jsonText(file: string, field: string): Promise<string | null> {
  try {
    const value = (JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>)[field];
    return typeof value === 'string' ? value : null;
  } catch {
    return null;
  }
}
