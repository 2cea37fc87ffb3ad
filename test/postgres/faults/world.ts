/** Three portals behind nginx on one real PostgreSQL, each of the four a machine of its own (test/support/network.ts), and a server with apps. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PostgresPlace } from '../../../store/postgres-hosts.ts';
import { view, writeDesired } from '../../integration/world.ts';
import { openNetwork, type Network } from '../../support/network.ts';
import { beginPortalsNginx } from '../../support/nginx-portals.ts';
import { emptyServer, startPortal, until, type RunningPortal } from '../../support/portal.ts';
import { startPostgres, type TestPostgres } from '../../support/postgres.ts';
import { createEntry, type RoomEntry } from '../../support/room-entry.ts';

/** Hosts of the network: the database is the first, the portals follow. */
export const databaseHost = 0;
export const hostOf = (portal: number): number => portal + 1;

export interface FaultsWorld {
  readonly folder: string;
  readonly database: TestPostgres;
  readonly place: PostgresPlace;
  readonly network: Network;
  readonly portals: readonly RunningPortal[];
  /** nginx, and what people type. */
  readonly front: { readonly socketPath: string; readonly host: string };
  readonly entry: RoomEntry;
  close(): Promise<void>;
}

export interface FaultsWorldOptions {
  readonly people: readonly string[];
  readonly packages: string;
  readonly apps: readonly string[];
}

/** `folder`: where it puts everything; it goes with it. */
export async function openFaultsWorld(folder: string, options: FaultsWorldOptions): Promise<FaultsWorld> {
  const ends: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true }), () => emptyServer(folder)];
  const close = async (): Promise<void> => {
    for (const end of ends.splice(0).toReversed()) await end();
  };
  try {
    const network = await openNetwork(4);
    ends.push(() => network.close());
    const database = await startPostgres({ host: network.hosts[databaseHost]! });
    ends.push(() => database.remove());
    const place = await database.database();
    const host = 'svc.localhost:8080';
    const desired = await desiredFor(folder, options, { place, certificate: database.certificate, url: `http://${host}` });
    const start = async (n: number): Promise<RunningPortal> => {
      const { address, within } = network.hosts[hostOf(n)]!;
      const portal = await startPortal({ desired, place: { address, within, port: 8787 }, args: ['--join', `${address}:8788`] });
      ends.push(() => portal.stop());
      return portal;
    };
    const portals = [await start(0), ...(await Promise.all([1, 2].map(start)))];
    const socketPath = join(folder, 'front.sock');
    const addresses = portals.map((portal, n) => `${network.hosts[hostOf(n)]!.address}:${portal.port}`);
    ends.push(await beginPortalsNginx(join(folder, 'nginx'), `unix:${socketPath}`, addresses, network.router.within));
    const entry = createEntry(() => ({ socketPath, admin: async (...asked) => await anyOf(portals, (portal) => portal.admin(...asked)) }));
    return { folder, database, place, network, portals, front: { socketPath, host }, entry, close };
  } catch (error) {
    await close();
    throw error;
  }
}

interface Common {
  readonly place: PostgresPlace;
  readonly certificate: string;
  readonly url: string;
}

async function desiredFor(folder: string, options: FaultsWorldOptions, { place, certificate, url }: Common): Promise<string> {
  const desired = await writeDesired(join(folder, 'desired'), options);
  const password = join(folder, 'password');
  const portalKey = join(folder, 'portal-key');
  await writeFile(password, `${String(place.password)}\n`, { mode: 0o600 });
  await writeFile(portalKey, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600 });
  const spec = JSON.stringify({
    url,
    store: place.name,
    storePassword: { file: password },
    storeCa: certificate,
    portalKey: { file: portalKey },
  });
  const file = join(desired, 'casa.yaml');
  const text = await readFile(file, 'utf8');
  const prefix = `prefix: ${JSON.stringify(join(folder, 'casa'))}`;
  await writeFile(file, text.replace(/spec: \{ repository:/, `spec: { ${spec.slice(1, -1)}, repository:`).replace('prefix: "."', prefix));
  return desired;
}

export const newFolder = async (): Promise<string> => await mkdtemp(join(tmpdir(), 'svcf-'));

/** The first answer of the portals that answer. */
export async function anyOf<Result>(portals: readonly RunningPortal[], ask: (portal: RunningPortal) => Promise<Result>): Promise<Result> {
  const failed: unknown[] = [];
  for (const portal of portals) {
    try {
      return await Promise.race([ask(portal), sleep(3_000).then(() => Promise.reject(new Error('no answer')))]);
    } catch (error) {
      failed.push(error);
    }
  }
  throw failed[0];
}

/** A room of `owner` in which everybody of the group may write. */
export async function newRoom({ entry }: FaultsWorld, owner: string, nome: string): Promise<string> {
  const id = await until('a room', async () => {
    const made = await entry.asPage(owner, 'POST', '/api/salas?app=caderno', { nome }).catch(() => null);
    return made?.status === 201 ? (JSON.parse(made.body) as { id: string }).id : null;
  });
  const invited = await entry.asPage(owner, 'PUT', `/api/salas/${id}/grupos/editores?app=caderno`, { papel: 'editar' });
  if (invited.status >= 300) throw new Error(`the group could not be invited: ${invited.status} ${invited.body}`);
  return id;
}

/** When all portals say so, and that it is the process that began last. */
export async function whenRunning(world: FaultsWorld, person: string): Promise<void> {
  let last: readonly unknown[] = [];
  const look = async (): Promise<boolean> => {
    const seen = await Promise.all(world.portals.map(async (portal) => await view(portal, `Backend/${person}/notas`).catch(() => null)));
    const pid = (await startsOf(world, person)).pids.at(-1);
    last = [pid, ...seen.map((one) => [one?.state, one?.reason, one?.details['pid'], one?.message])];
    return seen.every((one) => one?.state === 'running' && one.details['pid'] === pid);
  };
  await until(`${person}/notas to run`, look, 90_000).catch((error: unknown) => {
    throw new Error(`${String(error)}; seen: ${JSON.stringify(last)}`);
  });
}

export interface Starts {
  readonly pids: readonly number[];
  /** Processes that began while another one lived. */
  readonly twins: number;
}

/** As the app itself wrote them down (apps.ts). */
export async function startsOf({ folder }: FaultsWorld, person: string): Promise<Starts> {
  const text = await readFile(join(folder, 'starts', person), 'utf8').catch(() => '');
  const lines = text.split('\n').filter((line) => line !== '');
  return {
    pids: lines.map((line) => Number(line.split(' ')[0])),
    twins: lines.filter((line) => line.includes(' ')).length,
  };
}
