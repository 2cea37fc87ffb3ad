/** Files that can't be read are not files that are gone (style rule 20): what runs goes on, nothing is concluded, all comes back by itself. */
import { chmodSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { AppSnapshot } from '../../schema/supervisor-lines.ts';
import { failPaths } from '../../test/support/failing-device.ts';
import { until, type TestClient } from '../test-home.ts';
import { passMs } from './testing/short-passes.ts';
import { roundMs, startedApp, startOrder, type StartedApp } from './testing/started-app.ts';

/** Modes stop nobody who is root, so the home is of an account without a name. */
const uid = 61_234;
const isRoot = process.getuid?.() === 0;
const isRunning = ({ state }: AppSnapshot): boolean => state === 'running';
const isUnknown = ({ state }: AppSnapshot): boolean => state === 'unknown';

/** Its folders may be closed when the test ends. */
async function running(onTestFinished: (end: () => Promise<void>) => void, account?: number): Promise<StartedApp> {
  const started = await startedApp(onTestFinished, account === undefined ? {} : { uid: account });
  onTestFinished(async () => {
    for (const path of [started.paths.root, started.paths.systemApps]) if (existsSync(path)) chmodSync(path, 0o755);
  });
  return started;
}

/** Nothing is to be seen of a pass that changes nothing: within this time there is one, whenever the last one was. */
const aRound = (): Promise<void> => sleep(2 * passMs);

const statesSince = ({ pushes }: TestClient, from: number): readonly string[] => [
  ...new Set(pushes.slice(from).flatMap((push) => (push.event === 'app' ? [push.snapshot.state] : []))),
];

describe.runIf(isRoot).concurrent('an account whose files are closed', () => {
  test('a stop meanwhile ends the process, and the wish goes with the repair', async ({ onTestFinished }) => {
    const {
      home,
      paths: { root },
      client,
    } = await running(onTestFinished, uid);
    chmodSync(root, 0o000);
    await client.state('notas', isUnknown, roundMs);
    const refused = await client.call('stop', { app: 'notas', requestId: 'stop', reason: 'StoppedByPerson' });
    expect(refused.error?.code).toBe('FILES_UNREADABLE');
    await until('the process is gone', () => home.backends('notas').length === 0);
    await client.state('notas', (snapshot) => isUnknown(snapshot) && snapshot.process === null);
    chmodSync(root, 0o700);
    expect(await client.state('notas', ({ state }) => state === 'stopped', roundMs)).toMatchObject({
      reason: 'StoppedByPerson',
      wanted: false,
    });
    expect(existsSync(home.paths('notas').env)).toBe(false);
    expect((await client.call('start', startOrder('notas', 'after'))).error).toBe(undefined);
    await client.state('notas', isRunning);
  });

  test('a closed ~/.svc-apps: the app runs on as unknown, and is running again once it is open', async ({ onTestFinished }) => {
    const {
      home,
      paths: { root },
      client,
      pid,
    } = await running(onTestFinished, uid);
    const from = client.pushes.length;
    chmodSync(root, 0o000);
    const unknown = await client.state('notas', isUnknown, roundMs);
    expect(unknown).toMatchObject({ reason: 'FilesUnreadable', wanted: true, process: { pid } });
    expect(unknown.message).toBe(`${home.paths('notas').env} can't be read: EACCES`);
    expect(await client.call('start', startOrder('notas', 'while-closed'))).toMatchObject({
      ok: false,
      error: { code: 'FILES_UNREADABLE' },
    });
    await aRound();
    expect(home.backends('notas')).toEqual([pid]);
    chmodSync(root, 0o700);
    expect(await client.state('notas', isRunning, roundMs)).toMatchObject({ process: { pid }, failures: 0, socket: 'listening' });
    expect(statesSince(client, from)).toEqual(['unknown', 'running']);
  });

  test('an app that dies meanwhile is started again once its files can be read', async ({ onTestFinished }) => {
    const {
      home,
      paths: { root },
      client,
      pid,
    } = await running(onTestFinished, uid);
    chmodSync(root, 0o000);
    process.kill(pid, 'SIGKILL');
    await client.state('notas', (snapshot) => isUnknown(snapshot) && snapshot.process === null, roundMs);
    await aRound();
    expect(home.backends('notas')).toEqual([]);
    chmodSync(root, 0o700);
    const again = await client.state('notas', (snapshot) => isRunning(snapshot) && snapshot.process?.pid !== pid, roundMs);
    expect(home.backends('notas')).toEqual([again.process?.pid]);
  });

  test('a supervisor that begins while the folder of an app is closed ends nothing and takes it over later', async ({ onTestFinished }) => {
    const { home, pid, endSupervisor } = await running(onTestFinished, uid);
    const { dir } = home.paths('notas');
    await endSupervisor();
    chmodSync(dir, 0o000);
    onTestFinished(() => chmodSync(dir, 0o700));
    const { client } = await home.supervisor();
    await client
      .call('subscribe')
      .then(({ apps }) => expect(apps).toMatchObject([{ app: 'notas', state: 'unknown', reason: 'FilesUnreadable' }]));
    await aRound();
    expect(home.backends('notas')).toEqual([pid]);
    chmodSync(dir, 0o700);
    expect(await client.state('notas', isRunning, roundMs)).toMatchObject({ process: { pid }, wanted: true, requestId: 'start-notas' });
    expect(home.backends('notas')).toEqual([pid]);
  });

  test('a package that can not be read is still installed, and starts when it can', async ({ onTestFinished }) => {
    const { paths, client, pid } = await running(onTestFinished, uid);
    const folder = join(paths.systemApps, 'notas');
    chmodSync(folder, 0o000);
    onTestFinished(() => chmodSync(folder, 0o755));
    process.kill(pid, 'SIGKILL');
    const waiting = await client.state('notas', ({ reason }) => reason === 'FilesUnreadable', roundMs);
    expect(waiting).toMatchObject({ state: 'backoff', failures: 1, installed: { version: '1.0.0' } });
    expect(waiting.message).toContain('EACCES');
    await aRound();
    expect((await client.call('snapshot')).apps).toMatchObject([
      { app: 'notas', installed: { version: '1.0.0' }, wanted: true, failures: 1 },
    ]);
    chmodSync(folder, 0o755);
    await client.state('notas', isRunning, roundMs);
  });
});

const asking = 'stat,lstat,newfstatat,statx,open,openat,access,faccessat,faccessat2,getdents64,readlink,unlink,rename,mkdir,chmod';

describe.concurrent('a home that fails', () => {
  test.for(['EIO', 'ESTALE'] as const)(
    'a home that answers with %s is unknown, and nothing is ended',
    async (error, { onTestFinished }) => {
      const {
        home,
        paths: { root },
        client,
        pid,
      } = await running(onTestFinished);
      const { pid: supervisor } = await client.call('hello');
      const paths = home.paths('notas');
      const from = client.pushes.length;
      const repair = await failPaths(supervisor, asking, error, [root, ...Object.values(paths)]);
      onTestFinished(repair);
      const unknown = await client.state('notas', isUnknown, 2 * roundMs);
      expect(unknown).toMatchObject({ reason: 'FilesUnreadable', process: { pid }, message: `${paths.env} can't be read: ${error}` });
      await aRound();
      expect(home.backends('notas')).toEqual([pid]);
      await repair();
      expect(await client.state('notas', isRunning, 2 * roundMs)).toMatchObject({ process: { pid }, failures: 0 });
      expect(statesSince(client, from)).toEqual(['unknown', 'running']);
    },
  );
});
