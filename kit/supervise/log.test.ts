/** A log on a full disk: it loses lines, says how many, and never throws. */
import { mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createLog } from './log.ts';

test('lines that can not be written are counted in the next one, which begins on a line of its own', ({ onTestFinished }) => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-log-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'log');
  const fd = openSync(file, 'a');
  let room = Number.POSITIVE_INFINITY;
  const log = createLog(fd, ((to: number, bytes: Buffer, at: number) => {
    if (room <= 0) throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
    const got = writeSync(to, bytes.subarray(at, at + room));
    room -= got;
    return got;
  }) as typeof writeSync);
  log('one');
  room = 10;
  log('cut');
  log('lost');
  room = Number.POSITIVE_INFINITY;
  log('back', { app: 'notas' });
  log('on');
  const [one, cut, back, on, end] = readFileSync(file, 'utf8').split('\n');
  expect([one, back, on].map((line) => JSON.parse(line ?? '') as object)).toMatchObject([
    { event: 'one' },
    { event: 'back', app: 'notas', linesLost: 2 },
    { event: 'on' },
  ]);
  expect([cut?.length, end, on?.includes('linesLost')]).toEqual([10, '', false]);
});
