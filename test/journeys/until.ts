import { setTimeout as pause } from 'node:timers/promises';

/** Looks until there is something, and resolves to it; the message says what was waited for. */
export async function until<T>(
  what: string,
  look: () => Promise<T | null | undefined | false> | T | null | undefined | false,
  msMax = 30_000,
): Promise<T> {
  const endMs = performance.now() + msMax;
  for (;;) {
    const found = await look();
    if (found !== null && found !== undefined && found !== false) return found;
    if (performance.now() > endMs) throw new Error(`${what}: not within ${msMax} ms`);
    await pause(50);
  }
}
