/** The presence table against the words of the protocol, and read back by y-protocols itself. */
import * as decoding from 'lib0/decoding';
import { describe, expect, test } from 'vitest';
import { Awareness, applyAwarenessUpdate, encodeAwarenessUpdate } from 'y-protocols/awareness';
import * as Y from 'yjs';
import { limits } from '../limits.ts';
import { corDe } from '../../../schema/rooms.ts';
import type { Seat } from '../contract.ts';
import { changesFrame, emptyPresence, leave, publish, tableFrame, type Owner, type PresenceTable } from './presence.ts';

const ownerOf = (usuario: string, por: Seat['por'] = 'pagina'): Owner => ({
  seat: { sala: 's', app: 'notas', usuario, nome: usuario.toUpperCase(), iniciais: usuario[0]!, papel: 'ver', por },
  color: corDe(usuario),
  ids: new Set(),
});

/** An entry as y-protocols writes it. */
function word(id: number, clock: number, state: object | null): Uint8Array {
  const awareness = new Awareness(Object.assign(new Y.Doc(), { clientID: id }));
  awareness.meta.set(id, { clock, lastUpdated: 0 });
  const update = encodeAwarenessUpdate(awareness, [id], new Map(state === null ? [] : [[id, state]]));
  awareness.destroy();
  return update;
}

/** The presence that a client of y-protocols sees after these frames. */
function seen(frames: readonly (Uint8Array | null)[]): Map<number, Record<string, unknown>> {
  const awareness = new Awareness(Object.assign(new Y.Doc(), { clientID: 999_999 }));
  awareness.setLocalState(null);
  for (const frame of frames) {
    if (!frame) continue;
    // Behind the head of the WebSocket frame: type 1 and the length-prefixed update.
    const decoder = decoding.createDecoder(frame.subarray(frame[1]! < 126 ? 2 : frame[1] === 126 ? 4 : 10));
    expect(decoding.readVarUint(decoder)).toBe(1);
    applyAwarenessUpdate(awareness, decoding.readVarUint8Array(decoder), null);
  }
  awareness.destroy();
  return awareness.getStates();
}

const noBad = (): void => expect.unreachable();
const quiet = { discard: noBad, nowMs: 0 };
const count = (): { discard: () => void; of: () => number } => {
  let discarded = 0;
  return { discard: () => void (discarded += 1), of: () => discarded };
};

describe('what others see', () => {
  test('of a page the portal says who it is, and the app says the rest', () => {
    const table = emptyPresence<Owner>();
    const ana = ownerOf('ana');
    const forged = { usuario: 'bea', login: 'bea@casa.example', por: 'backend', de: 'Bea' };
    const state = { user: { name: 'Rei', iniciais: 'R', color: '#000', extra: 1, ...forged }, cursor: { at: 3 } };
    expect(publish(table, ana, word(7, 1, state), quiet)).toBe('changed');
    expect(seen([changesFrame(table, noBad)]).get(7)).toEqual({
      user: { usuario: 'ana', name: 'ANA', iniciais: 'a', color: corDe('ana'), extra: 1 },
      cursor: { at: 3 },
    });
  });

  test('a page that says nothing of itself has a name all the same; a backend keeps its own, and whose it is stands beside it', () => {
    const table = emptyPresence<Owner>();
    publish(table, ownerOf('ana'), word(7, 1, { cursor: 1 }), quiet);
    publish(table, ownerOf('bea', 'backend'), word(8, 1, { user: { name: 'Robô', usuario: 'ana', login: 'ana' } }), quiet);
    const states = seen([tableFrame(table, noBad)]);
    expect(states.get(7)).toMatchObject({ user: { name: 'ANA' } });
    const robot = { usuario: 'bea', name: 'Robô', de: 'BEA', por: 'backend', color: corDe('bea') };
    expect(states.get(8)).toMatchObject({ user: robot });
    expect(states.get(8)).not.toHaveProperty('user.login');
  });

  test('only the newest state of a turn leaves, and nothing twice', () => {
    const table = emptyPresence<Owner>();
    const ana = ownerOf('ana');
    for (let clock = 1; clock <= 50; clock += 1) publish(table, ana, word(7, clock, { clock }), quiet);
    const frame = changesFrame(table, noBad);
    expect(frame!.length).toBeLessThan(150);
    expect(seen([frame]).get(7)).toMatchObject({ clock: 50 });
    expect(changesFrame(table, noBad)).toBeNull();
  });

  test('null and the end of the socket take it away, and leave nothing behind', () => {
    const table = emptyPresence<Owner>();
    const [ana, bea] = [ownerOf('ana'), ownerOf('bea')];
    const frames = [];
    for (let n = 1; n < 500; n += 1) {
      publish(table, ana, word(n, 1, { n }), quiet);
      publish(table, ana, word(n, 2, null), quiet);
    }
    publish(table, bea, word(5_000, 3, {}), quiet);
    frames.push(changesFrame(table, noBad));
    expect(leave(table, bea)).toBe(true);
    expect(leave(table, bea)).toBe(false);
    frames.push(changesFrame(table, noBad));
    expect(seen(frames).size).toBe(0);
    expect([table.entries.size, table.changed.size, ana.ids.size]).toEqual([0, 0, 0]);
  });
});

