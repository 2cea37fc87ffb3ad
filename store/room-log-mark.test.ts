/** A room log that is not the one the store knows is never shown as blank documents. */
import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { someQuick } from '../test/support/share.ts';
import { framed, typed } from './room-log-contract.ts';
import { openMarkedRoomLog, type MarkedRoomLog } from './room-log-mark.ts';
import { openSqliteRoomLog } from './sqlite-room-log.ts';
import { openSqliteStore } from './sqlite.ts';
import type { Store } from './store.ts';

const key = { sala: 's000000000000000000001', canal: 'documento' } as const;
let dir: string;
let file: string;
let store: Store;
beforeEach(async () => {
  dir = mkdtempSync(path.join(os.tmpdir(), 'svc-mark-'));
  file = path.join(dir, 'rooms.db');
  store = await openSqliteStore(path.join(dir, 'svc.db'));
});
afterEach(async () => {
  await store.close();
  rmSync(dir, { recursive: true, force: true });
});

const acceptLossFile = (): string => path.join(dir, 'rooms.accept-loss');
/** Runs a portal once. */
async function run<T>(work: (opened: MarkedRoomLog) => T | Promise<T>): Promise<T> {
  const opened = await openMarkedRoomLog({ file, acceptLossFile: acceptLossFile(), store, nowMs: 7 });
  try {
    return await work(opened);
  } finally {
    await opened.log.close();
  }
}
const makeRoom = () =>
  store.rooms.createRoom({ id: key.sala, app: 'notas', nome: 'Atas', dona: 'ana', createdAtMs: 1, changedAtMs: 1, declaredName: null });
const write = ({ log }: Pick<MarkedRoomLog, 'log'>) => log.append([{ ...key, seq: 1, frames: framed(typed(1, 5).updates) }]);
const rows = ({ log, trouble }: MarkedRoomLog) => {
  expect(trouble).toBeNull();
  return log.load(key).then(({ seq }) => seq);
};

test('a new state is marked, and its rooms are there at every later start', async () => {
  await run(async (opened) => {
    await makeRoom();
    await write(opened);
  });
  expect(await run(rows)).toBe(1);
  expect(await run(rows)).toBe(1);
});

const damages = [
  ['missing', () => rmSync(file)],
  ['an empty file', () => truncateSync(file)],
  ['no database', () => writeFileSync(file, 'x'.repeat(8_192))],
  ['of another state', () => new DatabaseSync(file).exec("UPDATE mark SET id = 'another'")],
  ['of a portal without the mark', () => new DatabaseSync(file).exec('DROP TABLE mark')],
] as const;
test.for(someQuick(2, damages))(
  'while the store knows rooms, a file that is %s shuts them, and nothing is made of it',
  async ([, damage]) => {
    await run(async (opened) => {
      await makeRoom();
      await write(opened);
    });
    damage();
    const before = readdirSync(dir).filter((name) => name.startsWith('rooms'));
    for (let start = 0; start < 2; start += 1) {
      await run(async ({ log, trouble }) => {
        expect(trouble).toContain(file);
        await expect(log.load(key)).rejects.toMatchObject({ code: 'STORE_FAILED' });
        await expect(write({ log })).rejects.toMatchObject({ code: 'STORE_FAILED' });
      });
    }
    expect(readdirSync(dir).filter((name) => name.startsWith('rooms') && !/-(wal|shm)$/.test(name))).toEqual(
      before.filter((name) => !/-(wal|shm)$/.test(name)),
    );
  },
);

test('the file of the backup opens them again; or the loss is accepted, once, and what was there is set aside', async () => {
  await run(async (opened) => {
    await makeRoom();
    await write(opened);
  });
  const database = new DatabaseSync(file);
  database.exec(`VACUUM INTO '${dir}/backup'`);
  database.close();
  rmSync(file);
  await run(({ trouble }) => expect(trouble).not.toBeNull());
  const backup = new DatabaseSync(path.join(dir, 'backup'));
  backup.exec(`VACUUM INTO '${file}'`);
  backup.close();
  expect(await run(rows)).toBe(1);

  writeFileSync(file, 'x'.repeat(8_192));
  writeFileSync(acceptLossFile(), '');
  expect(await run(rows)).toBe(0);
  expect(existsSync(`${file}.lost-7`)).toBe(true);
  expect(existsSync(acceptLossFile())).toBe(false);
  rmSync(file);
  await run(({ trouble }) => expect(trouble).not.toBeNull());
});

test('a file that can not be read now is no damaged one: its loss is not accepted', async () => {
  await run(async (opened) => {
    await makeRoom();
    await write(opened);
  });
  renameSync(file, `${file}.away`);
  symlinkSync(path.basename(file), file);
  writeFileSync(acceptLossFile(), '');
  await run(({ trouble, setAside }) => expect([trouble, setAside]).toEqual([expect.stringContaining("can't be read now: ELOOP"), null]));
  rmSync(file);
  renameSync(`${file}.away`, file);
  expect(await run(rows)).toBe(1);
});

test('a file from before the mark is taken as it is, and a state without rooms takes any', async () => {
  const log = await openSqliteRoomLog(file);
  await write({ log });
  await log.close();
  await makeRoom();
  expect(await run(rows)).toBe(1);
  await store.rooms.deleteRoom(key.sala);
  rmSync(file);
  expect(await run(rows)).toBe(0);
  await makeRoom();
  rmSync(file);
  await run(({ trouble }) => expect(trouble).not.toBeNull());
});

test('rooms of before the mark whose file is gone stay shut', async () => {
  await makeRoom();
  await run(({ trouble }) => expect(trouble).toMatch(/missing$/));
});

test('rooms of which a store that began anew, or an older one, knows nothing are counted and kept, and are there when it is back', async () => {
  await run(async (opened) => {
    await makeRoom();
    await write(opened);
  });
  const lost = await openSqliteStore(path.join(dir, 'anew.db'));
  const opened = await openMarkedRoomLog({ file, acceptLossFile: acceptLossFile(), store: lost, nowMs: 7 });
  expect([opened.trouble, opened.unknownRooms]).toEqual([null, 1]);
  await opened.log.close();
  await lost.close();
  expect(await run(({ unknownRooms }) => unknownRooms)).toBe(0);
  expect(await run(rows)).toBe(1);
});
