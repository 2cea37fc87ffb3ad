/** A real PostgreSQL of its own for tests: Debian's, on a free loopback port, with a password, in a folder that goes with it. Needs root. */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { PostgresPlace } from '../../store/postgres.ts';
import { freePort } from './portal.ts';

const call = promisify(execFile);

export interface TestPostgres {
  /** A new, empty database. */
  database(): Promise<PostgresPlace>;
  start(): Promise<void>;
  /** `immediate`: as if it were killed. */
  stop(mode: 'fast' | 'immediate'): Promise<void>;
  /** SIGSTOP to all of its processes; the answer lets them go on. */
  pause(): () => void;
  remove(): Promise<void>;
}

const programs = '/usr/lib/postgresql';

export async function startPostgres(): Promise<TestPostgres> {
  const version = existsSync(programs)
    ? readdirSync(programs)
        .toSorted((a, b) => Number(a) - Number(b))
        .at(-1)
    : undefined;
  if (version === undefined) throw new Error('no PostgreSQL here; install it with:  apt-get install -y --no-install-recommends postgresql');
  const folder = await mkdtemp(path.join(tmpdir(), 'svcpg-'));
  await chmod(folder, 0o711);
  const data = path.join(folder, 'data');
  const password = randomBytes(12).toString('hex');
  const port = await freePort();
  const asPostgres = async (program: string, ...args: readonly string[]): Promise<void> => {
    await call('runuser', ['-u', 'postgres', '--', path.join(programs, version, 'bin', program), ...args], { cwd: '/' });
  };
  await call('install', ['-d', '-o', 'postgres', '-m', '700', data]);
  const passwordFile = path.join(folder, 'password');
  await writeFile(passwordFile, password, { mode: 0o644 });
  await asPostgres(
    'initdb',
    '-D',
    data,
    '-A',
    'scram-sha-256',
    `--pwfile=${passwordFile}`,
    '-U',
    'svc',
    '--no-sync',
    '-E',
    'UTF8',
    '--locale=C.UTF-8',
  );
  await rm(passwordFile);
  const options = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c fsync=off`;
  const start = (): Promise<void> => asPostgres('pg_ctl', '-D', data, '-w', '-s', '-l', path.join(data, 'log'), '-o', options, 'start');
  const stop = (mode: 'fast' | 'immediate'): Promise<void> => asPostgres('pg_ctl', '-D', data, '-w', '-s', '-m', mode, 'stop');
  await start();
  const place = (database: string): PostgresPlace => ({
    name: `postgres://svc@127.0.0.1:${port}/${database}`,
    host: '127.0.0.1',
    port,
    user: 'svc',
    password,
    database,
  });
  let made = 0;
  return {
    database: async () => {
      made += 1;
      const name = `svc${made}`;
      const { Client } = await import('pg');
      const { name: _, ...admin } = place('postgres');
      const client = new Client(admin);
      await client.connect();
      await client.query(`CREATE DATABASE ${name}`);
      await client.end();
      return place(name);
    },
    start,
    stop,
    pause: () => pauseAll(data),
    remove: async () => {
      await stop('immediate').catch(() => undefined);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function pauseAll(data: string): () => void {
  const [main = ''] = readFileSync(path.join(data, 'postmaster.pid'), 'utf8').split('\n');
  const pids = [Number(main), ...childrenOf(main)];
  for (const pid of pids) process.kill(pid, 'SIGSTOP');
  return () => {
    for (const pid of pids) process.kill(pid, 'SIGCONT');
  };
}

const childrenOf = (pid: string): readonly number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
