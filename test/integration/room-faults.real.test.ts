/** A disk that is full, a log that can't be read, rooms that open and close at the same moment: said, never shown as a blank document. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test as plain, vi } from 'vitest';
import * as Y from 'yjs';
import { mountTmpfs, remount, unmount } from '../support/mounts.ts';
import type { RoomLog } from '../../store/room-log.ts';
import { SvcError } from '../../schema/errors.ts';
import { limits } from '../../api/rooms/limits.ts';
import { randomOf } from '../../schema/crdt/testing/random-edits.ts';
import { failDevice } from '../../test/support/failing-device.ts';
import { spawnRelay, type RelayProcess } from '../../test/support/relay-process.ts';
import { startRelay, type RelayWorld } from '../../test/support/relay-world.ts';
import { connect, settled, type RawClient } from '../../test/support/room-client.ts';

const sala = 's000000000000000000001';
type Ends = (() => Promise<void> | void)[];
type Connects = { readonly url: string };
const test = plain.extend<{
  ends: Ends;
  start: (options?: Parameters<typeof startRelay>[0]) => Promise<RelayWorld>;
  spawned: (dir: string) => Promise<RelayProcess>;
  enter: (world: Connects, ticket: string, doc?: Y.Doc, room?: string) => RawClient;
  /** A new folder. */
  folder: (prefix: string) => string;
}>({
  // oxlint-disable-next-line no-empty-pattern
  ends: async ({}, use) => {
    const ends: Ends = [];
    await use(ends);
    for (const end of ends.toReversed()) await end();
  },
  start: async ({ ends }, use) => {
    await use(async (options = {}) => {
      const world = await startRelay(options);
      ends.push(() => world.close());
      return world;
    });
  },
  spawned: async ({ ends }, use) => {
    await use(async (dir) => {
      const relay = await spawnRelay(dir);
      ends.push(() => relay.kill());
      return relay;
    });
  },
  enter: async ({ ends }, use) => {
    await use((world, ticket, doc = new Y.Doc(), room = sala) => {
      const client = connect(`${world.url}/${room}/documento`, ticket, { doc });
      ends.push(() => client.end());
      return client;
    });
  },
  folder: async ({ ends }, use) => {
    await use((prefix) => {
      const dir = mkdtempSync(join(tmpdir(), prefix));
      ends.push(() => rmSync(dir, { recursive: true, force: true }));
      return dir;
    });
  },
});
const text = ({ doc }: RawClient): string => doc.getText('text').toJSON();
const failing = (): SvcError => new SvcError('STORE_FAILED', 'disk I/O error');

describe.concurrent('writing', () => {
  test('a disk that is full: everybody is sent away with 1011 and told so, and what was typed is there once there is space', async ({
    ends,
    start,
    enter,
    folder,
    expect,
  }) => {
    const dir = folder('svc-full-');
    await mountTmpfs(dir, 'size=2m');
    ends.push(() => unmount(dir));
    const world = await start({ dir });
    const ana = enter(world, 'ana:dona');
    await ana.synced;
    ana.doc.getText('text').insert(0, 'antes ');
    await vi.waitFor(async () => expect(await world.relay.sizeOf(sala)).toBeGreaterThan(0));
    writeFileSync(join(dir, 'filler'), Buffer.alloc(1_400_000));
    ana.doc.getText('text').insert(0, 'x'.repeat(900_000));
    expect(await ana.closed).toBe(1011);
    expect(world.reports.join()).toContain('commitFailed');
    expect(world.relay.figures().commitsFailing).toBe(true);
    const refused = enter(world, 'bea:ver');
    expect(await refused.closed).toBe(1011);
    expect(text(refused)).toBe('');
    rmSync(join(dir, 'filler'));
    await remount(dir, 'size=16m');
    await vi.waitFor(() => expect(world.relay.figures().commitsFailing).toBe(false), { timeout: 15_000 });
    const later = enter(world, 'bea:ver');
    await later.synced;
    expect(text(later)).toBe(text(ana));
  });

  test('a commit that fails a few times loses nothing of what came before, in any room', async ({ start, enter, expect }) => {
    let faults = 3;
    const wrap = (log: RoomLog): RoomLog => ({
      ...log,
      append: (rows) => {
        faults -= 1;
        return faults >= 0 ? Promise.reject(failing()) : log.append(rows);
      },
    });
    const world = await start({ wrap });
    const rooms = [1, 2, 3].map((n) => `s00000000000000000000${n}`);
    const clients = rooms.map((room) => enter(world, 'ana:dona', new Y.Doc(), room));
    await Promise.all(clients.map(({ synced }) => synced));
    for (const { doc } of clients) doc.getText('text').insert(0, 'fica');
    expect(await Promise.all(clients.map(({ closed }) => closed))).toEqual([1011, 1011, 1011]);
    await vi.waitFor(() => expect(world.relay.figures().commitsFailing).toBe(false), { timeout: 10_000 });
    await vi.waitFor(() => expect(world.relay.figures().rooms).toBe(0), { timeout: 5_000 });
    for (const room of rooms) {
      const later = enter(world, 'bea:ver', new Y.Doc(), room);
      await later.synced;
      expect(text(later)).toBe('fica');
    }
    expect(world.reports).toHaveLength(2);
  });

  test('an end in order writes what is pending', async ({ start, enter, folder, expect }) => {
    const dir = folder('svc-end-');
    const world = await startRelay({ dir });
    const ana = enter(world, 'ana:dona');
    await ana.synced;
    ana.doc.getText('text').insert(0, 'no último instante');
    await settled(ana);
    await world.close();
    expect(await ana.closed).toBe(1013);
    expect(world.reports).toEqual([]);
    const again = await start({ dir });
    const later = enter(again, 'bea:ver');
    await later.synced;
    expect(text(later)).toBe('no último instante');
  });
});

