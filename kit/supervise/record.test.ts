import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { identityOf, readPidFile, writePidFile } from '../processes.ts';
import { newApp, type App, type Supervisor } from './app-state.ts';
import { keepRecord } from './lost-socket.ts';
import { moving } from '../../schema/testing/moving.ts';

const own = identityOf(process.pid)!;
const foreign = { ...own, pid: own.pid + 1 };
let home: string;
let app: App;
let nowMs: number;
const failed: unknown[] = [];
const keep = (): void =>
  keepRecord({ nowMs: moving(() => nowMs), log: (_event: string, fields?: unknown) => failed.push(fields) } as unknown as Supervisor, app);

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'svc-'));
  app = newApp({ home, prefix: '/' }, 'notas', 0);
  mkdirSync(app.paths.dir, { recursive: true });
  const oom = { scope: null, slice: null };
  const none = { child: null, watch: null, hash: null, cgroup: null, oom, launcher: false, leader: true };
  app.process = { ...none, identity: own, startedAtMs: 0, listened: true, socketInode: 7, isSocketMissed: false, recordStamp: '' };
  writePidFile(app.paths.runPid, own);
  nowMs = Date.now() + 60_000;
  failed.length = 0;
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

/** Bytes that this process has read from files so far. */
const bytesRead = (): number => Number(/rchar: (\d+)/.exec(readFileSync('/proc/self/io', 'utf8'))?.[1]);

test('a record that named the process is not read again while nobody touches it', () => {
  keep();
  const before = bytesRead();
  for (let round = 0; round < 2_000; round += 1) keep();
  // The record alone is some fifty bytes, and other things of this process may read as well.
  expect(bytesRead() - before).toBeLessThan(20_000);
  expect(failed).toEqual([]);
});

test.for<readonly [string, () => void]>([
  ['written over in its place, with the times that it had', () => touchedLike(() => writeFileSync(app.paths.runPid, recordText(foreign)))],
  ['replaced', () => writePidFile(app.paths.runPid, foreign)],
  ['deleted', () => unlinkSync(app.paths.runPid)],
  ['made empty', () => writeFileSync(app.paths.runPid, '')],
])('a record that was %s is written again', async ([, change]) => {
  keep();
  change();
  keep();
  expect([readPidFile(app.paths.runPid), failed]).toEqual([own, []]);
});

test('one that was written a moment ago is read at each look: the next write may have the same time', () => {
  nowMs = Date.now();
  keep();
  expect(app.process?.recordStamp).toBe('');
  nowMs += 60_000;
  keep();
  expect(app.process?.recordStamp).not.toBe('');
});

test('with a clock that was set back it is read at each look', () => {
  nowMs = 0;
  keep();
  expect(app.process?.recordStamp).toBe('');
});

const recordText = ({ pid, startTicks, bootId }: typeof own): string => `${pid} ${startTicks} ${bootId}\n`;

/** mtime as before; nobody can set a ctime. */
function touchedLike(change: () => void): void {
  const { atime, mtime } = statSync(app.paths.runPid);
  change();
  utimesSync(app.paths.runPid, atime, mtime);
}
