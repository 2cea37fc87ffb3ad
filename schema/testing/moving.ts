/** Clocks of tests move between two readings, as real ones do: code that reads the time twice for one answer gets two times here, too. */

/** How much later each reading is than the one before. A power of two, so that sums are exact. */
export const readingMs = 2 ** -10;

/** Reads a time that the test sets. */
export function moving(ofMs: () => number): () => number {
  let readings = 0;
  return () => {
    readings += 1;
    return ofMs() + readings * readingMs;
  };
}
