/**
 * Every point at which the launcher and the supervisor can be killed: the next supervisor reaches the desired end state, and there are never two
 * processes of one app. SVC_TEST_LONG=1 takes every point, otherwise a seed takes every fourth one (the kill matrix has them with a portal).
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { afterAll, describe, expect, test as plain } from 'vitest';
import { tellCount } from '../test/support/counts.ts';
import { everyNth, shareSeed } from '../test/support/share.ts';
import { launcherFaultPoints, supervisorFaultPoints } from './faults.ts';
import type { AppSnapshot } from '../schema/supervisor-lines.ts';
import { processesOf, readPidFile } from './processes.ts';
import { echoBackend, realPasses, testHome, until, type TestClient, type TestHome } from './test-home.ts';

/** Holds a lock for as long as it lives: one that runs beside another one says so, however short that is. */
const lonelyBackend = `
import fcntl, os
alone = open(os.path.join(os.environ['SVC_APP_DATA_DIR'], 'alone'), 'w')
try: fcntl.flock(alone, fcntl.LOCK_EX | fcntl.LOCK_NB)
except OSError: open(os.path.join(os.environ['SVC_APP_DATA_DIR'], 'twin'), 'w').close()
${echoBackend}`;
const test = plain.extend<{ home: TestHome }>({
  // oxlint-disable-next-line no-empty-pattern
  home: async ({}, use) => {
    const made = testHome();
    try {
      await use({ ...made, install: (app, manifest, files = { 'main.py': lonelyBackend }) => made.install(app, manifest, files) });
    } finally {
      await made.dispose();
    }
  },
});

/** Points that the smaller tables name are always taken. */
const chosen = <Point>(points: readonly Point[]): readonly Point[] => everyNth(4, points);
let tried = 0;
afterAll(() => {
  tellCount(
    `launcher and supervisor killed: ${tried} of ${launcherFaultPoints.length + supervisorFaultPoints.length} points tried, seed ${shareSeed}`,
  );
});

const order = { app: 'notas', token: 'a-token-long-enough', basePath: '/', pinned: false, requestId: 'start-1', variables: {} };
const settled = (client: TestClient) => client.state('notas', (s) => s.state === 'running' && s.socket === 'listening');

/** The settled state under the next supervisor. */
async function endState(home: TestHome) {
  const { client } = await home.supervisor();
  const { apps } = await client.call('subscribe');
  const isSettled = (s: AppSnapshot): boolean => s.state === 'stopped' || (s.state === 'running' && s.socket === 'listening');
  const known = apps.find((app) => app.app === 'notas');
  const snapshot = known !== undefined && isSettled(known) ? known : await client.state('notas', isSettled);
  const paths = home.paths('notas');
  const living = await until('every process but the recorded one is gone', () => {
    const pids = home.backends('notas');
    return pids.length === (snapshot.process === null ? 0 : 1) ? pids : null;
  });
  return {
    state: snapshot.state,
    recordedIsLiving:
      snapshot.process !== null && living[0] === snapshot.process.pid && readPidFile(paths.runPid)?.pid === snapshot.process.pid,
    wish: existsSync(paths.env),
    leftovers: [paths.comingUp, `${paths.dir}/launch.claim`].filter((path) => existsSync(path)),
    twin: existsSync(`${paths.data}/twin`),
  };
}
const asWished = { state: 'running', recordedIsLiving: true, wish: true, leftovers: [], twin: false };
const gone = { state: 'stopped', recordedIsLiving: false, wish: false, leftovers: [], twin: false };

/** Leaves the socket file of a dead backend behind, so that the orphan's step is gone through, too. */
async function plantOrphan(home: TestHome): Promise<void> {
  const { dir, socket } = home.paths('notas');
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(`${dir}/bound`, resolve);
  });
  renameSync(`${dir}/bound`, socket);
  server.close();
}

describe.concurrent('the launcher killed at', () => {
  test.for(chosen(launcherFaultPoints))('%s', async (point, { home }) => {
    home.install('notas', { backend: { installCommand: 'echo set-up' } });
    await plantOrphan(home);
    home.writeEnv('notas');
    const launched = await home.launcher('notas', { SVC_FAULT_POINT: point });
    expect(launched).toMatchObject({ code: null, signal: 'SIGKILL' });
    expect(await endState(home)).toEqual(asWished);
    tried += 1;
  });
});

/** The situation in which the supervisor passes each point. */
const scenarios = {
  start: [
    'start-env-written',
    'start-status-written',
    'launch-claimed',
    'launch-spawned',
    'launch-pid-written',
    'launch-released',
    'status-written',
  ],
  crash: ['death-noted'],
  stop: ['stop-env-deleted', 'stop-terminated', 'stop-gone'],
  stubbornStop: ['stop-killed'],
  replace: ['replace-terminated'],
} as const satisfies Record<string, readonly (typeof supervisorFaultPoints)[number][]>;

test('every fault point of the supervisor is gone through', () => {
  expect(Object.values(scenarios).flat().sort()).toEqual([...supervisorFaultPoints].sort());
});

