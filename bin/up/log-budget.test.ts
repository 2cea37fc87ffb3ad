import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createManualClock } from '../../api/testing/manual-clock.ts';
import type { Clock } from '../../schema/clock.ts';
import { createLogBudget } from './log-budget.ts';

const createHooks = (clock: Clock) => ({ logMethod: createLogBudget(clock).logMethod });

test('a flood of one kind about one person is told as a number; other kinds, other people and errors go on', () => {
  const lines: Record<string, unknown>[] = [];
  const clock = createManualClock();
  const sink = { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) };
  const log = pino({ base: null, hooks: createHooks(clock) }, sink);
  const said = (): readonly (readonly [unknown, unknown])[] => lines.splice(0).map(({ msg, person }) => [msg, person]);
  for (let n = 0; n < 1_000; n += 1) log.info({ person: 'ana' }, 'request');
  expect(said()).toEqual(Array.from({ length: 30 }, () => ['request', 'ana']));
  log.info({ person: 'bia' }, 'request');
  log.warn({ person: 'ana' }, 'refused');
  log.error({ err: new Error('one') }, 'portal fault');
  expect(said()).toEqual([
    ['request', 'bia'],
    ['refused', 'ana'],
    ['portal fault', undefined],
  ]);
  clock.advance(60_000);
  expect(lines.splice(0)).toMatchObject([{ of: 'request', about: 'ana', leftOut: 970, msg: '970 more of this kind' }]);
  log.info({ person: 'ana' }, 'request');
  expect(said()).toEqual([['request', 'ana']]);
});

test('a flood of several kinds about one person is 70 lines a minute at most, and an eleventh kind is told still', () => {
  const lines: string[] = [];
  const clock = createManualClock();
  const log = pino({ base: null, hooks: createHooks(clock) }, { write: (line: string) => void lines.push(line) });
  for (let s = 0; s < 60; s += 1) {
    for (let n = 0; n < 100; n += 1) log.info({ address: '10.0.0.1' }, n % 2 === 0 ? 'request' : 'refused');
    clock.advance(999);
  }
  expect(lines.length).toBeLessThanOrEqual(70);
  lines.length = 0;
  log.warn({ address: '10.0.0.1' }, 'password guessed');
  expect(lines).toHaveLength(1);
});

test('kinds that nobody can count are one count, and a flood of kinds is told in few lines', () => {
  const lines: string[] = [];
  const clock = createManualClock();
  const log = pino({ base: null, hooks: createHooks(clock) }, { write: (line: string) => void lines.push(line) });
  for (let n = 0; n < 1_100; n += 1) for (let times = 0; times < 61; times += 1) log.info({ address: `10.0.${n}` }, 'refused');
  lines.length = 0;
  clock.advance(60_000);
  expect(lines).toHaveLength(21);
  const told = lines.map((line) => JSON.parse(line) as { of: string; kinds?: number; leftOut: number });
  expect(told.at(-1)).toMatchObject({ of: 'lines of other kinds', kinds: 981 });
  // At most ten of each leave, and twenty of any kind about the same.
  expect(told.reduce((sum, { leftOut }) => sum + leftOut, 0)).toBeGreaterThanOrEqual(1_100 * 31);
});
