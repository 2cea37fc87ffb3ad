/** The fast way of reading against the one with places: the same value, or none; and none wherever there is something to say. */
import * as fc from 'fast-check';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { amount } from '../../test/support/amount.ts';
import { createRandom } from '../../test/simulation/random.ts';
import type { Problem } from '../findings.ts';
import { makeManifest } from '../testing/generated-manifests.ts';
import { mutate, writeText } from '../testing/mutants.ts';
import { readJson } from './json.ts';
import { materialize } from './node.ts';
import { plainJson } from './plain-json.ts';

const seed = Number(process.env['FC_SEED'] ?? process.env['SVC_TEST_RUN_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const root = join(import.meta.dirname, '../..');

/** Undefined: there is something to say. */
function withPlaces(text: string): unknown {
  const { node } = readJson(text);
  const problems: Problem[] = [];
  const value = node === null ? undefined : materialize(node, problems);
  return problems.length > 0 ? undefined : value;
}

/** Also the order of the fields, and a zero with its sign. */
const shown = (value: unknown): string | undefined =>
  JSON.stringify(value, (_, part: unknown) => (Object.is(part, -0) ? 'minus zero' : part));

const escapedKey = /"(?:[^"\\]|\\.)*\\.(?:[^"\\]|\\.)*"\s*:/;

/** A text with an escaped key may always be left to the scanner, since JSON.parse may have read another key. */
function expectSame(text: string): unknown {
  const plain = plainJson(text);
  const wanted = plain === undefined && escapedKey.test(text) ? undefined : withPlaces(text);
  expect({ text, value: shown(plain) }).toEqual({ text, value: shown(wanted) });
  expect(plain).toStrictEqual(wanted);
  return plain;
}

test.for([
  ['{"a":1,"a":1}', false],
  ['{"a":"x","\\u0061":"y"}', false],
  ['{"a":{"b":1,"b":{"c":"d"}}}', false],
  ['[{"a":1},{"a":1}]', true],
  ['{"a":"a","b":"a"}', true],
  ['{"a":"\\"b\\":","\\\\":"\\\\\\""}', true],
  ['{"__proto__":1}', false],
  ['{"a":{"constructor":null}}', false],
  ['{"\\u005f_proto__":{}}', false],
  ['"\\ud800"', false],
  ['{"\\udc00":1}', false],
  ['"\\ud83d\\ude00"', true],
  ['{"2":1,"1":2,"b":3}', true],
  ['{"":"","a":""}', true],
  [' \n[-0, 1e999, 1.0, 1E2] \t', true],
  ['null', true],
  ['', false],
  ['{"a":1,}', false],
  ['\ufeff{}', false],
  // JSON.parse takes it for the same key as in the line before.
  ['{"a":1,"\\\\":2}', true],
  ['{"a":1,"\\"":2}', true],
  ['{"a":1,"\\u0041":2}', true],
] as const)('%j is in order: %s', ([text, isInOrder]) => {
  expect(withPlaces(text) !== undefined).toBe(isInOrder);
  const plain = plainJson(text);
  if (plain !== undefined || !text.includes('"a":1,"\\')) expectSame(text);
});

test.for([
  ['lists', '[', '', ']', 66],
  ['objects', '{"a":', '1', '}', 65],
] as const)('%s that are nested too deep are left to the scanner', ([, open, inner, close, tooMany]) => {
  const nested = (levels: number): string => open.repeat(levels) + inner + close.repeat(levels);
  expectSame(nested(63));
  expect([withPlaces(nested(tooMany - 1)) !== undefined, withPlaces(nested(tooMany))]).toEqual([true, undefined]);
  for (const levels of [tooMany, 70, 100_000]) expect(plainJson(nested(levels))).toBeUndefined();
});

test('every manifest of this repository is read the fast way, to the same value', () => {
  const files = globSync('examples/**/svc-app.json', { cwd: root, exclude: ['**/node_modules/**'] });
  expect(files.length).toBeGreaterThan(20);
  const slow = files.filter((file) => expectSame(readFileSync(join(root, file), 'utf8')) === undefined);
  expect(slow).toEqual([]);
});

test(`mutated manifests are read to the same value, or said to have a mistake by both (seed ${seed})`, () => {
  const random = createRandom(seed);
  const counts = { plain: 0, left: 0 };
  for (let nth = 0; nth < amount(2_000, 200_000); nth += 1) {
    const text = writeText(random, mutate(random, makeManifest(random))).toString();
    counts[expectSame(text) === undefined ? 'left' : 'plain'] += 1;
  }
  // Both kinds were there.
  expect(counts.plain).toBeGreaterThan(0);
  expect(counts.left).toBeGreaterThan(0);
}, 600_000);

test(`edited JSON is read to the same value, or said to have a mistake by both (seed ${seed})`, () => {
  const edits = fc.array(
    fc.record({
      at: fc.nat(200),
      cut: fc.nat(2),
      put: fc.constantFrom(
        '',
        ',',
        '"',
        '{',
        '}',
        '[',
        ']',
        ':',
        '\\',
        '0',
        '-',
        'e',
        ' ',
        '\u0001',
        '"a":1,',
        ',"a":{}',
        '\\ud800',
        '"__proto__":0,',
      ),
    }),
    { maxLength: 3 },
  );
  // Few names, so that some are there twice.
  const value = fc.letrec((tie) => ({
    any: fc.oneof({ depthSize: 'small' }, fc.string(), fc.constantFrom('a', '"', '\\', '\\"', 1, null, true), tie('list'), tie('map')),
    list: fc.array(tie('any'), { maxLength: 3 }),
    map: fc.dictionary(fc.constantFrom('a', 'b', '"', '\\', '\n', 'é'), tie('any'), { maxKeys: 4 }),
  })).any;
  let plain = 0;
  fc.assert(
    fc.property(value, fc.constantFrom(0, 2), edits, (made, indent, changes) => {
      let text = JSON.stringify(made, null, indent);
      for (const { at, cut, put } of changes) {
        const from = at % (text.length + 1);
        text = text.slice(0, from) + put + text.slice(from + cut);
      }
      if (expectSame(text) !== undefined) plain += 1;
    }),
    { seed, numRuns: amount(8_000, 400_000) },
  );
  expect(plain).toBeGreaterThan(0);
}, 600_000);
