import { describe, expect, it } from 'vitest';
import { advanceHealth, freshHealth, nextHealthMs, type Health, type HealthEvent } from './health.ts';

const looked = (changes: Partial<Extract<HealthEvent, { type: 'CHECKED' }>> = {}): HealthEvent => ({
  type: 'CHECKED',
  isStopped: false,
  isAsking: false,
  isUsed: false,
  isDoubted: false,
  ...changes,
});

/** Looks every ten seconds and at each deadline, with an app that answers after so long or never (null) or is stopped. */
function live(from: Health, fromMs: number, untilMs: number, app: (nowMs: number) => 'answers' | 'hangs' | 'stopped', isUsed = false) {
  let health = from;
  let asking: number | null = null;
  let asked = 0;
  const verdicts: string[] = [];
  for (let nowMs = fromMs; nowMs <= untilMs; nowMs += 250) {
    const step = (event: HealthEvent): void => {
      const { next, askMsMax } = advanceHealth(health, event, nowMs);
      if (next.verdict !== health.verdict) verdicts.push(`${nowMs / 1_000} ${next.verdict}`);
      health = next;
      if (askMsMax === null) return;
      asked += 1;
      asking = nowMs + askMsMax;
    };
    const is = app(nowMs);
    const dueMs = nextHealthMs(health);
    if (nowMs % 10_000 === 0 || (dueMs !== null && nowMs >= dueMs))
      step(looked({ isUsed, isStopped: is === 'stopped', isAsking: asking !== null }));
    if (asking === null) continue;
    if (is === 'answers') {
      asking = null;
      step({ type: 'ANSWERED' });
    } else if (nowMs >= asking) {
      asking = null;
      step({ type: 'MISSED' });
    }
  }
  return { health, asked, verdicts };
}

describe('an app that runs', () => {
  it('and answers is asked once in ten minutes', () => {
    const { asked, verdicts } = live(freshHealth(0, 0.5), 0, 3_600_000, () => 'answers');
    expect(verdicts).toEqual([]);
    expect([asked > 3, asked <= 7]).toEqual([true, true]);
  });

  it('and is in use is asked once a minute', () => {
    const { asked } = live(freshHealth(0, 0.5), 0, 3_600_000, () => 'answers', true);
    expect([asked > 50, asked <= 61]).toEqual([true, true]);
  });

  it('and hangs is told after three looks, and as well again by its first answer', () => {
    const { verdicts, asked } = live(freshHealth(0, 0), 0, 400_000, (nowMs) => (nowMs < 200_000 ? 'hangs' : 'answers'));
    expect(verdicts).toEqual(['44 silent', '200 well']);
    // Only a single question stays open at a time: not one a second.
    expect(asked).toBeLessThan(12);
  });

  it('and hangs for one look only is never told', () => {
    expect(live(freshHealth(0, 0), 0, 120_000, (nowMs) => (nowMs < 37_000 ? 'hangs' : 'answers')).verdicts).toEqual([]);
  });

  it('and is stopped by a signal is told within a round and a second, and as well soon after it goes on', () => {
    const { verdicts } = live(freshHealth(0, 0), 0, 100_000, (nowMs) => (nowMs < 5_000 || nowMs > 60_300 ? 'answers' : 'stopped'));
    expect(verdicts).toEqual(['11 suspended', '61 well']);
  });

  it('and hangs when it goes on after a stop is told as silent', () => {
    const { verdicts } = live(freshHealth(0, 0), 0, 40_000, (nowMs) => (nowMs < 20_000 ? 'stopped' : 'hangs'));
    expect(verdicts).toEqual(['1 suspended', '24 silent']);
  });
});

describe('who waits for the app', () => {
  const well: Health = { verdict: 'well', misses: 0, nextCheckMs: 500_000, stoppedSinceMs: null, answeredAtMs: 400_000 };

  it.for([
    ['has it asked at once', {}, 420_000, 4_000],
    ['not again within ten seconds of its answer', {}, 405_000, null],
    ['not while it is asked', { isAsking: true }, 420_000, null],
  ] as const)('%s', ([, changes, nowMs, askMsMax]) => {
    expect(advanceHealth(well, looked({ isDoubted: true, ...changes }), nowMs).askMsMax).toBe(askMsMax);
  });

  it('has no need to ask a stopped process', () => {
    expect(advanceHealth(well, looked({ isDoubted: true, isStopped: true }), 420_000).askMsMax).toBeNull();
  });
});

it('a clock that was set back by a year keeps nobody from looking', () => {
  const yearMs = 365 * 86_400_000;
  expect(advanceHealth(freshHealth(yearMs, 0), looked(), 1_000).askMsMax).toBe(4_000);
});
