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

function pick<Kept extends Reason, Value>(valueOf: (reason: Reason) => Value | undefined): { readonly [R in Kept]: Value } {
  const kept = reasons.map((reason) => [reason, valueOf(reason)] as const).filter(([, value]) => value !== undefined);
  return Object.fromEntries(kept) as { readonly [R in Kept]: Value };
}

export const reasonTexts = pick<Reason, ReasonRow['words']>((reason) => rowOf(reason).words);

const living = (life: string): readonly Reason[] => reasons.filter((reason) => rowOf(reason).life === life);

/** The portal knows of nothing that keeps the app from answering. */
export const answering = living('answers');
/** The process runs and can't be used. Decision: docs/decisions/0137-what-runs-still-answers.md */
export const silent = living('silent');
/** Still starting after the 15 probes. Decision: docs/decisions/0137-what-runs-still-answers.md */
export const slow = living('slow');

export type RefusalReason = With<{ readonly retry: RetryClass }>;
export const retryOf = pick<RefusalReason, RetryClass>((reason) => rowOf(reason).retry);
