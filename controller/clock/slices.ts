/** Long work in short slices: the proxy and the events are served in between. Decision: docs/decisions/0031-the-loop.md */
import { setImmediate as turn } from 'node:timers/promises';
import { limits } from '../limits.ts';

/** To be awaited between small pieces of work: gives way once a slice is used up. */
export function createBreath(): () => Promise<void> | undefined {
  let endMs = performance.now() + limits.queueSliceMs;
  const giveWay = async (): Promise<void> => {
    await turn();
    endMs = performance.now() + limits.queueSliceMs;
  };
  return () => (performance.now() < endMs ? undefined : giveWay());
}

/** Runs a computation that stops now and then to its end. */
export async function inSlices<Result>(steps: Generator<unknown, Result>): Promise<Result> {
  const breath = createBreath();
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    const pause = breath();
    if (pause !== undefined) await pause;
  }
}
