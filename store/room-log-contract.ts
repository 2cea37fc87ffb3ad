/** Contract of every room log, as one suite: the tests of the SQLite log and of the PostgreSQL log run it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import * as Y from 'yjs';
import { decodeVector } from '../schema/crdt/update.ts';
import { contentOf, editAtRandom, randomOf } from '../schema/crdt/testing/random-edits.ts';
import { encodeUints } from '../schema/varuint.ts';
import { updateFrameBytes, updatesIn, writeUpdateFrame } from '../schema/room-frames.ts';
import type { HistoryRule, RoomKey, RoomLog } from './room-log.ts';

export interface RoomLogFixture {
  open(): Promise<RoomLog>;
  /** Removes what `open` left behind; all logs are closed by then. */
  remove(): Promise<void>;
}

export const framed = (updates: readonly Uint8Array[]): Uint8Array => {
  const frames = new Uint8Array(updates.reduce((sum, { length }) => sum + updateFrameBytes(length), 0));
  updates.reduce((at, update) => writeUpdateFrame(frames, at, update), 0);
  return frames;
};

/** Rule of a site that keeps versions for a year, asked on the first of January 2026. */
export const wholeYear: HistoryRule = { days: 365, nowMs: Date.UTC(2026, 0, 1) };

const room: RoomKey = { sala: 's000000000000000000001', canal: 'documento' };
const other: RoomKey = { ...room, canal: 'comentarios' };

/** A document of so many random edits, and its updates. */
export function typed(seed: number, edits: number): { readonly doc: Y.Doc; readonly updates: readonly Uint8Array[] } {
  const doc = Object.assign(new Y.Doc(), { clientID: seed });
  const updates: Uint8Array[] = [];
  doc.on('update', (update: Uint8Array) => updates.push(update));
  const random = randomOf(seed);
  for (let n = 0; n < edits; n += 1) editAtRandom(doc, random);
  return { doc, updates };
}

async function read(log: RoomLog, key: RoomKey): Promise<Y.Doc> {
  const { base, tail } = await log.load(key);
  const doc = new Y.Doc();
  for (const update of [...(base ? [base] : []), ...updatesIn(tail)]) Y.applyUpdate(doc, update);
  return doc;
}

