/** Variables in an account's environment that would affect any Node do not affect the programs of the kit, which run as that account. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test as plain } from 'vitest';
import { kitPrograms } from './server/parts.ts';
import { homeFixture, type TestHome } from './test-home.ts';
import { compileCache } from './testing/compile-cache.ts';
import { kitSource } from './testing/kit-source.ts';

const test = plain.extend<{ home: TestHome }>(homeFixture);

const hostile = {
  NODE_OPTIONS: '--require=/nope',
  NODE_PATH: '/nope',
  NODE_CHANNEL_FD: '7',
  NODE_UNIQUE_ID: '1',
  NODE_ICU_DATA: '/nope',
  NODE_DEBUG: 'net,http',
  NODE_V8_COVERAGE: '/proc/nope',
  NODE_PENDING_DEPRECATION: '1',
  OPENSSL_CONF: '/nope',
  PYTHONHOME: '/nope',
  PYTHONPATH: '/nope',
  PYTHONSTARTUP: '/nope',
};
const commands = [...kitPrograms.flatMap(({ command }) => command ?? []), 'svc-app-publish', 'publicar-motor'];

describe.concurrent("the account's environment", () => {
  test.for(commands)('does nothing to %s', (command, { home }) => {
    const said = (environment: Record<string, string>) => {
      const env = { PATH: '/usr/bin:/bin', HOME: home.home, SVC_KIT_SOURCE: kitSource, NODE_COMPILE_CACHE: compileCache, ...environment };
      const { stdout, stderr } = spawnSync(join(import.meta.dirname, '../bin', command), ['--version'], {
        env,
        encoding: 'utf8',
        timeout: 60_000,
      });
      return { stdout, stderr };
    };
    expect(said(hostile)).toEqual({ ...said({}), stdout: expect.stringMatching(/^[0-9.]+\n$/) as string });
  });

  test('lets a supervisor start an app, by a launcher that sets up first', async ({ home }) => {
    home.install('notas', { backend: { installCommand: 'true' } });
    const { client } = await home.supervisor(hostile);
    await client.call('subscribe');
    const order = { app: 'notas', token: 'token-1-long', basePath: '/', pinned: false, requestId: 'r1', variables: {} };
    await client.call('start', order);
    const running = await client.state('notas', (s) => s.state === 'running' && s.socket === 'listening');
    expect(running.failures).toBe(0);
  });
});