/** Starts a supervisor that will die at the point; answers when it is dead. */
async function dieAt(home: TestHome, point: string, act: (client: TestClient) => Promise<unknown>): Promise<void> {
  const { child, client } = await home.supervisor({ SVC_FAULT_POINT: point });
  await Promise.race([act(client).catch(() => undefined), until('the supervisor dies', () => child.signalCode !== null)]);
  await until('the supervisor dies', () => child.signalCode === 'SIGKILL', 30_000);
  client.socket.destroy();
}

/** A running app, and no supervisor. */
async function runningAlone(home: TestHome): Promise<void> {
  const { child, client } = await home.supervisor();
  await client.call('subscribe');
  await client.call('start', order);
  await settled(client);
  child.kill('SIGKILL');
  await until('the supervisor is gone', () => child.signalCode !== null);
  client.socket.destroy();
}

describe.concurrent('the supervisor killed on a start at', () => {
  test.for(chosen(scenarios.start))('%s', async (point, { home }) => {
    home.install('notas');
    await dieAt(home, point, (client) => client.call('start', order));
    expect(await endState(home)).toEqual(asWished);
    tried += 1;
  });
});

describe.concurrent('the supervisor killed on a crash at', () => {
  test.for(scenarios.crash)('%s', async (point, { home }) => {
    home.install('notas');
    await runningAlone(home);
    await dieAt(home, point, async () => {
      process.kill(readPidFile(home.paths('notas').runPid)?.pid ?? 0, 'SIGKILL');
    });
    expect(await endState(home)).toEqual(asWished);
    tried += 1;
  });
});

const stopOrder = { app: 'notas', requestId: 'stop-1', reason: 'StoppedByPerson' } as const;

describe.concurrent('the supervisor killed on a stop at', () => {
  test.for([...scenarios.stop, ...scenarios.stubbornStop])('%s', async (point, { home }) => {
    const stubborn = 'import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n';
    home.install('notas', {}, { 'main.py': (point === 'stop-killed' ? stubborn : '') + lonelyBackend });
    await runningAlone(home);
    await dieAt(home, point, (client) => client.call('stop', stopOrder));
    expect(await endState(home)).toEqual(gone);
    tried += 1;
  });
});

describe.concurrent('the supervisor killed on a change of the code at', () => {
  test.for(scenarios.replace)('%s', async (point, { home }) => {
    home.install('notas');
    await runningAlone(home);
    home.install('notas', { version: '2.0.0' });
    await dieAt(home, point, (client) => client.call('start', { ...order, token: 'another-token-long', requestId: 'start-2' }));
    expect(await endState(home)).toEqual(asWished);
    tried += 1;
  });
});

test('a supervisor that ends by request leaves every app running, and the next one adopts it', async ({ home }) => {
  home.install('notas');
  const { child, client } = await home.supervisor();
  await client.call('subscribe');
  await client.call('start', order);
  const before = await settled(client);
  await client.call('quit');
  await until('it ended', () => child.exitCode === 0);
  expect(home.backends('notas')).toEqual([before.process?.pid]);
  const next = await home.supervisor(realPasses);
  const adopted = (await next.client.call('subscribe')).apps.find((app) => app.app === 'notas');
  expect(adopted).toMatchObject({
    state: 'running',
    reason: 'Adopted',
    requestId: 'start-1',
    process: { pid: before.process?.pid, hash: before.process?.hash },
  });
  // An adopted process gives no exit event; its end is noticed within a second or so all the same, and not by the scan every ten; a busy machine takes its time.
  const killedAtMs = performance.now();
  process.kill(before.process?.pid ?? 0, 'SIGKILL');
  await next.client.state('notas', (s) => s.failures === 1);
  expect(performance.now() - killedAtMs).toBeLessThan(5_000);
});

test('a second supervisor of the same home ends at once with 0', async ({ home }) => {
  await home.supervisor();
  const second = spawnSync('bin/svc-app-supervisor', [], {
    env: { PATH: '/usr/bin:/bin', HOME: home.home, SVC_PREFIX: home.home },
    timeout: 60_000,
  });
  expect([second.status, second.stdout.toString(), second.stderr.toString()]).toEqual([0, '', '']);
});

test('what a dead set-up left running does not run beside the new one', async ({ home }) => {
  home.install('notas', { backend: { installCommand: '[ -e "$HOME/second" ] || { echo sleeping; exec sleep 555; }' } });
  home.writeEnv('notas');
  const launching = home.launcher('notas');
  const { runLog } = home.paths('notas');
  await until('installCommand runs', () => existsSync(runLog) && readFileSync(runLog, 'utf8') === 'sleeping\n');
  writeFileSync(`${home.home}/second`, '');
  const mark = { app: 'notas', socket: home.paths('notas').socket };
  const sleeper = await until('sleep runs', () => {
    const found = processesOf(mark);
    return found.length > 1 ? found : null;
  });
  process.kill(sleeper[0]?.identity.pid ?? 0, 'SIGKILL');
  expect(await launching).toMatchObject({ signal: 'SIGKILL' });
  expect(await endState(home)).toEqual(asWished);
  expect(processesOf(mark).length).toBe(1);
});
