/**
 * Decides which portal's orders count. Each leading portal has a number, a later one a higher one; a portal that was suspended while another took
 * over comes back with an older number and is refused. The number outlives the supervisor in a file. Decision:
 * docs/decisions/0288-the-number-of-an-order.md
 */
import { SvcError } from '../../schema/errors.ts';
import { readPlainFileSync } from '../../schema/plain-file.ts';
import { errorCode } from '../../schema/system-error.ts';
import { writeFileAtomic } from '../atomic-file.ts';
import { limits } from './limits.ts';

export interface FenceOptions {
  readonly file: string;
  /** Wall time in ms since 1970: numbers are of its size. */
  readonly nowMs: () => number;
  readonly log: (event: string, fields: Readonly<Record<string, unknown>>) => void;
}

export interface Fence {
  /** A portal said that it leads. */
  hear(number: number | undefined): void;
  /** Throws CONFLICT for a number below the highest one. An order without one is of a portal that is alone: it counts. */
  obey(number: number | undefined): void;
}

export function createFence({ file, nowMs, log }: FenceOptions): Fence {
  return fenceFrom(readNumber(file, nowMs(), log), (number) => {
    log('leader', { leader: number });
    try {
      writeFileAtomic(file, `${number}\n`, { mode: 0o600, durable: true });
    } catch (error) {
      // It holds as long as this supervisor lives.
      log('leader-unwritten', { file, error: String(error) });
    }
  });
}

/** `keep` is done with a higher number before the order that carries it is carried out. */
export function fenceFrom(kept: number, keep: (number: number) => void): Fence {
  let highest = kept;
  const hear = (number: number | undefined): void => {
    if (number === undefined || number <= highest) return;
    highest = number;
    keep(number);
  };
  return {
    hear,
    obey: (number) => {
      if (number !== undefined && number < highest)
        throw new SvcError('CONFLICT', `the orders of another portal count here: it came later (${highest}, this one ${number})`);
      hear(number);
    },
  };
}

/** 0: none. One that can't be read, or is of another time, must not lock every portal out. */
function readNumber(file: string, nowMs: number, log: FenceOptions['log']): number {
  try {
    const text = String(readPlainFileSync(file)).trim();
    const number = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : Number.NaN;
    if (number <= nowMs + limits.leaderAheadMsMax) return number;
    log('leader-unreadable', { file });
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') log('leader-unreadable', { file, error: String(error) });
  }
  return 0;
}
