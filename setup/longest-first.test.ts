import { describe, expect, test } from 'vitest';
import { fileSeconds, inOrder } from './longest-first.ts';

describe('the order of the real tests', () => {
  test('the longest begin first, those that work and those that wait in turns, and each once', () => {
    const names = ['a.real.test.ts', 'test/browser/b.real.test.ts', ...Object.keys(fileSeconds)];
    const order = inOrder(names);
    expect(order.toSorted()).toEqual(names.toSorted());
    const seconds = (all: readonly string[]): number => all.reduce((sum, name) => sum + (fileSeconds[name] ?? 0), 0);
    const ofBrowser = (all: readonly string[]): number => seconds(all.filter((name) => name.startsWith('test/browser/'))) / seconds(all);
    const half = order.slice(0, order.length / 3);
    expect(seconds(half)).toBeGreaterThan(seconds(names) / 2);
    expect(Math.abs(ofBrowser(half) - ofBrowser(names))).toBeLessThan(0.1);
    expect(order.slice(-20).every((name) => (fileSeconds[name] ?? 0) < 20)).toBe(true);
  });
});
