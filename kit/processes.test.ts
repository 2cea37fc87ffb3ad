import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  groupAlive,
  identityOf,
  isAlive,
  markedEnviron,
  processesOf,
  readPidFile,
  startedAtMs,
  watchProcess,
  writePidFile,
} from './processes.ts';

describe('a process', () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'svc-'));
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  const sleeper = (environment: Record<string, string> = {}) =>
    spawn('sleep', ['60'], { env: { PATH: '/usr/bin:/bin', ...environment }, stdio: 'ignore', detached: true });
  const identify = (pid: number | undefined) => {
    const identity = identityOf(pid ?? 0);
    if (identity === null) throw new Error('no such process');
    return identity;
  };

  test('is alive as before where nobody can look at it: no descriptor is free', () => {
    const script = `import { openSync } from 'node:fs';
      import { identityOf, isAlive } from ${JSON.stringify(join(import.meta.dirname, 'processes.ts'))};
      const own = identityOf(process.pid);
      try { for (;;) openSync('/dev/null'); } catch {}
      process.exitCode = isAlive(own) ? 7 : 8;`;
    const argv = ['-c', 'ulimit -n 64; exec "$0" "$@"', process.execPath, '--input-type=module-typescript', '-e', script];
    expect(spawnSync('/bin/sh', argv).status).toBe(7);
  });

  test('is itself only with the same start time and boot', async () => {
    const child = sleeper();
    const identity = identify(child.pid);
    expect(isAlive(identity)).toBe(true);
    expect(isAlive({ ...identity, startTicks: identity.startTicks + 1 })).toBe(false);
    expect(isAlive({ ...identity, bootId: '00000000-0000-4000-8000-000000000000' })).toBe(false);
    expect(Math.abs(startedAtMs(identity) - Date.now())).toBeLessThan(5_000);
    const watched = watchProcess(identity);
    expect(watched?.alive()).toBe(true);
    expect(watchProcess({ ...identity, startTicks: 1 })).toBeNull();
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect([isAlive(identity), watched?.alive(), groupAlive(identity.pid)]).toEqual([false, false, false]);
    watched?.close();
  });

  test('is of an app only with the mark of the very home', async () => {
    const mark = { app: 'notas', socket: join(dir, 'a/app.sock') };
    const child = sleeper({ SVC_APP_ID: 'notas', SVC_APP_SOCKET: mark.socket });
    await once(child, 'spawn');
    const { pid } = identify(child.pid);
    expect(processesOf(mark).map((found) => [found.identity.pid, found.leader])).toEqual([[pid, true]]);
    expect(markedEnviron(pid, { ...mark, app: 'outra' })).toBeNull();
    expect(processesOf({ ...mark, socket: join(dir, 'b/app.sock') })).toEqual([]);
    expect(groupAlive(pid)).toBe(true);
    child.kill('SIGKILL');
    await once(child, 'exit');
  });

  test('a pid file comes back exactly, and anything else is no evidence', () => {
    const path = join(dir, 'run.pid');
    const identity = identify(process.pid);
    writePidFile(path, identity);
    expect(readPidFile(path)).toEqual(identity);
    expect(readPidFile(join(dir, 'none'))).toBeNull();
    for (const text of ['', '1', `${process.pid}\n`, `-1 5 ${identity.bootId}\n`, `1 5 ${identity.bootId}\n1 5`, '1 5 x\n']) {
      writeFileSync(path, text);
      expect(readPidFile(path)).toBeNull();
    }
  });
});
