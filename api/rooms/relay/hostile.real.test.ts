/**
 * Attacks on a relay: broken frames, declared monsters, parked structs, false presence, readers that don't read. It lives in a process of its own,
 * so that its turns and its memory can be measured.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as encoding from 'lib0/encoding';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import * as Y from 'yjs';
import { contentOf, editAtRandom, randomOf } from '../../../schema/crdt/testing/random-edits.ts';
import { limits } from '../../../schema/limits.ts';
import { tellCount } from '../../../test/support/counts.ts';
import { spawnRelay, type RelayProcess } from '../../../test/support/relay-process.ts';
import { connect, said, type RawClient } from '../../../test/support/room-client.ts';

const long = process.env['SVC_TEST_LONG'] === '1';
const seed = Number(process.env['FC_SEED'] ?? Math.floor(Math.random() * 2 ** 28));
let dir: string;
let relay: RelayProcess;
/** Each test has rooms of its own in one relay. */
let rooms = 0;
/** Reports of the relay before the test. */
let reported = 0;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'svc-hostile-'));
  relay = await spawnRelay(dir);
});
beforeEach(() => {
  rooms += 10;
});
afterEach(async () => {
  const reports = (await relay.ask()).reports.slice(reported);
  reported += reports.length;
  if (reports.length > 0) throw new Error(reports.join('\n'));
});
afterAll(async () => {
  await relay.kill();
  await rm(dir, { recursive: true, force: true });
});

const room = (canal = 'documento', n = 0): string => `${relay.url}/s${String(rooms + n).padStart(21, '0')}/${canal}`;
const message = (...parts: readonly (number | Uint8Array)[]): Uint8Array => {
  const encoder = encoding.createEncoder();
  for (const part of parts) {
    if (typeof part === 'number') encoding.writeVarUint(encoder, part);
    else encoding.writeVarUint8Array(encoder, part);
  }
  return encoding.toUint8Array(encoder);
};
const presenceOf = (id: number, clock: number, state: unknown): Uint8Array => {
  const encoder = encoding.createEncoder();
  for (const value of [1, id, clock]) encoding.writeVarUint(encoder, value);
  encoding.writeVarString(encoder, JSON.stringify(state));
  return message(1, encoding.toUint8Array(encoder));
};

/** Sends frames one after the other on one socket, and on a new one whenever it is closed. */
async function pour(at: string, ticket: string, frames: Iterable<Uint8Array>): Promise<{ sent: number; closes: Map<number, number> }> {
  const closes = new Map<number, number>();
  let sent = 0;
  let socket: WebSocket | null = null;
  for (const frame of frames) {
    if (socket?.readyState !== WebSocket.OPEN) {
      socket = new WebSocket(`${at}?bilhete=${ticket}`);
      socket.on('error', () => {});
      socket.on('close', (code) => closes.set(code, (closes.get(code) ?? 0) + 1));
      await new Promise((resolve) => socket!.once('open', resolve));
    }
    sent += 1;
    const open = socket;
    await new Promise<void>((resolve) => {
      // The relay has seen the frame when it answers the ping behind it.
      const done = (): void => {
        open.off('close', done).off('pong', done);
        resolve();
      };
      open.on('close', done).on('pong', done);
      open.send(frame);
      open.ping();
    });
  }
  socket?.close();
  return { sent, closes };
}

/** Frames as clients send them, with some bytes changed. */
function* mutated(seed: number, count: number): Generator<Uint8Array> {
  const random = randomOf(seed);
  const doc = new Y.Doc();
  const samples: Uint8Array[] = [
    message(3),
    message(0, 0, Y.encodeStateVector(doc)),
    presenceOf(7, 3, { user: { name: 'x' }, cursor: [1, 2] }),
  ];
  doc.on('update', (update: Uint8Array) => void samples.push(message(0, 2, update)));
  for (let n = 0; n < 60; n += 1) editAtRandom(doc, random);
  samples.push(message(0, 1, Y.encodeStateAsUpdate(doc)), message(0, 0, Y.encodeStateVector(doc)));
  for (let n = 0; n < count; n += 1) {
    const sample = samples[random(samples.length)]!;
    const frame = sample.slice(0, random(6) === 0 ? 1 + random(sample.length) : sample.length);
    for (let hits = 1 + random(3); hits > 0; hits -= 1) frame[random(frame.length)] = random(3) === 0 ? 255 : random(256);
    yield frame;
  }
}

