import { expect, test } from 'vitest';
import type { DesiredDocument, PersonDocument } from '../../schema/desired/documents.ts';
import { digestOf } from '../../schema/desired/load.ts';
import { keyOfDocument } from '../../schema/keys.ts';
import { derivePeople, type PeopleList } from './derived.ts';
import type { PlacedDocument } from './placed-document.ts';
import { withLists, type InForce } from './in-force.ts';

const place = { file: 'a.yaml', line: 1, column: 1 };
const placed = (document: DesiredDocument): PlacedDocument => ({ document, place, digest: digestOf(document), generation: 1 });
const list = (name: string, group = name): PlacedDocument =>
  placed({ apiVersion: 'svc/v1', kind: 'People', metadata: { name }, spec: { server: 'sirius', group } });
const written = (name: string, spec: Partial<PersonDocument['spec']> = {}): PlacedDocument =>
  placed({ apiVersion: 'svc/v1', kind: 'Person', metadata: { name }, spec: { nome: name, login: name, server: 'sirius', ...spec } });
const folder = (...documents: readonly PlacedDocument[]): InForce => ({
  hash: 'x',
  documents: new Map(documents.map((each) => [keyOfDocument(each.document), each])),
  held: [],
  why: null,
  leaving: new Map(),
});
const says = (of: PlacedDocument, names: readonly string[], unseen: readonly string[] = []): PeopleList => ({
  of: of.digest,
  members: names.map((name) => ({ name, account: name, nome: name, groups: ['alunos'] })),
  unseen,
});
const alunos = list('alunos');
const many = Array.from({ length: 20 }, (_, n) => `p${n}`);
const of = (names: readonly string[], unseen?: readonly string[]) => new Map([['People/alunos', says(alunos, names, unseen)]]);
const people = ({ documents }: InForce): readonly string[] =>
  [...documents.values()].flatMap(({ document }) => (document.kind === 'Person' ? [document.metadata.name] : []));

test('members are Person documents of their list; the same again is the very same state', () => {
  const first = withLists(folder(alunos), of(['ana', 'bia']));
  expect(first.documents.get('Person/ana')).toEqual({
    document: {
      apiVersion: 'svc/v1',
      kind: 'Person',
      metadata: { name: 'ana' },
      spec: { nome: 'ana', login: 'ana', server: 'sirius', grupos: ['alunos'] },
    },
    place,
    digest: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
    generation: 1,
    from: 'People/alunos',
  });
  expect(withLists(first, of(['ana', 'bia']))).toBe(first);
});

test('one whose name changes gets the next generation, the others stay the same objects', () => {
  const first = withLists(folder(alunos), of(['ana', 'bia']));
  const [ana, ...others] = says(alunos, ['ana', 'bia']).members;
  if (ana === undefined) throw new Error('nobody');
  const members = [{ ...ana, nome: 'Ana Maria' }, ...others];
  const next = withLists(first, new Map([['People/alunos', { of: alunos.digest, members, unseen: [] }]]));
  expect(next.documents.get('Person/bia')).toBe(first.documents.get('Person/bia'));
  expect(next.documents.get('Person/ana')).toMatchObject({ generation: 2, document: { spec: { nome: 'Ana Maria' } } });
});

test.for([
  ['a list that was not read', new Map(), many],
  ['a list that was read for another document', new Map([['People/alunos', says(list('alunos', 'outros'), ['eva'])]]), many],
  ['one who is gone', of(many.slice(1)), many.slice(1)],
  ['one who was not seen', of(many.slice(1), ['p0']), many],
  ['a fifth who are gone', of(many.slice(4)), many.slice(4)],
  ['more than a fifth who are gone', of(many.slice(5)), [...many.slice(5), ...many.slice(0, 5)]],
  ['an empty group', of([]), many],
] as const)('%s', ([, lists, left]) => {
  const next = withLists(withLists(folder(alunos), of(many)), lists);
  expect(people(next)).toEqual(left);
  expect([...next.leaving.keys()]).toEqual(
    many.filter((name) => !(left as readonly string[]).includes(name)).map((name) => `Person/${name}`),
  );
});

test('what the guard holds is told, also when the list is read again, and comes back into the list or goes by --prune', () => {
  const lists = of(many.slice(5));
  const held = withLists(withLists(folder(alunos), of(many)), lists);
  expect([held.held, [...(held.people?.waiting ?? [])]]).toEqual([
    ['Person/p0', 'Person/p1', 'Person/p2', 'Person/p3', 'Person/p4'],
    [['People/alunos', 'removes 5 of 20 people of People/alunos, more than 20 %']],
  ]);
  expect(withLists(held, lists)).toBe(held);
  expect(withLists(held, of(many))).toMatchObject({ held: [], people: { waiting: new Map() } });
  const pruned = derivePeople(new Map([['People/alunos', alunos]]), held.documents, new Map(), lists, true);
  expect([pruned.documents.size, pruned.held]).toEqual([15, []]);
});

test.for([
  ['by name', written('p3', { login: 'x', account: 'y' }), 'p3', 'Person/p3 says who that is'],
  ['by account', written('zoe', { account: 'p3' }), 'p3', 'Person/zoe says who that is'],
  ['by login', written('zoe', { login: 'p3' }), 'p3', 'the login p3 is taken by Person/zoe'],
] as const)('a written Person wins %s, however many', ([, document, name, why]) => {
  const { documents, leftOut, held } = derivePeople(
    new Map([alunos, document].map((each) => [keyOfDocument(each.document), each])),
    new Map(),
    new Map(),
    of(many),
    false,
  );
  expect([documents.size, leftOut.get('People/alunos'), held]).toEqual([19, [{ name, why }], []]);
});

test('whoever has a written document now is not gone, and an account of the same name on another server is theirs', () => {
  const before = withLists(folder(alunos), of(['ana', 'bia', 'eva']));
  const next = withLists({ ...before, documents: new Map([...before.documents, ['Person/bia', written('bia')]]) }, of(['ana', 'eva']));
  expect([people(next).toSorted(), next.held, [...next.leaving.keys()]]).toEqual([['ana', 'bia', 'eva'], [], []]);
  const far = derivePeople(
    new Map([alunos, written('zoe', { server: 'polar', account: 'ana' })].map((each) => [keyOfDocument(each.document), each])),
    new Map(),
    new Map(),
    of(['ana']),
    false,
  );
  expect([...far.documents.keys()]).toEqual(['Person/ana']);
});

test('of two lists the first by name has who is in both', () => {
  const both = withLists(
    folder(list('b'), list('a')),
    new Map([
      ['People/a', says(list('a'), ['ana'])],
      ['People/b', says(list('b'), ['ana', 'bia'])],
    ]),
  );
  expect([both.documents.get('Person/ana')?.from, both.documents.get('Person/bia')?.from]).toEqual(['People/a', 'People/b']);
  expect(both.people?.leftOut.get('People/b')).toEqual([{ name: 'ana', why: 'People/a says who that is' }]);
});
