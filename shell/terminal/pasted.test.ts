import { expect, test } from 'vitest';
import { withoutControls } from './pasted.ts';

test('of 160 characters below U+00A0 those that control are taken out, but for tab and line breaks', () => {
  const all = String.fromCharCode(...Array.from({ length: 160 }, (_, code) => code));
  const kept = Array.from(withoutControls(all), (each) => each.charCodeAt(0));
  expect(kept).toEqual([9, 10, 13, ...Array.from({ length: 95 }, (_, n) => 32 + n)]);
  expect(withoutControls('é 日本 👩‍🔬\u200e')).toBe('é 日本 👩‍🔬\u200e');
});
