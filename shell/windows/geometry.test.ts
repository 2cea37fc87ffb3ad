import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  birthplace,
  carriedOver,
  coversArea,
  fitted,
  handles,
  keepReachable,
  leastSize,
  moved,
  type Rect,
  resized,
  shown,
  snapTarget,
  tornOff,
  whole,
  broughtIn,
} from './geometry.ts';

const area = { width: 1280, height: 744 };
const rect: Rect = { x: 100, y: 80, width: 600, height: 400 };

describe('least size', () => {
  test.for([
    [{}, 400, 300],
    [{ width: 500 }, 500, 300],
    [{ height: 900 }, 400, 744],
    [{ width: 200, height: 100 }, 400, 300],
  ] as const)('%o on a 1280×744 area is %i×%i', ([asked, width, height]) => {
    expect(leastSize(asked, area)).toEqual({ width, height });
  });

  test('yields to a screen smaller than the floor', () => {
    expect(leastSize({}, { width: 320, height: 280 })).toEqual({ width: 320, height: 280 });
  });
});

describe('resizing', () => {
  test.for([
    ['e', 50, 0, { ...rect, width: 650 }],
    ['w', 50, 0, { ...rect, x: 150, width: 550 }],
    ['s', 0, 30, { ...rect, height: 430 }],
    ['n', 0, 30, { ...rect, y: 110, height: 370 }],
    ['nw', -20, -10, { x: 80, y: 70, width: 620, height: 410 }],
    ['se', 10, 10, { ...rect, width: 610, height: 410 }],
  ] as const)('by %s', ([handle, dx, dy, expected]) => {
    expect(resized(rect, handle, dx, dy, { width: 400, height: 300 }, area)).toEqual(expected);
  });

  test('stops at the least size and keeps the opposite side where it is', () => {
    const small = resized(rect, 'nw', 5_000, 5_000, { width: 400, height: 300 }, area);
    expect(small).toEqual({ x: 300, y: 180, width: 400, height: 300 });
  });

  test('stops at the edges of the area', () => {
    const large = resized(rect, 'se', 5_000, 5_000, { width: 400, height: 300 }, area);
    expect(large.x + large.width).toBe(1280);
    expect(large.y + large.height).toBe(744);
  });
});

describe('birthplace', () => {
  test('centred is in the middle', () => {
    expect(birthplace({ width: 600, height: 400 }, { width: 400, height: 300 }, 'centrada', 0, area)).toEqual({
      x: 340,
      y: 172,
      width: 600,
      height: 400,
    });
  });

  test('a cascade never hides the title of the window before', () => {
    const places = [0, 1, 2].map((nth) => birthplace({ width: 600, height: 400 }, { width: 400, height: 300 }, 'cascata', nth, area));
    expect(places[1]!.x - places[0]!.x).toBe(32);
    expect(places[2]!.y - places[1]!.y).toBe(32);
  });

  test('what asks for more than the screen gets what the screen has', () => {
    const born = birthplace({ width: 10_000, height: 10_000 }, { width: 400, height: 300 }, 'cascata', 3, area);
    expect(born.x + born.width).toBeLessThanOrEqual(area.width);
    expect(born.y + born.height).toBeLessThanOrEqual(area.height);
  });
});

describe('on screen', () => {
  test('under 600 px a window fills the area, whatever its mode', () => {
    expect(shown(rect, 'normal', { width: 599, height: 500 })).toEqual({ x: 0, y: 0, width: 599, height: 500 });
    expect(shown(rect, 'normal', { width: 600, height: 500 })).toEqual(rect);
    // A phone on its side.
    expect(shown(rect, 'normal', { width: 844, height: 290 })).toEqual({ x: 0, y: 0, width: 844, height: 290 });
  });

  test('the halves share the width without a gap', () => {
    const odd = { width: 1281, height: 700 };
    const left = shown(rect, 'left', odd);
    const right = shown(rect, 'right', odd);
    expect(left.width + right.width).toBe(1281);
    expect(right.x).toBe(left.width);
  });

  test.for([
    [640, 3, 'maximised'],
    [4, 300, 'left'],
    [1278, 300, 'right'],
    [640, 300, null],
  ] as const)('dropped at %i,%i it becomes %s', ([x, y, mode]) => {
    expect(snapTarget(x, y, area)).toBe(mode);
  });

  test('a maximised window torn off is under the pointer', () => {
    const torn = tornOff(rect, 640, 12, area);
    expect(torn.x).toBeLessThan(640);
    expect(torn.x + torn.width).toBeGreaterThan(640);
  });
});