describe('broken frames', () => {
  test('of any kind: the relay lives, no turn is long, and who may not write changed nothing', async () => {
    const count = long ? 1_000_000 : 3_000;
    const owner = connect(room(), 'ana:dona');
    await owner.synced;
    owner.doc.getText('text').insert(0, 'intocado');
    const before = said(owner);
    const { framesIn } = (await relay.ask('reset')).figures;
    const per = Math.ceil(count / 8);
    const seen = await Promise.all(
      [1, 2, 3, 4].map((n) => pour(room(), `ver${n}:${n % 2 === 0 ? 'ver' : 'comentar'}`, mutated(seed + n, per))),
    );
    expect(said(owner)).toBe(before);
    // Writers, in a room of their own, where somebody reads along. The client of y-protocols only prints what Yjs throws.
    const other = room('documento', 1);
    const along = connect(other, 'lia:ver');
    await along.synced;
    const printed = vi.spyOn(console, 'error');
    seen.push(...(await Promise.all([5, 6, 7, 8].map((n) => pour(other, `edi${n}:editar`, mutated(seed + n, per))))));
    const sent = seen.reduce((sum, one) => sum + one.sent, 0);
    const { longestTurnMs, figures } = await relay.ask();
    const closed = seen.flatMap(({ closes }) => closes.values().toArray()).reduce((sum, times) => sum + times, 0);
    tellCount(
      `relay: ${sent} mutated frames, ${closed} sockets closed, 0 crashes, longest turn ${longestTurnMs.toFixed(1)} ms of CPU, seed ${seed}`,
    );
    expect(sent).toBeGreaterThanOrEqual(count);
    expect(relay.alive()).toBe(true);
    expect(figures.framesIn - framesIn).toBeGreaterThan(count / 2);
    expect(longestTurnMs).toBeLessThan(50);
    // Still a relay: the room of the writers is readable for a client of plain Yjs.
    const reader = connect(other, 'ana:ver');
    await reader.synced;
    await vi.waitFor(() => expect(contentOf(along.doc)).toEqual(contentOf(reader.doc)));
    expect(printed).not.toHaveBeenCalled();
    printed.mockRestore();
    for (const client of [along, reader, owner]) client.end();
  }, 3_600_000);

  test('sizes: up to the limit they pass, one byte more closes with 1009, unfinished fragments cost no memory', async () => {
    const update = (bytes: number): Uint8Array => {
      const doc = Object.assign(new Y.Doc(), { clientID: 1 });
      doc.getText('text').insert(0, 'x'.repeat(bytes));
      return message(0, 2, Y.encodeStateAsUpdate(doc));
    };
    const overhead = update(1_000_000).length - 1_000_000;
    for (const [bytes, code] of [
      [1_000, null],
      [65_535, null],
      [limits.roomFrameBytesMax - overhead, null],
      [limits.roomFrameBytesMax - overhead + 1, 1009],
      [limits.roomFrameBytesMax * 4, 1009],
    ] as const) {
      const client = connect(room(), 'edi:editar');
      await client.synced;
      client.ws.send(update(bytes));
      // Frames are read in order: who is answered had the one before taken.
      const taken = new Promise<null>((resolve) => client.ws.once('pong', () => resolve(null)));
      client.ws.ping();
      expect(await Promise.race([client.closed, taken]), `${bytes} bytes`).toBe(code);
      client.end();
    }
    const { rss } = await relay.ask();
    const sockets = Array.from({ length: 20 }, () => connect(room(), 'edi:editar'));
    await Promise.all(sockets.map(({ synced }) => synced));
    for (const { ws } of sockets) for (let n = 0; n < 4_000; n += 1) ws.send(new Uint8Array(16), { fin: false });
    expect(new Set(await Promise.all(sockets.map(({ closed }) => closed)))).toEqual(new Set([1008]));
    expect((await relay.ask()).rss - rss).toBeLessThan(64 * 1_024 * 1_024);
    for (const { end } of sockets) end();
  });

  test('text frames and unknown messages close with 1007', async () => {
    for (const frame of ['olá', new Uint8Array(0), message(9), message(0, 7, new Uint8Array(2)), Uint8Array.of(0, 2, 200)]) {
      const client = connect(room(), 'edi:editar');
      await client.synced;
      client.ws.send(frame);
      expect(await client.closed).toBe(1007);
    }
  });
});

