/** A file that is read again says what it says when it is read for the first time, whatever was changed in it. */
import { array, assert, constantFrom, nat, oneof, property, record } from 'fast-check';
import { expect, test } from 'vitest';
import { amount } from '../../test/support/amount.ts';
import { type OpenFile, openFile, openWhole, type Steps } from './load.ts';

const open = (steps: Steps<OpenFile>): OpenFile => {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
};

const person = (n: number, more = ''): string =>
  `apiVersion: svc/v1\nkind: Person\nmetadata: { name: p${n} }\nspec: { nome: "P ${n}${more}", login: p${n}, server: casa }\n`;

/** Without quotes, so that it is read at once. */
const simple = (n: number): string => person(n).replaceAll('"', '');

const lines: readonly string[] = [
  person(1),
  person(2, ' é'),
  person(3).replaceAll('\n', '\r\n'),
  '# only a comment\n',
  '',
  '\n\n',
  person(4).replace('"P 4"', '|-\n    two\n    --- lines'),
  person(5).replace('"P 5"', '"open'),
  'kind: Nothing\n',
  '%YAML 1.2\n',
  '...\n',
  '- a\n- b\n',
  'apiVersion: svc/v1\nkind: Person\nmetadata: { name: p6 }\nspec: { nome: [P, login: p6 }\n',
  simple(7),
  simple(8).replace('{ name: p8 }', '\n  name: p8'),
];

const text = array(
  record({ marker: constantFrom('---\n', '--- \n', '--- # said\n', '---\r\n', '----\n', ''), body: constantFrom(...lines) }),
  { maxLength: 8 },
).map((parts) => parts.map(({ marker, body }) => marker + body).join(''));
const good = array(oneof(nat(4), constantFrom(13, 14)), { maxLength: 8 }).map((ns) => ns.map((n) => lines[n]).join('---\n'));

test('an edit of any file, good or not, into any other one', () => {
  assert(
    property(oneof(text, good), oneof(text, good), (before, after) => {
      const whole = open(openWhole({ name: 'a.yaml', bytes: after }));
      expect(open(openFile({ name: 'a.yaml', bytes: after }))).toEqual(whole);
      const again = open(openFile({ name: 'a.yaml', bytes: after }, open(openFile({ name: 'a.yaml', bytes: before }))));
      expect(again).toEqual(whole);
    }),
    { numRuns: amount(1_000) },
  );
});

test('documents that were not changed are the very same', () => {
  const all = Array.from({ length: 50 }, (_, n) => person(n));
  const before = open(openFile({ name: 'a.yaml', bytes: all.join('---\n') }));
  const after = open(openFile({ name: 'a.yaml', bytes: all.with(7, `${person(7, ' moved')}# and a line more\n`).join('---\n') }, before));
  const kept = after.sources.filter(({ document }, n) => document === before.sources[n]?.document);
  expect([kept.length, after.sources.length, after.sources[49]?.place.line]).toEqual([49, 50, (before.sources[49]?.place.line ?? 0) + 1]);
});
