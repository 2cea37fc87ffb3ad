/**
 * Milliseconds since a wall time. A time in the future was written before the clock was set back: its age is unknown and counts as very
 * large.
 */
export const ageMs = (nowMs: number, atMs: number): number => (nowMs < atMs ? Number.POSITIVE_INFINITY : nowMs - atMs);
