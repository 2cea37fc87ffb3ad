/** The text that a change of Administration makes: what it is not about keeps its very words. */
import { expect, test } from 'vitest';
import { limits } from '../limits.ts';
import { readDesired } from './load.ts';
import { changedText, diffOf, type OwnChange } from './own-changes.ts';

const bia: OwnChange = { act: 'put', kind: 'Person', name: 'bia', spec: { nome: 'Bia Lima', login: 'bia', server: 'casa' } };
const notas = (servers: 'all' | readonly string[], grupos?: readonly string[]): OwnChange => ({
  act: 'put',
  kind: 'Package',
  name: 'notas',
  spec: { app: 'notas', versao: '1.0.0', servers, grupos },
});
const document = (kind: string, name: string, ...spec: readonly string[]): string =>
  ['apiVersion: svc/v1', `kind: ${kind}`, 'metadata:', `  name: ${name}`, 'spec:', ...spec.map((line) => `  ${line}`), ''].join('\n');

const head = '# Written by the secretary\n# and by the desktop.\n\n';
const laidOutOtherwise = `apiVersion:   svc/v1   # ours
kind: Person
metadata: {name:   "caio" }
# his account
spec: { nome: 'Caio',   login: caio, server: casa }
# until May
`;

test('a document is put behind the others, of which no character changes, and taken out again', () => {
  for (const before of [
    '',
    head,
    '# only words\n',
    laidOutOtherwise,
    `${head}${laidOutOtherwise}`,
    `---\n${laidOutOtherwise}---\n${document('Grant', 'g')}`,
    laidOutOtherwise.trimEnd(),
  ]) {
    const after = changedText(before, bia);
    const own = document('Person', 'bia', 'nome: Bia Lima', 'login: bia', 'server: casa');
    const isFirst = before === '' || before === head;
    expect(after).toBe(isFirst ? `${before}${own}` : `${before}${before.endsWith('\n') ? '' : '\n'}---\n${own}`);
    // A document that is put twice is there once.
    expect(changedText(after, bia)).toBe(after);
    expect(changedText(after, { act: 'remove', kind: 'Person', name: 'bia' })).toBe(
      before === laidOutOtherwise.trimEnd() ? laidOutOtherwise : before,
    );
  }
});

test('the first document goes, and the head of the file stays', () => {
  const before = changedText(`${head}${laidOutOtherwise}`, bia);
  expect(changedText(before, { act: 'remove', kind: 'Person', name: 'caio' })).toBe(
    `${head}---\n${document('Person', 'bia', 'nome: Bia Lima', 'login: bia', 'server: casa')}`,
  );
});

test('of a document that is there the fields of the change alone are other ones', () => {
  const before = document(
    'Package',
    'notas',
    'app: notas',
    'versao: 0.9.0 # not the new one',
    'server: casa',
    'paused: true',
    'grupos: [ editores ]',
  );
  expect(changedText(before, notas(['casa', 'lua']))).toBe(
    document('Package', 'notas', 'app: notas', 'versao: 1.0.0 # not the new one', 'paused: true', 'servers:', '  - casa', '  - lua'),
  );
  expect(changedText(before, notas('all', ['autores']))).toContain('servers: all');
  expect(changedText(before, notas(['lua'], ['autores']))).toMatch(/server: lua\n(?:.*\n)*.*autores/);
});

test.for<readonly [string, string, OwnChange, string]>([
  ['a document that is not there', laidOutOtherwise, { act: 'remove', kind: 'Package', name: 'caio' }, 'NOT_FOUND'],
  ['a file that is no YAML', 'kind: [', bia, 'DESIRED_INVALID'],
  [
    'too many documents',
    Array.from({ length: limits.ownFileDocumentsMax }, (_, at) => document('Grant', `g${at}`)).join('---\n'),
    bia,
    'TOO_LARGE',
  ],
  ['too many bytes', `# ${'x'.repeat(limits.ownFileBytesMax)}\n`, bia, 'TOO_LARGE'],
])('%s is refused', ([, before, change, code]) => {
  expect(() => changedText(before, change)).toThrow(expect.objectContaining({ code }));
});

test('names and groups that YAML could take for something else are texts to its reader', () => {
  const odd: OwnChange = {
    act: 'put',
    kind: 'Person',
    name: 'no',
    spec: { nome: 'yes: # no', login: '0x1F', server: 'casa', grupos: ['null', '1e3'] },
  };
  const server = `apiVersion: svc/v1\nkind: Server\nmetadata: { name: casa }\nspec: { local: {} }\n`;
  const answer = readDesired([{ name: 'a.yaml', bytes: changedText(server, odd) }]);
  expect(answer.ok && answer.state.documents.find(({ document: { kind } }) => kind === 'Person')?.document.spec).toEqual(odd.spec);
});

test('the diff shows what changed with three lines around it', () => {
  const lines = (text: string): string => text.split('').join('\n') + '\n';
  expect(diffOf(lines('abcdefghi'), lines('abcdXfghi')).map(({ change, line, text }) => `${change} ${line} ${text}`)).toEqual([
    'same 2 b',
    'same 3 c',
    'same 4 d',
    'removed 5 e',
    'added 5 X',
    'same 6 f',
    'same 7 g',
    'same 8 h',
  ]);
  expect(diffOf('', 'a\n')).toEqual([{ change: 'added', line: 1, text: 'a' }]);
  expect(diffOf('a\na\n', 'a\n')).toHaveLength(2);
  expect(diffOf('a\n', 'a\n')).toEqual([]);
});
