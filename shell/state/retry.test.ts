import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ApiError } from '../session/api.ts';
import { createRetry, type Retry } from './retry.ts';

const offline = new ApiError(0, 'OFFLINE', 'x');
let askedAtMs: number[];
let retry: Retry;
let browser: EventTarget;

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
  browser = new EventTarget();
  vi.stubGlobal('addEventListener', browser.addEventListener.bind(browser));
  vi.stubGlobal('removeEventListener', browser.removeEventListener.bind(browser));
  askedAtMs = [];
  retry = createRetry(
    () => askedAtMs.push(Date.now()),
    () => 1,
  );
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Fails each time it is asked, until so much time has passed. */
const failing = async (ms: number, error: unknown = offline): Promise<readonly number[]> => {
  const before = Date.now();
  retry.failed(error);
  for (let n = askedAtMs.length; Date.now() < before + ms; ) {
    await vi.advanceTimersByTimeAsync(100);
    if (askedAtMs.length > n) retry.failed(error);
    n = askedAtMs.length;
  }
  return askedAtMs.splice(0).map((atMs) => atMs - before);
};

test('what fails is asked for again, later and later, at last every 30 s', async () => {
  expect(await failing(100_000)).toEqual([500, 1_500, 3_500, 7_500, 15_500, 31_500, 61_500, 91_500]);
});

test('a success ends the waiting, and the next failure waits shortly again', async () => {
  await failing(20_000);
  retry.succeeded();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(askedAtMs).toEqual([]);
  expect(await failing(2_000)).toEqual([500, 1_500]);
});

test('never before the portal said', async () => {
  expect(await failing(9_000, new ApiError(429, 'RATE_LIMITED', 'x', { retryAfterMs: 4_000 }))).toEqual([4_000, 8_000]);
});

test('when the network is another one, also before the portal said, and once', async () => {
  retry.failed(new ApiError(429, 'RATE_LIMITED', 'x', { retryAfterMs: 600_000 }));
  await vi.advanceTimersByTimeAsync(700);
  browser.dispatchEvent(new Event('online'));
  browser.dispatchEvent(new Event('online'));
  await vi.advanceTimersByTimeAsync(700_000);
  expect(askedAtMs).toEqual([700]);
});

test('two failures during one wait are asked about once, and whoever asks now waits for nothing', async () => {
  retry.failed(offline);
  retry.failed(offline);
  await vi.advanceTimersByTimeAsync(499);
  retry.now();
  await vi.advanceTimersByTimeAsync(60_000);
  retry.now();
  expect(askedAtMs).toEqual([499]);
});
