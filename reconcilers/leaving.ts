/**
 * A person whose document is gone: their apps end, then their supervisor, then they are forgotten. Only this decides about the supervisor of who
 * leaves: `decideSupervisor` would take its end for a loss. Decision: docs/decisions/0136-leaving.md
 */
import type { AppSnapshot } from '../schema/supervisor-lines.ts';

/** Whether an app has to be ended. `starting`: a start was sent and not answered yet, and what it brings about was not seen. */
export function livesOn(snapshot: AppSnapshot | null, starting: boolean): boolean {
  return starting || (snapshot !== null && (snapshot.wanted || snapshot.process !== null));
}

export interface LeavingObserved {
  /** Their sessions were ended and they were taken out of the rooms. */
  readonly signedOut: boolean;
  /** An administrator asked that nothing of them is kept, and what svc made on their server is still there. Absent: nobody did. */
  readonly toErase?: boolean;
  /** The folders that svc made there are removed: a supervisor would make them again. Absent: they are not. */
  readonly erased?: boolean;
  /** Their server was given up: what ran there is never asked about again. */
  readonly lost: boolean;
  /** Another Person document has the same account: what runs there belongs to that person. */
  readonly shared: boolean;
  /** The account exists; null before the first observation. */
  readonly account: boolean | null;
  readonly supervisor: 'up' | 'starting' | 'down';
  /** See `livesOn`. */
  readonly living: readonly string[];
  /** The supervisor of this person was asked to end, and said that it does. */
  readonly ended: boolean;
  /** Their Package documents that leave as well: packages in their account are removed while the owner is known. */
  readonly packages: readonly string[];
}

export type LeavingStep =
  /** A supervisor is needed to know what runs. */
  | { readonly kind: 'find-out' }
  | { readonly kind: 'stop'; readonly apps: readonly string[] }
  | { readonly kind: 'end-supervisor' }
  | { readonly kind: 'wait' }
  | { readonly kind: 'wait-for-packages'; readonly packages: readonly string[] }
  /** Nothing of the person is left. */
  | { readonly kind: 'forget' };

export function decideLeaving({
  lost,
  erased = false,
  shared,
  account,
  supervisor,
  living,
  ended,
  packages,
}: LeavingObserved): LeavingStep {
  if (lost || erased || shared || account === false) return { kind: 'forget' };
  if (supervisor === 'starting') return { kind: 'wait' };
  // Down without a word of its end (killed, a line that broke): its apps may live on.
  if (supervisor === 'down' && !ended) return { kind: 'find-out' };
  if (supervisor === 'down') return packages.length > 0 ? { kind: 'wait-for-packages', packages } : { kind: 'forget' };
  return living.length > 0 ? { kind: 'stop', apps: living } : { kind: 'end-supervisor' };
}
