import { setTimeout as pause } from 'node:timers/promises';

/** Bound of what follows an act of a person at once: a machine that does much else takes its time. */
export const soonMs = 10_000;

/** Looks until there is something, and resolves to it; the message says what was waited for. */
export async function until<T>(
  what: string,
  look: () => Promise<T | null | undefined | false> | T | null | undefined | false,
  msMax = 90_000,
  everyMs = 50,
): Promise<T> {
  const endMs = performance.now() + msMax;
  for (;;) {
    const found = await look();
    if (found !== null && found !== undefined && found !== false) return found;
    if (performance.now() > endMs) throw new Error(`${what}: not within ${msMax} ms`);
    await pause(everyMs);
  }
}