describe.concurrent('a device that answers with I/O errors', () => {
  const files = (dir: string): readonly string[] => ['rooms.db', 'rooms.db-wal'].map((name) => join(dir, name));
  const written = (dir: string, words: string): Promise<void> =>
    vi.waitFor(() => {
      const file = new DatabaseSync(join(dir, 'rooms.db'), { readOnly: true });
      try {
        const { count } = file.prepare('SELECT count(*) AS count FROM tail WHERE instr(frames, ?) > 0').get(Buffer.from(words)) as {
          count: number;
        };
        expect(count).toBeGreaterThan(0);
      } finally {
        file.close();
      }
    });

  test('to writing: everybody is sent away with 1011, nobody comes in, and what was typed is there once it writes again', async ({
    spawned,
    enter,
    folder,
    expect,
  }) => {
    const dir = folder('svc-eio-');
    const relay = await spawned(dir);
    const ana = enter(relay, 'ana:dona');
    await ana.synced;
    ana.doc.getText('text').insert(0, 'antes ');
    await settled(ana);
    const mend = await failDevice(relay.pid, 'writing', files(dir));
    ana.doc.getText('text').insert(6, 'durante');
    expect(await ana.closed).toBe(1011);
    const refused = enter(relay, 'bea:ver');
    expect(await refused.closed).toBe(1011);
    expect(refused.received.frames).toBe(0);
    const { reports, figures } = await relay.ask();
    expect(reports.join()).toContain('commitFailed');
    expect(reports.join()).toContain('disk I/O error');
    expect(figures.commitsFailing).toBe(true);
    await mend();
    await vi.waitFor(async () => expect((await relay.ask()).figures.commitsFailing).toBe(false), { timeout: 15_000 });
    const back = enter(relay, 'ana:dona', ana.doc);
    await back.synced;
    back.doc.getText('text').insert(13, ' depois');
    await settled(back);
    // The document on the disk now, not the relay's memory of it.
    await written(dir, ' depois');
    await relay.kill();
    const later = enter(await spawned(dir), 'bea:ver');
    await later.synced;
    expect(text(later)).toBe('antes durante depois');
  });

  test('to reading: the room is refused with 1011 and never blank', async ({ spawned, enter, folder, expect }) => {
    const dir = folder('svc-eio-');
    const first = await spawned(dir);
    const ana = enter(first, 'ana:dona');
    await ana.synced;
    ana.doc.getText('text').insert(0, 'importante '.repeat(5_000));
    await settled(ana);
    await written(dir, 'importante importante');
    await first.kill();
    const relay = await spawned(dir);
    const mend = await failDevice(relay.pid, 'reading', files(dir));
    const clients = [enter(relay, 'ana:dona', ana.doc), enter(relay, 'bea:ver')];
    expect(await Promise.all(clients.map(({ closed }) => closed))).toEqual([1011, 1011]);
    expect(clients.map(({ received }) => received.frames)).toEqual([0, 0]);
    expect((await relay.ask()).reports.join()).toContain('loadFailed');
    await mend();
    const later = enter(relay, 'bea:ver');
    await later.synced;
    expect(text(later)).toBe(text(ana));
  });
});

