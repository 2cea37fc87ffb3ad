import { assert, integer, property } from 'fast-check';
import { expect, test } from 'vitest';
import { placeAway } from './place-away.ts';

/** From 0 to 1, the same for the same seed. */
function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

test.for([
  [320, 568],
  [320, 640],
  [1_280, 800],
] as const)('on %i × %i px the box is on the screen and not under the press, wherever that was', ([width, height]) => {
  const box = { width: 272, height: 258 };
  assert(
    property(integer({ min: 0, max: width }), integer({ min: 0, max: height }), integer(), (x, y, seed) => {
      const at = placeAway(box, { width, height }, { x, y }, seeded(seed));
      const [right, bottom] = [at.x + box.width, at.y + box.height];
      expect({ left: at.x >= 8, top: at.y >= 8, right: right <= width - 8, bottom: bottom <= height - 8 }).toEqual({
        left: true,
        top: true,
        right: true,
        bottom: true,
      });
      expect(x < at.x || x > right || y < at.y || y > bottom).toBe(true);
    }),
  );
});
