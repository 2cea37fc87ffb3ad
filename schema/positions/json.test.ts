import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { readJson } from './json.ts';
import { type SourceNode, locate, materialize } from './node.ts';
import { amount } from '../../test/support/amount.ts';

const seed = Number(process.env['FC_SEED'] ?? process.env['SVC_TEST_RUN_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

function parsed(text: string): unknown {
  const { node } = readJson(text);
  return node ? materialize(node, []) : undefined;
}

test(`what JSON.parse takes, the scanner takes, with the same value (seed ${seed})`, () => {
  const valueOf = fc.json({ depthSize: 'medium' }).filter((text) => !/"(__proto__|constructor|prototype)"/.test(text));
  fc.assert(
    fc.property(valueOf, fc.constantFrom(0, 2), (text, indent) => {
      const shown = JSON.stringify(JSON.parse(text), null, indent);
      expect(parsed(shown)).toEqual(JSON.parse(shown));
    }),
    { seed, numRuns: amount(2_000) },
  );
}, 60_000);

test(`what JSON.parse refuses, the scanner refuses at a place inside the text (seed ${seed})`, () => {
  const edits = fc.array(
    fc.record({
      at: fc.nat(200),
      cut: fc.nat(2),
      put: fc.constantFrom('', ',', '"', '{', '}', '[', ']', ':', '\\', '0', '-', 'e', 't', ' ', '\n', '\u0001'),
    }),
    { minLength: 1, maxLength: 3 },
  );
  fc.assert(
    fc.property(fc.json(), edits, (text, changes) => {
      let broken = text;
      for (const { at, cut, put } of changes) {
        const from = at % (broken.length + 1);
        broken = broken.slice(0, from) + put + broken.slice(from + cut);
      }
      let valid = true;
      try {
        JSON.parse(broken);
      } catch {
        valid = false;
      }
      const { node, problems } = readJson(broken);
      expect({ broken, accepted: node !== null }).toEqual({ broken, accepted: valid });
      expect(problems.map(({ code, span }) => [code, span.start <= broken.length])).toEqual(valid ? [] : [['SYNTAX', true]]);
    }),
    { seed, numRuns: amount(5_000) },
  );
}, 60_000);

test.for([
  ['{"a": 1,}', 8, 'expected a field after ",", found "}"'],
  ['{a: 1}', 1, 'expected a field name in double quotes, found "a"'],
  ["{'a': 1}", 1, `expected a field name in double quotes, found "'"; JSON uses double quotes`],
  ['{"a" 1}', 5, 'expected ":" after the field name, found "1"'],
  ['{"a": 1 "b": 2}', 8, 'expected "," or "}", found "\\""'],
  ['[1, 2', 5, 'expected "," or "]", found the end of the file'],
  ['{"a": 01}', 7, 'expected "," or "}", found "1"'],
  ['{"a": +1}', 6, 'expected a value, found "+"'],
  ['{"a": .5}', 6, 'expected a value, found "."'],
  ['{"a": NaN}', 6, 'expected a value, found "N"'],
  ['{} {}', 3, 'expected the end of the file, found "{"'],
  ['', 0, 'expected a value, found the end of the file'],
  ['// x\n{}', 0, 'expected a value, found "/"; JSON has no comments'],
  ['{"a": "b\nc"}', 8, 'expected a closing double quote before the end of the line'],
  ['{"a": "\\x"}', 7, 'expected an escape of JSON, found "\\\\x"'],
  ['{"a": "\t"}', 7, 'a control character in a string must be written as an escape'],
] as const)('%j breaks at offset %i: %s', ([text, start, message]) => {
  expect(readJson(text).problems).toEqual([expect.objectContaining({ code: 'SYNTAX', message })]);
  expect(readJson(text).problems[0]?.span.start).toBe(start);
});

test('keys and values are found at every depth', () => {
  const text = '{ "a": [10, {"b~/c": "x"}], "d": {} }';
  const root = readJson(text).node as SourceNode;
  const shown = (path: string[], what: 'key' | 'value') => {
    const { start, end } = locate(root, path, what);
    return text.slice(start, end);
  };
  expect(shown(['a'], 'key')).toBe('"a"');
  expect(shown(['a', '0'], 'value')).toBe('10');
  expect(shown(['a', '1', 'b~/c'], 'key')).toBe('"b~/c"');
  expect(shown(['a', '1', 'b~/c'], 'value')).toBe('"x"');
  expect(shown(['d'], 'value')).toBe('{}');
  // A path that does not exist shows the nearest parent.
  expect(shown(['d', 'gone'], 'value')).toBe('{}');
});

test('nesting of 100,000 levels is refused without recursion, and 64 levels are read', () => {
  for (const open of ['[', '{"a":']) {
    expect(readJson(open.repeat(100_000)).problems[0]?.code).toBe('TOO_DEEP');
  }
  expect(readJson('['.repeat(64) + ']'.repeat(64)).node).not.toBeNull();
  expect(readJson('['.repeat(66) + ']'.repeat(66)).problems[0]?.code).toBe('TOO_DEEP');
});
