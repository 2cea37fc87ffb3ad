/** The reader of updates against Yjs itself: never more generous, and of the same opinion about what an update brings. */
import { describe, expect, test } from 'vitest';
import * as Y from 'yjs';
import { tellCount } from '../../test/support/counts.ts';
import { fittingPart, newPart } from './fitting.ts';
import { covers, decodeVector, deletesAsUpdate, encodeVector, judge, knowsNothing, learn } from './knowledge.ts';
import { scanUpdate } from './scan.ts';
import { contentOf, editAtRandom, randomOf } from './testing/random-edits.ts';
import { someQuick } from '../../test/support/share.ts';

const long = process.env['SVC_TEST_LONG'] === '1';

/** Processor time of this thread: other processes of the machine don't count. */
function cpuMsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

interface Edited {
  readonly updates: readonly Uint8Array[];
  readonly whole: Uint8Array;
  readonly doc: Y.Doc;
}

/** Several people on one document, out of step with each other. */
function edited(seed: number, edits: number): Edited {
  const random = randomOf(seed);
  const docs = [1, 2, 3].map((client) => Object.assign(new Y.Doc(), { clientID: seed * 10 + client }));
  const updates: Uint8Array[] = [];
  for (const doc of docs) doc.on('update', (update, origin) => void (origin !== 'peer' && updates.push(update)));
  for (let n = 0; n < edits; n += 1) {
    const doc = docs[random(docs.length)]!;
    editAtRandom(doc, random);
    if (random(4) === 0) for (const other of docs) Y.applyUpdate(other, Y.encodeStateAsUpdate(doc), 'peer');
  }
  for (const other of docs) Y.applyUpdate(docs[0]!, Y.encodeStateAsUpdate(other), 'peer');
  return { updates, whole: Y.encodeStateAsUpdate(docs[0]!), doc: docs[0]! };
}

/** The structs and deletions that Yjs reads from it; null when it throws. */
function byYjs(update: Uint8Array): { readonly structs: string; readonly deletes: string } | null {
  try {
    const { structs, ds } = Y.decodeUpdate(update);
    const real = structs.filter((struct) => struct.constructor !== Y.Skip && struct.length > 0);
    return {
      structs: real.map(({ id, length }) => `${id.client}:${id.clock}+${length}`).join(),
      deletes: [...ds.clients].flatMap(([client, ranges]) => ranges.map(({ clock, len }) => `${client}:${clock}+${len}`)).join(),
    };
  } catch {
    return null;
  }
}

function byScan(update: Uint8Array): { readonly structs: string; readonly deletes: string } | null {
  const structs: string[] = [];
  let client = 0;
  const scan = scanUpdate(update, undefined, {
    section: (next) => {
      client = next;
    },
    need: () => {},
    struct: (clock, length) => void (length > 0 && structs.push(`${client}:${clock}+${length}`)),
  });
  if (!scan) return null;
  const deletes: string[] = [];
  for (let n = 0; n < scan.deletes.length; n += 3)
    deletes.push(`${scan.deletes[n]}:${scan.deletes[n + 1]}+${scan.deletes[n + 2]! - scan.deletes[n + 1]!}`);
  return { structs: structs.join(), deletes: deletes.join() };
}

