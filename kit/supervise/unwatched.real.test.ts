/** A supervisor whose account has no inotify instance left, as where many supervisors run under one account: apps start as fast as with them. */
import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test as plain } from 'vitest';
import { limits } from '../../schema/limits.ts';
import { connectedClient, homeFixture, type TestHome, until } from '../test-home.ts';
import { kitSource } from '../testing/kit-source.ts';
import { isListening, startOrder } from './testing/started-app.ts';

const test = plain.extend<{ home: TestHome }>(homeFixture);
const supervisor = join(dirname(dirname(import.meta.dirname)), 'bin/svc-app-supervisor');

test('without a watch an app is seen to listen, and its end, before any round', async ({ home }) => {
  home.install('notas');
  const log = join(home.home, 'log');
  const output = openSync(log, 'a', 0o600);
  const withoutWatches = 'echo 0 > /proc/sys/user/max_inotify_instances && exec "$0"';
  spawn('unshare', ['--map-root-user', 'sh', '-c', withoutWatches, supervisor], {
    env: { PATH: '/usr/bin:/bin', HOME: home.home, SVC_PREFIX: home.home, SVC_KIT_SOURCE: kitSource },
    stdio: ['ignore', output, output],
    detached: true,
  });
  closeSync(output);
  const client = await connectedClient(home.home);
  await client.call('subscribe');
  expect(readFileSync(log, 'utf8')).toMatch(/not-watched.*EMFILE/);
  // Less than what is left of the pass when the app has started.
  const beforeRoundMs = limits.supervisorScanMs * 0.8;
  expect((await client.call('start', startOrder('notas'))).ok).toBe(true);
  await client.state('notas', isListening, beforeRoundMs);
  await client.call('stop', { app: 'notas', requestId: 'end', reason: 'StoppedByPerson' });
  await client.state('notas', ({ state }) => state === 'stopped');
  client.socket.destroy();
  await until('no backend is left', () => home.backends('notas').length === 0);
});
