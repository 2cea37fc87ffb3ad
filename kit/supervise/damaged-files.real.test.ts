/** Files under our names may be anything: the person's own scripts, an editor's, a restore's. No app is left unwatched because of them. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, rmdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { everyNth } from '../../test/support/share.ts';
import { limits } from './limits.ts';
import { until } from '../test-home.ts';
import { startedApp, startOrder } from './testing/started-app.ts';

const plant = {
  folder: (path: string) => {
    mkdirSync(path);
    writeFileSync(join(path, 'kept'), 'of the person');
  },
  fifo: (path: string) => {
    execFileSync('mkfifo', [path]);
  },
};
const ownFiles = ['env', 'run.pid', 'subindo', 'status.json', 'limits.json', 'package.hash', 'launch.claim'] as const;

test.concurrent.for(
  everyNth(
    3,
    ownFiles.flatMap((file) => (['folder', 'fifo'] as const).map((kind) => [file, kind] as const)),
  ),
)('%s as a %s: the next supervisor takes over, stops and starts the app', async ([file, kind], { onTestFinished }) => {
  const { home, endSupervisor } = await startedApp(onTestFinished);
  await endSupervisor();
  const path = join(home.paths('notas').dir, file);
  rmSync(path, { force: true });
  plant[kind](path);

  const { client } = await home.supervisor();
  await client.call('subscribe');
  expect((await client.call('stop', { app: 'notas', requestId: 'stop', reason: 'StoppedByPerson' })).error).toBe(undefined);
  await until('the backend is gone', () => home.backends('notas').length === 0);
  expect((await client.call('start', startOrder('notas', 'again'))).error).toBe(undefined);
  const pid = await until('one backend runs again', () => (home.backends('notas').length === 1 ? home.backends('notas')[0] : null));
  await client.state('notas', (snapshot) => snapshot.state === 'running' && snapshot.process?.pid === pid);
  // Moved away, never deleted; a fifo holds nothing to keep.
  const kept = [path, `${path}.aside`].some((at) => existsSync(join(at, 'kept')));
  expect(kept).toBe(kind === 'folder');
});

test.concurrent.for(['folder', 'fifo'] as const)(
  'run.log as a %s is said to be none, and the next start makes one',
  async (kind, { onTestFinished }) => {
    const { home, client } = await startedApp(onTestFinished);
    const { runLog } = home.paths('notas');
    rmSync(runLog);
    plant[kind](runLog);
    const answers = [
      await client.call('log', { app: 'notas', tail: 20, previous: false }),
      await client.call('note', { app: 'notas', text: 'x' }),
    ];
    expect(answers.map(({ error }) => error?.code)).toEqual(['FILE_KIND', 'FILE_KIND']);
    await client.call('stop', { app: 'notas', requestId: 'stop', reason: 'StoppedByPerson' });
    await until('the backend is gone', () => home.backends('notas').length === 0);
    expect((await client.call('start', startOrder('notas', 'again'))).error).toBe(undefined);
    await until('run.log is a file again', () => statSync(runLog, { throwIfNoEntry: false })?.isFile() === true);
  },
);

test('a status.json that could not be written once is written at the next round', async ({ onTestFinished }) => {
  const { home, child, client } = await startedApp(onTestFinished);
  const { status } = home.paths('notas');
  const written = () => JSON.parse(readFileSync(status, 'utf8')) as { state: string };
  await until('status.json says running', () => existsSync(status) && written().state === 'running');
  // A folder at the temporary name fails the write as a full disk does; a stopped app changes no more.
  const inTheWay = `${status}.${child.pid}.tmp`;
  mkdirSync(inTheWay);
  await client.call('stop', { app: 'notas', requestId: 'stop', reason: 'StoppedByPerson' });
  await client.state('notas', (snapshot) => snapshot.state === 'stopped');
  await sleep(limits.statusFileLagMs * 4);
  expect(written().state).not.toBe('stopped');
  rmdirSync(inTheWay);
  await until('status.json says stopped', () => written().state === 'stopped');
});
