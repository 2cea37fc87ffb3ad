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
/**
 * Frequent keys are hashed once: the cells of so many keys are remembered, each of at most so many characters, and all are forgotten when there is
 * no room.
 */
const rememberedMax = 1_024;
const rememberedCharsMax = 256;

export function createLeakyCells(clock: Clock, { burst, refillMs }: LeakyOptions): LeakyCells {
  /** Empty until something is counted. */
  let cells = new Float64Array(0);
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
  /** The clock is read once for each call: a cell holds a time, and a second reading is later than the first. */
  const read = (own: readonly number[]): { readonly nowMs: number; readonly emptyAtMs: number } => {
    const nowMs = clock.monotonicMs();
    return { nowMs, emptyAtMs: Math.max(nowMs, Math.min(...own.map((cell) => cells[cell] ?? 0))) };
  };
  const waitOf = ({ nowMs, emptyAtMs }: ReturnType<typeof read>): number => Math.max(0, emptyAtMs - nowMs - (burst - 1) * refillMs);
  const fill = (own: readonly number[], { emptyAtMs }: ReturnType<typeof read>): void => {
    if (cells.length === 0) cells = new Float64Array(rows * cellsPerRow);
    for (const cell of own) cells[cell] = Math.max(cells[cell] ?? 0, emptyAtMs + refillMs);
  };
  return {
    waitMs: (key) => waitOf(read(cellsOf(key))),
    take: (key) => {
      const own = cellsOf(key);
      const now = read(own);
      const waitMs = waitOf(now);
      if (waitMs === 0) fill(own, now);
      return waitMs;
    },
    level: (key) => {
      const { nowMs, emptyAtMs } = read(cellsOf(key));
      return Math.ceil((emptyAtMs - nowMs) / refillMs);
    },
    add: (key) => {
      const own = cellsOf(key);
      fill(own, read(own));
    },
    takeBack: (key) => {
      const own = cellsOf(key);
      const { emptyAtMs } = read(own);
      // The counts of other keys stay in a shared cell.
      for (const cell of own) if ((cells[cell] ?? 0) <= emptyAtMs) cells[cell] = emptyAtMs - refillMs;
    },
  };
}
