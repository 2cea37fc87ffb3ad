/** Where a box goes so that nobody knows it beforehand, and not where the pointer pressed last. Decision: docs/decisions/0381-a-yes-is-no-game.md */

export interface Point {
  readonly x: number;
  readonly y: number;
}
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** So many places are tried; the one whose middle is farthest from the press is taken where all touch it. */
const triesMax = 64;
const edgePx = 8;
/** Half of a finger. */
const clearPx = 24;

/** Its top left corner. `random`: from 0 to 1, as of `Math.random`. */
export function placeAway(box: Size, screen: Size, pressed: Point | null, random: () => number): Point {
  const along = (whole: number, part: number): number => edgePx + random() * Math.max(0, whole - part - 2 * edgePx);
  const places = Array.from({ length: triesMax }, () => ({ x: along(screen.width, box.width), y: along(screen.height, box.height) }));
  if (pressed === null) return places[0]!;
  const touches = ({ x, y }: Point): boolean =>
    pressed.x > x - clearPx && pressed.x < x + box.width + clearPx && pressed.y > y - clearPx && pressed.y < y + box.height + clearPx;
  const far = ({ x, y }: Point): number => Math.hypot(x + box.width / 2 - pressed.x, y + box.height / 2 - pressed.y);
  return places.find((place) => !touches(place)) ?? places.reduce((best, place) => (far(place) > far(best) ? place : best));
}