describe('reading an update', () => {
  test.for([1, 2, 3, 4, 5, 6, 7, 8])('seed %i: finds in every update what Yjs finds', (seed) => {
    const { updates, whole } = edited(seed, 120);
    for (const update of [...updates, whole]) expect(byScan(update)).toEqual(byYjs(update));
  });

  test('mutated updates: what it takes, Yjs takes too and finds the same in it', () => {
    const random = randomOf(77);
    const samples = [1, 2, 3].map((seed) => edited(seed, 60)).flatMap(({ updates, whole }) => updates.concat(whole));
    const rounds = long ? 1_000_000 : 15_000;
    let taken = 0;
    let worstMs = 0;
    for (let n = 0; n < rounds; n += 1) {
      // A view into a larger buffer, as a socket gives it: nothing outside may be read.
      const sample = samples[random(samples.length)]!;
      const update = new Uint8Array(sample.length + 32).subarray(
        16,
        16 + sample.length - (random(5) === 0 ? random(Math.min(sample.length, 9)) : 0),
      );
      update.set(sample.subarray(0, update.length));
      for (let hits = 1 + random(3); hits > 0; hits -= 1) update[random(update.length)] = random(3) === 0 ? 255 : random(256);
      const before = process.threadCpuUsage();
      const found = byScan(update);
      worstMs = Math.max(worstMs, cpuMsSince(before));
      if (found === null) continue;
      taken += 1;
      expect(byYjs(update.slice()), `case ${n}`).toEqual(found);
    }
    tellCount(`crdt reader: ${rounds} mutated updates, ${taken} taken, all of them by Yjs too; slowest ${worstMs.toFixed(1)} ms`);
    expect(worstMs).toBeLessThan(50);
    expect(taken).toBeGreaterThan(rounds / 100);
  });

  test.for(long ? Array.from({ length: 200 }, (_, n) => n + 1) : someQuick(1, [4, 13, 17, 33, 77]))(
    'seed %i: mutated updates that a room would take: no document throws at one, and none waits for anything',
    (seed) => {
      const random = randomOf(seed);
      const writers = [1, 2, 3, 4].map((n) => edited(seed * 10 + n, 40)).map(({ updates, whole }) => updates.concat(whole));
      const known = knowsNothing();
      const doc = new Y.Doc();
      for (let n = 0; n < 10_000; n += 1) {
        const samples = writers[n % writers.length]!;
        const sample = samples[random(samples.length)]!;
        const update = sample.slice(0, random(6) === 0 ? 1 + random(sample.length) : sample.length);
        for (let hits = 1 + random(3); hits > 0; hits -= 1) update[random(update.length)] = random(3) === 0 ? 255 : random(256);
        const scan = scanUpdate(update, known.vector);
        if (!scan) continue;
        const { kind } = judge(known, scan);
        const part = kind === 'new' ? update : kind === 'early' ? fittingPart(known, update) : null;
        if (!part) continue;
        const taken = newPart(known, part, scanUpdate(part, known.vector)!);
        learn(known, scanUpdate(taken, known.vector)!);
        Y.applyUpdate(doc, taken);
      }
      expect(doc.store.pendingStructs).toBeNull();
      expect(doc.store.pendingDs).toBeNull();
      expect(decodeVector(Y.encodeStateVector(doc), 100)).toEqual(decodeVector(encodeVector(known), 100));
    },
  );

  test('structs that stand on later ones of their own client, and structs of no length, are refused', () => {
    const update = (...struct: readonly number[]): Uint8Array => Uint8Array.of(1, 1, 5, 3, ...struct, 0);
    // An item of client 5 at clock 3 that says "a", behind one of its own.
    const behind = (clock: number): Uint8Array => update(0x84, 5, clock, 1, 97);
    expect(scanUpdate(behind(2))).not.toBeNull();
    expect(scanUpdate(behind(3))).toBeNull();
    expect(scanUpdate(behind(40))).toBeNull();
    expect(scanUpdate(update(0x84, 5, 2, 0)), 'text of no letters').toBeNull();
    expect(scanUpdate(update(0, 0)), 'collected, of no length').toBeNull();
  });

  test('declared counts cost nothing: the nine bytes that make Yjs reserve 33 million structs', () => {
    const bomb = Uint8Array.of(1, 255, 255, 255, 15, 1, 0, 0, 0);
    const before = process.threadCpuUsage();
    for (let n = 0; n < 1_000; n += 1) expect(scanUpdate(bomb)).toBeNull();
    expect(cpuMsSince(before)).toBeLessThan(500);
  });

  test('values that nest too deep are refused: whoever writes them again recurses', () => {
    const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)]);
    const update = (depth: number): Uint8Array => {
      const doc = new Y.Doc();
      doc.getArray('list').insert(0, [nested(depth)]);
      return Y.encodeStateAsUpdate(doc);
    };
    expect(scanUpdate(update(60))).not.toBeNull();
    expect(scanUpdate(update(70))).toBeNull();
  });
});

describe('what a room knows', () => {
  test.for([11, 12, 13, 14])('seed %i: equals the state vector and the delete set of the document', (seed) => {
    const { updates, whole, doc } = edited(seed, 200);
    const known = knowsNothing();
    let waiting = [...updates, whole];
    // Updates of people who were out of step: some come before what they stand on.
    for (let before = Infinity; waiting.length < before;) {
      before = waiting.length;
      waiting = waiting.filter((update) => {
        const scan = scanUpdate(update, known.vector)!;
        const { kind } = judge(known, scan);
        if (kind === 'new') learn(known, scan);
        return kind === 'early';
      });
    }
    expect(waiting).toEqual([]);
    expect(covers(known.vector, decodeVector(Y.encodeStateVector(doc), 100)!)).toBe(true);
    expect(decodeVector(encodeVector(known), 100)).toEqual(decodeVector(Y.encodeStateVector(doc), 100));
    expect(judge(known, scanUpdate(whole, known.vector)!).kind).toBe('known');
    const lacksDeletes = new Y.Doc();
    for (const update of updates) Y.applyUpdate(lacksDeletes, update);
    Y.applyUpdate(lacksDeletes, deletesAsUpdate(known));
    expect(contentOf(lacksDeletes)).toEqual(contentOf(doc));
  });

  test.for([21, 22, 23])('seed %i: of an update with parts that come too early the rest is kept, and in the end all of it', (seed) => {
    const random = randomOf(seed);
    const { updates, doc } = edited(seed, 150);
    const mixed: Uint8Array[] = [];
    // Every third is missing at first, and neighbours travel merged.
    for (let n = 0; n < updates.length; n += 3) if (random(3) > 0) mixed.push(Y.mergeUpdates(updates.slice(n, n + 3)));
    const known = knowsNothing();
    const log: Uint8Array[] = [];
    const take = (update: Uint8Array): void => {
      const scan = scanUpdate(update, known.vector)!;
      const { kind } = judge(known, scan);
      const part = kind === 'new' ? update : kind === 'early' ? fittingPart(known, update) : null;
      if (!part) return;
      const fit = scanUpdate(part, known.vector)!;
      expect(judge(known, fit).kind).not.toBe('early');
      learn(known, fit);
      log.push(part);
    };
    for (const update of mixed) take(update);
    const middle = new Y.Doc();
    for (const update of log) Y.applyUpdate(middle, update);
    expect(middle.store.pendingStructs).toBeNull();
    expect(middle.store.pendingDs).toBeNull();
    for (const update of updates) take(update);
    take(Y.encodeStateAsUpdate(doc));
    const whole = new Y.Doc();
    for (const update of log) Y.applyUpdate(whole, update);
    expect(contentOf(whole)).toEqual(contentOf(doc));
  });
});
