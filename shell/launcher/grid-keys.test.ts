import { expect, test } from 'vitest';
import { nextTile, type Tile } from './grid-keys.ts';

// Two groups: three tiles and one in the second row of the first, two in the second group.
const tiles: readonly Tile[] = [
  { left: 0, top: 0 },
  { left: 100, top: 0 },
  { left: 200, top: 0 },
  { left: 0, top: 120 },
  { left: 0, top: 300 },
  { left: 100, top: 300 },
];

test.for([
  [0, 'ArrowRight', 1],
  [2, 'ArrowRight', 3],
  [5, 'ArrowRight', null],
  [0, 'ArrowLeft', null],
  [3, 'ArrowLeft', 2],
  [1, 'ArrowDown', 3],
  [2, 'ArrowDown', 3],
  [3, 'ArrowDown', 4],
  [5, 'ArrowDown', null],
  [5, 'ArrowUp', 3],
  [3, 'ArrowUp', 0],
  [1, 'ArrowUp', null],
  [4, 'Home', 0],
  [1, 'End', 5],
  [1, 'a', null],
  [9, 'ArrowUp', null],
] as const)('from %i, %s leads to %s', ([at, key, expected]) => {
  expect(nextTile(tiles, at, key)).toBe(expected);
});
