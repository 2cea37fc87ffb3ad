import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { getPriority } from 'node:os';
import { afterEach, expect, test } from 'vitest';
import { putAfterPortal } from './priority.ts';

const child = spawn('sleep', ['60'], { detached: true, stdio: 'ignore' });
afterEach(() => child.kill());

test('a program of a person goes after the portal; one that ended already changes nothing', async () => {
  putAfterPortal(child);
  expect(getPriority(child.pid)).toBe(getPriority() + 10);
  const ended = once(child, 'exit');
  child.kill();
  await ended;
  putAfterPortal(child);
});
