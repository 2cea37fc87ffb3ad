import { beforeEach, expect, test } from 'vitest';
import { createTabs, type Tabs } from './tabs.ts';

const tabsOf = (...ids: readonly string[]) => ids.map((id) => ({ id, titulo: id.toUpperCase() }));
let tabs: Tabs;
const put = (window: string, ids: readonly string[], active: string | null = null, canAdd = false): boolean =>
  tabs.put(window, { app: 'editor', tabs: tabsOf(...ids), active, canAdd });
/** Ids in order, the active one in brackets. */
const shown = (window: string): string | null => {
  const now = tabs.state.get().get(window);
  return now === undefined ? null : now.tabs.map(({ id }) => (id === now.active ? `[${id}]` : id)).join(' ');
};

beforeEach(() => {
  tabs = createTabs();
});

test('the active one is the one that is named, else the one before, else the first', () => {
  expect(put('w1', ['a', 'b', 'c'])).toBe(true);
  expect(shown('w1')).toBe('[a] b c');
  put('w1', ['a', 'b', 'c'], 'b');
  put('w1', ['b', 'c']);
  expect(shown('w1')).toBe('[b] c');
  put('w1', ['c', 'd']);
  expect(shown('w1')).toBe('[c] d');
  expect(put('w1', ['c', 'd'], 'b')).toBe(false);
  expect(shown('w1')).toBe('[c] d');
});

test('without tabs there is a bar only for a new one', () => {
  put('w1', []);
  expect(shown('w1')).toBeNull();
  put('w1', [], null, true);
  expect(shown('w1')).toBe('');
});

test.for([
  ['a', 'a', '[b] c'],
  ['b', 'b', 'a [c]'],
  ['c', 'c', 'a [b]'],
  ['a', 'c', '[a] b'],
] as const)('active %s, closed %s: %s', ([active, closed, left]) => {
  put('w1', ['a', 'b', 'c'], active);
  expect(tabs.remove('w1', closed)).toBe(true);
  expect(shown('w1')).toBe(left);
});

test('the last one closed takes the bar away, unless there is a button for a new one', () => {
  put('w1', ['a']);
  tabs.remove('w1', 'a');
  expect(shown('w1')).toBeNull();
  put('w1', ['a'], null, true);
  tabs.remove('w1', 'a');
  expect(shown('w1')).toBe('');
});

test('another order has each of them once', () => {
  put('w1', ['a', 'b', 'c'], 'b');
  for (const wrong of [['a', 'b'], ['a', 'b', 'b'], ['a', 'b', 'd'], ['a', 'b', 'c', 'c'], []]) expect(tabs.order('w1', wrong)).toBe(false);
  expect(tabs.order('w1', ['c', 'a', 'b'])).toBe(true);
  expect(shown('w1')).toBe('c a [b]');
});

test('what is not there is neither selected nor closed, and windows know nothing of each other', () => {
  put('w1', ['a']);
  expect([tabs.select('w1', 'b'), tabs.remove('w1', 'b'), tabs.select('w2', 'a'), tabs.order('w2', [])]).toEqual([
    false,
    false,
    false,
    false,
  ]);
});

test('the tabs of windows that closed are given once, window by window; those of a page that was loaded again are not', () => {
  put('w1', ['a', 'b'], 'b');
  put('w2', ['c']);
  put('w3', ['d']);
  tabs.drop('w1');
  tabs.clear('w3');
  tabs.drop('w3');
  tabs.drop('w2');
  expect(tabs.takeClosed('editor')).toEqual([
    { id: 'a', titulo: 'A', ativa: false, janela: 1 },
    { id: 'b', titulo: 'B', ativa: true, janela: 1 },
    { id: 'c', titulo: 'C', ativa: true, janela: 2 },
  ]);
  expect([tabs.takeClosed('editor'), tabs.state.get().size]).toEqual([[], 0]);
});

test('of very many closed ones the newest are kept, and what a browser sends while a page goes has room for them', () => {
  const long = '漢'.repeat(80);
  for (const window of ['w1', 'w2', 'w3']) {
    const many = Array.from({ length: 50 }, (_, n) => ({ id: `${window}${'x'.repeat(60)}${n}`.slice(-64), titulo: long }));
    tabs.put(window, { app: 'editor', tabs: many, active: null, canAdd: false });
    tabs.drop(window);
  }
  const kept = tabs.takeClosed('editor');
  expect([kept.length, kept[0]?.janela, kept.at(-1)?.janela]).toEqual([100, 2, 3]);
  expect(new TextEncoder().encode(JSON.stringify({ abas: kept })).length).toBeLessThan(60 * 1_024);
});
