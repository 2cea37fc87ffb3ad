/** How long ago a wall time was. One that lies ahead was written down before the clock was set back: nobody knows how long ago, so long ago. */
export const ageMs = (nowMs: number, atMs: number): number => (nowMs < atMs ? Number.POSITIVE_INFINITY : nowMs - atMs);
