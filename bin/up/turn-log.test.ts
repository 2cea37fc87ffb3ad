import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createTurnLog } from './turn-log.ts';

function loggedTo(writes: string[]) {
  const turns: (() => void)[] = [];
  const to = createTurnLog({ write: (text) => void writes.push(text) }, (fn) => void turns.push(fn));
  return { to, log: pino({ base: null, timestamp: false }, to), turn: () => turns.splice(0).forEach((fn) => fn()) };
}

const messages = (text: string): readonly string[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { readonly msg: string }).msg);

test('lines of one turn are one write, in their order', () => {
  const writes: string[] = [];
  const { log, turn } = loggedTo(writes);
  for (const msg of ['one', 'two', 'three']) log.info(msg);
  expect(writes).toEqual([]);
  turn();
  log.info('four');
  turn();
  turn();
  expect(writes.map(messages)).toEqual([['one', 'two', 'three'], ['four']]);
});

test.for(['warn', 'error', 'fatal'] as const)('%s is written at once, behind what waits', (level) => {
  const writes: string[] = [];
  const { log, turn } = loggedTo(writes);
  log.info('before');
  log[level]('now');
  expect(writes.map(messages)).toEqual([['before', 'now']]);
  log.info('behind');
  turn();
  expect(writes.map(messages)).toEqual([['before', 'now'], ['behind']]);
});

test('a turn that logs without end does not wait for its end', () => {
  const writes: string[] = [];
  const { log } = loggedTo(writes);
  for (let n = 0; n < 100; n += 1) log.info('x'.repeat(1_000));
  expect(writes.length).toBeGreaterThanOrEqual(5);
});

test('what waits is written when the process ends', () => {
  const writes: string[] = [];
  const { to, log, turn } = loggedTo(writes);
  log.info('last');
  to.flushSync();
  turn();
  expect(writes.map(messages)).toEqual([['last']]);
});
