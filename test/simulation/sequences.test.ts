/** Sequences over rows of the table of rules 3.3: the backoff end to end, the probes, and the promises about one app. Literals of the rules. */
import { describe, expect, it } from 'vitest';
import { createStage, play, type Line, type Stage } from './stage.ts';

const minute = 60_000;

function playsAs(stage: Stage, lines: readonly Line[]): void {
  const { seen, expected } = play(stage, lines);
  expect(seen).toEqual(expected);
  expect(stage.world.tally.violations).toEqual([]);
}

/** Launches and deaths by pairs: how long each relaunch came after the death before it. */
function waits({ world: { script } }: Stage): number[] {
  return script.launchedAtMs.slice(1).map((atMs, n) => atMs - (script.diedAtMs[n] ?? 0));
}

describe('the backoff end to end', () => {
  it('relaunches at once, then waits 2, 4 and 8 s, fails at the fifth and tries again after 600 s', () => {
    const stage = createStage({ behaviour: 'exitsAtOnce' });
    playsAs(stage, [[1_000, 'start request']]);
    stage.until(11 * minute);
    const seconds = waits(stage).map((ms) => Math.round(ms / 100) / 10);
    // A launch takes up to 0.1 s beside the wait.
    for (const [n, expected] of [0, 2, 4, 8, 600].entries()) {
      expect(seconds[n]).toBeGreaterThanOrEqual(expected);
      expect(seconds[n]).toBeLessThanOrEqual(expected + 0.1);
    }
    expect(stage.app.supervision.failures).toBeGreaterThan(0);
  });

  it('counts from one again after 600 s of silence', () => {
    const stage = createStage({});
    playsAs(stage, [
      [1_000, 'start request'],
      [10_000, 'process dies'],
      [20_000, 'process dies'],
    ]);
    stage.until(25_000);
    expect(stage.app.supervision.failures).toBe(2);
    stage.until(20_000 + 600_000 - 1_000);
    expect(stage.app.supervision.failures).toBe(2);
    stage.until(20_000 + 600_000 + 1_000);
    expect(stage.app.supervision.failures).toBe(0);
    playsAs(stage, [[700_000, 'process dies']]);
    stage.until(700_500);
    expect(waits(stage).at(-1)).toBeLessThan(100);
  });

  it('never counts what is not the fault of the app', () => {
    const stage = createStage({ aoFechar: 'manter' });
    playsAs(stage, [
      [1_000, 'start request'],
      [10_000, 'supervisor dies'],
      [20_000, 'server unreachable'],
      [40_000, 'server back'],
      [60_000, 'portal dies'],
      [80_000, 'is', 'running', 'Healthy'],
    ]);
    expect(stage.app.supervision.failures).toBe(0);
    expect(stage.world.script.launchedAtMs).toHaveLength(1);
  });
});

describe('the health probe', () => {
  it('is asked 15 times 1 s apart, then 5, 10, 20 and 30 s apart', () => {
    const stage = createStage({ behaviour: 'neverBinds' });
    playsAs(stage, [[1_000, 'start request']]);
    stage.until(200_000);
    const { probedAtMs } = stage.world.script;
    const gaps = probedAtMs.slice(1).map((atMs, n) => atMs - (probedAtMs[n] ?? 0));
    expect(gaps.slice(0, 14)).toEqual(Array.from({ length: 14 }, () => 1_000));
    expect(gaps.slice(14, 20)).toEqual([5_000, 10_000, 20_000, 30_000, 30_000, 30_000]);
  });

  it('is asked at once when the socket begins to listen', () => {
    const stage = createStage({ bootMs: 2_500 });
    playsAs(stage, [[1_000, 'start request']]);
    stage.until(10_000);
    const { launchedAtMs, probedAtMs } = stage.world.script;
    expect(stage.app.shown?.state).toBe('running');
    const last = (probedAtMs.at(-1) ?? 0) - (launchedAtMs[0] ?? 0);
    expect(last).toBeGreaterThanOrEqual(2_500);
    expect(last).toBeLessThan(2_560);
  });

  it('ends at once when the process is dead', () => {
    const stage = createStage({ behaviour: 'exitsAtOnce' });
    playsAs(stage, [[1_000, 'start request']]);
    stage.until(60_000);
    const { launchedAtMs, probedAtMs } = stage.world.script;
    expect(launchedAtMs).toHaveLength(5);
    // Each of the five processes lives at most 0.4 s: one probe each.
    expect(probedAtMs.length).toBeLessThanOrEqual(5);
  });
});

describe('one app', () => {
  it('runs the new code after a start request on other code, and only then', () => {
    const stage = createStage({ aoFechar: 'manter' });
    playsAs(stage, [
      [1_000, 'start request'],
      [5_000, 'other code is installed'],
    ]);
    stage.until(60_000);
    expect(stage.app.processes[0]?.hash).toBe('hash-1');
    playsAs(stage, [[61_000, 'start request']]);
    stage.until(65_000);
    expect(stage.app.processes.map(({ hash }) => hash)).toEqual(['hash-2']);
    expect(stage.world.script.launchedAtMs).toHaveLength(2);
  });

  it('gets another process by a restart, once', () => {
    const stage = createStage({ aoFechar: 'manter' });
    playsAs(stage, [
      [1_000, 'start request'],
      [5_000, 'restart request'],
      [9_000, 'is', 'running', 'Healthy'],
    ]);
    stage.until(10 * minute);
    expect(stage.world.script.launchedAtMs).toHaveLength(2);
    expect(stage.app.intent).toBeNull();
  });

  it('lives on when its person signs out, if it is to be kept', () => {
    const stage = createStage({ aoFechar: 'manter' });
    playsAs(stage, [
      [1_000, 'start request'],
      [5_000, 'signs out'],
      [60 * minute, 'is', 'running', 'Healthy'],
      [61 * minute, 'process dies'],
      [61 * minute + 1_000, 'is', 'running', 'Healthy'],
    ]);
    expect(stage.world.script.launchedAtMs).toHaveLength(2);
  });

  it('takes its supervisor with it when the session ended and it stopped', () => {
    const stage = createStage({ aoFechar: 'encerrar' });
    playsAs(stage, [
      [1_000, 'window opens'],
      [5_000, 'signs out'],
      [5_000 + 2 * minute + 1_000, 'is', 'stopped', 'LastWindowClosed'],
    ]);
    expect(stage.app.person.supervisor).not.toBeNull();
    stage.until(10 * minute);
    expect(stage.app.person.supervisor).toBeNull();
    expect(stage.app.shown?.state).toBe('stopped');
  });
});
