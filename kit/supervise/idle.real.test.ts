import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { expect, test as plain } from 'vitest';
import { kitVersion } from '../../schema/supervisor-protocol.ts';
import { connectedClient, echoBackend, testHome, until, type TestHome } from '../test-home.ts';
import { startSupervisor } from './supervisor.ts';

const root = dirname(dirname(import.meta.dirname));

/** A supervisor inside the test, whose clock can be put forward: nobody waits a real minute. */
const test = plain.extend<{ home: TestHome; clock: { aheadMs: number }; client: Awaited<ReturnType<typeof connectedClient>> }>({
  // oxlint-disable-next-line no-empty-pattern
  home: async ({}, use) => {
    const home = testHome();
    await use(home);
    await home.dispose();
  },
  // oxlint-disable-next-line no-empty-pattern
  clock: async ({}, use) => use({ aheadMs: 0 }),
  client: async ({ home, clock }, use) => {
    home.install('ociosa', { backend: { aoFechar: 'ocioso:1m' } });
    home.install(
      'outra',
      { backend: { aoFechar: 'ocioso:1m' } },
      {
        'main.py': echoBackend.replace(
          "s.bind(os.environ['SVC_APP_SOCKET'])",
          "s.bind('x.sock'); os.rename('x.sock', os.environ['SVC_APP_SOCKET'])",
        ),
      },
    );
    const end = await startSupervisor({
      place: { home: home.home, prefix: home.home },
      kitRoot: root,
      binDir: join(root, 'bin'),
      version: kitVersion,
      isOutdated: () => false,
      nowMs: () => Date.now() + clock.aheadMs,
      log: () => undefined,
      quit: () => undefined,
      replaced: () => undefined,
    });
    const client = await connectedClient(home.home);
    await client.call('subscribe');
    await use(client);
    client.socket.destroy();
    end();
  },
});

const order = (app: string) => ({ app, token: 'token-long', basePath: '/', pinned: false, requestId: `r-${app}`, variables: {} });

test('ocioso:1m stops an app without connections, and no other', async ({ home, clock, client }) => {
  await client.call('start', order('ociosa'));
  await client.call('start', order('outra'));
  await client.state('ociosa', (s) => s.socket === 'listening');
  await client.state('outra', (s) => s.socket === 'listening');
  const use = connect(home.paths('ociosa').socket);
  clock.aheadMs += 60_000;
  await client.state('ociosa', (s) => s.connections === 1 && s.idleDeadlineMs === null, 25_000);
  // Somebody is there: an hour changes nothing. A change of the pin makes the supervisor look at its deadlines.
  clock.aheadMs += 3_600_000;
  await client.call('pin', { app: 'ociosa', pinned: true });
  use.destroy();
  const left = await client.state('ociosa', (s) => s.connections === 0, 25_000);
  expect(left).toMatchObject({ state: 'running', pinned: true, idleDeadlineMs: null });
  // Pinned: never. Unpinned: a minute after the last use.
  clock.aheadMs += 3_600_000;
  await client.call('pin', { app: 'ociosa', pinned: false });
  // A pass that still saw the connection may have come after the hour.
  await client.state('ociosa', (s) => s.state === 'stopped' || s.idleDeadlineMs !== null);
  clock.aheadMs += 60_000;
  await client.call('pin', { app: 'ociosa', pinned: false });
  const stopped = await client.state('ociosa', (s) => s.state === 'stopped');
  expect(stopped).toMatchObject({ reason: 'Idle', wanted: false, message: 'no open connection for 1 min' });
  await until('no process is left', () => home.backends('ociosa').length === 0);
  // A request of the portal counts, though its connection was gone before any pass came by.
  await client.call('start', { ...order('ociosa'), requestId: 'again' });
  await client.state('ociosa', (s) => s.socket === 'listening' && s.connections === 0 && s.idleDeadlineMs !== null, 25_000);
  for (let request = 0; request < 3; request += 1) {
    clock.aheadMs += 45_000;
    await client.call('used', { app: 'ociosa' });
    const { apps } = await client.call('snapshot');
    const { state, idleDeadlineMs } = apps.find((app) => app.app === 'ociosa')!;
    expect([state, idleDeadlineMs! - (Date.now() + clock.aheadMs) > 50_000]).toEqual(['running', true]);
  }
  clock.aheadMs += 61_000;
  await client.call('pin', { app: 'ociosa', pinned: false });
  expect(await client.state('ociosa', (s) => s.state === 'stopped')).toMatchObject({ reason: 'Idle' });
  // Its connections are unknown (the socket was bound under another name): unknown is use.
  const { apps } = await client.call('snapshot');
  expect(apps.find((app) => app.app === 'outra')).toMatchObject({ state: 'running', connections: null, idleDeadlineMs: null });
});