describe('monsters of Yjs', () => {
  test('nine bytes that declare 33 million structs cost nothing', async () => {
    const { rss } = await relay.ask('reset');
    const bomb = message(0, 2, Uint8Array.of(1, 255, 255, 255, 15, 1, 0, 0, 0));
    const { closes } = await pour(
      room(),
      'edi:editar',
      Array.from({ length: 200 }, () => bomb),
    );
    expect([...closes.keys()].filter((code) => code !== 1005)).toEqual([1007]);
    const after = await relay.ask();
    expect(after.longestTurnMs).toBeLessThan(50);
    expect(after.rss - rss).toBeLessThan(32 * 1_024 * 1_024);
  });

  test('4,000 updates that stand on nothing are not parked: the sender is asked, then sent away, and others never see them', async () => {
    const reader = connect(room(), 'ana:dona');
    await reader.synced;
    await relay.ask('reset');
    const parked = function* (): Generator<Uint8Array> {
      for (let n = 0; n < 4_000; n += 1) {
        const doc = Object.assign(new Y.Doc(), { clientID: 1_000 + n });
        doc.getText('text').insert(0, 'a');
        const before = Y.encodeStateVector(doc);
        doc.getText('text').insert(1, 'b'.repeat(80));
        yield message(0, 2, Y.encodeStateAsUpdate(doc, before));
      }
    };
    const { closes } = await pour(room(), 'edi:editar', parked());
    expect(closes.get(1013)).toBeGreaterThan(30);
    const { longestTurnMs } = await relay.ask();
    expect(longestTurnMs).toBeLessThan(50);
    expect(reader.doc.store.pendingStructs).toBeNull();
    // A late comer is quick too.
    const later = connect(room(), 'bea:ver');
    await later.synced;
    expect(later.doc.store.pendingStructs).toBeNull();
    for (const client of [reader, later]) client.end();
  });

  test('an update that comes before what it stands on waits for it', async () => {
    const reader = connect(room(), 'ana:dona');
    await reader.synced;
    const one = new Y.Doc();
    one.getText('text').insert(0, 'primeiro ');
    const two = new Y.Doc();
    Y.applyUpdate(two, Y.encodeStateAsUpdate(one));
    two.getText('text').insert(9, 'segundo');
    const late = connect(room(), 'bea:editar', { asks: false });
    await new Promise((resolve) => late.ws.once('open', resolve));
    // The relay asks for what is missing; an answer of this empty document would stand for all that was held back.
    late.ws.removeAllListeners('message');
    late.send(0, 2, Y.encodeStateAsUpdate(two, Y.encodeStateVector(one)));
    late.send(0, 2, Y.encodeStateAsUpdate(one));
    await vi.waitFor(() => expect(reader.doc.getText('text').toJSON()).toBe('primeiro segundo'));
    for (const client of [reader, late]) client.end();
  });

  test('who lacks what it wrote on is asked for all of it', async () => {
    const reader = connect(room(), 'ana:dona');
    await reader.synced;
    const writer = connect(room(), 'bea:editar');
    await writer.synced;
    // Written to the document as if it had come another way: the provider of y-websocket does that between two tabs.
    const tab = new Y.Doc();
    tab.getText('text').insert(0, 'de outra aba ');
    Y.applyUpdate(writer.doc, Y.encodeStateAsUpdate(tab), writer.ws);
    writer.doc.getText('text').insert(13, 'e desta');
    await vi.waitFor(() => expect(reader.doc.getText('text').toJSON()).toBe('de outra aba e desta'));
    for (const client of [reader, writer]) client.end();
  });
});

