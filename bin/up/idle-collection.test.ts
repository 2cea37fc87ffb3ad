import { expect, test } from 'vitest';
import { createManualClock } from '../../api/testing/manual-clock.ts';
import { limits } from '../limits.ts';
import { collectAtRest } from './idle-collection.ts';

const mb = 1_024 * 1_024;

/** Whether it collects at each look: of `[load, MB of the process, MB of the heap in use]`. A collection leaves 150 MB. */
function collections(looks: readonly (readonly [number, number, number])[]): readonly boolean[] {
  const clock = createManualClock();
  let [load, rss, heapUsed, collected] = [0, 0, 0, 0];
  const stop = collectAtRest({
    clock,
    load: () => load,
    memory: () => ({ rss, heapUsed }),
    collect: () => {
      collected += 1;
      rss = 150 * mb;
    },
  });
  const found = looks.map(([nextLoad, rssMb, heapMb]) => {
    [load, rss, heapUsed] = [nextLoad, rssMb * mb, heapMb * mb];
    const before = collected;
    clock.advance(limits.restLookMs);
    return collected > before;
  });
  stop();
  clock.advance(10 * limits.restLookMs);
  expect(collected).toBe(found.filter(Boolean).length);
  return found;
}

test.for([
  [
    'once it rests after its start, and after each growth',
    [
      [0.5, 200, 50],
      [0, 200, 50],
      [0, 181, 50],
      [0, 183, 50],
      [0, 150, 50],
    ],
    [false, true, false, true, false],
  ],
  [
    'not while it works',
    [
      [0, 200, 50],
      [0.03, 400, 50],
      [0.029, 400, 50],
    ],
    [true, false, true],
  ],
  [
    'not where a collection would take long',
    [
      [0, 200, 50],
      [0, 400, 128],
      [0, 400, 127],
    ],
    [true, false, true],
  ],
  [
    'by what is there once memory went back by itself',
    [
      [0, 200, 50],
      [0, 140, 50],
      [0, 173, 50],
    ],
    [true, false, true],
  ],
] as const)('the heap is collected %s', ([, looks, expected]) => {
  expect(collections(looks)).toEqual(expected);
});
