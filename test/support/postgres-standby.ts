/** Two real servers of one database: a primary, and a standby that streams from it and can be promoted. Needs root. */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import type { PostgresPlace } from '../../store/postgres-hosts.ts';
import { freePort, until } from './portal.ts';
import { pauseProcesses, postgresProcesses, postgresProgram, startPostgres, type TestPostgres } from './postgres.ts';

const call = promisify(execFile);

export interface PostgresPair {
  /** Its database; both servers are named in it, the primary first. */
  readonly place: PostgresPlace;
  /** Ports of the server that is the primary at first, and of the other one. */
  readonly ports: readonly [number, number];
  /** SIGKILL to every process of the first one. */
  killPrimary(): void;
  /** SIGSTOP to all of its processes; the answer lets them go on. */
  pausePrimary(): () => void;
  /** Keeps the primary's further commits from the standby. */
  holdBack(): void;
  promote(): Promise<void>;
  remove(): Promise<void>;
}

/** `synchronous`: the primary confirms what the standby has. */
export async function startPair({ synchronous }: { readonly synchronous: boolean }): Promise<PostgresPair> {
  const primary = await startPostgres({ settings: [`synchronous_commit=${synchronous ? 'on' : 'local'}`] });
  try {
    return await addStandby(primary, synchronous);
  } catch (error) {
    await primary.remove();
    throw error;
  }
}

async function addStandby(primary: TestPostgres, synchronous: boolean): Promise<PostgresPair> {
  const { data, folder } = primary;
  const first = await primary.database();
  const port = await freePort();
  const copy = path.join(folder, 'standby');
  await call('install', ['-d', '-o', 'postgres', '-m', '700', copy]);
  const env = { PGPASSWORD: String(first.password) };
  const reached = ['-h', '127.0.0.1', '-p', String(first.port), '-U', 'svc'];
  await postgresProgram('pg_basebackup', [...reached, '-D', copy, '-R', '-c', 'fast', '--no-sync', '-X', 'stream'], { env });
  const settings = [`-p ${port}`, '-c listen_addresses=127.0.0.1', `-c unix_socket_directories=''`, '-c fsync=off'];
  await postgresProgram('pg_ctl', ['-D', copy, '-w', '-s', '-l', path.join(copy, 'log'), '-o', settings.join(' '), 'start']);
  const sql = (text: string): Promise<string> => postgresProgram('psql', [...reached, '-Atqc', text, 'postgres'], { env });
  await until('the standby to stream', async () => (await sql('SELECT state FROM pg_stat_replication')).trim() === 'streaming');
  if (synchronous) {
    await sql(`ALTER SYSTEM SET synchronous_standby_names = '*'`);
    await sql('SELECT pg_reload_conf()');
    await until('it to be waited for', async () => (await sql('SELECT sync_state FROM pg_stat_replication')).trim() === 'sync');
  }
  return {
    place: {
      ...first,
      name: `postgres://svc@127.0.0.1:${first.port},127.0.0.1:${port}/${first.database}`,
      others: [{ host: '127.0.0.1', port, ssl: false }],
    },
    ports: [Number(first.port), port],
    killPrimary: () => killAll(data),
    pausePrimary: () => pauseProcesses(data),
    holdBack: () => {
      const sender = postgresProcesses(data).find((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('walsender'));
      process.kill(sender!, 'SIGSTOP');
    },
    promote: async () => {
      await postgresProgram('pg_ctl', ['-D', copy, '-w', '-s', 'promote']);
    },
    remove: async () => {
      await postgresProgram('pg_ctl', ['-D', copy, '-w', '-s', '-m', 'immediate', 'stop']).catch(() => undefined);
      await removeKilled(data);
      await primary.remove();
    },
  };
}

/** Removes a killed server: a stopped process answers no request to end, and a killed one leaves its mark in the kernel. */
async function removeKilled(data: string): Promise<void> {
  const file = path.join(data, 'postmaster.pid');
  if (!existsSync(file)) return;
  const id = /^ *\d+ +(\d+)$/m.exec(readFileSync(file, 'utf8').split('\n')[6] ?? '')?.[1];
  killAll(data);
  await rm(file, { force: true });
  if (id !== undefined) await call('ipcrm', ['-m', id]).catch(() => undefined);
}

function killAll(data: string): void {
  try {
    for (const pid of postgresProcesses(data)) process.kill(pid, 'SIGKILL');
  } catch {
    // Killed before.
  }
}
