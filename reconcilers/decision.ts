/** Result of every `decide(desired, observed, nowMs)` of this folder. Pure data: the loop, `svc plan` and the simulator share it. */
import type { Condition, Reason } from '../schema/backend.ts';
import type { Action } from './actions.ts';

export interface Decision<Memory = undefined> {
  readonly actions: readonly Action[];
  /** State word for people (`svc get`), with the reason of the last transition. */
  readonly state: string;
  readonly reason: Reason;
  readonly message: string;
  readonly conditions: readonly Condition[];
  /** Absolute wall time at which this key must be decided again even if nothing happens; null when only an edge matters. */
  readonly nextDeadlineMs: number | null;
  /** Input of the next decision (probe counts, deadlines, machine state); stored with the status. */
  readonly memory: Memory;
}
