/** The relay over real sockets with the clients that people use: y-websocket's provider, and plain y-protocols. */
import { once } from 'node:events';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { WebsocketProvider } from 'y-websocket';
import * as Y from 'yjs';
import { limits } from '../limits.ts';
import { corDe } from '../../../schema/rooms.ts';
import { framed } from '../../../store/room-log-contract.ts';
import type { RoomLog } from '../../../store/room-log.ts';
import { roomsElsewhere } from '../../../store/room-owners.ts';
import { createManualClock } from '../../testing/manual-clock.ts';
import { connect, said, settled, type RawClient } from '../../../test/support/room-client.ts';
import { type RelayWorld, startRelay } from '../../../test/support/relay-world.ts';
import { sala, useRelay } from '../../../test/support/use-relay.ts';

const relay = useRelay();
const { enter } = relay;
const text = ({ doc }: { readonly doc: Y.Doc }): string => doc.getText('text').toJSON();
const type = ({ doc }: RawClient, what: string): void => doc.getText('text').insert(doc.getText('text').length, what);
/** Resolves when the other side answered a ping of this one. */
const pinged = async (ws: WebSocket): Promise<void> => {
  ws.ping();
  await once(ws, 'pong');
};
const until = (look: () => void | Promise<void>): Promise<void> => vi.waitFor(look, { timeout: 5_000, interval: 5 });

describe('editing together', () => {
  test('one person takes a part of the places of a document, and leaves the others theirs', async () => {
    const all = Array.from({ length: 512 }, () => enter('ana:dona', { asks: false }));
    await Promise.all(all.map(({ ws }) => once(ws, 'open')));
    expect(await enter('ana:dona').closed).toBe(1013);
    await enter('bea:ver').synced;
    all[0]!.end();
    await until(() => expect(relay.world.relay.figures().sockets).toBe(512));
    await enter('ana:dona').synced;
  });

  test('what one writes the other reads, and who comes later reads all of it', async () => {
    const [ana, bea] = [enter('ana:dona'), enter('bea:editar')];
    await Promise.all([ana.synced, bea.synced]);
    type(ana, 'Olá, ');
    await until(() => expect(text(bea)).toBe('Olá, '));
    type(bea, 'mundo');
    await until(() => expect(text(ana)).toBe('Olá, mundo'));
    const caio = enter('caio:ver');
    await caio.synced;
    expect(text(caio)).toBe('Olá, mundo');
  });

  test('the provider of y-websocket works as it is, with the ticket as a parameter', async () => {
    const docs = [new Y.Doc(), new Y.Doc()];
    const providers = docs.map(
      (doc, n) =>
        new WebsocketProvider(`${relay.world.url}/${sala}`, 'documento', doc, {
          WebSocketPolyfill: WebSocket as unknown as typeof globalThis.WebSocket,
          params: { bilhete: `p${n}:editar` },
          disableBc: true,
        }),
    );
    providers[0]!.awareness.setLocalStateField('user', { name: 'forged', color: '#000000' });
    await until(() => expect(providers.every(({ synced }) => synced)).toBe(true));
    docs[0]!.getText('text').insert(0, 'um');
    docs[1]!.getMap('map').set('dois', 2);
    await until(() => expect([docs[1]!.getText('text').toJSON(), docs[0]!.getMap('map').get('dois')]).toEqual(['um', 2]));
    await until(() =>
      expect(providers[1]!.awareness.getStates().get(docs[0]!.clientID)).toMatchObject({ user: { name: 'P0', color: corDe('p0') } }),
    );
    for (const provider of providers) provider.destroy();
  });

  test('two channels are two documents', async () => {
    const [document, comments] = [enter('ana:dona'), enter('ana:dona', { canal: 'comentarios' })];
    await Promise.all([document.synced, comments.synced]);
    type(document, 'texto');
    type(comments, 'comentário');
    const [later, laterComments] = [enter('bea:ver'), enter('bea:ver', { canal: 'comentarios' })];
    await Promise.all([later.synced, laterComments.synced]);
    expect([text(later), text(laterComments)]).toEqual(['texto', 'comentário']);
  });

  test('who was away gets what is missing and gives what it wrote; who is up to date gets next to nothing', async () => {
    const ana = enter('ana:dona');
    await ana.synced;
    for (let n = 0; n < 400; n += 1) type(ana, `linha ${n}\n`);
    const bea = enter('bea:editar');
    await bea.synced;
    bea.end();
    await bea.closed;
    type(ana, 'de ana');
    bea.doc.getText('text').insert(0, 'de bea');
    const again = enter('bea:editar', { doc: bea.doc });
    await again.synced;
    await until(() => expect(text(ana)).toBe(text(again)));
    expect(text(ana)).toContain('de ana');
    expect(text(ana)).toContain('de bea');
    const third = enter('bea:editar', { doc: bea.doc });
    await third.synced;
    expect(third.received.bytes).toBeLessThan(200);
  });

  test('what was written is there when everybody left and the room was forgotten', async () => {
    const ana = enter('ana:dona');
    await ana.synced;
    type(ana, 'fica');
    const bea = enter('bea:ver');
    await bea.synced;
    await until(() => expect(text(bea)).toBe('fica'));
    ana.end();
    bea.end();
    await until(() => expect(relay.world.relay.figures().rooms).toBe(0));
    const later = enter('ana:dona');
    await later.synced;
    expect(text(later)).toBe('fica');
  });

  test('a room that is compacted under writing hands says the same to everyone', async () => {
    const [ana, bea] = [enter('ana:dona'), enter('bea:editar')];
    await Promise.all([ana.synced, bea.synced]);
    for (let n = 0; n < limits.roomCompactUpdatesMin * 2; n += 1) {
      type(n % 2 === 0 ? ana : bea, String(n % 10));
      if (n % 50 === 0) await vi.waitUntil(() => text(bea).length === n + 1);
    }
    const sizeBefore = await relay.world.relay.sizeOf(sala);
    await until(() => expect(said(ana)).toBe(said(bea)));
    await vi.waitFor(async () => expect(await relay.world.relay.sizeOf(sala)).toBeLessThan(sizeBefore / 2), { timeout: 8_000 });
    type(ana, 'depois');
    const later = enter('caio:ver');
    await later.synced;
    await until(() => expect([said(later), said(bea)]).toEqual([said(ana), said(ana)]));
  });
});

