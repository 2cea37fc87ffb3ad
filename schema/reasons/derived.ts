/**
 * The rows without their sentences for engineers. A bundle has the values of these exports instead of the rows
 * (setup/derived-values.ts), and of them only those that it uses: all must be plain data.
 */
import type { RetryClass } from '../errors.ts';
import type { ReasonRow } from './row.ts';
import type { Reason } from '../backend.ts';
import { reasonRows, rowOf } from './rows.ts';

type With<Part> = { [R in Reason]: (typeof reasonRows)[R] extends Part ? R : never }[Reason];

export const reasons = Object.keys(reasonRows) as readonly Reason[];

function pick<Value>(valueOf: (reason: Reason) => Value | undefined): Readonly<Record<string, Value>> {
  const kept = reasons.map((reason) => [reason, valueOf(reason)] as const).filter(([, value]) => value !== undefined);
  return Object.fromEntries(kept) as Readonly<Record<string, Value>>;
}

export const reasonTexts = pick((reason) => rowOf(reason).words) as Readonly<Record<Reason, ReasonRow['words']>>;

const living = (life: string): readonly Reason[] => reasons.filter((reason) => rowOf(reason).life === life);

/** The portal knows of nothing that keeps the app from answering. */
export const answering = living('answers');
/** The process runs and can't be used. Decision: docs/decisions/0137-what-runs-still-answers.md */
export const silent = living('silent');
/** Still starting after the 15 probes. Decision: docs/decisions/0137-what-runs-still-answers.md */
export const slow = living('slow');

export type RefusalReason = With<{ readonly retry: RetryClass }>;
export const retryOf = pick((reason) => rowOf(reason).retry) as Readonly<Record<RefusalReason, RetryClass>>;

export type StopReason = With<{ readonly isOrder: true }>;
export const stopReasons = reasons.filter((reason): reason is StopReason => rowOf(reason).isOrder === true);
