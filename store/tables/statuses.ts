/** Statuses: read from memory, since each pass of the loop compares ten thousand of them. Contract: store.ts. */
import { done, type Sql } from '../sql.ts';
import type { Store, StoredStatus } from '../store.ts';

type Row = { readonly key: string; readonly body: string };

export async function openStatuses(sql: Sql): Promise<Pick<Store, 'putStatus' | 'status' | 'statuses' | 'deleteStatus'>> {
  const put = sql.prepare(
    `INSERT INTO statuses VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET body = excluded.body WHERE statuses.body IS DISTINCT FROM excluded.body`,
  );
  const remove = sql.prepare('DELETE FROM statuses WHERE key = ?');
  const one = sql.prepare('SELECT key, body FROM statuses WHERE key = ?');
  const all = sql.prepare('SELECT key, body FROM statuses');
  const cache = new Map<string, StoredStatus>();
  const keep = ({ key, body }: Row): void => void cache.set(key, JSON.parse(body) as StoredStatus);
  for (const row of await sql.read(() => all.all<Row>())) keep(row);
  /** After a failed write the memory must not claim what the disk doesn't hold. */
  const reread = async (key: string): Promise<void> => {
    const row = await sql.read(() => one.get<Row>(key));
    if (row) keep(row);
    else cache.delete(key);
  };
  const onFailed = (key: string) => (): void => void reread(key).catch(() => undefined);
  return {
    putStatus: (status) => {
      cache.set(status.key, status);
      return sql.write(() => done(put.run(status.key, JSON.stringify(status))), onFailed(status.key));
    },
    status: async (key) => cache.get(key) ?? null,
    statuses: async (prefix) => {
      const found = [...cache.values()].filter((status) => status.key.startsWith(prefix));
      return found.sort((left, right) => (left.key < right.key ? -1 : 1));
    },
    deleteStatus: (key) => {
      cache.delete(key);
      return sql.write(() => done(remove.run(key)), onFailed(key));
    },
  };
}
