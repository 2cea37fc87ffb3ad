/** Rows of a real PostgreSQL in a backup: as of one moment, small again where little changed, and the same in another database. */
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../controller/clock/system.ts';
import { nameOf, type ChunkSink } from '../../store/backup/chunks.ts';
import { restoreRows, takeRows, type TakenRows } from '../../store/backup/postgres-rows.ts';
import { createPostgresBytes } from '../../store/postgres-bytes.ts';
import type { PostgresPlace } from '../../store/postgres-hosts.ts';
import { openPostgresStore, type PostgresStore } from '../../store/postgres.ts';
import { svc } from '../backup/world.ts';
import { startPortal } from '../support/portal.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';

let server: TestPostgres;
let place: PostgresPlace;
let store: PostgresStore;
const objects = new Map<string, Buffer>();
/** Objects that were not there before. */
let fresh: string[] = [];
const sink: ChunkSink = {
  has: (sha) => objects.has(sha),
  put: async (bytes) => {
    const sha = nameOf(bytes);
    if (!objects.has(sha)) fresh.push(sha);
    objects.set(sha, Buffer.from(bytes));
    return sha;
  },
  settle: async () => ({ objects: objects.size, bytes: 0 }),
};
const object = async (sha: string): Promise<Buffer> => objects.get(sha)!;
const restoring = { clock: systemClock, holder: 'test', object };

const event = async (n: number): Promise<unknown> =>
  await store.appendEvent({
    key: `Server/s${n}`,
    type: 'Normal',
    reason: 'Healthy',
    message: `acentuação ${n}\n"${'x'.repeat(300)}`,
    round: 'r',
    atMs: n,
    from: null,
    to: 'running',
  });

beforeAll(async () => {
  server = await startPostgres();
  place = await server.database();
  store = await openPostgresStore(place, { clock: systemClock, holder: 'portal', migrates: true });
  for (let n = 0; n < 1_500; n += 1) await event(n);
  await store.rooms.createRoom({
    id: 's000000000000000000001',
    app: 'notas',
    nome: 'Atas',
    dona: 'ana',
    createdAtMs: 1,
    changedAtMs: 1,
    declaredName: null,
  });
  const file = await createPostgresBytes(store.pools.pool, systemClock, 'anexos').grow('s1', 'x');
  for (let n = 0; n < 5; n += 1) await file.write(randomBytes(500_000));
  await file.close();
});
afterAll(async () => {
  await store?.close();
  await server?.remove();
});

async function rowsOf(at: PostgresPlace, tables: readonly string[]): Promise<Readonly<Record<string, readonly string[]>>> {
  const { name: _, ...connection } = at;
  const client = new Client(connection);
  await client.connect();
  try {
    const found: Record<string, readonly string[]> = {};
    for (const table of tables) {
      const { rows } = await client.query<{ readonly line: string }>(`SELECT row_to_json(t)::text AS line FROM "${table}" t`);
      found[table] = rows.map(({ line }) => line).toSorted();
    }
    return found;
  } finally {
    await client.end();
  }
}

const tablesOf = ({ entries }: TakenRows): readonly string[] => entries.map(({ path }) => path);

test('rows are those of the moment, and the same in the other database, which counts on from there', async () => {
  const before = await takeRows(place, sink, systemClock);
  const expected = await rowsOf(place, tablesOf(before));
  await event(9_999);
  const other = await server.database();
  expect(await restoreRows(other, before, restoring)).toBe(Object.values(expected).flat().length);
  expect(await rowsOf(other, tablesOf(before))).toEqual(expected);
  expect([tablesOf(before).includes('file_pieces'), tablesOf(before).includes('leases')]).toEqual([true, false]);
  const restored = await openPostgresStore(other, { clock: systemClock, holder: null, migrates: false });
  const own = store;
  store = restored;
  await event(10_000);
  const [last] = await restored.events({ under: 'Server/s10000', limit: 1 });
  store = own;
  await restored.close();
  expect(last?.seq).toBe(1_501);
  await expect(restoreRows(other, before, restoring)).rejects.toMatchObject({ code: 'CONFLICT' });
});

test('a second one writes the chunks in which something changed', async () => {
  await takeRows(place, sink, systemClock);
  fresh = [];
  await takeRows(place, sink, systemClock);
  expect(fresh).toEqual([]);
  await event(20_000);
  await takeRows(place, sink, systemClock);
  expect(fresh.length).toBeGreaterThan(0);
  expect(fresh.length).toBeLessThan(5);
});

test('rows of other tables than those of this svc are refused', async () => {
  const taken = await takeRows(place, sink, systemClock);
  const other = await server.database();
  await expect(restoreRows(other, { ...taken, schema: taken.schema + 1 }, restoring)).rejects.toMatchObject({ code: 'STORE_NEWER' });
});

test('the commands take a portal of the database away, and put it back into an empty one', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'svc-pgb-'));
  const { name, ...reached } = await server.database();
  const [desired, state, dest] = ['desired', 'state', 'dest'].map((each) => join(dir, each)) as [string, string, string];
  await mkdir(desired);
  await mkdir(join(state, 'secrets'), { recursive: true });
  await writeFile(join(state, 'secrets/store'), String(reached.password));
  const spec = { store: name, storePassword: { file: 'secrets/store' } };
  await writeFile(
    join(desired, 'casa.yaml'),
    `apiVersion: svc/v1\nkind: Portal\nmetadata: { name: casa }\nspec: ${JSON.stringify(spec)}\n---\napiVersion: svc/v1\nkind: Server\nmetadata: { name: casa }\nspec: { local: { prefix: casa, trusted: true } }\n---\napiVersion: svc/v1\nkind: Person\nmetadata: { name: ana }\nspec: { nome: Ana, login: ana, server: casa }\n`,
  );
  try {
    const portal = await startPortal({ desired, state });
    await svc('backup', dest, '--state', state);
    await portal.stop();
    const client = new Client(reached);
    await client.connect();
    const events = async () => (await client.query<{ readonly seq: string }>('SELECT seq::text FROM events ORDER BY seq')).rows.length;
    const made = await events();
    await client.query('DROP SCHEMA public CASCADE');
    await client.query('CREATE SCHEMA public');
    const [desired2, state2] = [join(dir, 'desired2'), join(dir, 'state2')];
    await svc('restore', dest, desired2, '--state', state2, '--yes');
    const restored = await events();
    await client.end();
    expect([restored > 0, restored <= made]).toEqual([true, true]);
    const again = await startPortal({ desired: desired2, state: state2 });
    await again.stop();
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
});
