/** `busy.sh` of code-server: programs in the terminals of this editor count, and none of another copy of the app that runs as the same account. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { expect, test } from 'vitest';

const script = path.join(import.meta.dirname, 'code-server/backend/busy.sh');
const common = { PATH: process.env['PATH'], SVC_APP_ID: 'code-server' };
const isBusy = (socket: string): boolean => spawnSync('sh', [script], { env: { ...common, SVC_APP_SOCKET: socket } }).status === 0;

test('is busy with a program in a terminal of its own, not with one of another copy', async () => {
  const [own, other] = [1, 2].map((copy) => `/run/svc-busy-${process.pid}/${copy}/app.sock`) as [string, string];
  // A shell that leads its session, and the program that it started.
  const shell = spawn('sh', ['-c', 'sleep 60 & echo up; wait'], {
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...common, SVC_APP_SOCKET: own, TERM_PROGRAM: 'vscode' },
  });
  try {
    await once(shell.stdout, 'data');
    expect([isBusy(own), isBusy(other)]).toEqual([true, false]);
  } finally {
    process.kill(-(shell.pid ?? 0), 'SIGKILL');
  }
});
