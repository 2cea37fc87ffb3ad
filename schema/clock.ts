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

/** Resolves once `ms` of the clock have passed. */
export const pause = (clock: Pick<Clock, 'monotonicMs' | 'at'>, ms: number): Promise<void> =>
  new Promise((resolve) => void clock.at(clock.monotonicMs() + ms, resolve));

/** Rejects with what `onLate` makes when `work` isn't done in time; `work` itself goes on. */
export function withDeadline<Result>(clock: Clock, ms: number, work: Promise<Result>, onLate: () => Error): Promise<Result> {
  return new Promise((resolve, reject) => {
    const cancel = clock.at(clock.monotonicMs() + ms, () => reject(onLate()));
    work.then(resolve, reject).finally(cancel);
  });
}
