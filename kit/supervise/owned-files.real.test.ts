/** Files that somebody deletes under their owner are made again, or the owner gives way: at the next pass, without a request. */
import { once } from 'node:events';
import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { identityOf, readPidFile } from '../processes.ts';
import { connectedClient, until } from '../test-home.ts';
import { passMs } from './testing/short-passes.ts';
import { isListening, roundMs, startedApp, startOrder } from './testing/started-app.ts';

/** Record of a process that is no backend. */
const recordOf = (pid: number): string => {
  const { startTicks, bootId } = identityOf(pid)!;
  return `${pid} ${startTicks} ${bootId}\n`;
};

/** Whether the process has the file open, not one of that name before. */
function holds(pid: number, path: string): boolean {
  return readdirSync(`/proc/${pid}/fd`).some((name) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${name}`) === path;
    } catch {
      return false;
    }
  });
}

/** The answer that a page gets: the pid of the backend. */
function answerOf(socket: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const connection = connect(socket);
    connection.once('data', (data) => {
      resolve(Number(data.toString()));
      connection.destroy();
    });
    connection.once('error', reject);
  });
}

describe.concurrent('of the supervisor', () => {
  test.for([
    ['deleted', (path: string) => unlinkSync(path)],
    ['moved away', (path: string) => renameSync(path, `${path}.old`)],
    ['replaced by a file', (path: string) => (unlinkSync(path), writeFileSync(path, ''))],
    ['replaced by a link to nowhere', (path: string) => (unlinkSync(path), symlinkSync('/nonexistent', path))],
  ] as const)('its socket, %s, stands again, and who is connected stays connected', async ([, harm], { onTestFinished }) => {
    const { home, paths, client, child } = await startedApp(onTestFinished);
    harm(paths.supervisorSocket);
    await until('the socket is back', () => existsSync(paths.supervisorSocket) && lstatSync(paths.supervisorSocket).isSocket(), roundMs);
    expect(lstatSync(paths.supervisorSocket).mode & 0o777).toBe(0o600);
    const other = await connectedClient(home.home);
    onTestFinished(() => void other.socket.destroy());
    expect((await other.call('hello')).pid).toBe((await client.call('hello')).pid);
    expect(child.exitCode).toBeNull();
  });

  test('its folder, deleted as a whole: the apps are not wanted any more, and it serves the new folder alone', async ({
    onTestFinished,
  }) => {
    const { home, paths, client, child } = await startedApp(onTestFinished);
    rmSync(paths.root, { recursive: true });
    await until('the app is ended', () => home.backends('notas').length === 0, roundMs);
    await until('the socket is back', () => existsSync(paths.supervisorSocket), 2 * roundMs);
    // A pass in which flock did not answer in time leaves it to the next one.
    await until('the lock of the new folder is held', () => holds(child.pid ?? 0, paths.supervisorLock), 2 * roundMs);
    // A second supervisor finds the lock taken and ends.
    const second = await home.supervisor();
    expect((await second.client.call('hello')).pid).toBe((await client.call('hello')).pid);
    if (second.child.exitCode === null) await once(second.child, 'exit');
    expect([second.child.exitCode, child.exitCode]).toEqual([0, null]);
    // Edges of the new folder reach it: at once, not at the next pass.
    expect((await client.call('start', startOrder('notas', 'again'))).error).toBe(undefined);
    await client.state('notas', (snapshot) => isListening(snapshot) && snapshot.requestId === 'again');
  });

  test('its folder, deleted, and another supervisor started before it looked: one of the two is left', async ({ onTestFinished }) => {
    const { home, paths, child } = await startedApp(onTestFinished);
    const ended = once(child, 'exit').then(() => 'first' as const);
    rmSync(paths.root, { recursive: true });
    const second = await home.supervisor();
    // On a machine that does much else the first one may have looked before the second one came.
    const gone = await Promise.race([ended, once(second.child, 'exit').then(() => 'second' as const)]);
    const [left, other] = gone === 'first' ? [second.child, child] : [child, second.child];
    // Its end took nothing of the one that is left away.
    const client = await connectedClient(home.home);
    onTestFinished(() => void client.socket.destroy());
    expect((await client.call('hello')).pid).toBe(left.pid);
    expect([left.exitCode, other.exitCode]).toEqual([null, 0]);
    expect((await client.call('start', startOrder('notas', 'again'))).error).toBe(undefined);
    await until('one backend', () => home.backends('notas').length === 1);
  });

  test('its lock alone, deleted: it is taken anew, and a second supervisor still ends', async ({ onTestFinished }) => {
    const { home, paths, client, child } = await startedApp(onTestFinished);
    unlinkSync(paths.supervisorLock);
    await until('the lock is back', () => existsSync(paths.supervisorLock), roundMs);
    const second = await home.supervisor();
    if (second.child.exitCode === null) await once(second.child, 'exit');
    expect((await second.client.call('hello')).pid).toBe((await client.call('hello')).pid);
    expect(child.exitCode).toBeNull();
    expect((await client.call('snapshot')).apps).toMatchObject([{ app: 'notas', state: 'running' }]);
  });
});

describe.concurrent('of a running app', () => {
  test.for([
    ['deleted', (path: string) => unlinkSync(path)],
    ['moved away', (path: string) => renameSync(path, `${path}.old`)],
  ] as const)('its socket, %s: it is started anew with the reason, and that is no failure', async ([, harm], { onTestFinished }) => {
    const { home, client, pid } = await startedApp(onTestFinished);
    const { socket } = home.paths('notas');
    const from = client.pushes.length;
    harm(socket);
    const again = await client.state('notas', (snapshot) => isListening(snapshot) && snapshot.process?.pid !== pid, roundMs);
    expect(again).toMatchObject({ failures: 0, restarts: 1, wanted: true });
    expect(home.backends('notas')).toEqual([again.process?.pid]);
    expect(await answerOf(socket)).toBe(again.process?.pid);
    const reasons = client.pushes
      .slice(from)
      .flatMap((push) => (push.event === 'app' ? [`${push.snapshot.state} ${push.snapshot.reason}`] : []));
    expect(reasons).toContain('starting SocketLost');
    expect(again.lastExit).toBeNull();
  });

  test('a socket that it binds again itself costs nothing', async ({ onTestFinished }) => {
    const rebinding = `
import os, socket, threading
path = os.environ['SVC_APP_SOCKET']
def listen():
    s = socket.socket(socket.AF_UNIX); s.bind(path); os.chmod(path, 0o600); s.listen(64); return s
first = listen()
while not os.path.exists(os.environ['HOME'] + '/rebind'): threading.Event().wait(0.02)
os.unlink(path); second = listen(); first.close()
while True:
    c, _ = second.accept()
    try: c.sendall(str(os.getpid()).encode())
    except OSError: pass
    c.close()
`;
    const { home, pid } = await startedApp(onTestFinished, { files: { 'main.py': rebinding } });
    const inode = lstatSync(home.paths('notas').socket).ino;
    // Held, so that its number is not given to the next one.
    linkSync(home.paths('notas').socket, `${home.home}/held`);
    writeFileSync(`${home.home}/rebind`, '');
    await until('it is bound again', () => existsSync(home.paths('notas').socket) && lstatSync(home.paths('notas').socket).ino !== inode);
    await sleep(2 * passMs);
    expect(home.backends('notas')).toEqual([pid]);
    expect(await answerOf(home.paths('notas').socket)).toBe(pid);
  });

  test('its run.pid, deleted: it is written again, and a launcher by hand finds the app up', async ({ onTestFinished }) => {
    const { home, pid } = await startedApp(onTestFinished);
    unlinkSync(home.paths('notas').runPid);
    await until('the record is back', () => existsSync(home.paths('notas').runPid), roundMs);
    expect((await home.launcher('notas')).code).toBe(0);
    expect(home.backends('notas')).toEqual([pid]);
  });

  test.for([
    ['that can not be read as one', (): string => 'not a pid\n'],
    ['that names another process', (): string => `${process.pid}\n`],
    ['that names another process in full', (): string => recordOf(process.pid)],
  ] as const)('its run.pid, exchanged for one %s: it is written again', async ([, foreign], { onTestFinished }) => {
    const { home, pid } = await startedApp(onTestFinished);
    writeFileSync(home.paths('notas').runPid, foreign());
    await until('the record is back', () => readPidFile(home.paths('notas').runPid)?.pid === pid, roundMs);
    expect(home.backends('notas')).toEqual([pid]);
  });

  test.for(['status.json', 'nothing'] as const)(
    'its run.pid, exchanged before its supervisor was killed, in another version of the package: the next one finds it by %s',
    async (by, { onTestFinished }) => {
      const { home, paths, endSupervisor, pid } = await startedApp(onTestFinished);
      const { runPid, status } = home.paths('notas');
      await until('status.json says running', () => existsSync(status) && readFileSync(status, 'utf8').includes(`"pid":${pid},`));
      await endSupervisor();
      writeFileSync(runPid, recordOf(process.pid));
      if (by === 'nothing') unlinkSync(status);
      // As an installation leaves it: the name leads to another folder than the one that the process was started from.
      const { systemApps } = paths;
      mkdirSync(join(systemApps, '.versions/notas'), { recursive: true });
      renameSync(join(systemApps, 'notas'), join(systemApps, '.versions/notas/other'));
      symlinkSync('.versions/notas/other', join(systemApps, 'notas'));
      const { client } = await home.supervisor();
      await client.call('subscribe');
      await client.state('notas', (snapshot) => isListening(snapshot) && snapshot.process?.pid === pid, roundMs);
      expect(home.backends('notas')).toEqual([pid]);
      expect(readPidFile(runPid)?.pid).toBe(pid);
    },
  );

  test('its socket, deleted while no supervisor watched: the next one starts it anew', async ({ onTestFinished }) => {
    const { home, endSupervisor, pid } = await startedApp(onTestFinished);
    await endSupervisor();
    unlinkSync(home.paths('notas').socket);
    const { client } = await home.supervisor();
    await client.call('subscribe');
    const again = await client.state('notas', (snapshot) => isListening(snapshot) && snapshot.process?.pid !== pid, roundMs);
    expect(home.backends('notas')).toEqual([again.process?.pid]);
  });

  test('its socket, lost, and the supervisor killed before the app was gone: the next one ends what was begun, and counts it', async ({
    onTestFinished,
  }) => {
    const { home, client, endSupervisor, pid } = await startedApp(onTestFinished);
    const { status } = home.paths('notas');
    const kept = (): { readonly state: string; readonly supervision: object } =>
      JSON.parse(readFileSync(status, 'utf8')) as { state: string; supervision: object };
    await client.state('notas', isListening);
    await until('status.json says running', () => existsSync(status) && kept().state === 'running');
    await endSupervisor();
    const before = kept();
    const supervision = { ...before.supervision, state: 'stopping', reason: 'SocketLost', killAtMs: Date.now(), relaunch: true };
    writeFileSync(status, JSON.stringify({ ...before, state: 'stopping', reason: 'SocketLost', supervision }));
    process.kill(pid, 'SIGKILL');
    await until('the backend is gone', () => home.backends('notas').length === 0);
    const next = await home.supervisor();
    await next.client.call('subscribe');
    expect(await next.client.state('notas', isListening)).toMatchObject({ restarts: 1, failures: 0 });
  });
});
