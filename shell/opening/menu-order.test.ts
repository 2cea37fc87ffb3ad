import { describe, expect, test } from 'vitest';
import { createRandom } from '../../test/simulation/random.ts';
import { appItemsInPlaceMax, arrange, itemsOn, type AppItem } from './menu-order.ts';
import { opener, rounds } from './testing/openers.ts';

const item = (id: string, more: Partial<AppItem> = {}): AppItem => ({
  id,
  app: 'a',
  superficie: 'arquivo',
  rotulo: id.toUpperCase(),
  ordem: 100,
  extensoes: null,
  rota: null,
  ...more,
});

describe('what apps add on a surface', () => {
  const apps = [
    opener('b', { menu: [item('sempre'), item('so-svg', { extensoes: ['SVG'] }), item('pasta', { superficie: 'pasta' })] }),
    opener('a', {
      menu: [item('composta', { extensoes: ['.tar.gz'], ordem: 5 }), item('salto', { superficie: 'icone-do-app', rota: 'nova' })],
    }),
    opener('c', { menu: [item('salto', { superficie: 'icone-do-app', rota: 'x' }), item('fundo', { superficie: 'area-de-trabalho' })] }),
  ];
  test.for([
    ['arquivo', { nome: 'a.svg' }, ['b/sempre', 'b/so-svg']],
    ['arquivo', { nome: 'a.TAR.GZ' }, ['a/composta', 'b/sempre']],
    ['arquivo', { nome: 'svg' }, ['b/sempre']],
    ['arquivo', {}, ['b/sempre']],
    ['pasta', { nome: 'x.svg' }, ['b/pasta']],
    ['area-de-trabalho', {}, ['c/fundo']],
    ['icone-do-app', { app: 'c' }, ['c/salto']],
    ['icone-do-app', { app: 'z' }, []],
  ] as const)('%s of %o', ([surface, of, ids]) => {
    expect(itemsOn(surface, apps, of).map(({ app, id }) => `${app}/${id}`)).toEqual(ids);
  });
});

describe('one order', () => {
  test('of `ordem`, then of ids, the desktop before apps and apps by id', () => {
    const own = [
      { id: 'abrir', ordem: 10 },
      { id: 'imprimir', ordem: 80 },
      { id: 'm', ordem: 60 },
    ];
    const items = [
      item('z', { ordem: 10 }),
      item('aa', { ordem: 10 }),
      item('m', { ordem: 60, app: 'b' }),
      item('m', { ordem: 60, app: 'a' }),
      item('fim'),
    ];
    expect(arrange(own, items).inPlace.map((entry) => `${'app' in entry ? `${entry.app}/` : ''}${entry.id}`)).toEqual([
      'a/aa',
      'abrir',
      'a/z',
      'm',
      'a/m',
      'b/m',
      'imprimir',
      'a/fim',
    ]);
  });

  test(`${rounds(500)} drawn menus: nothing is lost or doubled, all is in order, and no more than so many of apps stand in place`, () => {
    for (let seed = 1; seed <= rounds(500); seed += 1) {
      const random = createRandom(seed);
      const own = [10, 15, 20, 60].slice(0, random.int(0, 4)).map((ordem) => ({ id: `own-${ordem}`, ordem }));
      const items = Array.from({ length: random.int(0, 24) }, (_each, n) =>
        item(`i${random.int(0, 5)}`, { app: `app-${n}`, ordem: random.pick([0, 10, 15, 60, 999]) }),
      );
      const { inPlace, more } = arrange(own, items);
      const placed = inPlace.filter((entry): entry is AppItem => 'app' in entry);
      const key = (entry: { readonly id: string; readonly ordem: number; readonly app?: string }): string =>
        [String(entry.ordem).padStart(4, '0'), entry.id, entry.app ?? ''].join(' ');
      expect(inPlace.map(key)).toEqual(inPlace.map(key).toSorted());
      expect([...placed, ...more].map(key)).toEqual(items.map(key).toSorted());
      expect(inPlace.length - placed.length).toBe(own.length);
      expect(placed.length).toBe(Math.min(items.length, appItemsInPlaceMax));
    }
  });
});
