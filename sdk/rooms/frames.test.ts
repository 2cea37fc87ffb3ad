import * as decoding from 'lib0/decoding';
import * as encoding from 'lib0/encoding';
import { describe, expect, test } from 'vitest';
import * as syncProtocol from 'y-protocols/sync';
import * as Y from 'yjs';
import { bringsStructs, readFrame, writeHave, writeMissing, writePresence, writeUpdate } from './frames.ts';

const official = (kind: number, body: (to: encoding.Encoder) => void): Uint8Array => {
  const to = encoding.createEncoder();
  encoding.writeVarUint(to, kind);
  body(to);
  return encoding.toUint8Array(to);
};
const doc = new Y.Doc();
doc.getText('t').insert(0, 'x'.repeat(300));
const update = Y.encodeStateAsUpdate(doc);
const vector = Y.encodeStateVector(doc);

describe('frames are those of y-protocols, byte for byte', () => {
  test.for([
    ['have', writeHave(doc), official(0, (to) => syncProtocol.writeSyncStep1(to, doc))],
    ['missing', writeMissing(update), official(0, (to) => syncProtocol.writeSyncStep2(to, doc))],
    ['update', writeUpdate(update), official(0, (to) => syncProtocol.writeUpdate(to, update))],
    ['presence', writePresence(update), official(1, (to) => encoding.writeVarUint8Array(to, update))],
  ] as const)('%s', ([kind, ours, theirs]) => {
    expect(ours).toEqual(theirs);
    const read = readFrame(theirs);
    expect(read?.kind).toBe(kind);
    const copy = new Y.Doc();
    if (read !== null && 'applyTo' in read) read.applyTo(copy, 'them');
    expect({
      has: copy.getText('t').length,
      vector: read !== null && 'stateVector' in read ? read.stateVector : null,
      update: read !== null && 'update' in read ? read.update : null,
    }).toEqual({
      has: kind === 'missing' || kind === 'update' ? 300 : 0,
      vector: kind === 'have' ? vector : null,
      update: kind === 'presence' ? update : null,
    });
  });

  test('and the official reader takes a long one', () => {
    const long = new Uint8Array(200_000).fill(7);
    const from = decoding.createDecoder(writePresence(long));
    expect(decoding.readVarUint(from)).toBe(1);
    expect(decoding.readVarUint8Array(from)).toEqual(long);
  });
});

describe('what is no frame', () => {
  test.for([
    ['nothing', []],
    ['a kind without content', [0]],
    ['a step that nobody knows', [0, 9, 0]],
    ['a length beyond the end', [1, 5, 1]],
    ['an update that is cut off', [0, 2, 5, 1]],
    ['a length without an end', [1, 255, 255, 255, 255, 255, 255]],
    ['another kind', [2, 0]],
  ] as const)('%s is passed over', ([, bytes]) => {
    expect(readFrame(Uint8Array.from(bytes))).toBeNull();
  });
});

test('an update brings structs, or deletions only', () => {
  const before = Y.encodeStateVector(doc);
  expect(bringsStructs(update)).toBe(true);
  expect(bringsStructs(Y.encodeStateAsUpdate(doc, before))).toBe(false);
  doc.getText('t').delete(0, 5);
  expect(bringsStructs(Y.encodeStateAsUpdate(doc, before))).toBe(false);
});
