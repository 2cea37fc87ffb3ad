import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createWindowWriter } from './last-windows.ts';

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('document', { visibilityState: 'visible' });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const theirs = { app: 'notas', rota: '', x: 0, y: 0, largura: 1, altura: 1, modo: 'normal', minimizada: false } as const;

test.for([
  ['once', 1, [[theirs]]],
  ['always', 99, [[]]],
] as const)('windows of other pages that the browser does not tell of (%s)', async ([, times, expected]) => {
  let asked = 0;
  const written: unknown[] = [];
  const write = createWindowWriter(async (kept) => void written.push(kept), {
    tell: () => undefined,
    windows: async () => ((asked += 1) <= times ? null : [theirs]),
  });
  write([]);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(written).toEqual([]);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(written).toEqual(expected);
});