test('a compaction that another portal refuses too late sends nobody away who came back meanwhile', async () => {
  const begun = Promise.withResolvers<void>();
  const made = Promise.withResolvers<null>();
  const compact = (): Promise<null> => {
    begun.resolve();
    return made.promise;
  };
  const world = await startRelay({ wrap: (log) => ({ ...log, compact }) });
  onTestFinished(() => world.close());
  const at = `${world.url}/${sala}/documento`;
  const ana = connect(at, 'ana:dona');
  await ana.synced;
  for (let n = 0; n < limits.roomCompactUpdatesMin; n += 1) type(ana, 'x');
  await begun.promise;
  ana.end();
  await until(() => expect(world.relay.figures().rooms).toBe(0));
  const back = connect(at, 'ana:dona', { doc: ana.doc });
  await back.synced;
  made.reject(roomsElsewhere([sala]));
  await settled(back);
  expect([back.ws.readyState, world.reports]).toEqual([WebSocket.OPEN, []]);
  back.end();
});

describe('who drops without a word', () => {
  test('has left presence within 40 seconds, while whoever answers stays', async () => {
    const clock = createManualClock();
    const slow = await startRelay({ clock });
    const at = `${slow.url}/${sala}/documento`;
    const [ana, bea] = [connect(at, 'ana:dona'), connect(at, 'bea:ver')];
    await Promise.all([ana.synced, bea.synced]);
    bea.presence.setLocalState({ cursor: 1 });
    const shown = (): boolean => ana.presence.getStates().has(bea.doc.clientID);
    await until(() => expect(shown()).toBe(true));
    // As if the line was cut: no pong comes back, and no end either.
    bea.ws.pause();
    let seconds = 0;
    for (; shown() && seconds < 60; seconds += 1) {
      clock.advance(1_000);
      // The second one is behind the answer to a ping that came with the clock.
      for (const _ of [1, 2]) await pinged(ana.ws);
    }
    expect(seconds).toBeGreaterThan(19);
    expect(seconds).toBeLessThanOrEqual(41);
    expect(ana.ws.readyState).toBe(WebSocket.OPEN);
    expect(slow.relay.figures().sockets).toBe(1);
    for (const client of [ana, bea]) client.end();
    const closed = slow.close();
    clock.advance(60_000);
    await closed;
  });
});

