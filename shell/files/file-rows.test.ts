import { describe, expect, test } from 'vitest';
import { coveredBy, gridOf, heightOf, inSight, placeOf, slots } from './file-rows.ts';

const icons = gridOf(470, { width: 112, height: 100 });
const list = gridOf(600, { height: 36 });

describe('a grid of entries', () => {
  test('as many columns as fit, over the whole width', () => {
    expect(icons).toEqual({ columns: 4, cellWidth: 117.5, cellHeight: 100 });
    expect(gridOf(50, { width: 112, height: 100 }).columns).toBe(1);
    expect(heightOf(9, icons)).toBe(300);
    expect(placeOf(6, icons)).toEqual({ x: 235, y: 100 });
    expect(placeOf(6, list)).toEqual({ x: 0, y: 216 });
  });

  test('in sight is what the box shows and some rows around, never more than there is', () => {
    expect(inSight(3_600, 360, 100_000, list, 5)).toEqual([95, 115]);
    expect(inSight(0, 360, 7, list, 5)).toEqual([0, 7]);
    expect(inSight(0, 360, 0, list, 5)).toEqual([0, 0]);
    expect(inSight(10_000, 360, 20, list, 5)[1]).toBe(20);
  });

  test('one that stays in sight keeps its element', () => {
    const before = slots(95, 115);
    const after = slots(96, 116);
    const moved = before.filter((index, at) => index !== after[at]);
    expect(moved).toEqual([95]);
    expect([...slots(3, 10)].toSorted((a, b) => Number(a) - Number(b))).toEqual([3, 4, 5, 6, 7, 8, 9]);
  });

  test('a rectangle covers what it touches', () => {
    expect(coveredBy({ left: 100, top: 50, right: 240, bottom: 110 }, 9, icons)).toEqual([0, 1, 2, 4, 5, 6]);
    expect(coveredBy({ left: 0, top: 250, right: 470, bottom: 900 }, 9, icons)).toEqual([8]);
  });
});
