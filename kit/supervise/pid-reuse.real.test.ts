/** The kernel gives the pid of a dead backend to somebody else: nobody takes that one for the app, and nobody sends it a signal. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { expect, test as plain } from 'vitest';
import { amount } from '../../test/support/amount.ts';
import { tellCount } from '../../test/support/counts.ts';
import { readPidFile } from '../processes.ts';
import { homeFixture, until, type TestHome } from '../test-home.ts';

const test = plain.extend<{ home: TestHome }>(homeFixture);
const rounds = amount(2, 5, 1);
const start = { app: 'eco', token: 'token-long', basePath: '/', pinned: false, variables: {} };

/** A process of somebody else with that very pid; null when another program was faster, and keeps it. */
async function withPid(pid: number): Promise<ChildProcess | null> {
  for (let tries = 0; tries < 100; tries += 1) {
    writeFileSync('/proc/sys/kernel/ns_last_pid', String(pid - 1));
    const child = spawn('sleep', ['600'], { stdio: 'ignore', detached: true, env: { PATH: '/usr/bin:/bin' } });
    await once(child, 'spawn');
    if (child.pid === pid) return child;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  return null;
}

test.runIf(process.getuid?.() === 0)(
  'the pid of a backend that died unseen is a foreign process now',
  { timeout: 240_000 },
  async ({ home }) => {
    home.install('eco');
    let signalled = 0;
    let lost = 0;
    for (let round = 0; round < rounds;) {
      const first = await home.supervisor();
      await first.client.call('subscribe');
      await first.client.call('start', { ...start, requestId: `start-${round}-${lost}` });
      const { process: live } = await first.client.state('eco', (s) => s.state === 'running' && s.socket === 'listening');
      const { pid } = live!;
      first.child.kill('SIGKILL');
      await once(first.child, 'exit');
      process.kill(pid, 'SIGKILL');
      await until('the pid is free', () => !existsSync(`/proc/${pid}`));
      const foreign = await withPid(pid);
      if (foreign === null) lost += 1;
      expect(lost).toBeLessThan(10);
      const ended = foreign === null ? null : once(foreign, 'exit');
      try {
        expect(readPidFile(home.paths('eco').runPid)?.pid).toBe(pid);
        const second = await home.supervisor();
        await second.client.call('subscribe');
        // The wish of before is still there: another process is started beside the foreign one.
        const again = await second.client.state('eco', (s) => s.state === 'running' && s.socket === 'listening' && s.process !== null);
        expect(foreign !== null && again.process?.pid === pid).toBe(false);
        await second.client.call('stop', { app: 'eco', reason: 'StoppedByPerson', requestId: `stop-${round}-${lost}` });
        await second.client.state('eco', (s) => s.state === 'stopped' && s.process === null);
        if (foreign !== null) {
          round += 1;
          signalled += foreign.exitCode === null && foreign.signalCode === null ? 0 : 1;
        }
        second.child.kill('SIGKILL');
        await once(second.child, 'exit');
      } finally {
        foreign?.kill('SIGKILL');
        await ended;
      }
    }
    tellCount(`pid reuse: ${rounds} pids of dead backends given to somebody else, ${signalled} signals to them`);
    expect(signalled).toBe(0);
  },
);
