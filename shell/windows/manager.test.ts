import { beforeEach, describe, expect, test } from 'vitest';
import { createWindowManager, type Place, type Places, type WindowManager } from './manager.ts';
import type { WindowOptions } from './options.ts';

const options: WindowOptions = {
  title: 'Notas',
  size: { width: 600, height: 400 },
  least: {},
  position: 'cascata',
  manyWindows: true,
  header: 'ambiente',
  icon: null,
  tabs: false,
  noDrag: [],
};

function memory(): Places & { readonly all: Map<string, Place> } {
  const all = new Map<string, Place>();
  return { all, load: (app) => all.get(app) ?? null, save: (app, place) => void all.set(app, place) };
}

let places: ReturnType<typeof memory>;
let manager: WindowManager;

beforeEach(() => {
  places = memory();
  manager = createWindowManager({ width: 1280, height: 744 }, places);
});

describe('what is above what', () => {
  test('the window opened last is on top', () => {
    manager.open('notas', options);
    const second = manager.open('relogio', options);
    expect(manager.top()?.id).toBe(second.id);
  });

  test('raising changes z only: an iframe that moves in the document would load again', () => {
    const first = manager.open('notas', options);
    const second = manager.open('relogio', options);
    manager.focus(first.id);
    expect(manager.top()?.id).toBe(first.id);
    expect(manager.windows.get().map(({ id }) => id)).toEqual([first.id, second.id]);
  });

  test('raising the top window changes nothing', () => {
    const only = manager.open('notas', options);
    const before = manager.windows.get();
    manager.focus(only.id);
    expect(manager.windows.get()).toBe(before);
  });

  test('a minimised window is not on top and comes back by focus', () => {
    const first = manager.open('notas', options);
    const second = manager.open('relogio', options);
    manager.minimise(second.id);
    expect(manager.top()?.id).toBe(first.id);
    manager.focus(second.id);
    expect(manager.top()?.id).toBe(second.id);
    expect(manager.find(second.id)?.minimised).toBe(false);
  });

  test('switching goes round in order of opening, also when all are minimised', () => {
    const [a, b, c] = ['a', 'b', 'c'].map((app) => manager.open(app, options).id);
    expect(manager.neighbour(1)?.id).toBe(a);
    expect(manager.neighbour(-1)?.id).toBe(b);
    for (const id of [a!, b!, c!]) manager.minimise(id);
    expect(manager.neighbour(1)?.id).toBe(a);
    expect(manager.neighbour(-1)?.id).toBe(c);
  });
});

describe('places', () => {
  test('a window is born where its app stood last', () => {
    const first = manager.open('notas', options);
    manager.place(first.id, { x: 40, y: 50, width: 700, height: 500 });
    manager.close(first.id);
    expect(manager.open('notas', options).rect).toEqual({ x: 40, y: 50, width: 700, height: 500 });
  });

  test('a second window of the same app does not hide the first', () => {
    const first = manager.open('notas', options);
    manager.place(first.id, { x: 40, y: 50, width: 700, height: 500 });
    expect(manager.open('notas', options).rect).toMatchObject({ x: 72, y: 82 });
  });

  test('maximised is remembered with the rectangle to come back to', () => {
    const first = manager.open('notas', options);
    const { rect } = first;
    manager.toggleMaximised(first.id);
    expect(places.all.get('notas')).toEqual({ rect, mode: 'maximised' });
    expect(manager.shown(manager.find(first.id)!)).toEqual({ x: 0, y: 0, width: 1280, height: 744 });
    manager.toggleMaximised(first.id);
    expect(manager.shown(manager.find(first.id)!)).toEqual(rect);
  });

  test('a small screen remembers nothing and loses nothing', () => {
    const first = manager.open('notas', options);
    const { rect } = first;
    manager.area.set({ width: 320, height: 500 });
    manager.close(first.id);
    expect(places.all.size).toBe(0);
    manager.area.set({ width: 1280, height: 744 });
    expect(manager.open('notas', options).rect.width).toBe(rect.width);
  });

  test('a shrinking screen pulls windows back into reach', () => {
    const first = manager.open('notas', options);
    manager.place(first.id, { x: 1_100, y: 600, width: 600, height: 400 });
    manager.area.set({ width: 800, height: 500 });
    const { rect } = manager.find(first.id)!;
    expect(rect.x).toBeLessThanOrEqual(680);
    expect(rect.y).toBeLessThanOrEqual(460);
  });

  test('while a keyboard on the screen has a part of it, windows are in what is left, and afterwards where they were', () => {
    const first = manager.open('notas', options);
    const rect = { x: 100, y: 300, width: 600, height: 440 };
    manager.place(first.id, rect);
    manager.lend({ width: 1_280, height: 400 });
    expect(manager.shown(manager.find(first.id)!)).toEqual({ x: 100, y: 0, width: 600, height: 400 });
    expect(manager.find(first.id)!.rect).toEqual(rect);
    manager.area.set({ width: 1_280, height: 744 });
    expect(manager.shown(manager.find(first.id)!)).toEqual(rect);
    manager.setMode(first.id, 'maximised');
    manager.lend({ width: 1_280, height: 400 });
    expect(manager.shown(manager.find(first.id)!)).toEqual({ x: 0, y: 0, width: 1_280, height: 400 });
  });

  test('moving a maximised window by keyboard starts from where it is seen', () => {
    const first = manager.open('notas', options);
    manager.setMode(first.id, 'left');
    manager.resize(first.id, 'se', -40, -40);
    expect(manager.find(first.id)).toMatchObject({ mode: 'normal', rect: { x: 0, y: 0, width: 600, height: 704 } });
  });
});

test('a request for a window that is gone does nothing', () => {
  const before = manager.windows.get();
  manager.focus('w9');
  manager.move('w9', 1, 1);
  manager.place('w9', { x: 0, y: 0, width: 1, height: 1 });
  expect(manager.windows.get()).toBe(before);
});
