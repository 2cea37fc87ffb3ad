/**
 * An app that runs, for longer than a moment: it stops answering, says that it works, is left alone, has a full home. What they wait for goes by at the
 * same time.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test as plain } from 'vitest';
import { accountPaths } from '../../schema/server-paths.ts';
import { kitVersion } from '../../schema/supervisor-protocol.ts';
import { mountTmpfs, unmount } from '../../test/support/mounts.ts';
import { connectedClient, echoBackend, homeFixture, realPasses, testHome, until, type TestClient, type TestHome } from '../test-home.ts';
import { startSupervisor } from './supervisor.ts';
import { shortPasses } from './testing/short-passes.ts';
import { isListening, roundMs, startOrder } from './testing/started-app.ts';

const test = plain.extend<{ home: TestHome }>(homeFixture);
const root = dirname(dirname(import.meta.dirname));

/** A supervisor inside the test, whose clock can be put forward: nobody waits a real minute. */
const withClock = plain.extend<{ home: TestHome; clock: { aheadMs: number }; client: Awaited<ReturnType<typeof connectedClient>> }>({
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
    const lengthen = shortPasses();
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
    lengthen();
    const client = await connectedClient(home.home);
    await client.call('subscribe');
    await use(client);
    client.socket.destroy();
    end();
  },
});

