import { expect, test } from 'vitest';
import { randomId } from './random-id.ts';

test('is a UUID of version 4, another one each time', () => {
  const all = Array.from({ length: 1_000 }, randomId);
  expect(new Set(all).size).toBe(1_000);
  for (const one of all) expect(one).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});