describe('presence', () => {
  test("thousands of attempts on others' presence: none gets through, and the memory stays flat", async () => {
    const rounds = long ? 100_000 : 2_000;
    const ana = connect(room(), 'ana:dona');
    const watcher = connect(room(), 'bea:ver');
    await Promise.all([ana.synced, watcher.synced]);
    ana.presence.setLocalState({ user: { name: 'x' }, cursor: 1 });
    const shown = (): unknown => watcher.presence.getStates().get(ana.doc.clientID);
    await vi.waitFor(() => expect(shown()).toMatchObject({ user: { name: 'ANA' } }));
    const { rss, figures } = await relay.ask('reset');
    const random = randomOf(seed);
    const floods = function* (): Generator<Uint8Array> {
      for (let n = 0; n < rounds; n += 1) {
        const id = random(2) === 0 ? ana.doc.clientID : random(2 ** 31);
        yield presenceOf(id, random(2 ** 30), random(3) === 0 ? null : { user: { name: 'ANA' }, forged: n });
      }
    };
    await pour(room(), 'mal:ver', floods());
    await vi.waitFor(async () => expect((await relay.ask()).figures.framesIn - figures.framesIn).toBeGreaterThanOrEqual(rounds));
    expect(shown()).toMatchObject({ user: { name: 'ANA', iniciais: 'AN' }, cursor: 1 });
    const forged = [...watcher.presence.getStates()].filter(([, state]) => state['forged'] !== undefined);
    expect(forged.every(([, { user }]) => (user as { name: string }).name === 'MAL')).toBe(true);
    const after = await relay.ask();
    tellCount(
      `relay: ${rounds} forged presences, 0 through; RSS ${((after.rss - rss) / 1_048_576).toFixed(1)} MiB more, longest turn ${after.longestTurnMs.toFixed(1)} ms`,
    );
    expect(after.rss - rss).toBeLessThan(48 * 1_024 * 1_024);
    expect(after.longestTurnMs).toBeLessThan(50);
    // Locking the owner out by a high clock does not work either.
    ana.presence.setLocalState({ cursor: 2 });
    await vi.waitFor(() => expect(shown()).toMatchObject({ cursor: 2 }));
    for (const client of [ana, watcher]) client.end();
  });
});

describe('readers that do not read', () => {
  test('are dropped at their budget; the memory stays flat, and the others go on', async () => {
    const writer = connect(room(), 'ana:dona');
    const reader = connect(room(), 'bea:ver');
    await Promise.all([writer.synced, reader.synced]);
    const slow: RawClient[] = Array.from({ length: 10 }, (_, n) => connect(room(), `lento${n}:ver`));
    await Promise.all(slow.map(({ synced }) => synced));
    for (const { ws } of slow) ws.pause();
    const { heapUsed, figures } = await relay.ask();
    const map = writer.doc.getMap('map');
    // Twelve times 600 KiB: more than the budget and what the kernel takes.
    for (let n = 0; n < 24; n += 1) {
      map.set('blob', 'x'.repeat(600 * 1_024) + n);
      await vi.waitFor(() => expect(String(reader.doc.getMap('map').get('blob')).endsWith(`x${n}`)).toBe(true), { timeout: 10_000 });
    }
    const after = await relay.ask();
    expect(after.figures.slowReadersDropped - figures.slowReadersDropped).toBe(slow.length);
    // Memory of the room itself: the state with its tail, and no copy per slow reader.
    expect(after.heapUsed - heapUsed).toBeLessThan(64 * 1_024 * 1_024);
    for (const { ws } of slow) ws.resume();
    const again = connect(room(), 'lento0:ver', { doc: slow[0]!.doc });
    await again.synced;
    expect(said(again)).toBe(said(writer));
    for (const client of [writer, reader, again, ...slow]) client.end();
  });
});
