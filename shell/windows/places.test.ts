import { describe, expect, test } from 'vitest';
import { loadOpenWindows, saveOpenWindows, storedPlaces } from './places.ts';

function store(initial: Record<string, string> = {}) {
  const map = new Map(Object.entries(initial));
  return { map, getItem: (key: string) => map.get(key) ?? null, setItem: (key: string, value: string) => void map.set(key, value) };
}
const rect = { x: 1, y: 2, width: 500, height: 400 };

describe('places', () => {
  test('are kept by person and app', () => {
    const storage = store();
    storedPlaces(storage, 'ana').save('notas', { rect, mode: 'left' });
    storedPlaces(storage, 'ana').save('relogio', { rect, mode: 'normal' });
    expect(storedPlaces(storage, 'ana').load('notas')).toEqual({ rect, mode: 'left' });
    expect(storedPlaces(storage, 'bia').load('notas')).toBeNull();
  });

  test.for([
    ['not json'],
    ['[]'],
    ['{"notas":{"rect":{"x":1},"mode":"normal"}}'],
    ['{"notas":{"rect":{"x":1,"y":2,"width":5,"height":5},"mode":"sideways"}}'],
    ['{"notas":null}'],
  ] as const)('%s counts as nothing remembered', ([text]) => {
    expect(storedPlaces(store({ 'svc.places.ana': text }), 'ana').load('notas')).toBeNull();
  });

  test('a storage that refuses costs the memory only', () => {
    const full = {
      getItem: () => null,
      setItem: () => {
        throw new Error('QuotaExceededError');
      },
    };
    expect(() => storedPlaces(full, 'ana').save('notas', { rect, mode: 'normal' })).not.toThrow();
  });
});

describe('open windows', () => {
  const state = (app: string, z: number) => ({
    id: `w${z}`,
    app,
    z,
    rect,
    mode: 'normal' as const,
    minimised: false,
    route: '',
    options: {} as never,
    nth: z,
  });

  test('come back lowest first', () => {
    const storage = store();
    saveOpenWindows(storage, 'ana', [state('notas', 7), state('relogio', 3)]);
    expect(loadOpenWindows(storage, 'ana').map(({ app }) => app)).toEqual(['relogio', 'notas']);
    expect(loadOpenWindows(storage, 'ana').map(({ nth }) => nth)).toEqual([3, 7]);
  });

  test('what no page heard yet comes back with its window', () => {
    const storage = store();
    const waiting = [{ caminho: '/a.svg', nome: 'a.svg' }];
    saveOpenWindows(storage, 'ana', [state('notas', 1), state('relogio', 2)], (id) => (id === 'w2' ? waiting : []));
    expect(loadOpenWindows(storage, 'ana').map(({ openings }) => openings)).toEqual([undefined, waiting]);
    const odd = JSON.stringify([{ app: 'notas', rect, mode: 'normal', minimised: false, route: '', openings: ['x'] }]);
    expect(loadOpenWindows(store({ 'svc.open.ana': odd }), 'ana')).toEqual([]);
  });

  test('odd entries are left out, good ones stay', () => {
    const good = { app: 'notas', rect, mode: 'normal', minimised: false, route: '' };
    const text = JSON.stringify([good, { ...good, rect: null }, 3, { ...good, route: 5 }]);
    expect(loadOpenWindows(store({ 'svc.open.ana': text }), 'ana')).toEqual([good]);
  });
});
