/** The embedded room log: the contract, and what only a file can do wrong. */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import * as Y from 'yjs';
import { wideUpdate } from '../schema/crdt/testing/wild-updates.ts';
import { contentOf } from '../schema/crdt/testing/random-edits.ts';
import { roomLogSteps } from './room-log-database.ts';
import { framed, roomLogContract, typed, wholeYear } from './room-log-contract.ts';
import { createCompactor } from './room-threads.ts';
import { openSqliteRoomLog } from './sqlite-room-log.ts';

const key = { sala: 's000000000000000000009', canal: 'documento' } as const;
let dir: string;
let file: string;
beforeEach(() => {
  dir = mkdtempSync(path.join(os.tmpdir(), 'svc-rooms-'));
  file = path.join(dir, 'rooms.db');
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

roomLogContract(() => ({ open: () => openSqliteRoomLog(file), remove: async () => {} }));

test('the file and its side files are for the portal alone', async () => {
  const log = await openSqliteRoomLog(file);
  await log.append([{ ...key, seq: 1, frames: framed(typed(1, 3).updates) }]);
  for (const suffix of ['', '-wal', '-shm']) expect(statSync(file + suffix).mode & 0o777).toBe(0o600);
  await log.close();
});

test('damage is said, never shown as less text: a hole, a torn row, a missing base, another file', async () => {
  const room = (n: number) => ({ ...key, sala: `s00000000000000000000${n}` });
  const [hole, torn, missing] = [room(0), room(1), room(2)] as const;
  let log = await openSqliteRoomLog(file);
  for (const mine of [hole, torn, missing]) {
    for (const seq of [1, 2, 3]) await log.append([{ ...mine, seq, frames: framed(typed(seq, 4).updates) }]);
    // Read whole before it is damaged.
    await log.load(mine);
  }
  await log.close();
  const database = new DatabaseSync(file);
  const rows = ({ sala }: { readonly sala: string }) => `document = (SELECT id FROM documents WHERE sala = '${sala}')`;
  database.exec(`DELETE FROM tail WHERE seq = 2 AND ${rows(hole)}`);
  database.exec(`UPDATE tail SET frames = substr(frames, 1, length(frames) - 1) WHERE seq = 3 AND ${rows(torn)}`);
  database.exec(`UPDATE documents SET base_seq = 1 WHERE sala = '${missing.sala}'`);
  database.exec(`DELETE FROM tail WHERE seq = 1 AND ${rows(missing)}`);
  database.close();
  log = await openSqliteRoomLog(file);
  for (const read of [() => log.load(hole), () => log.compact(torn, wholeYear), () => log.load(missing)]) {
    await expect(read()).rejects.toMatchObject({ code: 'STORE_FAILED' });
  }
  await log.close();
  await expect(openSqliteRoomLog(path.join(dir, 'nowhere\0'))).rejects.toMatchObject({ code: 'STORE_FAILED' });
});

test(
  'a document that takes too long to build is refused and its thread ended; the others are built as before',
  { tags: ['costly'] },
  async () => {
    const log = await openSqliteRoomLog(file);
    const slow = { ...key, sala: 's000000000000000000001' } as const;
    await log.append([{ ...slow, seq: 1, frames: framed([wideUpdate(16_000)]) }]);
    await log.append([{ ...key, seq: 1, frames: framed(typed(2, 3).updates) }]);
    await log.close();
    const compactor = createCompactor(file, { deadlineMs: 2_000 });
    const [late, next] = await Promise.allSettled([
      compactor.ask({ kind: 'compact', key: slow, rule: wholeYear }),
      compactor.ask({ kind: 'compact', key, rule: wholeYear }),
    ]);
    await compactor.end();
    expect(late).toMatchObject({
      status: 'rejected',
      reason: { code: 'STORE_FAILED', message: expect.stringContaining('longer than 2000 ms') },
    });
    expect(next.status).toBe('fulfilled');
  },
);

test('what stands on itself is left out of a document that is opened', async () => {
  const log = await openSqliteRoomLog(file);
  const circle = Uint8Array.of(2, 1, 2, 0, 0x84, 1, 0, 1, 120, 1, 1, 0, 0x84, 2, 0, 1, 120, 0);
  const { updates } = typed(3, 5);
  await log.append([{ ...key, seq: 1, frames: framed([circle, ...updates, circle]) }]);
  expect(Buffer.compare((await log.load(key)).tail, framed(updates))).toBe(0);
  await log.close();
});

test('a file of before versions were kept goes on: what was there is one version, without time and people', async () => {
  const { updates } = typed(11, 30);
  const old = new DatabaseSync(file);
  old.exec(`${roomLogSteps[0]} PRAGMA user_version = 1`);
  const base = Y.mergeUpdates(updates.slice(0, 10));
  old.prepare('INSERT INTO documents (sala, canal, base_seq, base) VALUES (?, ?, 10, ?)').run(key.sala, key.canal, base);
  old.prepare('INSERT INTO tail VALUES (1, 11, ?)').run(framed(updates.slice(10, 20)));
  old.close();
  const log = await openSqliteRoomLog(file);
  await log.append([{ ...key, seq: 12, frames: framed(updates.slice(20)), atMs: wholeYear.nowMs, who: ['ana'] }]);
  const seen = (): Promise<unknown> => log.versions(key).then((all) => all.map(({ seq, sinceMs, who }) => [seq, sinceMs, who]));
  expect(await seen()).toEqual([
    [11, 0, []],
    [12, wholeYear.nowMs, ['ana']],
  ]);
  await log.compact(key, wholeYear);
  expect(await seen()).toHaveLength(2);
  for (const [seq, upTo] of [
    [11, 20],
    [12, updates.length],
  ] as const) {
    const [then, now] = [new Y.Doc(), new Y.Doc()];
    for (const update of updates.slice(0, upTo)) Y.applyUpdate(then, update);
    Y.applyUpdate(now, (await log.version(key, seq, 'yjs'))!);
    expect(contentOf(now)).toBe(contentOf(then));
  }
  await log.close();
});

test('a damaged piece of the history keeps no document from being compacted', async () => {
  const { doc, updates } = typed(12, 60);
  let log = await openSqliteRoomLog(file);
  const at = (n: number) => ({ ...key, seq: n, atMs: wholeYear.nowMs + n, who: ['ana'] });
  for (let n = 1; n <= 4; n += 1) {
    await log.append([{ ...at(n), frames: framed(updates.slice((n - 1) * 10, n * 10)) }]);
    await log.compact(key, wholeYear);
  }
  await log.close();
  const database = new DatabaseSync(file);
  database.exec("UPDATE history SET piece = x'ff' WHERE seq = 2");
  database.close();
  log = await openSqliteRoomLog(file);
  await log.append([{ ...at(5), frames: framed(updates.slice(40)) }]);
  const made = await log.compact(key, wholeYear);
  const now = new Y.Doc();
  Y.applyUpdate(now, made!.base);
  expect([made?.seq, contentOf(now), (await log.load(key)).tail.length]).toEqual([5, contentOf(doc), 0]);
  await log.close();
});

test('a newer file is left alone', async () => {
  const database = new DatabaseSync(file);
  database.exec('PRAGMA user_version = 99');
  database.close();
  await expect(openSqliteRoomLog(file)).rejects.toMatchObject({ code: 'STORE_NEWER' });
});

test('an update that no document takes is dropped by compaction, and the others stay', async () => {
  const log = await openSqliteRoomLog(file);
  const { doc, updates } = typed(7, 30);
  // Two bytes that are no update: the relay would never have let them in.
  await log.append([{ ...key, seq: 1, frames: framed([...updates.slice(0, 9), Uint8Array.of(1, 1), ...updates.slice(9)]) }]);
  const made = await log.compact(key, wholeYear);
  expect(made?.dropped).toBe(1);
  const compacted = new Y.Doc();
  Y.applyUpdate(compacted, made!.base);
  expect(Y.encodeStateVector(compacted)).toEqual(Y.encodeStateVector(doc));
  await log.append([{ ...key, seq: 2, frames: framed([Uint8Array.of(1, 1)]) }]);
  for (const seq of [1, 2]) expect(await log.version(key, seq, 'yjs')).toEqual(made!.base);
  expect(await log.revert(key, 1)).not.toBeNull();
  await log.close();
});