describe('who may speak for an id', () => {
  test('the first who published it, whatever the clock of others; and of the same person also a newer socket', () => {
    const table = emptyPresence<Owner>();
    const [ana, again, bea] = [ownerOf('ana'), ownerOf('ana'), ownerOf('bea')];
    const discarded = count();
    publish(table, ana, word(7, 5, { cursor: 1 }), quiet);
    for (const forged of [word(7, 2 ** 31, { forged: true }), word(7, 5, null), word(7, 6, null)]) {
      expect(publish(table, bea, forged, { discard: discarded.discard, nowMs: 0 })).toBe('nothing');
    }
    expect(discarded.of()).toBe(3);
    expect(publish(table, ana, word(7, 6, { cursor: 2 }), quiet)).toBe('changed');
    expect(publish(table, again, word(7, 6, { cursor: 3 }), quiet)).toBe('changed');
    // The old one ends late: what the new one says stays.
    expect(leave(table, ana)).toBe(false);
    expect(seen([tableFrame(table, noBad)]).get(7)).toMatchObject({ cursor: 3 });
    // Once nobody has it, it is free.
    leave(table, again);
    expect(publish(table, bea, word(7, 1, { mine: true }), quiet)).toBe('changed');
  });

  test('a socket has a few ids, and a state so many bytes', () => {
    const table = emptyPresence<Owner>();
    const ana = ownerOf('ana');
    const discarded = count();
    for (let id = 1; id <= 100; id += 1) publish(table, ana, word(id, 1, {}), { discard: discarded.discard, nowMs: 0 });
    expect([table.entries.size, discarded.of()]).toEqual([limits.roomPresenceIdsPerSocketMax, 100 - limits.roomPresenceIdsPerSocketMax]);
    publish(table, ana, word(1, 2, { big: 'x'.repeat(limits.roomPresenceBytesMax) }), { discard: discarded.discard, nowMs: 0 });
    expect(seen([tableFrame(table, noBad)]).get(1)).not.toHaveProperty('big');
  });

  test('who says what is no JSON is gone for all, with what it had said before and with its other ids', () => {
    const bad = Uint8Array.of(1, 8, 2, 1, 123);
    for (const asks of [changesFrame, tableFrame]) {
      const table = emptyPresence<Owner>();
      const [ana, bea] = [ownerOf('ana'), ownerOf('bea')];
      for (const id of [7, 8]) publish(table, ana, word(id, 1, { id }), quiet);
      publish(table, bea, word(9, 1, {}), quiet);
      const frames = [changesFrame(table, noBad)];
      publish(table, ana, word(7, 2, { again: true }), quiet);
      publish(table, ana, bad, quiet);
      // The relay ends the socket, which takes all its ids out.
      frames.push(asks(table, (by) => leave(table, by)));
      frames.push(changesFrame(table, noBad));
      expect([...seen(frames).keys()]).toEqual([9]);
      expect([...seen([tableFrame(table, noBad)]).keys()]).toEqual([9]);
    }
  });

  test('what is no object, or no JSON, is told to whoever asks for the frame; a torn message at once', () => {
    for (const bad of ['[1]', '"text"', '7', '{', 'true', '\u0000']) {
      const table = emptyPresence<Owner>();
      const ana = ownerOf('ana');
      const json = new TextEncoder().encode(bad);
      publish(table, ana, Uint8Array.of(1, 7, 1, json.length, ...json), quiet);
      const told: Owner[] = [];
      expect(seen([changesFrame(table, (by) => told.push(by))]).size).toBe(0);
      expect(told).toEqual([ana]);
      expect([table.entries.size, ana.ids.size]).toEqual([0, 0]);
    }
    const whole = word(7, 1, { cursor: 1 });
    for (let length = 1; length < whole.length; length += 1) {
      expect(publish(emptyPresence<Owner>(), ownerOf('ana'), whole.slice(0, length), quiet)).toBe('malformed');
    }
    expect(publish(emptyPresence<Owner>(), ownerOf('ana'), Uint8Array.of(...whole, 0), quiet)).toBe('malformed');
  });
});

