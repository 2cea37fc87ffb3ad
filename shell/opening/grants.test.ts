import { expect, test } from 'vitest';
import { createGrants, grantsPerAppMax } from './grants.ts';

const createShop = () => {
  const kept = new Map<string, string>();
  return {
    kept,
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  };
};

test('a file that was given is reached by that app alone, under whatever spelling of its path, and nothing beside it', () => {
  const grants = createGrants(createShop(), 'ana');
  grants.allow('traco', '/home/ana/a.svg', false);
  expect(grants.covers('traco', '/home/ana/a.svg')).toBe(true);
  expect(grants.covers('traco', '/home/ana/%61.svg')).toBe(true);
  expect(grants.covers('notas', '/home/ana/a.svg')).toBe(false);
  for (const path of ['/home/ana', '/home/ana/b.svg', '/home/ana/a.svg/x', '/home/ana/a.svgx', '/', '', 'a.svg', '~/a.svg'])
    expect([path, grants.covers('traco', path)]).toEqual([path, false]);
});

test('of a folder all that is in it is reached, and nothing by a way out of it', () => {
  const grants = createGrants(createShop(), 'ana');
  grants.allow('traco', '/home/ana/fotos', true);
  grants.allow('traco', '~/Desktop', true);
  for (const path of ['/home/ana/fotos', '/home/ana/fotos/a/b.png', '~/Desktop/x'])
    expect([path, grants.covers('traco', path)]).toEqual([path, true]);
  const outside = [
    '/home/ana/fotos2/a',
    '/home/ana/fotos/../b',
    '/home/ana/fotos/%2e%2e/b',
    '/home/ana/fotos/a%2F..%2F..%2Fb',
    '/home/ana/fotos//b',
    '/home/ana/fotos/%',
    '~/Desktop/../b',
    '~ana/Desktop/x',
    '/Desktop/x',
  ];
  for (const path of outside) expect([path, grants.covers('traco', path)]).toEqual([path, false]);
});

test('where the next choice begins: the folder of what was given last', () => {
  const grants = createGrants(createShop(), 'ana');
  expect(grants.lastPlace('traco')).toBeNull();
  grants.allow('traco', '/home/ana/a/b.svg', false);
  expect(grants.lastPlace('traco')).toBe('/home/ana/a');
  grants.allow('traco', '~/Desktop', true);
  expect([grants.lastPlace('traco'), grants.lastPlace('notas')]).toEqual(['~/Desktop', null]);
});

test('a reload of the page loses none; what is stored is not trusted, and another person has none', () => {
  const shop = createShop();
  createGrants(shop, 'ana').allow('traco', '/a b', false);
  expect(createGrants(shop, 'ana').covers('traco', '/a b')).toBe(true);
  expect(createGrants(shop, 'bia').covers('traco', '/a b')).toBe(false);
  const grants = createGrants(shop, 'ana');
  grants.allow('notas', '/a b', false);
  grants.drop('notas');
  expect([grants.covers('notas', '/a b'), createGrants(shop, 'ana').covers('notas', '/a b'), grants.covers('traco', '/a b')]).toEqual([
    false,
    false,
    true,
  ]);
  for (const stored of ['{', 'null', '{"path":"/x"}', '[1, null, {"path":"/a/../x","isFolder":true}, {"path":"/","isFolder":"yes"}]']) {
    shop.kept.set('svc.given.ana.outro', stored);
    expect(createGrants(shop, 'ana').covers('outro', '/x')).toBe(false);
  }
});

test('so many are kept, the last ones; without a storage they are kept as long as the page', () => {
  const setItem = (): never => {
    throw new Error('full');
  };
  const grants = createGrants({ getItem: () => null, setItem, removeItem: () => undefined }, 'ana');
  for (let n = 0; n <= grantsPerAppMax; n += 1) grants.allow('traco', `/f${n}`, false);
  expect(grants.covers('traco', '/f0')).toBe(false);
  expect(grants.covers('traco', '/f1')).toBe(true);
});
