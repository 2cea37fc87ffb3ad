import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { RoomStore } from '../../controller/store/rooms.ts';
import { createMemoryRooms } from '../../controller/store/testing/memory-rooms.ts';
import { limits } from '../../schema/limits.ts';
import { createManualClock, type ManualClock } from '../testing/manual-clock.ts';
import { createAttachmentFiles } from './attachment-files.ts';
import { createAttachments, type Attachments } from './attachments.ts';
import type { RoomCaller } from './callers.ts';
import { noSuchRoom } from './callers.ts';

const room = 's000000000000000000001';
const other = 's000000000000000000002';
const ana: RoomCaller = { usuario: 'ana', grupos: [], app: 'notas', por: 'pagina', session: null, credential: null };

let dir: string;
let clock: ManualClock;
let store: RoomStore;
let attachments: Attachments;
let named: Map<string, Set<string> | Error>;
let errors: unknown[];
beforeEach(async () => {
  dir = mkdtempSync(path.join(os.tmpdir(), 'svc-anexos-'));
  clock = createManualClock();
  store = createMemoryRooms();
  named = new Map();
  errors = [];
  for (const id of [room, other]) {
    await store.createRoom({ id, app: 'notas', nome: id, dona: 'ana', createdAtMs: 0, changedAtMs: 0, declaredName: null });
  }
  attachments = createAttachments({
    store,
    rooms: {
      inRoom: async (_caller, id) => {
        const found = await store.room(id);
        if (!found) throw noSuchRoom();
        return { room: found, papel: 'dona' };
      },
    },
    relay: {
      attachmentsIn: async (sala) => {
        const found = named.get(sala) ?? new Set<string>();
        if (found instanceof Error) throw found;
        return found;
      },
    },
    files: createAttachmentFiles(dir),
    clock,
    onError: (error) => errors.push(error),
  });
});
afterEach(() => {
  attachments.close();
  rmSync(dir, { recursive: true, force: true });
});

const put = async (id: string, text: string) =>
  (await attachments.put(ana, id, 'text/plain', Readable.from([Buffer.from(text)]), null)).sha;
const files = (id: string): readonly string[] => readdirSync(path.join(dir, id)).toSorted();

test('what no document names goes once the grace is over, what one names stays', async () => {
  const [kept, lost] = [await put(room, 'kept'), await put(room, 'lost')];
  named.set(room, new Set([kept]));
  clock.advance(limits.attachmentGraceMs);
  await attachments.collect();
  expect(files(room)).toEqual([kept, lost].toSorted());
  clock.advance(1);
  await attachments.collect();
  expect(files(room)).toEqual([kept]);
  expect((await store.attachments(room)).map(({ sha }) => sha)).toEqual([kept]);
});

test('the grace begins when it was last seen in a document or put', async () => {
  const sha = await put(room, 'undone later');
  named.set(room, new Set([sha]));
  clock.advance(limits.attachmentGraceMs * 2);
  await attachments.collect();
  named.set(room, new Set());
  clock.advance(limits.attachmentGraceMs);
  await attachments.collect();
  expect(files(room)).toEqual([sha]);
  await put(room, 'undone later');
  clock.advance(limits.attachmentGraceMs);
  await attachments.collect();
  expect(files(room)).toEqual([sha]);
  clock.advance(1);
  await attachments.collect();
  expect(files(room)).toEqual([]);
});

test('while a room can not be read nothing of it goes, and the others go on', async () => {
  const [one] = [await put(room, 'one'), await put(other, 'two')];
  named.set(room, new Error('the log can not be read'));
  clock.advance(limits.attachmentGraceMs + 1);
  await attachments.collect();
  expect([files(room), files(other)]).toEqual([[one], []]);
  expect(errors).toEqual([new Error('the log can not be read')]);
});

test('what a crash left goes: uploads, files without a row, folders without a room', async () => {
  const sha = await put(room, 'kept');
  named.set(room, new Set([sha]));
  const [stale, fresh, orphan] = ['.in-stale', '.in-fresh', 'a'.repeat(64)];
  for (const name of [stale, fresh, orphan]) writeFileSync(path.join(dir, room, name), 'x');
  const longAgo = new Date(Date.now() - limits.attachmentStagingMsMax - 60_000);
  for (const name of [stale, orphan, sha]) utimesSync(path.join(dir, room, name), longAgo, longAgo);
  await put(other, 'gone with its room');
  await store.deleteRoom(other);
  await attachments.collect();
  expect(files(room)).toEqual([fresh, sha].toSorted());
  expect(readdirSync(dir)).toEqual([room]);
});

test('a room that is deleted while bytes come in takes them along', async () => {
  const body = async function* () {
    yield Buffer.from('begin');
    await store.deleteRoom(room);
    yield Buffer.from('end');
  };
  await expect(attachments.put(ana, room, 'text/plain', body(), null)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect(readdirSync(dir)).toEqual([]);
});

test('one person has so many uploads at once', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const slow = async function* () {
    await promise;
    yield Buffer.from('x');
  };
  const begun = Array.from({ length: limits.attachmentUploadsPerPersonMax }, () => attachments.put(ana, room, 'text/plain', slow(), null));
  await new Promise((resolve) => setImmediate(resolve));
  await expect(put(room, 'more')).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  resolve();
  await Promise.all(begun);
  await put(room, 'more');
});

test('runs by itself', async () => {
  await put(room, 'lost');
  clock.advance(limits.attachmentGraceMs + limits.attachmentSweepMs);
  await expect.poll(() => files(room)).toEqual([]);
});
