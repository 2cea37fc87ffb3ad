/** Source: rules 2.1: a label says what kind of event, never who caused it. Decision: docs/decisions/0213-metrics-of-apps.md */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { tellCount } from '../../test/support/counts.ts';
import { createManualClock } from '../testing/manual-clock.ts';
import { createKnownPeople } from './known-people.ts';
import { judgeLabels } from './label-rule.ts';
import { directory, honestLabels } from './testing/honest-labels.ts';

const people = createKnownPeople({ all: () => directory }, createManualClock());
const judge = (value: string): string | null => judgeLabels('evento', { tipo: value }, people);

describe('who is refused, with the reason', () => {
  test.for<readonly [string, string]>([
    ['ana@example.org', 'email'],
    ['Ana Souza <ana.souza+x@mail.example.com.br>', 'email'],
    ['de=bia@exemplo.com', 'email'],
    ['ana', 'pessoa'],
    ['ANA', 'pessoa'],
    ['Aná', 'pessoa'],
    ['ana souza', 'pessoa'],
    ['Ana  Souza', 'pessoa'],
    ['ana_souza', 'pessoa'],
    ['joao.silva', 'pessoa'],
    ['jsilva', 'pessoa'],
    ['Joao da Silva', 'pessoa'],
    ['u04711', 'pessoa'],
    ['relatório de João da Silva', 'pessoa'],
    ['user:ana', 'pessoa'],
    ['/home/ana/notas.txt', 'pessoa'],
    ['usuario=bia', 'pessoa'],
    ['aberto por caio', 'pessoa'],
    ['ana@sirius', 'pessoa'],
    ['550e8400-e29b-41d4-a716-446655440000', 'identificador'],
    ['sessao 550E8400E29B41D4A716446655440000', 'identificador'],
    ['trace=4bf92f3577b34da6a3ce929d0e0e4736', 'identificador'],
    ['00f067aa0ba902b7', 'identificador'],
    ['529.982.247-25', 'identificador'],
    ['52998224725', 'identificador'],
    ['+5511912345678', 'identificador'],
    ['01ARZ3NDEKTSV4RRFFQ69G5FAV', 'identificador'],
    ['V1StGXR8Z5jdHi6B2myT', 'identificador'],
  ])('%s: %s', ([value, reason]) => expect(judge(value)).toBe(reason));

  test('in the name of the event as well', () => {
    expect(judgeLabels('abriu/550e8400-e29b-41d4-a716-446655440000', {}, people)).toBe('identificador');
    expect(judgeLabels('ana', {}, people)).toBe('pessoa');
  });

  test.for(['usuario', 'user_id', 'login', 'email', 'cpf', 'session_id', 'IP'])(
    'a label called %s asks for who, whatever it holds',
    (name) => expect(judgeLabels('evento', { [name]: '17' }, people)).toBe('pessoa'),
  );
});

describe('what is no label', () => {
  test.for([
    ['six of them', 'evento', { a: '1', b: '1', c: '1', d: '1', e: '1', f: '1' }],
    ['a name of the portal', 'evento', { app: 'x' }],
    ['a name of Prometheus', 'evento', { le: '1' }],
    ['a name with a dash', 'evento', { 'a-b': 'x' }],
    ['no value', 'evento', { a: '' }],
    ['a long value', 'evento', { a: 'x'.repeat(65) }],
    ['a control character', 'evento', { a: 'x\ny' }],
    ['half a character', 'evento', { a: '\ud800' }],
    ['no event', '', {}],
    ['an event with a space', 'um evento', {}],
    ['a long event', 'x'.repeat(65), {}],
  ] as const)('%s', ([, event, labels]) => expect(judgeLabels(event, labels, people)).toBe('rotulo'));
  test('five, in any writing, are taken', () =>
    expect(judgeLabels('nota.aberta', { a: 'ção', b: '日本', c: '"x"\\', d: '😀', e: ' x ' }, people)).toBeNull());
});

test('a person who came a moment ago is known, and one who left is not', () => {
  const clock = createManualClock();
  let all = [{ usuario: 'eva', login: 'eva', nome: 'Eva', grupos: [] as string[] }];
  const known = createKnownPeople({ all: () => all }, clock);
  expect(judgeLabels('e', { a: 'eva' }, known)).toBe('pessoa');
  all = [{ usuario: 'leo', login: 'leo', nome: 'Leo', grupos: [] }];
  clock.advance(10_000);
  expect([judgeLabels('e', { a: 'eva' }, known), judgeLabels('e', { a: 'leo' }, known)]).toEqual([null, 'pessoa']);
});

/** Texts that look like a unique id: a digest of a release can't be told from that of a file. */
const falseAlarms = [
  'git@github.com',
  'sha256:9f86d081884c7d65',
  'e3b0c44298fc1c149afbf4c8996fb92427ae41e4',
  '1763879005123',
  'AKfycbx9T3qz7Lw2Hn5Vb8Rd',
];

test('of the honest labels, only those that look like an id or an address are refused, and the page says how many', () => {
  const refused = honestLabels.filter((label) => judge(label) !== null);
  expect(refused).toEqual(falseAlarms);
  expect(new Set(honestLabels).size).toBe(honestLabels.length);
  const said = `${refused.length} of ${honestLabels.length} honest labels`;
  tellCount(`metrics: ${said} are false alarms`);
  expect(readFileSync(new URL('../../docs/decisions/0213-metrics-of-apps.md', import.meta.url), 'utf8')).toContain(said);
});
