/** Where an arrow key leads in tiles that flow over several rows and groups: to the nearest tile of the next row. Pure. */

export interface Tile {
  readonly left: number;
  readonly top: number;
}

/** Tiles are in reading order. Null when the key leads nowhere, so that the caller may leave the grid. */
export function nextTile(tiles: readonly Tile[], at: number, key: string): number | null {
  const from = tiles[at];
  if (tiles.length === 0 || from === undefined) return null;
  if (key === 'Home') return 0;
  if (key === 'End') return tiles.length - 1;
  if (key === 'ArrowRight') return at + 1 < tiles.length ? at + 1 : null;
  if (key === 'ArrowLeft') return at > 0 ? at - 1 : null;
  if (key !== 'ArrowDown' && key !== 'ArrowUp') return null;
  const beyond = tiles.map(({ top }) => top).filter((top) => (key === 'ArrowDown' ? top > from.top : top < from.top));
  if (beyond.length === 0) return null;
  const row = key === 'ArrowDown' ? Math.min(...beyond) : Math.max(...beyond);
  const inRow = tiles.map((tile, index) => ({ index, tile })).filter(({ tile }) => tile.top === row);
  return inRow.reduce((best, next) => (Math.abs(next.tile.left - from.left) < Math.abs(best.tile.left - from.left) ? next : best)).index;
}
