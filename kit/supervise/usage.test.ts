import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { membersOf, ofScope, parseStatRow } from './usage.ts';

const stat = (state: string, parent: number, group: number): string =>
  `77 (a ) b) ${state} ${parent} ${group} 5 0 -1 4194304 1 2 3 4 10 20 30 40 20 0 3 0 12345 999 88 1`;

test('a line of /proc/PID/stat: parent, group and all times in milliseconds; a zombie is none', () => {
  expect(parseStatRow(77, stat('S', 3, 70))).toEqual({ pid: 77, parent: 3, group: 70, cpuMs: 1_000 });
  expect(parseStatRow(77, stat('Z', 3, 70))).toBeNull();
  expect(parseStatRow(77, '')).toBeNull();
});

test('an app is its leader, its group and their descendants, whatever the order of the pids', () => {
  const row = (pid: number, parent: number, group: number) => ({ pid, parent, group, cpuMs: 0 });
  const table = [row(2, 40, 2), row(10, 1, 10), row(11, 1, 10), row(30, 1, 30), row(40, 11, 40), row(50, 30, 30)];
  expect(membersOf(10, table).map(({ pid }) => pid)).toEqual([10, 11, 40, 2]);
  expect(membersOf(99, table)).toEqual([]);
});

test('a scope tells of itself: page cache left out; what it does not count is asked of /proc', ({ onTestFinished }) => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-cg-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'cpu.stat'), 'usage_usec 2500999\nuser_usec 1\n');
  writeFileSync(join(folder, 'memory.current'), '5000000\n');
  writeFileSync(join(folder, 'memory.stat'), 'anon 1\ninactive_file 1000000\n');
  expect(ofScope(folder)).toBeNull();
  writeFileSync(join(folder, 'pids.current'), '7\n');
  expect(ofScope(folder)).toEqual({ cpuMs: 2_500, memoryBytes: 4_000_000, tasks: 7 });
});
