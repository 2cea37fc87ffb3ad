/** What an installCommand starts, and its end. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { livingPids } from '../processes.ts';
import { testServer, type TestServer } from './test-server.ts';

let server: TestServer;
const children = new Set<ChildProcess>();
beforeEach(() => {
  server = testServer();
});
afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
  children.clear();
  server.dispose();
});

test('a killed installer takes all processes of its installCommand with it', async () => {
  const one = server.package('one', { backend: { installCommand: 'sleep 300 & setsid sleep 300 & sleep 300; true' } });
  const child = spawn(join(import.meta.dirname, '../../bin/svc-app-install'), [one, '--json'], {
    env: { PATH: process.env['PATH'], HOME: server.dir, SVC_PREFIX: server.dir, SVC_KIT_SOURCE: '1' },
    stdio: 'ignore',
  });
  children.add(child);
  /** Processes that stand in a version of this app. */
  const inside = (): number[] =>
    livingPids().filter((pid) => {
      try {
        return readlinkSync(`/proc/${pid}/cwd`).startsWith(join(server.apps, '.versions/notas/'));
      } catch {
        return false;
      }
    });
  // The shell and the three that it began, one of them in a session of its own, whatever watches them.
  await expect.poll(() => inside().length, { timeout: 30_000, interval: 20 }).toBeGreaterThan(3);
  child.kill('SIGKILL');
  await once(child, 'exit');
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
