/**
 * Counts events per key in constant memory: a few rows of cells, each key in one cell of every row; the emptiest of its cells counts. Keys
 * that share a cell can only be throttled too early, never too late. A cell holds the time at which it will be empty. Which keys share
 * cells can't be predicted: the hash has a secret key.
 * Source: G. Cormode, S. Muthukrishnan, An improved data stream summary (2005); ITU-T I.371, virtual scheduling.
 */
import { hash, randomBytes } from 'node:crypto';
import type { Clock } from '../../schema/clock.ts';

export interface LeakyCells {
  /** Milliseconds until one more fits; 0 when it fits now. */
  waitMs(key: string): number;
  /** How many are in it now, rounded up. */
  level(key: string): number;
  add(key: string): void;
  /** As `waitMs`, and added when it fits now. */
  take(key: string): number;
  /** Takes one back that was added a moment ago. */
  takeBack(key: string): void;
}

export interface LeakyOptions {
  /** So many fit at once. */
  readonly burst: number;
  /** After so long one more fits. */
  readonly refillMs: number;
}

const rows = 3;
const cellsPerRow = 4_096;
/** Who asks often is hashed once: the cells of so many keys are remembered, of no more letters than this, and all are forgotten when there is no room. */
const rememberedMax = 1_024;
const rememberedCharsMax = 256;

export function createLeakyCells(clock: Clock, { burst, refillMs }: LeakyOptions): LeakyCells {
  const cells = new Float64Array(rows * cellsPerRow);
  const secret = randomBytes(32).toString('base64');
  const remembered = new Map<string, readonly number[]>();
  const cellsOf = (key: string): readonly number[] => {
    const known = remembered.get(key);
    if (known !== undefined) return known;
    const digest = hash('sha256', secret + key, 'buffer');
    const own = Array.from({ length: rows }, (_, row) => row * cellsPerRow + (digest.readUInt32LE(row * 4) % cellsPerRow));
    if (key.length > rememberedCharsMax) return own;
    if (remembered.size >= rememberedMax) remembered.clear();
    remembered.set(key, own);
    return own;
  };
  const filledMs = (own: readonly number[]): number => {
    const nowMs = clock.monotonicMs();
    return Math.max(0, Math.min(...own.map((cell) => cells[cell] ?? 0)) - nowMs);
  };
  const fill = (own: readonly number[]): void => {
    const untilMs = clock.monotonicMs() + filledMs(own) + refillMs;
    for (const cell of own) cells[cell] = Math.max(cells[cell] ?? 0, untilMs);
  };
  return {
    waitMs: (key) => Math.max(0, filledMs(cellsOf(key)) - (burst - 1) * refillMs),
    take: (key) => {
      const own = cellsOf(key);
      const waitMs = Math.max(0, filledMs(own) - (burst - 1) * refillMs);
      if (waitMs === 0) fill(own);
      return waitMs;
    },
    level: (key) => Math.ceil(filledMs(cellsOf(key)) / refillMs),
    add: (key) => fill(cellsOf(key)),
    takeBack: (key) => {
      const own = cellsOf(key);
      const untilMs = clock.monotonicMs() + filledMs(own);
      // What other keys added to a cell stays in it.
      for (const cell of own) if ((cells[cell] ?? 0) <= untilMs) cells[cell] = untilMs - refillMs;
    },
  };
}
