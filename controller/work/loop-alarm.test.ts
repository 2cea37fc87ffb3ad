/** The guard against decisions that feed themselves: what it counts, and what it lets be. */
import { expect, test } from 'vitest';
import { createSimulatedClock } from '../clock/simulated.ts';
import { createLoopAlarm, type Decided } from './loop-alarm.ts';

const nothing = { actions: [], nextDeadlineMs: null } as const;
const stop = { ...nothing, actions: [{ kind: 'backend/pin', person: 'ana', app: 'notas', pinned: true }] } as const;

function watched() {
  const clock = createSimulatedClock(1_000_000);
  const told: object[] = [];
  const alarm = createLoopAlarm(clock, { info: () => {}, warn: () => {}, debug: () => {}, error: (fields) => told.push(fields) });
  return { clock, told, alarm };
}

test.for<[string, (at: number) => Decided]>([
  ['acts on the very same', () => ({ decision: stop, isRecorded: false, from: () => ['same'] })],
  ['writes another status of the very same', () => ({ decision: nothing, isRecorded: true, from: () => ['same'] })],
  ['is due again at once', () => ({ decision: { ...nothing, nextDeadlineMs: 0 }, isRecorded: false, from: () => ['same'] })],
])('a key that %s is told once a minute', ([, decided]) => {
  const { clock, told, alarm } = watched();
  for (let at = 0; at < 1_000; at += 1) alarm('Person/ana', decided(at));
  expect(told).toEqual([{ key: 'Person/ana', decisions: 240 }]);
  clock.advance(60_000);
  for (let at = 0; at < 1_000; at += 1) alarm('Person/ana', decided(at));
  expect(told).toHaveLength(2);
});

test.for<[string, (at: number) => Decided]>([
  ['finds nothing to do', () => ({ decision: nothing, isRecorded: false, from: () => ['same'] })],
  ['acts on something new each time', (at) => ({ decision: stop, isRecorded: true, from: () => ['same', at] })],
  ['is due in a moment', () => ({ decision: { ...nothing, nextDeadlineMs: 9_000_000_000_000 }, isRecorded: false, from: () => ['same'] })],
])('a key that %s may be asked for as often as people like', ([, decided]) => {
  const { told, alarm } = watched();
  for (let at = 0; at < 3_000; at += 1) alarm('Person/ana', decided(at));
  expect(told).toEqual([]);
});
