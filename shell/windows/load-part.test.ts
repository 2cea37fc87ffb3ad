import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createSignal } from '../state/signal.ts';
import { loadPart } from './load-part.ts';

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('customElements', { get: () => undefined });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test('a part that did not come while the network was gone is asked for until it comes, also where the portal never seemed away', async () => {
  const browser = { onLine: false };
  vi.stubGlobal('navigator', browser);
  const toasts: unknown[] = [];
  let asked = 0;
  const load = async (): Promise<void> => {
    asked += 1;
    if (!browser.onLine) throw new TypeError('Failed to fetch dynamically imported module');
  };
  const desk = { connection: createSignal<'open'>('open'), toast: createSignal<never>(null as never) };
  desk.toast.subscribe(() => toasts.push(desk.toast.get()));
  loadPart(desk, 'svc-part', load);
  await vi.advanceTimersByTimeAsync(5_000);
  const whileAway = asked;
  browser.onLine = true;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(whileAway).toBeGreaterThan(1);
  expect(asked).toBe(whileAway + 1);
  expect(toasts).toHaveLength(1);
});