describe.concurrent('reading', () => {
  test('a room that can not be read is refused with 1011 until it can, and nobody ever sees it blank', async ({
    start,
    enter,
    folder,
    expect,
  }) => {
    let broken = true;
    const wrap = (log: RoomLog): RoomLog => ({ ...log, load: (key) => (broken ? Promise.reject(failing()) : log.load(key)) });
    const dir = folder('svc-broken-');
    const first = await startRelay({ dir });
    const ana = enter(first, 'ana:dona');
    await ana.synced;
    ana.doc.getText('text').insert(0, 'importante');
    await settled(ana);
    await first.close();
    const world = await start({ dir, wrap });
    const clients = [enter(world, 'ana:dona', ana.doc), enter(world, 'bea:ver')];
    expect(await Promise.all(clients.map(({ closed }) => closed))).toEqual([1011, 1011]);
    expect(clients.map(({ received }) => received.frames)).toEqual([0, 0]);
    expect(world.reports.join()).toContain('loadFailed');
    broken = false;
    const later = enter(world, 'bea:ver');
    await later.synced;
    expect(text(later)).toBe('importante');
  });

  test('a file damaged on the disk is refused too', async ({ start, enter, folder, expect }) => {
    const dir = folder('svc-torn-');
    const first = await startRelay({ dir });
    const ana = enter(first, 'ana:dona');
    await ana.synced;
    ana.doc.getText('text').insert(0, 'importante');
    await settled(ana);
    await first.close();
    const file = new DatabaseSync(join(dir, 'rooms.db'));
    file.exec("UPDATE tail SET frames = x'820300020162'");
    file.close();
    const world = await start({ dir });
    const bea = enter(world, 'bea:ver');
    expect(await bea.closed).toBe(1011);
    expect(bea.received.frames).toBe(0);
  });
});

describe.concurrent('opening and closing at the same moment', () => {
  test('people who come and go while the room is read, forgotten and compacted find every edit', async ({ start, enter, expect }) => {
    const random = randomOf(5);
    const slow = async <Result>(work: () => Promise<Result>): Promise<Result> => {
      await new Promise((resolve) => setTimeout(resolve, random(20)));
      return await work();
    };
    const wrap = (log: RoomLog): RoomLog => ({
      ...log,
      load: (key) => slow(() => log.load(key)),
      append: (rows) => slow(() => log.append(rows)),
      compact: (key, rule) => slow(() => log.compact(key, rule)),
    });
    const world = await start({ wrap });
    const marks: string[] = [];
    const visit = async (who: number): Promise<void> => {
      for (let n = 0; n < 12; n += 1) {
        const client = enter(world, `p${who}:editar`);
        await client.synced;
        const mark = `${who}.${n}`;
        for (let typed = 0; typed < 30; typed += 1) client.doc.getText('text').insert(0, 'x');
        client.doc.getMap('marks').set(mark, true);
        marks.push(mark);
        await settled(client);
        client.end();
        if (random(3) === 0) await new Promise((resolve) => setTimeout(resolve, limits.roomLingerMs + random(100)));
      }
    };
    await Promise.all([1, 2, 3].map(visit));
    const reader = enter(world, 'juiz:ver');
    await reader.synced;
    expect([...reader.doc.getMap('marks').keys()].sort()).toEqual(marks.sort());
    expect(text(reader)).toHaveLength(marks.length * 30);
    expect(world.reports).toEqual([]);
  });

  test('a socket that goes while its room is being read leaves nothing behind', async ({ start, enter, expect }) => {
    const gate = Promise.withResolvers<void>();
    const wrap = (log: RoomLog): RoomLog => ({ ...log, load: (key) => gate.promise.then(() => log.load(key)) });
    const world = await start({ wrap });
    const gone = enter(world, 'ana:dona');
    await new Promise((resolve) => gone.ws.once('open', resolve));
    gone.end();
    gate.resolve();
    await vi.waitFor(() => expect(world.relay.figures()).toMatchObject({ rooms: 0, sockets: 0 }), { timeout: 5_000 });
  });
});
