/** A damaged or edited env file (rules 2.6): what the supervisor makes of it, and what it remembers once it was mended. */
import { once } from 'node:events';
import { chmodSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { expect, test as plain } from 'vitest';
import { homeFixture, until, type TestClient, type TestHome } from '../test-home.ts';
import { isListening, startOrder } from './testing/started-app.ts';

const test = plain.extend<{ home: TestHome }>(homeFixture);

/** The env file of a running app changes while neither it nor a supervisor lives: otherwise it would be written again. The next supervisor's client. */
async function damagedMeanwhile(home: TestHome, damage: (path: string) => void): Promise<TestClient> {
  const first = await home.supervisor();
  await first.client.call('subscribe');
  await first.client.call('start', startOrder('notas'));
  const before = await first.client.state('notas', isListening);
  // The next supervisor reads the state from this file, which is written a moment later.
  const { status } = home.paths('notas');
  await until('status.json says that it runs', () => existsSync(status) && readFileSync(status, 'utf8').includes('"Listening"'));
  first.child.kill('SIGKILL');
  await once(first.child, 'exit');
  process.kill(before.process!.pid, 'SIGKILL');
  damage(home.paths('notas').env);
  const { client } = await home.supervisor();
  await client.call('subscribe');
  return client;
}

test.concurrent.for([
  ['others could read', (path: string) => chmodSync(path, 0o644), (path: string) => chmodSync(path, 0o600)],
  [
    'held a bad line',
    (path: string) => writeFileSync(path, 'SVC_APP_TOKEN=a-token-long-enough\nnonsense\n'),
    (path: string) => {
      // Renamed into place: an emptied file would be read as an environment without a token.
      writeFileSync(`${path}.new`, 'SVC_APP_TOKEN=a-token-long-enough\nSVC_APP_BASE_PATH=/\n', { mode: 0o600 });
      renameSync(`${path}.new`, path);
    },
  ],
] as const)('an env file that %s and was mended brings the app up with its token', async ([, damage, mend], { home }) => {
  home.install('notas');
  const client = await damagedMeanwhile(home, damage);
  const refused = await client.state('notas', (s) => s.state === 'failed');
  expect(refused).toMatchObject({ reason: 'EnvFileDamaged', wanted: true });
  expect(refused.message).toMatch(/^the env file can't be used: /);
  const { status } = home.paths('notas');
  await until('status.json says so', () => existsSync(status) && readFileSync(status, 'utf8').includes('"EnvFileDamaged"'));
  mend(home.paths('notas').env);
  expect(await client.state('notas', isListening)).toMatchObject({ restarts: 1 });
  expect((await client.call('token', { app: 'notas' })).token).toBe('a-token-long-enough');
  expect((await client.call('pin', { app: 'notas', pinned: true })).ok).toBe(true);
});

test.concurrent('the token of a running app is the one that it was started with, whatever stands in its env file now, which is written again', async ({
  home,
}) => {
  home.install('notas');
  const { client } = await home.supervisor();
  await client.call('subscribe');
  await client.call('start', startOrder('notas'));
  await client.state('notas', isListening);
  writeFileSync(home.paths('notas').env, 'SVC_APP_TOKEN=another\nSVC_APP_BASE_PATH=/\n', { mode: 0o600 });
  expect((await client.call('start', startOrder('notas', 'again'))).ok).toBe(true);
  expect((await client.call('token', { app: 'notas' })).token).toBe('a-token-long-enough');
  const { env } = home.paths('notas');
  const written = readFileSync(env, 'utf8');
  expect(written).toContain('SVC_APP_TOKEN=a-token-long-enough\n');
  for (const damage of [`${written}LIXO`, written.replace('a-token-long-enough', 'another'), '']) {
    writeFileSync(env, damage);
    await until(`the env file is whole again after ${JSON.stringify(damage.slice(-12))}`, () => readFileSync(env, 'utf8') === written);
  }
});

test.concurrent('a file that the portal writes anew forgets no restarts; who asks for a start does', async ({ home }) => {
  home.install('notas');
  const client = await damagedMeanwhile(home, (path) => writeFileSync(path, 'nonsense\n'));
  await client.state('notas', ({ state }) => state === 'failed');
  expect((await client.call('start', { ...startOrder('notas', 'mended'), isMend: true })).ok).toBe(true);
  const mended = await client.state('notas', (snapshot) => isListening(snapshot) && snapshot.requestId === 'mended');
  expect(mended).toMatchObject({ restarts: 1 });
  await client.call('stop', { app: 'notas', requestId: 'stop', reason: 'StoppedByPerson' });
  await client.call('start', startOrder('notas', 'asked'));
  const asked = await client.state('notas', (snapshot) => isListening(snapshot) && snapshot.process?.pid !== mended.process?.pid);
  expect(asked).toMatchObject({ restarts: 0 });
});
