import { describe, expect, it } from 'vitest';
import { array, assert, integer, property } from 'fast-check';
import { createSimulatedClock } from './simulated.ts';

describe('the simulated clock', () => {
  it('meets what a deadline sets on the way, within one advance', () => {
    const clock = createSimulatedClock(1_000_000);
    const seen: [string, number][] = [];
    clock.at(2_000, () => {
      seen.push(['first', Math.floor(clock.monotonicMs())]);
      clock.at(6_000, () => seen.push(['second', Math.floor(clock.monotonicMs())]));
    });
    clock.advance(6_000);
    expect(seen).toEqual([
      ['first', 2_000],
      ['second', 6_000],
    ]);
    expect(clock.nowMs()).toBe(1_006_000);
  });

  it('fires deadlines of the same time in the order they were set', () => {
    const clock = createSimulatedClock(0);
    const seen: number[] = [];
    for (let n = 0; n < 50; n += 1) clock.at(10, () => seen.push(n));
    clock.advance(10);
    expect(seen).toEqual(Array.from({ length: 50 }, (_, n) => n));
  });

  it('refuses to jump past a deadline', () => {
    const clock = createSimulatedClock(0);
    clock.at(500, () => {});
    expect(() => clock.jumpTo(501)).toThrow('a deadline at 500 ms lies before 501 ms');
    clock.jumpTo(500);
    expect(clock.step()).toBe(true);
    clock.jumpTo(501);
    expect(Math.floor(clock.monotonicMs())).toBe(501);
    expect(() => clock.jumpTo(10)).toThrow('backwards');
  });

  it('never fires a cancelled deadline and forgets it', () => {
    const clock = createSimulatedClock(0);
    let fired = 0;
    const cancel = clock.at(5, () => (fired += 1));
    clock.at(7, () => (fired += 10));
    cancel();
    expect(clock.nextAtMs()).toBe(7);
    clock.advance(100);
    expect(fired).toBe(10);
    expect(clock.nextAtMs()).toBeNull();
  });

  it('fires any set of deadlines in order of time, at their time', () => {
    assert(
      property(array(integer({ min: 0, max: 1_000 }), { maxLength: 200 }), (times) => {
        const clock = createSimulatedClock(0);
        const seen: number[] = [];
        for (const atMs of times) clock.at(atMs, () => seen.push(Math.floor(clock.monotonicMs())));
        clock.advance(1_000);
        expect(seen).toEqual([...times].sort((a, b) => a - b));
      }),
    );
  });

  it('fires 100,000 deadlines in about linear time', () => {
    const clock = createSimulatedClock(0);
    let fired = 0;
    for (let n = 0; n < 100_000; n += 1) clock.at((n * 7_919) % 100_000, () => (fired += 1));
    // Quadratic stepping takes minutes here, longer than a test may.
    clock.advance(100_000);
    expect(fired).toBe(100_000);
  });
});
