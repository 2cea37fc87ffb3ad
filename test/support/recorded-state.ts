/**
 * State folders as portals of earlier builds left them (`used-state.ts` was done with each), written down as SQL and files in test/postgres/recorded: `sqlite` before there
 * was PostgreSQL (510d0c8), `postgres-and-folder` with rooms.db and all files beside it (8caaac2).
 */
import { cpSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';
import type { PostgresPlace } from '../../store/postgres-hosts.ts';
import type { UsedState } from './used-state.ts';

const recorded = join(import.meta.dirname, '../postgres/recorded');
type Recorded = 'sqlite' | 'postgres-and-folder';

export const usedIn = (name: Recorded): UsedState => JSON.parse(readFileSync(join(recorded, name, 'used.json'), 'utf8')) as UsedState;

/** As if it had been used a moment ago: what ends by itself has not. */
const today = (sql: (text: string) => void): void => {
  for (const table of ['sessions', 'jobs']) sql(`UPDATE ${table} SET expires_at_ms = ${Date.now() + 24 * 60 * 60_000}`);
};

/** The folder must be there. */
export function restoreFolder(name: Recorded, state: string): void {
  const from = join(recorded, name);
  for (const each of readdirSync(from)) {
    if (each === 'svc.sql' || each === 'rooms.sql') {
      const database = new DatabaseSync(join(state, each.replace('.sql', '.db')), { enableForeignKeyConstraints: false });
      database.exec(readFileSync(join(from, each), 'utf8'));
      if (each === 'svc.sql') today((text) => database.exec(text));
      database.close();
    } else if (existsSync(join(from, each, '.')) && !each.includes('.')) cpSync(join(from, each), join(state, each), { recursive: true });
  }
}

export async function restoreDatabase(name: Recorded, { host, port, user, password, database }: PostgresPlace): Promise<void> {
  const client = new Client({ host, port, user, password, database });
  await client.connect();
  await client.query(readFileSync(join(recorded, name, 'store.sql'), 'utf8'));
  const updates: string[] = [];
  today((text) => updates.push(text));
  await client.query(`SET search_path = public; ${updates.join('; ')}`);
  await client.end();
}
