import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { limits } from './limits.ts';
import { untilSignal } from './signals.ts';
import { moving } from '../../schema/testing/moving.ts';

test('a second Ctrl-C ends what is waited for, a third one svc dev alone; one that comes twice is one', async () => {
  const signals = new EventEmitter();
  const done: string[] = [];
  let now = 0;
  const first = untilSignal({ signals, nowMs: moving(() => now), endNow: () => done.push('now'), leave: () => done.push('leave') });
  const press = (name: NodeJS.Signals, atMs: number): readonly string[] => {
    now = atMs;
    signals.emit(name);
    return [...done];
  };
  expect(press('SIGINT', 1_000)).toEqual([]);
  await first;
  expect(press('SIGINT', 1_060)).toEqual([]);
  expect(press('SIGINT', 1_000 + limits.sameSignalMs)).toEqual(['now']);
  // A window that is closed does not leave processes behind.
  expect(press('SIGHUP', 9_000)).toEqual(['now']);
  expect(press('SIGINT', 9_001)).toEqual(['now', 'leave']);
});
