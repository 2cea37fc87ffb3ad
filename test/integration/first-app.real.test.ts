/** docs/first-app.md as a newcomer follows it: its commands in an empty folder, in their order, and the file that it gives. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { compileCache } from '../../kit/testing/compile-cache.ts';
import { repository, startPortal, type RunningPortal } from '../support/portal.ts';
import { order, whenInstalled } from './world.ts';

const page = readFileSync(path.join(repository, 'docs/first-app.md'), 'utf8');
/** The first block makes the repository ready; from the second on they are run by the author. */
const [, ...commands] = Array.from(page.matchAll(/^```sh\n([^]*?)\n```/gm), ([, line = '']) => line);
const yaml = /^```yaml\n([^]*?)^```/m.exec(page)?.[1] ?? '';

let folder: string;
let portal: RunningPortal | undefined;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'svc1-'));
});
afterAll(async () => {
  await portal?.stop();
  rmSync(folder, { recursive: true, force: true });
});

function run(command: string): string {
  const env = { ...process.env, PATH: `${repository}/bin:${process.env['PATH']}`, HOME: folder, NODE_COMPILE_CACHE: compileCache };
  const { status, stdout, stderr } = spawnSync('sh', ['-c', command], { cwd: folder, env, encoding: 'utf8' });
  expect([command, status, stderr]).toEqual([command, 0, '']);
  return stdout;
}

test('what the page says makes an app that is published, installed and ready', async () => {
  const [create = '', dev, judge = '', publish = '', up, ...more] = commands;
  expect([dev, up, more]).toEqual(['svc dev my-notes', 'svc up portal', []]);
  run(create);
  expect(readFileSync(path.join(folder, 'my-notes/frontend/index.html'), 'utf8')).toContain('<h1');
  expect(run(judge)).toMatch(/^(\d+) of \1 checks ok; 2 do not apply$/m);
  expect(run(publish)).toMatch(/^my-notes 0\.1\.0: published /);
  mkdirSync(path.join(folder, 'portal'));
  writeFileSync(path.join(folder, 'portal/home.yaml'), yaml);
  portal = await startPortal({ desired: path.join(folder, 'portal') });
  await whenInstalled(portal, 'my-notes');
  expect(await order(portal, 'start', 'my-notes')).toMatchObject({ ready: true, status: 'running' });
});
