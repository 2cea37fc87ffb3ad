/** Inputs of an object's last decision: while they are the same, it is not decided again. Decision: docs/decisions/0253-what-is-skipped.md */
import type { Decision } from '../../reconcilers/decision.ts';

export interface Inputs<Desired, Observed> {
  readonly desired: Desired;
  readonly observed: Observed;
  /** Wall time. */
  readonly atMs: number;
}

/** Inputs of a decision, and when it is due without any other input. */
export interface Kept<Desired, Observed> extends Inputs<Desired, Observed> {
  /** Absent where `last` says it. */
  readonly nextDeadlineMs?: number | null;
}

/**
 * The inputs that the next resync compares, for a kind that remembers no decision. null while an action is pending, which forces a new
 * decision at the next resync.
 */
export function inputsOf<Desired, Observed>({
  desired,
  observed,
  atMs,
  decision,
}: Inputs<Desired, Observed> & { readonly decision: Pick<Decision<unknown>, 'actions' | 'nextDeadlineMs'> }): Kept<
  Desired,
  Observed
> | null {
  return decision.actions.length > 0 ? null : { desired, observed, atMs, nextDeadlineMs: decision.nextDeadlineMs };
}
