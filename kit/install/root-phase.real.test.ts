/** Processes that an installCommand starts, and their end. */
import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { livingPids } from '../processes.ts';
import { testServer, type TestServer } from './test-server.ts';

let server: TestServer;
beforeEach(() => {
  server = testServer();
});
afterEach(() => server.dispose());

test('a killed installer takes all processes of its installCommand with it', async () => {
  const one = server.package('one', { backend: { installCommand: 'sleep 300 & setsid sleep 300 & sleep 300; true' } });
  let installer: ChildProcess | undefined;
  const ended = server.run([one], {}, (child) => {
    installer = child;
  });
  const inside = (): readonly number[] => server.pidsBelow('.versions/notas/');
  // The shell and the three that it began, one of them in a session of its own, whatever watches them.
  await expect.poll(() => inside().length, { timeout: 30_000, interval: 20 }).toBeGreaterThan(3);
  installer?.kill('SIGKILL');
  expect(await ended).toMatchObject({ signal: 'SIGKILL' });
  await expect.poll(inside, { timeout: 60_000, interval: 20 }).toEqual([]);
});

test('what an installCommand leaves in a session of its own ends with it', async () => {
  const command =
    'for n in 1 2 3; do setsid sh -c "echo \\$\\$ >> \\"$HOME/deixados\\"; exec sleep 300" & done; while [ "$(wc -l < "$HOME/deixados")" != 3 ]; do sleep 0.1; done';
  expect(await server.run([server.package('one', { backend: { installCommand: command } })])).toMatchObject({ code: 0 });
  const left = readFileSync(join(server.dir, 'deixados'), 'utf8').trim().split('\n').map(Number);
  expect(left).toHaveLength(3);
  await expect.poll(() => livingPids().filter((pid) => left.includes(pid))).toEqual([]);
});
