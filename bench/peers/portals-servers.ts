/**
 * Servers of the benchmark of several portals: portals of one PostgreSQL as bin/svc starts them, and Hocuspocus with its Redis extension.
 * Servers and their databases are on CPU 0, loads on CPU 1.
 */
import { execFileSync, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, repository, until } from '../../test/support/portal.ts';
import type { TestPostgres } from '../../test/support/postgres.ts';
import { endPortal } from './end-portal.ts';
import { furnished, portalListens, writeRoomsDesired } from './our-rooms.ts';
import { node, stopChild, taskset } from './proxy-servers.ts';
import type { ServerFacts } from './rooms-access.ts';
import type { ServerProcesses } from './rooms-measure.ts';
import { envOf, startPinned } from './rooms-servers.ts';

/** Processes that are one server to their clients. */
export interface ServerGroup {
  readonly work: ServerProcesses;
  readonly ports: readonly number[];
  stop(): Promise<void>;
}

export interface PortalGroup extends ServerGroup {
  readonly children: readonly ChildProcess[];
  /** Signs everybody in at the first one and makes rooms there. */
  furnish(rooms: number): Promise<ServerFacts>;
}

export interface PortalsOf {
  readonly count: number;
  /** Null: the embedded store, of one portal. */
  readonly database: TestPostgres | null;
  readonly looked: boolean;
}

async function sharedSpec(folder: string, port: number, database: TestPostgres): Promise<object> {
  const place = await database.database();
  await writeFile(join(folder, 'password'), `${String(place.password)}\n`, { mode: 0o600 });
  await writeFile(join(folder, 'portal-key'), `${randomBytes(32).toString('hex')}\n`, { mode: 0o600 });
  return {
    url: `http://svc.localhost:${port}`,
    store: place.name,
    storePassword: { file: join(folder, 'password') },
    portalKey: { file: join(folder, 'portal-key') },
  };
}

export async function startPortals({ count, database, looked }: PortalsOf): Promise<PortalGroup> {
  const folder = await mkdtemp(join(tmpdir(), 'svcb-'));
  const ports: number[] = [];
  for (let n = 0; n < count; n += 1) ports.push(await freePort());
  const [port = 0] = ports;
  const desired = await writeRoomsDesired(folder, database === null ? {} : await sharedSpec(folder, port, database));
  const children: ChildProcess[] = [];
  const stop = async (): Promise<void> => {
    for (const child of children) child.kill('SIGKILL');
    for (const child of children) await endPortal(child, folder);
  };
  try {
    for (const [n, each] of ports.entries()) {
      const more = database === null ? [] : ['--join', `127.0.0.1:${await freePort()}`];
      const argv = ['up', desired, '--state', join(folder, `s${n}`), '--listen', `127.0.0.1:${each}`, ...more];
      const { child } = startPinned(0, [join(repository, 'bin/svc'), ...argv], envOf(looked));
      children.push(child);
      await portalListens(child);
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    work: { pids: children.map(({ pid }) => pid!), store: database?.pid() ?? null },
    ports,
    children,
    stop,
    furnish: (rooms) => furnished({ port, host: `svc.localhost:${port}`, control: join(folder, 's0', 'svc.sock'), count: rooms }),
  };
}

/** Debian's, on CPU 0 with all that it starts. */
export function pinStore(pid: number): void {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').split(' ').filter(Boolean);
  for (const one of [String(pid), ...children]) execFileSync(taskset, ['-a', '-c', '-p', '0', one], { stdio: 'ignore' });
}

async function startRedis(folder: string): Promise<{ readonly child: ChildProcess; readonly port: number }> {
  if (!existsSync('/usr/bin/redis-server'))
    throw new Error('no Redis here; install it with:  apt-get install -y --no-install-recommends redis-server');
  const port = await freePort();
  // On its defaults, but that nothing is kept on a disk.
  const options = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', folder];
  const { child } = startPinned(0, ['/usr/bin/redis-server', ...options], {});
  let said = '';
  child.stdout!.on('data', (chunk: Buffer) => (said += chunk.toString()));
  await until('Redis to listen', () => {
    if (child.exitCode !== null) throw new Error(`Redis ended with ${child.exitCode}: ${said}`);
    return said.includes('Ready to accept connections');
  });
  return { child, port };
}

/** Starts a single server, or several that speak with each other through Redis. */
export async function startHocuspocus(count: number): Promise<ServerGroup> {
  const folder = await mkdtemp(join(tmpdir(), 'svcr-'));
  const redis = count === 1 ? null : await startRedis(folder);
  const ports: number[] = [];
  const children: ChildProcess[] = [];
  const stop = async (): Promise<void> => {
    for (const child of children) await stopChild(child);
    if (redis !== null) await stopChild(redis.child);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    for (let n = 0; n < count; n += 1) {
      const port = await freePort();
      const argv = [node, 'bench/peers/rooms-hocuspocus.ts', String(port), ...(redis === null ? [] : [String(redis.port)])];
      const { child, line } = startPinned(0, argv, {});
      children.push(child);
      await line();
      ports.push(port);
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return { work: { pids: children.map(({ pid }) => pid!), store: redis?.child.pid ?? null }, ports, stop };
}
