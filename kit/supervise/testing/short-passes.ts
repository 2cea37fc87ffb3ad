/**
 * Passes every two seconds in place of every ten: for tests of what a pass finds, not of how often there is one. Loaded into a supervisor of its own
 * by node-of-short-passes.
 */
import { limits } from '../../../schema/limits.ts';

export const passMs = 2_000;

/** Until the returned function is called. */
export function shortPasses(): () => void {
  const real = globalThis.setInterval;
  const shorten = (act: () => void, ms?: number): NodeJS.Timeout => real(act, ms === limits.supervisorScanMs ? passMs : ms);
  const shortened: unknown = Object.assign(shorten, real);
  globalThis.setInterval = shortened as typeof real;
  return () => {
    globalThis.setInterval = real;
  };
}

if (process.execArgv.some((word) => word.endsWith('/short-passes.ts'))) shortPasses();
