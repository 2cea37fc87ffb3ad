import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../../controller/clock/system.ts';
import { createBuilder, needsBuild } from './builder.ts';

let dir: string;
beforeEach(() => (dir = mkdtempSync(path.join(tmpdir(), 'svc-db-'))));
afterEach(() => rmSync(dir, { recursive: true, force: true }));
const write = (name: string, text: string): void => writeFileSync(path.join(dir, name), text);

test('build.sh runs in the folder, and a failure has its exit code and output', async () => {
  const builder = createBuilder(dir, systemClock);
  const said: string[] = [];
  const build = async (sinceMs: number) => await builder.build(sinceMs, new AbortController().signal, (line) => said.push(line));
  expect(builder.exists()).toBe(false);
  write('build.sh', 'pwd\nprintf "main.c:1: error: x" >&2\nexit 3\n');
  expect(builder.exists()).toBe(true);
  expect(await build(0)).toMatchObject({ failure: 'exit code 3' });
  expect(said.toSorted()).toEqual([dir, 'main.c:1: error: x'].toSorted());
  // A change during a build causes one more build, and no more: the build may have written it itself.
  write('build.sh', ':');
  expect(await build(systemClock.monotonicMs())).toMatchObject({ failure: '' });
  expect(await build(systemClock.monotonicMs())).toBe(null);
});

test('a build is ended with what it started', async () => {
  write('build.sh', 'sleep 60 & wait');
  const stop = new AbortController();
  const building = createBuilder(dir, systemClock).build(0, stop.signal, () => undefined);
  stop.abort();
  expect(await building).toMatchObject({ failure: 'SIGKILL' });
});

test('an app without its program needs one first', () => {
  mkdirSync(path.join(dir, 'backend'));
  write('svc-app.json', '{"backend":{"entrypoint":"backend/app"}}');
  expect(needsBuild(dir)).toBe(false);
  write('build.sh', '');
  expect(needsBuild(dir)).toBe(true);
  write('backend/app', '');
  expect(needsBuild(dir)).toBe(false);
});