describe('space for presence', () => {
  const large = (id: number, clock = 1): Uint8Array => word(id, clock, { big: 'x'.repeat(15_000) });
  /** Sockets of one person say as much as they may: four ids each. */
  const flood = (table: PresenceTable<Owner>, usuario: string, sockets: number, firstId: number): string[] =>
    Array.from({ length: sockets }, (_, n) => n).flatMap((n) => {
      const socket = ownerOf(usuario);
      return [0, 1, 2, 3].map((id) => publish(table, socket, large(firstId + 4 * n + id), { discard: () => {}, nowMs: n * 1_000 }));
    });

  test('one person gets no more than a share of it, in however many sockets', () => {
    const table = emptyPresence<Owner>();
    const said = flood(table, 'bia', 30, 1_000);
    expect(said.slice(0, 24)).toEqual(Array(24).fill('changed'));
    expect(said).toContain('tooMuch');
    expect(tableFrame(table, noBad)!.length).toBeLessThan(512 * 1_024);
    expect(publish(table, ownerOf('ana'), large(7), quiet)).toBe('changed');
  });

  test('where several use up all of it, the ones with most give way to the others', () => {
    const table = emptyPresence<Owner>();
    const ana = ownerOf('ana');
    publish(table, ana, large(7), quiet);
    for (const [n, usuario] of ['bia', 'caio', 'dora', 'edu', 'fabio', 'gil'].entries()) flood(table, usuario, 6, 1_000 * (n + 1));
    expect(publish(table, ownerOf('hugo'), large(8), quiet)).toBe('changed');
    expect([...table.entries.keys()].filter((id) => id < 1_000)).toEqual([7, 8]);
    expect(tableFrame(table, noBad)!.length).toBeLessThan(2 * 1_024 * 1_024);
  });

  test('said too fast it is too much, and no longer after a while', () => {
    const table = emptyPresence<Owner>();
    const bia = ownerOf('bia');
    const said = Array.from({ length: 200 }, (_, n) => publish(table, bia, large(7, n + 1), quiet));
    expect([said[99], said[199]]).toEqual(['changed', 'tooMuch']);
    expect(publish(table, bia, large(7, 1_000), { ...quiet, nowMs: 10_000 })).toBe('changed');
  });
});