describe('whatever happens', () => {
  const size = fc.record({ width: fc.integer({ min: 320, max: 4_000 }), height: fc.integer({ min: 300, max: 3_000 }) });
  const anyRect = fc.record({
    x: fc.integer({ min: -9_000, max: 9_000 }),
    y: fc.integer({ min: -9_000, max: 9_000 }),
    width: fc.integer({ min: 1, max: 9_000 }),
    height: fc.integer({ min: 1, max: 9_000 }),
  });
  const distance = fc.integer({ min: -5_000, max: 5_000 });

  /** Enough of the title bar is inside. */
  const graspable = (window: Rect, space: { width: number; height: number }): boolean => {
    const seen = Math.min(window.x + window.width, space.width) - Math.max(window.x, 0);
    return seen >= Math.min(120, window.width, space.width) && window.y >= 0 && window.y <= Math.max(space.height - 40, 0);
  };
  /** Sides that a handle must leave alone: left, top, right, bottom. */
  const fixedSides = (handle: string, { x, y, width, height }: Rect): readonly (number | null)[] => [
    handle.includes('w') ? null : x,
    handle.includes('n') ? null : y,
    handle.includes('e') ? null : x + width,
    handle.includes('s') ? null : y + height,
  ];

  test('the title bar can be taken after a move', () => {
    fc.assert(
      fc.property(anyRect, distance, distance, size, (from, dx, dy, space) => {
        expect(graspable(moved(from, dx, dy, space), space)).toBe(true);
      }),
    );
  });

  test('a remembered rectangle fits any other screen', () => {
    fc.assert(
      fc.property(anyRect, size, (from, space) => {
        const least = leastSize({}, space);
        const fit = fitted(from, least, space);
        expect(graspable(fit, space)).toBe(true);
        expect(fit.width).toBeGreaterThanOrEqual(least.width);
        expect(fit.width).toBeLessThanOrEqual(space.width);
        expect(fit.height).toBeLessThanOrEqual(Math.max(space.height, least.height));
      }),
    );
  });

  test('resizing keeps the least size and the sides that are not dragged', () => {
    fc.assert(
      fc.property(anyRect, fc.constantFrom(...handles), distance, distance, size, (from, handle, dx, dy, space) => {
        const least = leastSize({}, space);
        const start = keepReachable(fitted(from, least, space), space);
        const end = resized(start, handle, dx, dy, least, space);
        expect(end.width).toBeGreaterThanOrEqual(least.width);
        expect(end.height).toBeGreaterThanOrEqual(least.height);
        expect(end.y).toBeGreaterThanOrEqual(0);
        expect(fixedSides(handle, end)).toEqual(fixedSides(handle, start));
      }),
    );
  });
});

test.for([
  [[], 1280, false],
  [['normal', 'normal'], 1280, false],
  [['normal', 'maximised'], 1280, true],
  [['left'], 1280, false],
  [['left', 'normal', 'right'], 1280, true],
  [['normal'], 320, true],
  [[], 320, false],
] as const)('windows %o on %i px cover the desktop: %s', ([modes, width, covers]) => {
  expect(coversArea(modes, { width, height: 744 })).toBe(covers);
});

describe('a usable area that becomes smaller', () => {
  const least = { width: 400, height: 300 };
  const before = { width: 1_280, height: 740 };
  const now = { width: 700, height: 440 };

  test('what was whole in sight is so again, at its size where it fits, else at the size of the area', () => {
    expect(carriedOver({ x: 800, y: 300, width: 480, height: 400 }, least, before, now)).toEqual({
      x: 220,
      y: 40,
      width: 480,
      height: 400,
    });
    expect(carriedOver({ x: 100, y: 20, width: 1_000, height: 700 }, least, before, now)).toEqual({ x: 0, y: 0, width: 700, height: 440 });
  });

  test('what was pushed over an edge stays there, with its bar in reach', () => {
    const { x, y } = carriedOver({ x: 1_000, y: 100, width: 480, height: 400 }, least, before, now);
    expect([x, y]).toEqual([now.width - 120, 100]);
    expect(carriedOver({ x: -300, y: 100, width: 480, height: 300 }, least, before, now)).toMatchObject({ x: -300, y: 100 });
  });

  test('nothing moves that is in sight', () => {
    const rect = { x: 10, y: 10, width: 400, height: 300 };
    expect(whole(rect, now)).toEqual(rect);
    expect(carriedOver(rect, least, before, now)).toEqual(rect);
  });
});

test.for([
  ['beyond the right edge', { x: 900, y: 100 }, { x: 1_100, y: 110, width: 30, height: 20 }, { x: 770, y: 100 }],
  ['below', { x: 100, y: 700 }, { x: 120, y: 900, width: 30, height: 20 }, { x: 100, y: 580 }],
  ['beyond the left edge', { x: -300, y: 0 }, { x: -290, y: 10, width: 30, height: 20 }, { x: -10, y: 0 }],
  ['in sight by a corner', { x: 900, y: 100 }, { x: 990, y: 790, width: 30, height: 20 }, { x: 900, y: 100 }],
  ['wider than the screen', { x: 1_000, y: 0 }, { x: 1_000, y: 10, width: 2_000, height: 20 }, { x: 0, y: 0 }],
] as const)('a part that has the keyboard is brought in: %s', ([, at, part, to]) => {
  const size = { width: 500, height: 300 };
  expect(broughtIn({ ...at, ...size }, part, { width: 1_000, height: 800 })).toEqual({ ...to, ...size });
});
