import { describe, expect, test } from 'vitest';
import { wrongArgument } from './verbs.ts';

const tab = { id: 'a', titulo: 'A' };
const many = (n: number) => Array.from({ length: n }, (_, at) => ({ id: `t${at}`, titulo: 'x' }));

describe('abas.definir', () => {
  test.for([
    [{ abas: [] }],
    [{ abas: [tab, { id: 'b:1._-', titulo: '漢字 — ç', fechavel: false }], ativa: 'a', nova: true }],
    [{ abas: many(50) }],
    [{ abas: [{ id: 'x'.repeat(64), titulo: 'x'.repeat(80) }] }],
  ])('takes %j', ([args]) => expect(wrongArgument('abas.definir', args as never)).toBeNull());

  test.for([
    [{ abas: many(51) }],
    [{ abas: [tab, tab] }],
    [{ abas: [{ id: 'a' }] }],
    [{ abas: [{ id: '', titulo: 'A' }] }],
    [{ abas: [{ id: 'a b', titulo: 'A' }] }],
    [{ abas: [{ id: 'x'.repeat(65), titulo: 'A' }] }],
    [{ abas: [{ id: 'a', titulo: 'x'.repeat(81) }] }],
    [{ abas: [{ id: 'a', titulo: ' ' }] }],
    [{ abas: [{ id: 'a', titulo: 'a\nb' }] }],
    [{ abas: [{ id: 'a', titulo: 'a\u202eb' }] }],
    [{ abas: [{ ...tab, fechavel: 'sim' }] }],
    [{ abas: [null] }],
    [{ abas: { length: 1 } }],
    [{}],
  ])('refuses %j', ([args]) => expect(wrongArgument('abas.definir', args as never)).toBe('abas'));

  test('refuses other options that are wrong', () => {
    expect(wrongArgument('abas.definir', { abas: [tab], ativa: 7 })).toBe('ativa');
    expect(wrongArgument('abas.definir', { abas: [tab], nova: 1 })).toBe('nova');
  });
});

test.for([[['a', 'a']], [[7]], [Array.from({ length: 51 }, (_, at) => `t${at}`)], ['a']])('abas.ordenar refuses %j', ([ids]) => {
  expect(wrongArgument('abas.ordenar', { ids })).toBe('ids');
});
