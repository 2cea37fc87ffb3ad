/** An order of a portal that leads no more is refused, also by the next supervisor. */
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createFence, type Fence } from './fence.ts';
import { moving } from '../../schema/testing/moving.ts';

const nowMs = 1_800_000_000_000;
let folder: string;
let file: string;
let logged: string[];
const open = (): Fence => createFence({ file, nowMs: moving(() => nowMs), log: (event) => logged.push(event) });

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'svc-fence-'));
  file = path.join(folder, 'supervisor.leader');
  logged = [];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('the highest number counts, also after a restart; none counts always', () => {
  const fence = open();
  for (const number of [undefined, nowMs, nowMs, nowMs + 2, undefined]) fence.obey(number);
  expect(() => fence.obey(nowMs + 1)).toThrow(expect.objectContaining({ code: 'CONFLICT' }) as Error);
  expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o777]).toEqual([`${nowMs + 2}\n`, 0o600]);
  const next = open();
  expect(() => next.obey(nowMs + 1)).toThrow('came later');
  next.obey(nowMs + 2);
  expect(logged).toEqual(['leader', 'leader']);
});

test.for(['', 'x', '-1', '0', '1e13', `${nowMs + 86_400_001}`, '9'.repeat(40)])(
  'a file that says %j locks nobody out, and is said',
  (text) => {
    writeFileSync(file, text);
    open().obey(1);
    expect(logged).toEqual(['leader-unreadable', 'leader']);
    expect(readFileSync(file, 'utf8')).toBe('1\n');
  },
);

test('where it can’t be written the number holds for this supervisor', () => {
  rmSync(folder, { recursive: true });
  const fence = open();
  fence.obey(5);
  expect(() => fence.obey(4)).toThrow('came later');
  expect(logged).toEqual(['leader', 'leader-unwritten']);
});

test('who says only that it leads is never refused, and those before it are from then on', () => {
  const fence = open();
  for (const number of [undefined, 5, 4]) fence.hear(number);
  expect(() => fence.obey(4)).toThrow('came later');
  fence.obey(5);
  expect(readFileSync(file, 'utf8')).toBe('5\n');
});
