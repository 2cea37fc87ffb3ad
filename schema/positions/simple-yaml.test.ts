/**
 * Texts that the quick reader takes are read alike by the reader of all YAML, with the same places; and the quick reader takes the texts that people
 * and programs write.
 */
import { array, assert, constantFrom, integer, oneof, property, string, tuple } from 'fast-check';
import { expect, test } from 'vitest';
import { amount } from '../../test/support/amount.ts';
import { locate, materialize } from './node.ts';
import { readSimple } from './simple-yaml.ts';
import { readYaml } from './yaml.ts';

const person = `apiVersion: svc/v1
kind: Person
metadata: { name: ana }
spec: { nome: Ana Souza, login: ana, server: casa, grupos: [editores, 'a b'] }
`;
const block = `---
apiVersion: svc/v1
kind: Person
metadata:
  name: ana

spec:
  nome: "José, o avô"
  home: http://casa.localhost:8787/x?y
  grupos:
  - editores
  - leitores
  mais:
      - um
`.replace('?', '');

/** The result of the full reader: null when anything is wrong, or the text is not one document. */
function readFully(text: string): { readonly value: unknown; readonly nameAt: number } | null {
  const [document, ...others] = readYaml(text);
  if (document?.node === null || document === undefined || others.length > 0 || document.problems.length > 0) return null;
  const problems: never[] = [];
  const value = materialize(document.node, problems);
  return problems.length > 0 ? null : { value, nameAt: locate(document.node, ['metadata', 'name'], 'value').start };
}

test.each([person, block, person.replace('ana }', '"ana" }'), person.trimEnd()])('is read at once: %s', (text) => {
  expect(readSimple(text)).toEqual(readFully(text));
  expect(readSimple(text)).not.toBeNull();
});

const pieces: readonly string[] = [
  ...'a é true null x1 1 1.0 - : # , { } [ ] " \' & * ! | > % @ ` ~ = << \\ --- ... ?'.split(' '),
  '- ',
  ': ',
  ' ',
  '  ',
  ' #',
  ', ',
  '{ ',
  ' }',
  '? ',
  '\n',
  '\n  ',
  '\n    ',
  '\n- ',
  '\n\n',
  '\t',
  '\r\n',
  'metadata:',
  'name: ana',
  '\nname: b',
  'constructor: a',
  '__proto__: a',
  '\u2028',
  '\u0085',
  '\u00a0',
  '\ud800',
];
const edited = tuple(
  constantFrom(person, block),
  array(tuple(integer({ min: 0, max: 260 }), integer({ min: 0, max: 6 }), oneof(constantFrom(...pieces), string({ maxLength: 3 }))), {
    maxLength: 3,
  }),
).map(([text, edits]) => edits.reduce((now, [at, length, piece]) => now.slice(0, at) + piece + now.slice(at + length), text));

test('whatever is changed in a document, it is read as it is by the full reader, or not at all', () => {
  let read = 0;
  assert(
    property(edited, (text) => {
      const simple = readSimple(text);
      if (simple === null) return;
      read += 1;
      expect(simple).toEqual(readFully(text));
    }),
    { numRuns: amount(10_000) },
  );
  expect(read).toBeGreaterThan(amount(10_000) / 40);
});
