import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Clock } from '../../schema/clock.ts';
import { createFolderBytes } from '../folder-bytes.ts';
import { limits } from '../limits.ts';
import { holdFiles, removedAfterBackups } from './held-files.ts';

let dir: string;
let waiting: (() => void)[];
let ms: number;
const clock: Clock = {
  nowMs: () => ms,
  monotonicMs: () => ms,
  at: (_, fn) => {
    waiting.push(fn);
    return () => undefined;
  },
};
/** Whoever waits looks again. */
const lookAgain = (): void => {
  for (const look of waiting.splice(0)) look();
};
const settled = async (promise: Promise<unknown>): Promise<boolean> =>
  await Promise.race([promise.then(() => true), new Promise<boolean>((resolve) => setImmediate(() => resolve(false)))]);

beforeEach(() => {
  dir = mkdtempSync(path.join(os.tmpdir(), 'svc-held-'));
  [waiting, ms] = [[], 0];
  mkdirSync(path.join(dir, 'anexos/s1'), { recursive: true });
  for (const name of ['a', 'b', '.in-1']) writeFileSync(path.join(dir, 'anexos/s1', name), name);
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const isThere = (name: string): boolean => existsSync(path.join(dir, 'anexos/s1', name));

test('while a backup reads files none of them is removed; afterwards they are', async () => {
  const files = removedAfterBackups(createFolderBytes(path.join(dir, 'anexos')), dir, clock);
  const hold = await holdFiles(dir, clock);
  const [one, all] = [files.remove('s1', 'a'), files.removeFolder('s1')];
  expect([await settled(one), await settled(all), isThere('a'), isThere('b')]).toEqual([false, false, true, true]);
  lookAgain();
  expect([await settled(one), isThere('a')]).toEqual([false, true]);
  // An incoming file belongs to no row yet.
  await files.remove('s1', '.in-1');
  hold.release();
  lookAgain();
  await Promise.all([one, all]);
  expect([isThere('a'), isThere('b'), isThere('.in-1')]).toEqual([false, false, false]);
});

test('a second backup waits for the first one, and not for ever', async () => {
  const first = await holdFiles(dir, clock);
  const second = holdFiles(dir, clock);
  expect(await settled(second)).toBe(false);
  first.release();
  lookAgain();
  const held = await second;
  const third = holdFiles(dir, clock);
  ms = limits.backupHoldWaitMsMax;
  lookAgain();
  await expect(third).rejects.toMatchObject({ code: 'CONFLICT' });
  held.release();
});
