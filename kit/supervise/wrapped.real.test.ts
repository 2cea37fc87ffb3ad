/** An app behind svc-wrap under its supervisor: work that is under way is told, and an end from within is a stop. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { dirname, join } from 'node:path';
import { expect, test as plain } from 'vitest';
import { homeFixture, until, type TestHome } from '../test-home.ts';
import { isListening, roundMs, startOrder } from './testing/started-app.ts';

const test = plain.extend<{ home: TestHome }>(homeFixture);
const processor = process.arch === 'arm64' ? 'aarch64' : 'x86_64';
const wrapper = join(dirname(dirname(import.meta.dirname)), 'build/kit/wrap', processor, 'svc-wrap');

/** Knows nothing of svc; ends with 0 when it is asked for /quit. */
const program = `
import http.server, os, socketserver, sys
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path == '/quit': os._exit(0)
        self.send_response(200); self.send_header('Content-Length', '0'); self.end_headers()
    def log_message(self, *_): pass
    def address_string(self): return 'socket'
socketserver.ThreadingUnixStreamServer(sys.argv[1], Handler).serve_forever()
`;

async function started(home: TestHome, options: readonly string[]) {
  const line = `exec ${wrapper} ${options.join(' ')} -- python3 program.py '{socket}'`;
  home.install(
    'obra',
    { backend: { runtime: 'binary', entrypoint: 'app', healthcheckPath: '/saude', aoFechar: 'ocioso:1m' } },
    { app: `#!/bin/sh\n${line}\n`, 'program.py': program },
  );
  const { client } = await home.supervisor();
  await client.call('subscribe');
  await client.call('start', startOrder('obra'));
  await client.state('obra', isListening);
  const ask = (path: string): Promise<number> =>
    new Promise((resolve) => {
      const headers = { 'X-Svc-App-Token': startOrder('obra').token, Connection: 'close' };
      const asked = request({ socketPath: home.paths('obra').socket, path, headers }, ({ statusCode = 0 }) => resolve(statusCode));
      asked.on('error', () => resolve(0)).end();
    });
  await until('the program takes connections', () => readFileSync(home.paths('obra').runLog, 'utf8').includes('o programa atende'));
  return { client, ask };
}

test.concurrent('work that is under way is told with what it says of itself, until its connection is gone', async ({ home }) => {
  const working = join(home.home, 'working');
  writeFileSync(working, '');
  const { client } = await started(home, ['--busy', `"script:test -e ${working}"`]);
  const doubting = setInterval(() => void client.call('doubt', { app: 'obra' }), 1_000);
  const busy = await client.state('obra', (s) => typeof s.busy === 'string', 40_000);
  clearInterval(doubting);
  expect(busy).toMatchObject({ busy: `script:test -e ${working}`, idleDeadlineMs: null });
  rmSync(working);
  const free = await client.state('obra', (s) => s.busy === null, 10_000 + 2 * roundMs);
  expect(free.connections).toBe(0);
  expect(free.idleDeadlineMs).not.toBe(null);
});

test.concurrent.for([
  ['with --exit-is-stop it stays stopped', ['--exit-is-stop'], { state: 'stopped', reason: 'EndedByItself', wanted: false, restarts: 0 }],
  ['without, it is started again', [], { state: 'running', wanted: true, restarts: 1 }],
] as const)('a program that ends with 0: %s', async ([, options, expected], { home }) => {
  const { client, ask } = await started(home, options);
  await ask('/quit');
  expect(await client.state('obra', (s) => s.state === expected.state && s.restarts === expected.restarts)).toMatchObject(expected);
});
