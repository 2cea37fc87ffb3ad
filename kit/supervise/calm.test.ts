import { mkdirSync, mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { limits } from './limits.ts';
import { newApp, type App } from './app-state.ts';
import { isCalm } from './calm.ts';

let home: string;
let app: App;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'svc-'));
  app = newApp({ home, prefix: '/' }, 'notas', 0);
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function serving(): void {
  mkdirSync(app.paths.dir, { recursive: true });
  writeFileSync(app.paths.env, '');
  const identity = { pid: 4_000, startTicks: 1, bootId: 'b' };
  const oom = { scope: null, slice: null };
  const own = { child: null, watch: null, hash: null, cgroup: null, oom, launcher: false, leader: true };
  app.process = { ...own, identity, startedAtMs: 0, listened: true, socketInode: 7, isSocketMissed: false, recordStamp: '' };
  app.supervision = { ...app.supervision, state: 'running', reason: 'Listening' };
  app.socket = 'listening';
  app.wish = { variables: new Map() };
  app.isFolderWatched = true;
}

/** Whether each of so many passes leaves its files alone. */
const rounds = (count: number): readonly boolean[] => Array.from({ length: count }, () => isCalm(app));
/** Up to a pass that did so. The folder is made old: times of files may be some milliseconds wide. */
function settle(): void {
  utimesSync(app.paths.dir, 1, 1);
  while (!isCalm(app) || app.calmRounds >= limits.calmRoundsMax);
}

test('of an app that serves the files are read in every sixth round, and in the first', () => {
  serving();
  const calm = rounds(25);
  expect(calm[0]).toBe(false);
  expect(calm.filter((is) => !is).length).toBeGreaterThanOrEqual(4);
  expect(calm.filter(Boolean).length).toBeGreaterThanOrEqual(19);
  expect(calm.join(' ')).not.toMatch(/(true ?){6}/);
});

test('an app that was never started has no folder, and needs no reading', () => {
  expect(rounds(2)).toEqual([true, true]);
  mkdirSync(app.paths.dir, { recursive: true });
  expect(isCalm(app)).toBe(false);
});

test.for<readonly [string, () => unknown]>([
  ['a file was made', () => writeFileSync(app.paths.secrets, '{}')],
  ['a file was deleted', () => rmSync(app.paths.env)],
  [
    'the folder is another one',
    () => {
      renameSync(app.paths.dir, `${app.paths.dir}.old`);
      mkdirSync(app.paths.dir);
    },
  ],
  ['the folder is gone', () => rmSync(app.paths.dir, { recursive: true })],
  ['the watch told of a write', () => (app.isTouched = true)],
  ['nothing watches the folder', () => (app.isFolderWatched = false)],
  ['it is being ended', () => (app.supervision = { ...app.supervision, state: 'stopping' })],
  ['its socket is not there', () => (app.socket = 'absent')],
  ['its socket was not seen at its path', () => (app.process!.socketInode = null)],
  ['its files can not be read', () => (app.unseen = 'EACCES')],
  ['its wish can not be used', () => (app.wish = { variables: null })],
  ['status.json is behind', () => (app.published = '{}')],
  ['a refusal waits for a change', () => (app.wakeStamp = '')],
])('read at once: %s', ([, change]) => {
  serving();
  settle();
  change();
  expect(isCalm(app)).toBe(false);
});
