/**
 * Loaded before each test file: `vi.waitFor` and `vi.waitUntil` give up after a second by default, and on a machine that does much else at
 * the time a condition may take longer. A shorter wait finds a missing event no sooner.
 */
import { vi } from 'vitest';

const msMin = 30_000;

interface Waiting {
  readonly timeout?: number;
  readonly interval?: number;
}
const patient = (given: number | Waiting = {}): Waiting => {
  const options = typeof given === 'number' ? { timeout: given } : given;
  return { ...options, timeout: Math.max(msMin, options.timeout ?? 0) };
};

/** Files of one worker may share `vi`. */
const mark = Symbol.for('svc.patient');
if (!Object.hasOwn(vi, mark)) {
  const { waitFor, waitUntil } = vi;
  vi.waitFor = (look, options) => waitFor(look, patient(options));
  vi.waitUntil = (look, options) => waitUntil(look, patient(options));
  Object.defineProperty(vi, mark, { value: true });
}
