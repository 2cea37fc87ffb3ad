/** Detects a key that is decided again and again although nothing new was observed. */
import type { Decision } from '../../reconcilers/decision.ts';
import type { Clock } from '../../schema/clock.ts';
import { limits } from '../limits.ts';
import type { Log } from './record.ts';

export interface Decided {
  readonly decision: Pick<Decision<unknown>, 'actions' | 'nextDeadlineMs'>;
  /** Its status is another one than before. */
  readonly isRecorded: boolean;
  /** All inputs of the decision except the time; by reference, or as text where the object is made each time. */
  readonly from: () => readonly unknown[];
}

interface Counted {
  readonly count: number;
  readonly from: readonly unknown[];
}

/**
 * Called for each decision. Counts decisions that acted, or are due again at once, with the same inputs as the one before; a decision
 * without actions does not count, and neither do new orders of people. Reports a key once a minute.
 */
export function createLoopAlarm(clock: Clock, log: Log): (key: string, decided: Decided) => void {
  let minute = 0;
  let counts = new Map<string, Counted>();
  return (key, { decision, isRecorded, from }) => {
    const isDueAgain = decision.nextDeadlineMs !== null && decision.nextDeadlineMs <= clock.nowMs();
    if (decision.actions.length === 0 && !isRecorded && !isDueAgain) return;
    const now = Math.floor(clock.monotonicMs() / 60_000);
    if (now !== minute) {
      minute = now;
      counts = new Map();
    }
    const before = counts.get(key);
    const inputs = from();
    const count = before !== undefined && areSame(before.from, inputs) ? before.count + 1 : (before?.count ?? 0);
    counts.set(key, { count, from: inputs });
    if (before?.count !== count && count === limits.decisionsPerMinuteMax)
      log.error({ key, decisions: count }, 'decided without end within one minute');
  };
}

function areSame(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((value, at) => value === other[at]);
}