// oxlint-disable-next-line max-lines-per-function -- one suite
export function roomLogContract(create: () => RoomLogFixture): void {
  // oxlint-disable-next-line max-lines-per-function -- one suite
  describe('room log', () => {
    let fixture: RoomLogFixture;
    let log: RoomLog;
    beforeEach(async () => {
      fixture = create();
      log = await fixture.open();
    });
    afterEach(async () => {
      await log.close();
      await fixture.remove();
    });
    const again = async (): Promise<void> => {
      await log.close();
      log = await fixture.open();
    };

    test('a document nobody wrote to is empty and begins at 0', async () => {
      const { base, tail, seq } = await log.load(room);
      expect([base, tail.length, seq]).toEqual([null, 0, 0]);
    });

    test('what was appended is there after opening again, in order, per channel', async () => {
      const { doc, updates } = typed(1, 60);
      for (const [n, update] of updates.entries()) await log.append([{ ...room, seq: n + 1, frames: framed([update]) }]);
      await log.append([{ ...other, seq: 1, frames: framed(typed(2, 3).updates) }]);
      await again();
      expect(contentOf(await read(log, room))).toBe(contentOf(doc));
      expect((await log.load(room)).seq).toBe(updates.length);
      expect((await log.load(other)).seq).toBe(1);
    });

    test('the bytes of a row may change once append has returned', async () => {
      const { doc, updates } = typed(3, 10);
      const frames = framed(updates);
      const written = log.append([{ ...room, seq: 1, frames }]);
      frames.fill(255);
      await written;
      expect(contentOf(await read(log, room))).toBe(contentOf(doc));
    });

    test('of rows that come together all are kept or none', async () => {
      const frames = framed(typed(1, 2).updates);
      const { sala, canal } = room;
      const rows = [1, 2, Number.NaN].map((seq) => ({ sala, canal, seq, frames }));
      await expect(log.append(rows)).rejects.toMatchObject({ code: 'STORE_FAILED' });
      expect((await log.load(room)).seq).toBe(0);
      await log.append(rows.slice(0, 2));
      expect((await log.load(room)).seq).toBe(2);
    });

    test('compacted, a document says the same, and what came meanwhile stays in the tail', async () => {
      const { doc, updates } = typed(4, 120);
      const half = updates.length >> 1;
      await log.append([{ ...room, seq: 1, frames: framed(updates.slice(0, half)) }]);
      const compacting = log.compact(room, wholeYear);
      await log.append([{ ...room, seq: 2, frames: framed(updates.slice(half)) }]);
      const made = await compacting;
      expect(made?.dropped).toBe(0);
      const loaded = await log.load(room);
      expect(loaded.seq).toBe(2);
      expect(loaded.base).toEqual(made?.base);
      expect(updatesIn(loaded.tail)).toHaveLength(made?.seq === 1 ? updates.length - half : 0);
      expect(contentOf(await read(log, room))).toBe(contentOf(doc));
      await log.compact(room, wholeYear);
      expect((await log.load(room)).tail).toHaveLength(0);
      await again();
      expect(contentOf(await read(log, room))).toBe(contentOf(doc));
      const { vector, deletes } = await log.load(room);
      expect(decodeVector(vector, 10)).toEqual(decodeVector(Y.encodeStateVector(doc), 10));
      expect(() => Y.decodeUpdate(deletes)).not.toThrow();
    });

    test('what stands on itself is in no base: no document waits for it, however often it was written', async () => {
      const circle = (n: number): Uint8Array => {
        const [low, high] = [encodeUints([1_000 + 2 * n]), encodeUints([1_001 + 2 * n])];
        return Uint8Array.from([2, 1, ...high, 0, 0x84, ...low, 0, 1, 120, 1, ...low, 0, 0x84, ...high, 0, 1, 120, 0]);
      };
      const { doc, updates } = typed(7, 40);
      const circles = Array.from({ length: 2_000 }, (_, n) => circle(n));
      await log.append([{ ...room, seq: 1, frames: framed([...updates.slice(0, 20), ...circles, ...updates.slice(20)]) }]);
      const version = async (): Promise<Y.Doc> => {
        const then = new Y.Doc();
        Y.applyUpdate(then, (await log.version(room, 1, 'yjs'))!);
        return then;
      };
      expect(contentOf(await version())).toBe(contentOf(doc));
      const made = await log.compact(room, wholeYear);
      expect(made?.dropped).toBe(circles.length);
      expect(contentOf(await version())).toBe(contentOf(doc));
      const kept = await read(log, room);
      expect([kept.store.pendingStructs, contentOf(kept)]).toEqual([null, contentOf(doc)]);
    });

    test('nothing to compact is no base', async () => {
      expect(await log.compact(room, wholeYear)).toBeNull();
    });

    test('a deleted room is gone, and a late row does not bring it back', async () => {
      const frames = framed(typed(5, 5).updates);
      await log.append([
        { ...room, seq: 1, frames },
        { ...other, seq: 1, frames },
      ]);
      expect(await log.sizeOf(room.sala)).toBeGreaterThan(0);
      await log.deleteRoom(room.sala);
      await log.append([{ ...room, seq: 2, frames: framed(typed(6, 5).updates) }]);
      expect(await log.compact(room, wholeYear)).toBeNull();
      expect([(await log.load(room)).seq, (await log.load(other)).seq, await log.sizeOf(room.sala)]).toEqual([0, 0, 0]);
    });

    // oxlint-disable-next-line max-lines-per-function -- one suite
    describe('history', () => {
      const { nowMs } = wholeYear;
      const minute = 60_000;
      /** Three goes of two people: ten updates each, an hour between them. */
      const written = async (): Promise<{ readonly updates: readonly Uint8Array[]; readonly said: (go: number) => string }> => {
        const { updates } = typed(8, 40);
        const goes = [0, 1, 2].map((go) => updates.slice(go * 10, go * 10 + 10));
        for (const [go, part] of goes.entries()) {
          const rows = part.map((update, n) => {
            const atMs = nowMs - (3 - go) * 60 * minute + n * 1_000;
            const { sala, canal } = room;
            return { sala, canal, seq: go * 10 + n + 1, frames: framed([update]), atMs, who: n === 0 ? ['ana'] : ['bia'] };
          });
          await log.append(rows);
          if (go === 1) await log.compact(room, wholeYear);
        }
        const said = (go: number): string => {
          const doc = new Y.Doc();
          for (const update of updates.slice(0, go * 10 + 10)) Y.applyUpdate(doc, update);
          return contentOf(doc);
        };
        return { updates, said };
      };
      const saidIn = async (seq: number): Promise<string | null> => {
        const update = await log.version(room, seq, 'yjs');
        if (update === null) return null;
        const doc = new Y.Doc();
        Y.applyUpdate(doc, update);
        return contentOf(doc);
      };

      test('each go is a version, before and after its rows are compacted and the log is opened again', async () => {
        const { said } = await written();
        const goes = [0, 1, 2].map((go) => {
          const sinceMs = nowMs - (3 - go) * 60 * minute;
          return { seq: go * 10 + 10, sinceMs, untilMs: sinceMs + 9_000, who: ['ana', 'bia'], name: null };
        });
        expect(await log.versions(room)).toEqual(goes);
        await log.compact(room, wholeYear);
        await again();
        expect(await log.versions(room)).toEqual(goes);
        for (const go of [0, 1, 2]) expect(await saidIn(go * 10 + 10)).toBe(said(go));
        expect([await saidIn(15), await saidIn(31), await log.versions(other)]).toEqual([null, null, []]);
      });

      test('a version comes back as an edit, and the document says what it said then', async () => {
        const { said } = await written();
        const update = await log.revert(room, 10);
        await log.append([{ ...room, seq: 31, frames: framed([update!]), atMs: nowMs, who: ['caio'] }]);
        expect(contentOf(await read(log, room))).toBe(said(0));
        expect([await saidIn(30), await log.revert(room, 15)]).toEqual([said(2), null]);
      });

      test('a name stays with its version, which is not merged, and goes with it', async () => {
        await written();
        expect(await log.nameVersion(room, 25, 'meio')).toBe('named');
        expect(await log.nameVersion(room, 15, 'não há')).toBe('gone');
        const names = async () => (await log.versions(room)).map(({ seq, name }) => [seq, name]);
        const named = [
          [10, null],
          [20, null],
          [25, 'meio'],
          [30, null],
        ];
        expect(await names()).toEqual(named);
        await log.compact(room, wholeYear);
        expect(await names()).toEqual(named);
        await log.nameVersion(room, 25, null);
        await log.append([{ ...room, seq: 31, frames: framed(typed(9, 3).updates), atMs: nowMs, who: ['ana'] }]);
        await log.compact(room, wholeYear);
        expect(await names()).toEqual([10, 20, 30, 31].map((seq) => [seq, null]));
      });

      test('a name that is given while the document is compacted stays', async () => {
        await written();
        for (const n of [0, 1, 2, 3]) {
          const seq = 31 + 2 * n;
          const { sala, canal } = room;
          const rows = [0, 1].map((at) => ({
            sala,
            canal,
            seq: seq + at,
            frames: framed(typed(20 + n, 300).updates),
            atMs: nowMs + n * 60 * minute,
          }));
          await log.append(rows);
          const compacting = log.compact(room, wholeYear);
          await sleep(4 * n);
          const done = await log.nameVersion(room, seq, `n${n}`);
          await compacting;
          const names = (await log.versions(room)).flatMap(({ name }) => name ?? []);
          expect([done, names.includes(`n${n}`)]).toEqual([done, done === 'named']);
        }
      });

      test('what is older than the rule is one with the begin, and a rule of no days keeps none', async () => {
        const { said } = await written();
        const later = { days: 30, nowMs: nowMs + 40 * 24 * 60 * minute };
        await log.append([{ ...room, seq: 31, frames: framed(typed(9, 3).updates), atMs: later.nowMs, who: ['ana'] }]);
        await log.compact(room, later);
        expect((await log.versions(room)).map(({ seq }) => seq)).toEqual([30, 31]);
        expect(await saidIn(30)).toBe(said(2));
        const bytes = await log.sizeOf(room.sala);
        await log.append([{ ...room, seq: 32, frames: framed(typed(10, 1).updates), atMs: later.nowMs, who: ['ana'] }]);
        await log.compact(room, { ...later, days: 0 });
        expect((await log.versions(room)).map(({ seq, sinceMs, who }) => [seq, sinceMs, who])).toEqual([[32, 0, []]]);
        expect(await log.sizeOf(room.sala)).toBeLessThan(bytes);
      });

      test('a person who is forgotten is no writer any more, in rows and in pieces', async () => {
        await written();
        await log.forgetWriter('ana');
        expect((await log.versions(room)).map(({ who }) => who)).toEqual([['bia'], ['bia'], ['bia']]);
        await log.forgetWriter('bia');
        expect((await log.versions(room)).map(({ who }) => who)).toEqual([[], [], []]);
      });

      test('attachments of versions are found, and nothing of a deleted room is left', async () => {
        const sha = 'e'.repeat(64);
        const doc = new Y.Doc();
        const updates: Uint8Array[] = [];
        doc.on('update', (update: Uint8Array) => updates.push(update));
        doc.getText('text').insertEmbed(0, { src: `anexo:${sha}` });
        doc.getText('text').delete(0, 1);
        for (const [n, update] of updates.entries()) {
          await log.append([{ ...room, seq: n + 1, frames: framed([update]), atMs: nowMs - (2 - n) * 60 * minute, who: ['ana'] }]);
          await log.compact(room, wholeYear);
        }
        expect([...(await log.attachmentsIn(room.sala))]).toEqual([sha]);
        await log.nameVersion(room, 1, 'com a imagem');
        await log.deleteRoom(room.sala);
        expect([await log.versions(room), await log.sizeOf(room.sala), await log.revert(room, 1)]).toEqual([[], 0, null]);
      });
    });

    test('addresses of attachments are found in both documents, also where they stand in pieces', async () => {
      const [one, two, three, gone] = ['a', 'b', 'c', 'd'].map((digit) => digit.repeat(64)) as [string, string, string, string];
      const doc = new Y.Doc();
      const updates: Uint8Array[] = [];
      doc.on('update', (update: Uint8Array) => updates.push(update));
      for (const char of one) doc.getText('text').insert(doc.getText('text').length, char);
      doc.getText('text').insertEmbed(0, { src: `anexo:${two}` });
      doc.getMap('map').set('image', { src: three });
      await log.append([{ ...room, seq: 1, frames: framed(updates) }]);
      expect([...(await log.attachmentsIn(room.sala))].sort()).toEqual([one, two, three]);
      const comments = new Y.Doc();
      comments.getText('text').insert(0, gone);
      await log.append([{ ...other, seq: 1, frames: framed([Y.encodeStateAsUpdate(comments)]) }]);
      await log.compact(room, wholeYear);
      expect([...(await log.attachmentsIn(room.sala))].sort()).toEqual([one, two, three, gone]);
    });
  });
}
