/** The process of one portal: a clock that is off and drifts, that stands still while the process does, and that ends with it. */
import type { SimulatedClock } from '../../../controller/clock/simulated.ts';

export interface ProcessClock extends SimulatedClock {
  /** Runs it once the process runs; never when it ended. */
  gate(fn: () => void): void;
  /** As SIGSTOP. */
  pause(): void;
  goOn(): void;
  /** As SIGKILL. */
  kill(): void;
  state(): 'runs' | 'paused' | 'ended';
}

/** `offMs`: how far its wall clock is off; `drift`: what it gains in each millisecond. */
export function createProcessClock(
  clock: SimulatedClock,
  { offMs, drift }: { readonly offMs: number; readonly drift: number },
): ProcessClock {
  let state: ReturnType<ProcessClock['state']> = 'runs';
  const late: (() => void)[] = [];
  const runs = (): boolean => state === 'runs';
  const gate = (fn: () => void): void => {
    if (state === 'runs') fn();
    else if (state === 'paused') late.push(fn);
  };
  return {
    ...clock,
    nowMs: () => Math.round(clock.nowMs() + offMs + clock.monotonicMs() * drift),
    at: (atMs, fn) => {
      let isCancelled = false;
      const run = (): void => {
        if (!isCancelled) fn();
      };
      const cancel = clock.at(atMs, () => gate(run));
      return () => {
        isCancelled = true;
        cancel();
      };
    },
    gate,
    pause: () => {
      if (state === 'runs') state = 'paused';
    },
    goOn: () => {
      if (state !== 'paused') return;
      state = 'runs';
      // A late call may stop or end the process again.
      for (let next = late.shift(); next !== undefined; next = late.shift()) {
        next();
        if (!runs()) return;
      }
    },
    kill: () => {
      state = 'ended';
      late.length = 0;
    },
    state: () => state,
  };
}
