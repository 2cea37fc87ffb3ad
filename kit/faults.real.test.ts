/**
 * Every point at which the launcher and the supervisor can be killed, one after the other (not sampled): the next supervisor
 * comes to the wished end state, and there are never two processes of one app.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { launcherFaultPoints, supervisorFaultPoints } from './faults.ts';
import type { AppSnapshot } from '../schema/backend.ts';
import { processesOf, readPidFile } from './processes.ts';
import { echoBackend, testHome, until, type TestClient, type TestHome } from './test-home.ts';

let home: TestHome;
/** The most processes of the app that were ever seen at once. */
let most = 0;
let watcher: NodeJS.Timeout;

beforeEach(() => {
  home = testHome();
  most = 0;
  watcher = setInterval(() => {
    most = Math.max(most, home.backends('notas').length);
  }, 20);
});
afterEach(async () => {
  clearInterval(watcher);
  await home.dispose();
});

const order = { app: 'notas', token: 'a-token-long-enough', basePath: '/', pinned: false, requestId: 'start-1', variables: {} };
const settled = (client: TestClient) => client.state('notas', (s) => s.state === 'running' && s.socket === 'listening');

/** What the next supervisor comes to, once it has come to something. */
async function endState() {
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
    mostAtOnce: Math.max(1, most),
  };
}
const asWished = { state: 'running', recordedIsLiving: true, wish: true, leftovers: [], mostAtOnce: 1 };
const gone = { state: 'stopped', recordedIsLiving: false, wish: false, leftovers: [], mostAtOnce: 1 };

/** Leaves the socket file of a dead backend behind, so that the orphan's step is gone through, too. */
async function plantOrphan(): Promise<void> {
  const { dir, socket } = home.paths('notas');
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(`${dir}/bound`, resolve);
  });
  renameSync(`${dir}/bound`, socket);
  server.close();
}

describe('the launcher killed at', () => {
  test.for(launcherFaultPoints)('%s', async (point) => {
    home.install('notas', { backend: { installCommand: 'echo set-up' } });
    await plantOrphan();
    home.writeEnv('notas');
    const launched = await home.launcher('notas', { SVC_FAULT_POINT: point });
    expect(launched).toMatchObject({ code: null, signal: 'SIGKILL' });
    expect(await endState()).toEqual(asWished);
  });
});

/** What must be going on for the supervisor to come by the point. */
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
async function dieAt(point: string, act: (client: TestClient) => Promise<unknown>): Promise<void> {
  const { child, client } = await home.supervisor({ SVC_FAULT_POINT: point });
  await Promise.race([act(client).catch(() => undefined), until('the supervisor dies', () => child.signalCode !== null)]);
  await until('the supervisor dies', () => child.signalCode === 'SIGKILL', 30_000);
  client.socket.destroy();
}

/** A running app, and no supervisor. */
async function runningAlone(): Promise<void> {
  const { child, client } = await home.supervisor();
  await client.call('subscribe');
  await client.call('start', order);
  await settled(client);
  child.kill('SIGKILL');
  await until('the supervisor is gone', () => child.signalCode !== null);
  client.socket.destroy();
}

describe('the supervisor killed on a start at', () => {
  test.for(scenarios.start)('%s', async (point) => {
    home.install('notas');
    await dieAt(point, (client) => client.call('start', order));
    expect(await endState()).toEqual(asWished);
  });
});

describe('the supervisor killed on a crash at', () => {
  test.for(scenarios.crash)('%s', async (point) => {
    home.install('notas');
    await runningAlone();
    await dieAt(point, async () => {
      process.kill(readPidFile(home.paths('notas').runPid)?.pid ?? 0, 'SIGKILL');
    });
    expect(await endState()).toEqual(asWished);
  });
});

const stopOrder = { app: 'notas', requestId: 'stop-1', reason: 'StoppedByPerson' } as const;

describe('the supervisor killed on a stop at', () => {
  test.for([...scenarios.stop, ...scenarios.stubbornStop])('%s', async (point) => {
    const stubborn = 'import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n';
    home.install('notas', {}, { 'main.py': (point === 'stop-killed' ? stubborn : '') + echoBackend });
    await runningAlone();
    await dieAt(point, (client) => client.call('stop', stopOrder));
    expect(await endState()).toEqual(gone);
  });
});

describe('the supervisor killed on a change of the code at', () => {
  test.for(scenarios.replace)('%s', async (point) => {
    home.install('notas');
    await runningAlone();
    home.install('notas', { version: '2.0.0' });
    await dieAt(point, (client) => client.call('start', { ...order, token: 'another-token-long', requestId: 'start-2' }));
    expect(await endState()).toEqual(asWished);
  });
});

test('a supervisor that ends by request leaves every app running, and the next one adopts it', async () => {
  home.install('notas');
  const { child, client } = await home.supervisor();
  await client.call('subscribe');
  await client.call('start', order);
  const before = await settled(client);
  await client.call('quit');
  await until('it ended', () => child.exitCode === 0);
  expect(home.backends('notas')).toEqual([before.process?.pid]);
  const next = await home.supervisor();
  const adopted = (await next.client.call('subscribe')).apps.find((app) => app.app === 'notas');
  expect(adopted).toMatchObject({
    state: 'running',
    reason: 'Adopted',
    requestId: 'start-1',
    process: { pid: before.process?.pid, hash: before.process?.hash },
  });
  // An adopted process gives no exit event; its end is noticed within a second or so all the same, and not by the scan every ten.
  const killedAtMs = performance.now();
  process.kill(before.process?.pid ?? 0, 'SIGKILL');
  await next.client.state('notas', (s) => s.failures === 1);
  expect(performance.now() - killedAtMs).toBeLessThan(1_500);
});

test('a second supervisor of the same home ends at once with 0', async () => {
  await home.supervisor();
  const second = spawnSync('bin/svc-app-supervisor', [], {
    env: { PATH: '/usr/bin:/bin', HOME: home.home, SVC_PREFIX: home.home },
    timeout: 60_000,
  });
  expect([second.status, second.stdout.toString(), second.stderr.toString()]).toEqual([0, '', '']);
});

test('what a dead set-up left running does not run beside the new one', async () => {
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
  expect(await endState()).toEqual(asWished);
  expect(processesOf(mark).length).toBe(1);
});
