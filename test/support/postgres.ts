/** A real PostgreSQL of its own for tests: Debian's, on a free loopback port, with a password, in a folder that goes with it. Needs root. */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { appendFile, chmod, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { PostgresPlace } from '../../store/postgres-hosts.ts';
import type { NetworkHost } from './network.ts';
import { freePort, repository } from './portal.ts';

const call = promisify(execFile);

export interface TestPostgres {
  /** Below it, what is its own; `data` of it the server's. Goes with it. */
  readonly folder: string;
  readonly data: string;
  /** Certificate of the server, where it has one; its reader must be root. */
  readonly certificate: string;
  /** A new, empty database; `more` stands at the end of its CREATE DATABASE. */
  database(more?: string): Promise<PostgresPlace>;
  /** Id of its first process, from which all others come. */
  pid(): number;
  start(): Promise<void>;
  /** `immediate`: as if it were killed. */
  stop(mode: 'fast' | 'immediate'): Promise<void>;
  /** SIGSTOP to all of its processes; the answer lets them go on. */
  pause(): () => void;
  remove(): Promise<void>;
}

const programs = '/usr/lib/postgresql';

interface PostgresOptions {
  /** On a machine of test/support/network.ts: with TLS there; the test itself comes by a socket of the file system. */
  readonly host?: NetworkHost;
  /** Commits are on the disk, as a database for people has it. */
  readonly fsync?: boolean;
  /** As `name=value`. */
  readonly settings?: readonly string[];
}

function postgresFolder(): string {
  const version = existsSync(programs)
    ? readdirSync(programs)
        .toSorted((a, b) => Number(a) - Number(b))
        .at(-1)
    : undefined;
  if (version === undefined) throw new Error('no PostgreSQL here; install it with:  apt-get install -y --no-install-recommends postgresql');
  return path.join(programs, version, 'bin');
}

/** Runs one of its programs as its account; answers what it said. `within`: what stands before the command. */
export async function postgresProgram(
  program: string,
  args: readonly string[],
  { env = {}, within = [] }: { readonly env?: Readonly<Record<string, string>>; readonly within?: readonly string[] } = {},
): Promise<string> {
  const [first = '', ...more] = [...within, 'runuser', '-u', 'postgres', '--', path.join(postgresFolder(), program), ...args];
  const { stdout } = await call(first, more, { cwd: '/', env: { ...process.env, ...env } });
  return stdout;
}

/** A server that was never started, of which each one is a copy, and its password: to make one takes seconds of a processor. Kept for the next run. */
async function madeOnce(): Promise<string> {
  const version = path.basename(path.dirname(postgresFolder()));
  const made = path.join(repository, 'build/test-postgres', version);
  if (existsSync(made)) return made;
  const folder = await mkdtemp(path.join(tmpdir(), 'svcpg-'));
  try {
    await chmod(folder, 0o711);
    const [data, password] = [path.join(folder, 'data'), path.join(folder, 'password')];
    await call('install', ['-d', '-o', 'postgres', '-m', '700', data]);
    await writeFile(password, randomBytes(12).toString('hex'), { mode: 0o644 });
    const words = [`--pwfile=${password}`, '-U', 'svc', '--no-sync', '-E', 'UTF8', '--locale=C.UTF-8'];
    await postgresProgram('initdb', ['-D', data, '-A', 'scram-sha-256', ...words]);
    await chmod(password, 0o600);
    await mkdir(path.dirname(made), { recursive: true });
    const whole = `${made}-${path.basename(folder)}`;
    await call('cp', ['-a', folder, whole]);
    // Another worker may have been quicker: then that one is there.
    await rename(whole, made).catch(async () => await rm(whole, { recursive: true }));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return made;
}

export async function startPostgres({ host, fsync = false, settings = [] }: PostgresOptions = {}): Promise<TestPostgres> {
  const folder = await mkdtemp(path.join(tmpdir(), 'svcpg-'));
  await chmod(folder, 0o711);
  const data = path.join(folder, 'data');
  const port = await freePort();
  const asPostgres = async (program: string, ...args: readonly string[]): Promise<void> =>
    void (await postgresProgram(program, args, { within: host?.within ?? [] }));
  const made = await madeOnce();
  await call('cp', ['-a', '--reflink=auto', path.join(made, 'data'), data]);
  const password = readFileSync(path.join(made, 'password'), 'utf8');
  const listens = host === undefined ? `-c listen_addresses=127.0.0.1 -c unix_socket_directories=''` : await openTo(host.address, data);
  const options = `-p ${port} ${listens} -c fsync=${fsync ? 'on' : 'off'} ${settings.map((each) => `-c ${each}`).join(' ')}`;
  const start = (): Promise<void> => asPostgres('pg_ctl', '-D', data, '-w', '-s', '-l', path.join(data, 'log'), '-o', options, 'start');
  const stop = (mode: 'fast' | 'immediate'): Promise<void> => asPostgres('pg_ctl', '-D', data, '-w', '-s', '-m', mode, 'stop');
  await start();
  const place = (database: string): PostgresPlace => ({
    name: `postgres://svc@${host?.address ?? '127.0.0.1'}:${port}/${database}`,
    host: host === undefined ? '127.0.0.1' : data,
    port,
    user: 'svc',
    password,
    database,
  });
  let databases = 0;
  return {
    folder,
    data,
    certificate: path.join(data, 'server.crt'),
    database: async (more = '') => {
      databases += 1;
      const name = `svc${databases}`;
      const { Client } = await import('pg');
      const { name: _, ...admin } = place('postgres');
      const client = new Client(admin);
      await client.connect();
      await client.query(`CREATE DATABASE ${name} ${more}`);
      await client.end();
      return place(name);
    },
    pid: () => Number(firstOf(data)),
    start,
    stop,
    pause: () => pauseProcesses(data),
    remove: async () => {
      await stop('immediate').catch(() => undefined);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The arguments with which it listens there, with a certificate that is its own authority. */
async function openTo(address: string, data: string): Promise<string> {
  const [certificate, key] = [path.join(data, 'server.crt'), path.join(data, 'server.key')];
  const words = [
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:prime256v1',
    '-nodes',
    '-days',
    '2',
    '-subj',
    '/CN=database',
  ];
  await call('openssl', [...words, '-addext', `subjectAltName=IP:${address}`, '-keyout', key, '-out', certificate]);
  await call('chown', ['postgres', key, certificate]);
  await call('chmod', ['600', key]);
  await appendFile(path.join(data, 'pg_hba.conf'), 'hostssl all all 0.0.0.0/0 scram-sha-256\n');
  return `-c listen_addresses=${address} -c unix_socket_directories=${data} -c ssl=on`;
}

const firstOf = (data: string): string => readFileSync(path.join(data, 'postmaster.pid'), 'utf8').split('\n')[0] ?? '';

/** SIGSTOP to all of the server's processes; the answer lets them go on. */
export function pauseProcesses(data: string): () => void {
  const pids = postgresProcesses(data);
  for (const pid of pids) process.kill(pid, 'SIGSTOP');
  return () => {
    for (const pid of pids) process.kill(pid, 'SIGCONT');
  };
}

/** The first one and its children. */
export function postgresProcesses(data: string): readonly number[] {
  const main = firstOf(data);
  return [Number(main), ...readFileSync(`/proc/${main}/task/${main}/children`, 'utf8').split(' ').filter(Boolean).map(Number)];
}
