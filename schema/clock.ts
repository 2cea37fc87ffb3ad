/**
 * The one clock of the house. Production uses the system clock, the simulator a heap that steps to each deadline.
 * Pure folders (schema, machines, reconcilers) get `nowMs` as an argument and never see this.
 */
export interface Clock {
  /** Wall time in milliseconds since the epoch: for stamps that people read and that outlive the process. */
  nowMs(): number;
  /** Monotonic milliseconds: for waiting. Never compared across processes. */
  monotonicMs(): number;
  /** Calls `fn` once, no earlier than `atMonotonicMs`. Returns the cancel function. */
  at(atMonotonicMs: number, fn: () => void): () => void;
}