describe('versions that come back', () => {
  const key = { sala, canal: 'documento' } as const;
  const bring = (world: RelayWorld, seq: number, usuario = 'ana'): Promise<void> =>
    world.relay.history.revert({ key, seq, usuario, app: 'notas', dona: 'ana' });
  const written = (world: RelayWorld, seq: number): Promise<void> =>
    until(async () => expect((await world.relay.history.versions(key)).at(-1)?.seq).toBe(seq));

  test('two people bring the same version back at once, and its text is there once', async () => {
    const ana = enter('ana:dona');
    await ana.synced;
    type(ana, 'Bolo');
    await written(relay.world, 1);
    ana.doc.getText('text').delete(0, 4);
    await written(relay.world, 2);
    await Promise.all([bring(relay.world, 1), bring(relay.world, 1, 'bea'), bring(relay.world, 1)]);
    await until(() => expect(text(ana)).toBe('Bolo'));
  });

  test('a room in which nobody is stays open until its version is back', async () => {
    const clock = createManualClock();
    const gate = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const revert = async (log: RoomLog, ...asked: Parameters<RoomLog['revert']>) => {
      begun.resolve();
      await gate.promise;
      return await log.revert(...asked);
    };
    const world = await startRelay({ clock, wrap: (log) => ({ ...log, revert: (...asked) => revert(log, ...asked) }) });
    onTestFinished(() => world.close());
    const doc = new Y.Doc();
    doc.getText('text').insert(0, 'Bolo');
    const before = Y.encodeStateAsUpdate(doc);
    doc.getText('text').delete(0, 4);
    for (const [at, update] of [before, Y.encodeStateAsUpdate(doc)].entries())
      await world.log.append([{ ...key, seq: at + 1, frames: framed([update]) }]);
    const back = bring(world, 1);
    await begun.promise;
    clock.advance(60_000);
    gate.resolve();
    let isBack = false;
    void back.then(() => (isBack = true));
    await until(() => {
      clock.advance(limits.roomCommitGatherMs);
      expect(isBack).toBe(true);
    });
    clock.advance(60_000);
    expect(world.relay.figures().rooms).toBe(0);
  });

  test('a version that the rule keeps no more is not shown, read or brought back, also while nobody writes', async () => {
    let days = 365;
    const world = await startRelay({ historyDays: () => days });
    onTestFinished(() => world.close());
    const doc = new Y.Doc();
    for (const [at, ageDays] of [40, 20, 0].entries()) {
      doc.getText('text').insert(0, `${at}`);
      const row = { ...key, seq: at + 1, frames: framed([Y.encodeStateAsUpdate(doc)]), who: ['ana'] };
      await world.log.append([{ ...row, atMs: Date.now() - ageDays * 24 * 60 * 60_000 }]);
    }
    const seen = async () => (await world.relay.history.versions(key)).map(({ seq }) => seq);
    expect(await seen()).toEqual([1, 2, 3]);
    await world.relay.history.name(key, 1, 'A primeira');
    days = 10;
    expect(await seen()).toEqual([1, 3]);
    await expect(bring(world, 2)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect([await world.relay.history.version(key, 2, 'texto'), await world.relay.history.name(key, 2, 'x')]).toEqual([null, 'gone']);
    days = 0;
    expect(await seen()).toEqual([3]);
    await expect(bring(world, 1)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(Buffer.from((await world.relay.history.version(key, 3, 'texto'))!).toString()).toBe('210');
  });
});
