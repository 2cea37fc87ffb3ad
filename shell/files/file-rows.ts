/** Geometry of many entries of one size: which are in sight, where each stands, what a rectangle covers. Pure; sizes in px. */

export interface Grid {
  readonly columns: number;
  readonly cellWidth: number;
  readonly cellHeight: number;
}

/** A list is a grid of one column. */
export function gridOf(width: number, cell: { readonly width: number; readonly height: number } | { readonly height: number }): Grid {
  if (!('width' in cell)) return { columns: 1, cellWidth: width, cellHeight: cell.height };
  const columns = Math.max(1, Math.floor(width / cell.width));
  return { columns, cellWidth: width / columns, cellHeight: cell.height };
}

export const heightOf = (total: number, { columns, cellHeight }: Grid): number => Math.ceil(total / columns) * cellHeight;

export const placeOf = (index: number, { columns, cellWidth, cellHeight }: Grid): { readonly x: number; readonly y: number } => ({
  x: (index % columns) * cellWidth,
  y: Math.floor(index / columns) * cellHeight,
});

/** From the first to behind the last one in sight, and some rows around. */
export function inSight(
  top: number,
  height: number,
  total: number,
  { columns, cellHeight }: Grid,
  around: number,
): readonly [number, number] {
  const first = Math.max(0, Math.floor(top / cellHeight) - around) * columns;
  const last = (Math.ceil((top + height) / cellHeight) + around) * columns;
  return [Math.min(first, Math.max(0, total - 1)), Math.min(total, last)];
}

/**
 * An element of a pool for each entry in sight; one that stays in sight keeps its element, so that scrolling draws only what is new.
 * Undefined: that element shows none.
 */
export function slots(from: number, to: number): readonly (number | undefined)[] {
  const size = to - from;
  const all: (number | undefined)[] = Array.from({ length: size });
  for (let index = from; index < to; index += 1) all[index % size] = index;
  return all;
}

export interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** Indexes of the entries that the rectangle touches, in order. */
export function coveredBy({ left, top, right, bottom }: Box, total: number, { columns, cellWidth, cellHeight }: Grid): readonly number[] {
  const covered: number[] = [];
  const lastRow = Math.min(Math.ceil(total / columns) - 1, Math.floor(bottom / cellHeight));
  for (let row = Math.max(0, Math.floor(top / cellHeight)); row <= lastRow; row += 1) {
    for (let column = 0; column < columns; column += 1) {
      const index = row * columns + column;
      const x = column * cellWidth;
      if (index < total && x < right && x + cellWidth > left) covered.push(index);
    }
  }
  return covered;
}
