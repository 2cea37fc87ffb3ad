import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { RoomStore } from '../../store/rooms.ts';
import { createMemoryRooms } from '../../store/testing/memory-rooms.ts';
import { limits } from './limits.ts';
import { createManualClock, type ManualClock } from '../testing/manual-clock.ts';
import { createFolderBytes } from '../../store/folder-bytes.ts';
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
/** Why documents of rooms can't be removed. */
let stuck: Error | null;
let errors: unknown[];
let told: string[];
let heldBytes: number;
let values: Map<string, string>;
beforeEach(async () => {
  dir = mkdtempSync(path.join(os.tmpdir(), 'svc-anexos-'));
  clock = createManualClock();
  store = createMemoryRooms();
  named = new Map();
  stuck = null;
  errors = [];
  for (const id of [room, other]) {
    await store.createRoom({ id, app: 'notas', nome: id, dona: 'ana', createdAtMs: 0, changedAtMs: 0, declaredName: null });
  }
  told = [];
  heldBytes = 0;
  values = new Map();
  attachments = open();
});
afterEach(() => {
  attachments.close();
  rmSync(dir, { recursive: true, force: true });
});

/** Attachments of a portal whose folder is its store's, or another store's. */
function open(isOurs = true): Attachments {
  return createAttachments({
    store,
    values: { value: async (name) => values.get(name) ?? null, putValue: async (name, value) => void values.set(name, value) },
    isOurs,
    diskOf: async () => heldBytes,
    report: { unknown: (count, example) => told.push(`${count} unknown: ${example}`), dropped: (name) => told.push(`dropped ${name}`) },
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
      deleteRoom: async (sala) => {
        if (stuck !== null) throw stuck;
        told.push(`documents of ${sala} removed`);
      },
    },
    files: createAttachmentFiles(createFolderBytes(dir)),
    clock,
    onError: (error) => errors.push(error),
  });
}

/** Time goes by, and the portal collects every six hours. */
async function goOn(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += limits.attachmentSweepMs) {
    clock.advance(limits.attachmentSweepMs);
    await attachments.collect();
  }
}

const put = async (id: string, text: string) =>
  (await attachments.put(ana, id, 'text/plain', Readable.from([Buffer.from(text)]), null)).sha;
/** As if it had come in long ago. */
function age(file: string): void {
  const longAgo = new Date(Date.now() - limits.attachmentStagingMsMax - 60_000);
  utimesSync(file, longAgo, longAgo);
}
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

test('what an interrupted upload left goes, and the folder of a room that was deleted', async () => {
  const sha = await put(room, 'kept');
  named.set(room, new Set([sha]));
  const [stale, fresh] = ['.in-stale', '.in-fresh'];
  for (const name of [stale, fresh]) writeFileSync(path.join(dir, room, name), 'x');
  age(path.join(dir, room, stale));
  await put(other, 'gone with its room');
  await store.deleteRoom(other);
  await attachments.collect();
  expect(files(room)).toEqual([fresh, sha].toSorted());
  expect(readdirSync(dir)).toEqual([room]);
  expect(await store.deletedRooms()).toEqual([]);
});

test('that a room was deleted is remembered until its documents are removed, too', async () => {
  await put(room, 'gone with its room');
  for (const id of [room, other]) await store.deleteRoom(id);
  stuck = new Error('the log can not be written');
  await attachments.collect();
  expect([await store.deletedRooms(), readdirSync(dir), errors]).toEqual([[room, other], [], [stuck]]);
  stuck = null;
  await attachments.collect();
  expect([await store.deletedRooms(), told]).toEqual([[], [room, other].map((id) => `documents of ${id} removed`)]);
});

test('a room goes for good 30 days after it came into the bin, and not by a jump of the clock', async () => {
  named.set(room, new Set([await put(room, 'in the bin with its room')]));
  await attachments.collect();
  await store.binRoom(room, clock.nowMs());
  clock.advance(2 * limits.roomBinMs);
  await attachments.collect();
  expect([files(room).length, await store.binnedBefore(clock.nowMs())]).toEqual([1, [room]]);
  await attachments.collect();
  expect([readdirSync(dir), await store.room(room), told]).toEqual([[], null, [`documents of ${room} removed`]]);
});

describe('what the store does not know', () => {
  const stranger = 's000000000000000000009';
  const sha = 'a'.repeat(64);
  const month = limits.attachmentUnknownMs;
  beforeEach(() => {
    mkdirSync(path.join(dir, stranger));
    for (const id of [room, stranger]) {
      mkdirSync(path.join(dir, id), { recursive: true });
      writeFileSync(path.join(dir, id, sha), 'x');
      age(path.join(dir, id, sha));
    }
  });

  test('stays and is told once; a store of which it is goes on knowing nothing of it for a month, and then it goes', async () => {
    await attachments.collect();
    await goOn(month - limits.attachmentSweepMs);
    expect([files(room), files(stranger)]).toEqual([[sha], [sha]]);
    expect(told).toEqual([expect.stringMatching(/^2 unknown: /)]);
    await goOn(2 * limits.attachmentSweepMs);
    expect([readdirSync(dir), files(room)]).toEqual([[room], []]);
    expect(told.slice(1).toSorted()).toEqual([`dropped ${room}/${sha}`, `dropped ${stranger}`]);
  });

  test('a store that was lost and began anew takes nothing out of a folder that is not its own, ever', async () => {
    attachments.close();
    attachments = open(false);
    await attachments.collect();
    await goOn(3 * month);
    expect([files(room), files(stranger)]).toEqual([[sha], [sha]]);
  });

  test('what a document names stays, whatever the store forgot of it', async () => {
    named.set(room, new Set([sha]));
    await attachments.collect();
    await goOn(2 * month);
    expect(files(room)).toEqual([sha]);
  });

  test('a month that only the clock says is none', async () => {
    await attachments.collect();
    clock.advance(2 * month);
    await attachments.collect();
    expect(files(stranger)).toEqual([sha]);
  });

  test('a room that comes back with the right store is known again, and counts afresh when it is lost again', async () => {
    await attachments.collect();
    await goOn(month / 2);
    await store.createRoom({ id: stranger, app: 'notas', nome: 'x', dona: 'ana', createdAtMs: 0, changedAtMs: 0, declaredName: null });
    await store.putAttachment({ sala: stranger, sha, bytes: 1, tipo: 'text/plain', atMs: clock.nowMs() }, 100);
    named.set(stranger, new Set([sha]));
    await goOn(month);
    expect(files(stranger)).toEqual([sha]);
  });
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

test('an owner whose rooms hold all that they may gets no more, before a byte is taken and once they are counted', async () => {
  heldBytes = limits.roomDiskPerPersonBytesMax - 3;
  await expect(attachments.put(ana, room, 'text/plain', Readable.from([Buffer.from('abcd')]), 4)).rejects.toMatchObject({
    code: 'SPACE_USED',
  });
  await expect(put(room, 'abcd')).rejects.toMatchObject({ code: 'SPACE_USED' });
  expect(files(room)).toEqual([]);
  await put(room, 'abc');
});
