import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ApiError } from '../session/api.ts';
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

const notImported = new TypeError('Failed to fetch dynamically imported module');
const brokenOff = new ApiError(0, 'OFFLINE', 'the portal says nothing any more');

/** `onLine`: what the browser says of the network while nothing comes. */
test.for([
  ['while the network was gone', notImported, false, 1],
  ['over a connection that was dead, without a word', brokenOff, true, 0],
] as const)(
  'a part that did not come %s is asked for until it comes, also where the portal never seemed away',
  async ([, error, onLine, told]) => {
    const browser = { onLine };
    let isDead = true;
    vi.stubGlobal('navigator', browser);
    const toasts: unknown[] = [];
    let asked = 0;
    const load = async (): Promise<void> => {
      asked += 1;
      if (isDead) throw error;
    };
    const desk = { connection: createSignal<'open'>('open'), toast: createSignal<never>(null as never) };
    desk.toast.subscribe(() => toasts.push(desk.toast.get()));
    loadPart(desk, `svc-part-${told}`, load);
    await vi.advanceTimersByTimeAsync(5_000);
    const whileAway = asked;
    browser.onLine = true;
    isDead = false;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(whileAway).toBeGreaterThan(1);
    expect(asked).toBe(whileAway + 1);
    expect(toasts).toHaveLength(told);
  },
);
