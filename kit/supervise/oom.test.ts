import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isOutOfMemory, oomCountersOf, parseOomKills } from './oom.ts';

test.for([
  ['low 0\nhigh 12\nmax 40\noom 3\noom_kill 2\noom_group_kill 0\n', 2],
  ['low 0\nhigh 0\nmax 0\noom 0\noom_kill 0\noom_group_kill 0\n', 0],
  ['nr_free_pages 17\noom_kill 9\nnumamigrate 0\n', 9],
  ['oom_group_kill 5\n', null],
  ['oom_kill \n', null],
  ['oom_kill -1\n', null],
  ['oom_kill 99999999999999999999\n', null],
  ['', null],
] as const)('%j: %j', ([text, count]) => {
  expect(parseOomKills(text)).toBe(count);
});

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'svc-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const scope = '/user.slice/user-1000.slice/user@1000.service/app.slice/svc-app-notas-x.scope';
const put = (folder: string, kills: number): void => {
  mkdirSync(join(root, folder), { recursive: true });
  writeFileSync(join(root, folder, 'memory.events'), `max 1\noom_kill ${kills}\n`);
};

test('the counters of a scope and of the slice above it are read, as long as they are there', () => {
  expect(oomCountersOf(scope, root)).toEqual({ scope: null, slice: null });
  put(scope, 1);
  put('/user.slice/user-1000.slice/user@1000.service/app.slice', 4);
  expect(oomCountersOf(scope, root)).toEqual({ scope: 1, slice: 4 });
  rmSync(join(root, scope), { recursive: true });
  expect(oomCountersOf(scope, root)).toEqual({ scope: null, slice: 4 });
  expect(oomCountersOf(null, root)).toEqual({ scope: null, slice: null });
});

const none = { scope: null, slice: null };
test.for([
  ['a kill in the scope', { before: { scope: 0, slice: 0 }, after: { scope: 1, slice: 1 }, machineKills: 1, killed: true }, true],
  [
    'of a worker, of which the leader ended',
    { before: { scope: 0, slice: 0 }, after: { scope: 1, slice: 1 }, machineKills: 1, killed: false },
    true,
  ],
  [
    'a worker long ago, and a crash now',
    { before: { scope: 1, slice: 1 }, after: { scope: 1, slice: 1 }, machineKills: 0, killed: false },
    false,
  ],
  [
    'SIGKILL by somebody beside an OOM elsewhere',
    { before: { scope: 0, slice: 0 }, after: { scope: 0, slice: 1 }, machineKills: 1, killed: true },
    false,
  ],
  [
    'a kill, and the scope is gone',
    { before: { scope: 0, slice: 2 }, after: { scope: null, slice: 3 }, machineKills: 1, killed: true },
    true,
  ],
  [
    'a crash, the scope is gone, another app ran out',
    { before: { scope: 0, slice: 2 }, after: { scope: null, slice: 3 }, machineKills: 1, killed: false },
    false,
  ],
  [
    'SIGKILL, the scope is gone, another person ran out',
    { before: { scope: 0, slice: 2 }, after: { scope: null, slice: 2 }, machineKills: 1, killed: true },
    false,
  ],
  ['no scope, SIGKILL, a kill on the machine', { before: none, after: none, machineKills: 1, killed: true }, true],
  ['no scope, SIGKILL by somebody', { before: none, after: none, machineKills: 0, killed: true }, false],
  ['no scope, a crash beside an OOM elsewhere', { before: none, after: none, machineKills: 3, killed: false }, false],
] as const)('%s', ([, evidence, expected]) => {
  expect(isOutOfMemory(evidence)).toBe(expected);
});