withClock.concurrent('ocioso:1m stops an app without connections, and no other', async ({ home, clock, client }) => {
  await client.call('start', startOrder('ociosa'));
  await client.call('start', startOrder('outra'));
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
  await client.call('start', { ...startOrder('ociosa'), requestId: 'again' });
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

/** Answers 200 from one thread; SIGUSR1 hangs it for as long as the file `hang` is in its data folder. */
const hangable = `
import os, signal, socket, time
hang = os.path.join(os.environ['SVC_APP_DATA_DIR'], 'hang')
def on_signal(*_):
    while os.path.exists(hang): time.sleep(0.02)
signal.signal(signal.SIGUSR1, on_signal)
s = socket.socket(socket.AF_UNIX); s.bind(os.environ['SVC_APP_SOCKET']); os.chmod(os.environ['SVC_APP_SOCKET'], 0o600); s.listen(5)
while True:
    c = s.accept()[0]
    try:
        request = c.recv(4000)
        if request: print(request.decode().split('\\r\\n')[0], os.environ['SVC_APP_TOKEN'] in request.decode())
        c.sendall(b'HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\nConnection: close\\r\\n\\r\\nok')
    except OSError: pass
    c.close()
`;

async function listening(home: TestHome) {
  home.install('muda', { backend: { healthcheckPath: '/vivo?a=b' } }, { 'main.py': hangable });
  const { client } = await home.supervisor();
  await client.call('subscribe');
  await client.call('start', startOrder('muda'));
  const { process: live } = await client.state('muda', (s) => s.state === 'running' && s.socket === 'listening');
  return { client, pid: live!.pid };
}

test.concurrent('a process that is stopped by a signal is told within a round, and as running again when it goes on', async ({ home }) => {
  const { client, pid } = await listening(home);
  process.kill(pid, 'SIGSTOP');
  const told = await client.state('muda', (s) => s.reason === 'Suspended', 30_000);
  expect(told).toMatchObject({ state: 'running', failures: 0, process: { pid } });
  expect(told.message).toBe(`its process ${pid} is stopped by a signal (SIGSTOP, or a debugger); it goes on with SIGCONT`);
  process.kill(pid, 'SIGCONT');
  expect(await client.state('muda', (s) => s.reason !== 'Suspended', 30_000)).toMatchObject({
    state: 'running',
    reason: 'Listening',
    process: { pid },
  });
});

test.concurrent('an app that hangs is told after three looks when somebody waits for it, is not ended, and is well by its first answer', async ({
  home,
}) => {
  const { client, pid } = await listening(home);
  const hang = join(home.paths('muda').data, 'hang');
  writeFileSync(hang, '');
  process.kill(pid, 'SIGUSR1');
  const doubting = setInterval(() => void client.call('doubt', { app: 'muda' }), 1_000);
  const told = await client.state('muda', (s) => s.reason === 'NotAnswering', 60_000);
  clearInterval(doubting);
  expect(told).toMatchObject({ state: 'running', process: { pid }, failures: 0 });
  expect(told.message).toContain('does not answer GET /vivo?a=b');
  rmSync(hang);
  expect(await client.state('muda', (s) => s.reason !== 'NotAnswering', 30_000)).toMatchObject({
    state: 'running',
    reason: 'Listening',
    process: { pid },
  });
  // Asked on its health path, with its token.
  const { text } = await client.call('log', { app: 'muda', tail: 20, previous: false });
  expect(text).toContain('GET /vivo?a=b HTTP/1.1 True');
});

const processor = process.arch === 'arm64' ? 'aarch64' : 'x86_64';
const wrapper = join(root, 'build/kit/wrap', processor, 'svc-wrap');

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

async function wrapped(home: TestHome, options: readonly string[]) {
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
  const { client } = await wrapped(home, ['--busy', `"script:test -e ${working}"`]);
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
  const { client, ask } = await wrapped(home, options);
  await ask('/quit');
  expect(await client.state('obra', (s) => s.state === expected.state && s.restarts === expected.restarts)).toMatchObject(expected);
});

/** User and system time of the process so far. */
function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** A pass as it is shipped, and what it takes. */
const realRoundMs = 30_000;

/** Until the supervisor says that of its disk. */
async function saying(client: TestClient, disk: string | undefined): Promise<void> {
  const endMs = performance.now() + realRoundMs;
  while ((await client.call('hello')).disk !== disk) {
    expect(performance.now()).toBeLessThan(endMs);
    await sleep(500);
  }
}

/** Also the page that the end of the log stands on. */
function fill(home: TestHome, log: string): string {
  const filler = join(home.home, 'filler');
  for (const [file, text] of [
    [filler, 'x'.repeat(4_096)],
    [filler, 'x'],
    [log, '\n'],
  ] as const) {
    try {
      for (;;) writeFileSync(file, text, { flag: 'a' });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    }
  }
  return filler;
}

test
  .runIf(process.getuid?.() === 0)
  .concurrent('a full home costs no processor and no answer, and everything comes back with the space', async ({ onTestFinished }) => {
    const within = mkdtempSync(join(tmpdir(), 'svc-full-'));
    onTestFinished(() => rmSync(within, { recursive: true, force: true }));
    await mountTmpfs(within, 'size=6m');
    onTestFinished(() => unmount(within));
    const home = testHome({ within });
    onTestFinished(() => home.dispose());
    const { root, supervisorLog } = accountPaths({ home: home.home, prefix: home.home });
    mkdirSync(root, { mode: 0o700 });
    for (const app of ['notas', 'outra']) home.install(app);
    const { child, client } = await home.supervisor(realPasses, supervisorLog);
    await client.call('subscribe');
    await client.call('start', startOrder('notas', 'first'));
    const { process: live } = await client.state('notas', ({ state }) => state === 'running');
    expect((await client.call('hello')).disk).toBe(undefined);

    const filler = fill(home, supervisorLog);
    process.kill(live?.pid ?? 0, 'SIGKILL');
    const refused = await client.state('notas', ({ state, reason }) => state === 'backoff' && reason === 'DiskFull');
    expect(refused).toMatchObject({ message: "the home can't be written: ENOSPC", wanted: true, failures: 1 });
    expect((await client.call('start', startOrder('outra', 'second'))).error).toMatchObject({ code: 'DISK_FULL' });
    const before = cpuMs(child.pid ?? 0);
    await sleep(3_000);
    expect(cpuMs(child.pid ?? 0) - before).toBeLessThan(150);
    const told = `the home ${home.home} can't be written: ENOSPC`;
    await saying(client, told);

    rmSync(filler);
    const again = await client.state('notas', ({ state }) => state === 'running', realRoundMs);
    expect(home.backends('notas')).toEqual([again.process?.pid]);
    await saying(client, undefined);
    expect((await client.call('start', startOrder('outra', 'third'))).error).toBe(undefined);
    await client.state('outra', ({ state }) => state === 'running');
    const lines = readFileSync(supervisorLog, 'utf8')
      .trim()
      .split('\n')
      .filter((line) => line.startsWith('{"time"') && line.endsWith('}'));
    expect(
      lines.map((line) => JSON.parse(line) as { event: string; linesLost?: number }).some(({ linesLost }) => (linesLost ?? 0) > 0),
    ).toBe(true);
    expect(lines.join()).not.toContain('unexpected');
  });
