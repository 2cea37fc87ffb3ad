/** A log on a full disk: it loses lines, says how many, and never throws. And one that grows. */
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs';
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

test('a log that earlier supervisors left too long keeps its last lines, and goes on', ({ onTestFinished }) => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-log-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'log');
  const old = `${JSON.stringify({ event: 'old', pad: 'x'.repeat(4_000) })}\n`;
  writeFileSync(file, `${old.repeat(4_250)}${JSON.stringify({ event: 'newest' })}\n`);
  expect(statSync(file).size).toBeGreaterThan(16 * 1_024 * 1_024);
  const fd = openSync(file, 'a');
  onTestFinished(() => closeSync(fd));
  const log = createLog(fd);
  log('started');
  log('state', { app: 'notas' });
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  expect(statSync(file).size).toBeLessThan(1.1 * 1_024 * 1_024);
  const events = lines.map((line) => (JSON.parse(line) as { readonly event: string }).event);
  expect([new Set(events.slice(0, -3)), events.slice(-3)]).toEqual([new Set(['old']), ['newest', 'started', 'state']]);
});

test('a log is cut while it is written, again and again, and what is no file of its own is left alone', ({ onTestFinished }) => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-log-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'log');
  const fd = openSync(file, 'a');
  onTestFinished(() => closeSync(fd));
  const log = createLog(fd);
  let largest = 0;
  for (let n = 0; n < 700; n += 1) {
    log('state', { n, pad: 'x'.repeat(60_000) });
    largest = Math.max(largest, statSync(file).size);
  }
  expect(largest).toBeLessThan(17 * 1_024 * 1_024);
  const last = JSON.parse(readFileSync(file, 'utf8').trimEnd().split('\n').at(-1) ?? '') as { readonly n: number };
  expect(last.n).toBe(699);
  const plain = join(folder, 'plain');
  writeFileSync(plain, 'x'.repeat(17 * 1_024 * 1_024));
  const over = openSync(plain, 'r+');
  onTestFinished(() => closeSync(over));
  createLog(over)('started');
  expect(statSync(plain).size).toBe(17 * 1_024 * 1_024);
});
