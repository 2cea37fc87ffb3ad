/** Bytes in a real PostgreSQL: the contract, a server that goes in the middle, and two portals at one file. */
import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../controller/clock/system.ts';
import { bytesContract } from '../../store/bytes-contract.ts';
import { createPostgresBytes } from '../../store/postgres-bytes.ts';
import { openMemberStore, type MemberStore } from '../../store/postgres.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';

let server: TestPostgres;
let stores: readonly MemberStore[];
beforeAll(async () => {
  server = await startPostgres();
  const place = await server.database();
  stores = [
    await openMemberStore(place, { clock: systemClock, holder: 'one' }),
    await openMemberStore(place, { clock: systemClock, holder: 'two' }),
  ];
});
afterAll(async () => {
  for (const store of stores ?? []) await store.close();
  await server?.remove();
});
let roots = 0;
const bytesAt = (root: string, which = 0) => createPostgresBytes(stores[which]!.pools.pool, systemClock, root);

bytesContract(() => {
  const root = `root${(roots += 1)}`;
  return { open: async () => bytesAt(root), remove: async () => undefined };
});

test('what two portals write to one file at once is one of the two, and the other is told', async () => {
  const [one, two] = [await bytesAt('both').grow('a', 'x'), await bytesAt('both', 1).grow('a', 'x')];
  await one.write(Buffer.from('first'));
  await two.write(Buffer.from('other bytes'));
  await one.close();
  await expect(two.close()).rejects.toMatchObject({ code: 'CONFLICT' });
  expect((await buffer((await bytesAt('both', 1).open('a', 'x'))!.read())).toString()).toBe('first');
});

test('a server that is killed while bytes come in costs none of them and doubles none', async () => {
  const all = randomBytes(12 * 1_024 * 1_024);
  const file = await bytesAt('killed').grow('a', 'x');
  const writing = (async () => {
    for (let at = 0; at < all.length; at += 65_536) await file.write(all.subarray(at, at + 65_536));
    await file.close();
  })();
  await expect.poll(() => file.size()).toBeGreaterThan(1_000_000);
  await server.stop('immediate');
  await server.start();
  await writing;
  expect((await buffer((await bytesAt('killed', 1).open('a', 'x'))!.read())).equals(all)).toBe(true);
});

test('one that is removed while it is read ends with an error, and not as if it were whole', async () => {
  const files = bytesAt('removed');
  const file = await files.grow('a', 'x');
  await file.write(randomBytes(8 * 1_024 * 1_024));
  await file.close();
  const open = await files.open('a', 'x');
  const reader = open!.read()[Symbol.asyncIterator]();
  await reader.next();
  await files.removeFolder('a');
  const rest = async (): Promise<void> => {
    for (;;) if ((await reader.next()).done === true) return;
  };
  await expect(rest()).rejects.toMatchObject({ code: 'STORE_FAILED' });
});
