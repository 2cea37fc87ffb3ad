/** A database that goes while it is in use: noticed in one pass, written to no more, and a failed check changes nothing. */
import { copyFileSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, truncateSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Clock } from '../schema/clock.ts';
import { framed, typed } from './room-log-contract.ts';
import { judgeFile, stateOfFile, watchDatabases, type FileState } from './database-watch.ts';
import { openSqliteRoomLog } from './sqlite-room-log.ts';
import { openSqliteStore } from './sqlite.ts';
import { refusable } from './room-log-refusal.ts';

const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  at: (atMs, fn) => {
    const timer = setTimeout(fn, Math.max(0, atMs - performance.now()));
    return () => clearTimeout(timer);
  },
};

let dir: string;
let file: string;
beforeEach(() => {
  dir = mkdtempSync(path.join(os.tmpdir(), 'svc-watch-'));
  file = path.join(dir, 'svc.db');
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const present = (ino: bigint, size: bigint): FileState => ({ kind: 'present', ino, dev: 1n, size });

test.for([
  ['the same', present(1n, 8n), present(1n, 8n), null],
  ['grown', present(1n, 8n), present(1n, 9n), null],
  ['cut', present(1n, 8n), present(1n, 7n), 'was cut'],
  ['emptied', present(1n, 8n), present(1n, 0n), 'was emptied'],
  ['deleted', present(1n, 8n), { kind: 'absent' }, 'was deleted'],
  ['another', present(1n, 8n), present(2n, 8n), 'was replaced by another file'],
  ['not to be seen', present(1n, 8n), { kind: 'unknown' }, null],
  ['never seen', { kind: 'unknown' }, { kind: 'absent' }, null],
] as const)('a file that is %s', ([, before, now, verdict]) => {
  expect(judgeFile(before, now, false)).toBe(verdict);
});

test('a write-ahead log may shrink, and not go', () => {
  expect(judgeFile(present(1n, 8n), present(1n, 0n), true)).toBeNull();
  expect(judgeFile(present(1n, 8n), { kind: 'absent' }, true)).toBe('was deleted');
});

test('a path that leads nowhere for now says nothing; one that is not there says so', async () => {
  symlinkSync('loop', path.join(dir, 'loop'));
  expect([await stateOfFile(path.join(dir, 'loop')), await stateOfFile(path.join(dir, 'none', 'file'))]).toEqual([
    { kind: 'unknown' },
    { kind: 'absent' },
  ]);
});

const damages = [
  ['deleted', (name: string) => rmSync(name), /svc\.db was deleted/],
  ['emptied', (name: string) => truncateSync(name), /svc\.db was emptied/],
  ['cut', (name: string) => truncateSync(name, statSync(name).size >> 1), /svc\.db was cut/],
  [
    'replaced',
    (name: string) => {
      copyFileSync(name, `${name}.new`);
      renameSync(`${name}.new`, name);
    },
    /svc\.db was replaced/,
  ],
  ['robbed of its write-ahead log', (name: string) => rmSync(`${name}-wal`), /svc\.db-wal was deleted/],
] as const;

describe.for(damages)('a store that is %s', ([, damage, told]) => {
  test('is told within a round, and nothing is written to it any more', async () => {
    const store = await openSqliteStore(file);
    await store.putValue('before', '1');
    const due: (() => void)[] = [];
    const clock = { ...systemClock, at: (_atMs: number, fn: () => void) => (due.push(fn), () => undefined) };
    const lost: string[] = [];
    const onLost = (why: string): void => {
      lost.push(why);
      store.giveUp(why);
    };
    const watch = await watchDatabases([{ file, onLost }], clock);
    for (let n = 0; n < 50; n += 1) {
      await Promise.all(Array.from({ length: 20 }, (_, m) => store.putValue(`value ${m}`, 'x'.repeat(200 * n))));
      await watch.check();
    }
    expect(lost).toEqual([]);
    damage(file);
    due.shift()!();
    await vi.waitFor(() => expect(lost).toEqual([expect.stringMatching(told)]));
    const bytes = (): string => ['', '-wal'].map((suffix) => read(file + suffix)).join('|');
    const left = bytes();
    await expect(store.putValue('after', '1')).rejects.toMatchObject({ code: 'STORE_FAILED', message: expect.stringMatching(told) });
    await store.close();
    expect(bytes()).toBe(left);
    watch.stop();
  });
});

function read(name: string): string {
  try {
    return readFileSync(name, 'latin1');
  } catch {
    return 'none';
  }
}

test('a room log that is given up takes and shows nothing more', async () => {
  const log = await openSqliteRoomLog(path.join(dir, 'rooms.db'));
  let why: string | null = null;
  const guarded = refusable(log, () => why);
  const key = { sala: 's000000000000000000001', canal: 'documento' } as const;
  await guarded.append([{ ...key, seq: 1, frames: framed(typed(1, 5).updates) }]);
  why = 'rooms.db was deleted';
  const refused = { code: 'STORE_FAILED', message: expect.stringContaining('rooms.db was deleted') };
  await expect(guarded.append([{ ...key, seq: 2, frames: framed(typed(2, 5).updates) }])).rejects.toMatchObject(refused);
  await expect(guarded.load(key)).rejects.toMatchObject(refused);
  await guarded.close();
  expect((await log.load(key)).seq).toBe(1);
  await log.close();
});
