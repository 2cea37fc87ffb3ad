import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
  readlinkSync,
  readdirSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { describe, expect, test as plain } from 'vitest';
import { isAlive, readPidFile } from '../processes.ts';
import { echoBackend, filesIn, homeFixture, type TestClient, type TestHome, until } from '../test-home.ts';
import { wordsOf } from '../../test/support/words.ts';

const test = plain.extend<{ home: TestHome }>(homeFixture);

let requests = 0;
const order = (app: string, more: object = {}) => {
  requests += 1;
  return { app, token: `token-${requests}-long`, basePath: '/', pinned: false, requestId: `r${requests}`, variables: {}, ...more };
};
const stopOf = (app: string) => ({ app, requestId: `s${(requests += 1)}`, reason: 'StoppedByPerson' as const });
const isRunning = (snapshot: { state: string; socket: string }) => snapshot.state === 'running' && snapshot.socket === 'listening';

async function running(client: TestClient, app: string) {
  const { apps } = await client.call('subscribe');
  expect(apps.map((known) => known.app)).toContain(app);
  expect((await client.call('start', order(app))).ok).toBe(true);
  return client.state(app, isRunning);
}

describe.concurrent('a wanted app', () => {
  test('starts, says how far it is, and has the folders and files of the spec', async ({ home }) => {
    home.install('notas');
    const { client } = await home.supervisor();
    const snapshot = await running(client, 'notas');
    const paths = home.paths('notas');
    expect(snapshot).toMatchObject({ wanted: true, pinned: false, failures: 0, contained: false, requestId: expect.stringMatching(/^r/) });
    expect(snapshot.containedReason).not.toBe('');
    expect(snapshot.installed).toEqual({ version: '1.0.0', hash: snapshot.process?.hash, scope: 'sistema' });
    expect([paths.dir, paths.env, paths.runLog].map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o600, 0o600]);
    expect(readPidFile(paths.runPid)?.pid).toBe(snapshot.process?.pid);
    await until(
      'status.json holds the same',
      () => existsSync(paths.status) && JSON.parse(readFileSync(paths.status, 'utf8')).state === 'running',
    );
    expect(existsSync(paths.comingUp)).toBe(false);
    expect(home.backends('notas')).toEqual([snapshot.process?.pid]);
  });

  test('has only fresh descriptors and a clean environment', async ({ home }) => {
    home.install('notas');
    const { client } = await home.supervisor({ AWS_SECRET: 'of the portal', SVC_APP_TOKEN: 'foreign' });
    const { process: live } = await running(client, 'notas');
    const fds = readdirSync(`/proc/${live?.pid}/fd`).map((fd) => readlinkSync(`/proc/${live?.pid}/fd/${fd}`));
    const paths = home.paths('notas');
    expect(fds.filter((target) => !target.startsWith('socket:'))).toEqual(['/dev/null', paths.runLog, paths.runLog]);
    const environment = new Map(
      readFileSync(`/proc/${live?.pid}/environ`, 'utf8')
        .split('\0')
        .filter(Boolean)
        .map((entry) => entry.split('=') as [string, string]),
    );
    expect([...environment.keys()].sort()).toEqual(
      wordsOf(`
      CUDA_VISIBLE_DEVICES HIP_VISIBLE_DEVICES HOME LANG NODE_PATH PATH PYTHONPATH ROCR_VISIBLE_DEVICES SVC_APP_BASE_PATH
      SVC_APP_DATA_DIR SVC_APP_ID SVC_APP_INSTALLED_HASH SVC_APP_SOCKET SVC_APP_TOKEN ZE_AFFINITY_MASK
    `),
    );
    expect(environment.get('SVC_APP_TOKEN')).toMatch(/^token-/);
  });

  test('that is killed is back a second later, and two seconds after the second time', async ({ home }) => {
    home.install('notas');
    const { client } = await home.supervisor();
    const first = await running(client, 'notas');
    process.kill(first.process?.pid ?? 0, 'SIGKILL');
    const pause = await client.state('notas', (s) => s.state === 'backoff');
    expect((pause.nextAttemptAtMs ?? 0) - pause.sinceMs).toBe(1_000);
    const second = await client.state('notas', (s) => isRunning(s) && s.process?.pid !== first.process?.pid);
    expect(second).toMatchObject({ failures: 1, lastExit: { code: null, signal: 'SIGKILL', reason: 'Crashed' } });
    expect(second.lastExit?.lastLogLines).toEqual([`listening ${first.process?.pid}`]);
    process.kill(second.process?.pid ?? 0, 'SIGKILL');
    const waiting = await client.state('notas', (s) => s.state === 'backoff');
    expect((waiting.nextAttemptAtMs ?? 0) - waiting.sinceMs).toBe(2_000);
    const third = await client.state('notas', (s) => isRunning(s) && s.process?.pid !== second.process?.pid);
    expect(third.failures).toBe(2);
    // A manual start forgets them.
    await client.call('start', order('notas'));
    await client.state('notas', (s) => s.failures === 0);
    expect(home.backends('notas')).toEqual([third.process?.pid]);
  });

  test('that exits at once fails five times and says why', async ({ home }) => {
    home.install('cai', {}, { 'main.py': 'import sys; print("boom"); sys.exit(3)' });
    const { client } = await home.supervisor();
    await client.call('subscribe');
    await client.call('start', order('cai'));
    const failed = await client.state('cai', (s) => s.state === 'failed', 40_000);
    expect(failed).toMatchObject({ failures: 5, reason: 'ExitedAtOnce', lastExit: { code: 3, lastLogLines: ['boom'] }, process: null });
    expect((failed.nextAttemptAtMs ?? 0) - failed.sinceMs).toBe(600_000);
    await client.call('stop', stopOf('cai'));
    expect(await client.state('cai', (s) => s.state === 'stopped')).toMatchObject({
      failures: 0,
      wanted: false,
      reason: 'StoppedByPerson',
    });
  });

  test('that binds a TCP port or nothing is told apart', async ({ home }) => {
    home.install(
      'tcp',
      {},
      {
        'main.py': 'import socket,time\ns=socket.socket(); s.bind(("127.0.0.1",0)); s.listen(); print(s.getsockname()[1])\ntime.sleep(99)',
      },
    );
    home.install('nada', {}, { 'main.py': 'import time; time.sleep(99)' });
    const { client } = await home.supervisor();
    await client.call('subscribe');
    await Promise.all([client.call('start', order('tcp')), client.call('start', order('nada'))]);
    const tcp = await client.state('tcp', (s) => s.tcpPorts.length > 0);
    expect(tcp).toMatchObject({ state: 'starting', reason: 'BoundTcp', socket: 'absent' });
    expect(tcp.tcpPorts).toEqual([Number(readFileSync(home.paths('tcp').runLog, 'utf8'))]);
    expect(tcp.message).toContain(`TCP port ${tcp.tcpPorts[0]}`);
    expect(await client.state('nada', (s) => s.reason === 'NeverBound')).toMatchObject({ state: 'starting', tcpPorts: [] });
  });

  test('is relaunched when somebody writes its env file, and ended when somebody deletes it', async ({ home }) => {
    home.install('notas');
    const { client } = await home.supervisor();
    await client.call('subscribe');
    home.writeEnv('notas');
    const snapshot = await client.state('notas', isRunning);
    expect((await client.call('token', { app: 'notas' })).token).toBe('token-of-the-env-file');
    unlinkSync(home.paths('notas').env);
    await client.state('notas', (s) => s.state === 'stopped' && !s.wanted);
    expect(isAlive({ ...snapshot.process! })).toBe(false);
  });
});

const memoryCgroups = '/sys/fs/cgroup/memory';

describe.concurrent('an app that the kernel ends for want of memory', () => {
  // Only where a memory cgroup can be made; on a real server the scope of the service manager is one.
  test.runIf(existsSync(`${memoryCgroups}/memory.limit_in_bytes`) && process.getuid?.() === 0)(
    'is told apart from a crash',
    async ({ home }) => {
      const cgroup = mkdtempSync(`${memoryCgroups}/svc-test-`);
      try {
        writeFileSync(`${cgroup}/memory.limit_in_bytes`, '60000000');
        const grow = `import os, time\nwhile not os.path.exists(os.environ['HOME'] + '/grow'): time.sleep(0.05)\nx = [bytearray(10**7) for _ in range(100)]`;
        home.install('gula', {}, { 'main.py': grow });
        const { client } = await home.supervisor();
        await client.call('subscribe');
        await client.call('start', order('gula'));
        const { process: live } = await client.state('gula', (s) => s.process !== null);
        writeFileSync(`${cgroup}/cgroup.procs`, String(live?.pid));
        writeFileSync(`${home.home}/grow`, '');
        const died = await client.state('gula', (s) => s.lastExit !== null);
        expect(died.lastExit).toMatchObject({ signal: 'SIGKILL', reason: 'OutOfMemory' });
        await client.call('stop', stopOf('gula'));
        await client.state('gula', (s) => s.state === 'stopped');
      } finally {
        await until('the cgroup is empty', () => readFileSync(`${cgroup}/cgroup.procs`, 'utf8') === '');
        rmdirSync(cgroup);
      }
    },
  );
});

describe.concurrent('stop', () => {
  test('ends the process, its children and its files, and keeps the log', async ({ home }) => {
    home.install(
      'notas',
      {},
      {
        'main.py': `import subprocess\nsubprocess.Popen(['sleep','999'])\nsubprocess.Popen(['sleep','998'], start_new_session=True)\n${echoBackend}`,
      },
    );
    const { client } = await home.supervisor();
    const { process: live } = await running(client, 'notas');
    expect((await client.call('stop', stopOf('notas'))).ok).toBe(true);
    expect(existsSync(home.paths('notas').env)).toBe(false);
    const stopped = await client.state('notas', (s) => s.state === 'stopped');
    expect(stopped).toMatchObject({ process: null, socket: 'absent', failures: 0, lastExit: null });
    expect(isAlive(live!)).toBe(false);
    expect(home.backends('notas')).toEqual([]);
    // status.json follows the snapshots a little later.
    await expect.poll(() => filesIn(home.paths('notas').dir)).toEqual(['data', 'limits.json', 'package.hash', 'run.log', 'status.json']);
  });

  test('ends a backend that daemonized out of its group, and said that it left', async ({ home }) => {
    const daemon = `import os\nif os.fork(): os._exit(0)\nos.setsid()\nif os.fork(): os._exit(0)\n${echoBackend}`;
    home.install('fujao', {}, { 'main.py': daemon });
    const { client } = await home.supervisor();
    await client.call('subscribe');
    await client.call('start', order('fujao'));
    const left = await client.state('fujao', (s) => s.state === 'backoff');
    expect(left.message).toMatch(/the app left its process and went to the background as pid \d+/);
    await until('the daemon runs', () => home.backends('fujao').length === 1);
    expect((await client.call('stop', stopOf('fujao'))).ok).toBe(true);
    await until('nothing of it is left', () => home.backends('fujao').length === 0);
  });

  test('kills after ten seconds what ignores SIGTERM', async ({ home }) => {
    home.install('surdo', {}, { 'main.py': `import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n${echoBackend}` });
    const { client } = await home.supervisor();
    const { process: live } = await running(client, 'surdo');
    const askedAtMs = Date.now();
    await client.call('stop', stopOf('surdo'));
    const stopped = await client.state('surdo', (s) => s.state === 'stopped');
    expect(stopped.sinceMs - askedAtMs).toBeGreaterThanOrEqual(9_900);
    expect(stopped.sinceMs - askedAtMs).toBeLessThan(20_000);
    expect(isAlive(live!)).toBe(false);
    expect(readFileSync(home.paths('surdo').runLog, 'utf8')).toMatch(/svc: it did not end within 10 s of SIGTERM: it is killed\n$/);
  });

  test('is legal while the app is in set-up, and ends the set-up', async ({ home }) => {
    home.install('lento', { backend: { installCommand: 'echo set-up; sleep 777' } });
    const { client } = await home.supervisor();
    await client.call('subscribe');
    await client.call('start', order('lento'));
    const settingUp = await client.state('lento', (s) => s.reason === 'SettingUp' && s.step?.name === 'install');
    expect(settingUp.state).toBe('starting');
    await until(
      'installCommand runs',
      () => existsSync(home.paths('lento').runLog) && readFileSync(home.paths('lento').runLog, 'utf8') === 'set-up\n',
    );
    await client.call('stop', stopOf('lento'));
    await client.state('lento', (s) => s.state === 'stopped');
    expect(existsSync(home.paths('lento').setUpHash)).toBe(false);
  });

  test('and start right after it: the new process starts when the old one is gone', async ({ home }) => {
    home.install('notas');
    const { client } = await home.supervisor();
    const first = await running(client, 'notas');
    const stopping = client.call('stop', stopOf('notas'));
    const starting = client.call('start', order('notas'));
    expect([(await stopping).ok, (await starting).ok]).toEqual([true, true]);
    const second = await client.state('notas', (s) => isRunning(s) && s.process?.pid !== first.process?.pid);
    expect(isAlive(first.process!)).toBe(false);
    expect(home.backends('notas')).toEqual([second.process?.pid]);
  });
});

describe.concurrent('a start of a running app', () => {
  test('keeps the process and its token when the code is the same', async ({ home }) => {
    home.install('notas');
    const { client } = await home.supervisor();
    const first = await running(client, 'notas');
    const { token } = await client.call('token', { app: 'notas' });
    await client.call('start', order('notas', { pinned: true }));
    const second = await client.state('notas', (s) => s.pinned);
    expect(second.process).toEqual(first.process);
    expect((await client.call('token', { app: 'notas' })).token).toBe(token);
    await client.call('pin', { app: 'notas', pinned: false });
    expect((await client.state('notas', (s) => !s.pinned)).requestId).toBe(second.requestId);
  });

  test('ends the old process and runs the new code when the package changed', async ({ home }) => {
    home.install('notas');
    const { client } = await home.supervisor();
    const first = await running(client, 'notas');
    home.install('notas', { version: '1.0.1' });
    const again = order('notas');
    await client.call('start', again);
    const second = await client.state('notas', (s) => isRunning(s) && s.process?.pid !== first.process?.pid);
    expect(second.installed).toMatchObject({ version: '1.0.1', hash: second.process?.hash });
    expect(second.process?.hash).not.toBe(first.process?.hash);
    expect((await client.call('token', { app: 'notas' })).token).toBe(again.token);
    expect(home.backends('notas')).toEqual([second.process?.pid]);
  });
});

describe.concurrent('what is not ours', () => {
  test('a foreign run.pid is never signalled', async ({ home }) => {
    home.install('notas');
    const bystander = process.pid;
    mkdirSync(home.paths('notas').dir, { recursive: true, mode: 0o700 });
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8');
    const ticks = readFileSync(`/proc/${bystander}/stat`, 'utf8').split(' ')[21];
    writeFileSync(home.paths('notas').runPid, `${bystander} ${ticks} ${boot}`);
    const { client } = await home.supervisor();
    const snapshot = await running(client, 'notas');
    expect(snapshot.process?.pid).not.toBe(bystander);
    await client.call('stop', stopOf('notas'));
    await client.state('notas', (s) => s.state === 'stopped');
    expect(process.kill(bystander, 0)).toBe(true);
  });

  test('an orphan socket is removed, a file in its place is left alone and named', async ({ home }) => {
    home.install('notas');
    const { socket, dir } = home.paths('notas');
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    writeFileSync(socket, 'precious');
    const { client } = await home.supervisor();
    await client.call('subscribe');
    await client.call('start', order('notas'));
    const refused = await client.state('notas', (s) => s.state === 'failed');
    expect(refused).toMatchObject({ reason: 'SocketRefused', nextAttemptAtMs: null, failures: 0 });
    expect(readFileSync(socket, 'utf8')).toBe('precious');
    // A dead listener's socket instead; the change alone wakes the app up.
    rmSync(socket);
    const server = createServer().listen(`${dir}/x`);
    await until('the socket is bound', () => existsSync(`${dir}/x`));
    server.close();
    await client.state('notas', isRunning);
  });
});

describe.concurrent('refusals', () => {
  const refused = [
    ['NoGpu', { recursos: { gpu: { modo: 'necessaria' } } }, 'the app needs a GPU: não há placa gráfica neste servidor: peça'],
    [
      'EngineMissing',
      { motores: [{ nome: 'modelo', versao: '1.0', url: 'http://x/y', sha256: '0'.repeat(64), tamanho: 1 }] },
      'ask the administrator to run "svc-app-install ruim-b"',
    ],
    ['InvalidManifest', { backend: { transport: 'tcp' } }, 'backend.transport'],
    ['InvalidManifest', { backend: { entrypoint: 'missing.py' } }, 'the entrypoint missing.py is missing'],
  ] as const;
  test('what can not be started is told with the reason, in the log as well, and not tried again', async ({ home }) => {
    const apps = refused.map(([reason, manifest, sentence], at) => ({ app: `ruim-${'abcd'[at]}`, reason, manifest, sentence }));
    for (const { app, manifest } of apps) home.install(app, manifest);
    const { client } = await home.supervisor();
    await client.call('subscribe');
    for (const { app, reason, sentence } of apps) {
      await client.call('start', order(app));
      const told = await client.state(app, (s) => s.state === 'failed');
      expect(told).toMatchObject({ reason, nextAttemptAtMs: null, process: null, wanted: true });
      expect(told.message).toContain(sentence);
      expect((await client.call('log', { app, tail: 5, previous: false })).text).toContain(`svc: not started (${reason}): `);
    }
  });

  test('a bad vault refuses by the name of the secret, and a mended one starts the app', async ({ home }) => {
    home.install('notas');
    const { client } = await home.supervisor();
    await client.call('subscribe');
    mkdirSync(home.paths('notas').dir, { recursive: true, mode: 0o700 });
    writeFileSync(home.paths('notas').secrets, '{"API_KEY":"hunter2\\u0000SVC_APP_TOKEN=x"}', { mode: 0o600 });
    await client.call('start', order('notas'));
    const refused = await client.state('notas', (s) => s.state === 'failed');
    expect(refused).toMatchObject({
      reason: 'InvalidEnvironment',
      message: "secrets.json can't be used: the secret API_KEY holds a NUL",
    });
    writeFileSync(home.paths('notas').secrets, '{"API_KEY":"hunter2-mended"}');
    const snapshot = await client.state('notas', isRunning);
    expect(readFileSync(`/proc/${snapshot.process?.pid}/environ`, 'utf8')).toContain('API_KEY=hunter2-mended');
  });

  test('installCommand that fails is told with its code and tried again', async ({ home }) => {
    home.install('lento', { backend: { installCommand: 'echo no network; exit 7' } });
    const { client } = await home.supervisor();
    await client.call('subscribe');
    await client.call('start', order('lento'));
    const waiting = await client.state('lento', (s) => s.state === 'backoff');
    expect(waiting).toMatchObject({
      reason: 'InstallCommandFailed',
      failures: 1,
      message: 'installCommand failed: exit code 7; its output is above',
    });
    expect(readFileSync(home.paths('lento').runLog, 'utf8')).toContain('no network');
  });
});

describe.concurrent('its log', () => {
  test('is answered, followed over a new run, and shows no secret', async ({ home }) => {
    home.install(
      'fala',
      {},
      { 'main.py': `import os\nprint('key is', os.environ['API_KEY'], os.environ['SVC_APP_TOKEN'])\n${echoBackend}` },
    );
    mkdirSync(home.paths('fala').dir, { recursive: true, mode: 0o700 });
    writeFileSync(home.paths('fala').secrets, '{"API_KEY":"s3cret-value"}', { mode: 0o600 });
    const { client } = await home.supervisor();
    const first = await running(client, 'fala');
    // Python writes a line piece by piece: it may be half there.
    const log = async (): Promise<unknown> => (await client.call('log', { app: 'fala', tail: 9, previous: false })).text;
    await until('its log is whole', async () => (await log()) === `key is *** ***\nlistening ${first.process?.pid}\n`);
    await client.call('follow', { app: 'fala', tail: 1 });
    process.kill(first.process?.pid ?? 0, 'SIGKILL');
    const second = await client.state('fala', (s) => isRunning(s) && s.process?.pid !== first.process?.pid);
    const followed = () => client.pushes.flatMap((push) => (push.event === 'log' ? [push.text] : [])).join('');
    await until(
      'the new run is followed',
      () => followed() === `listening ${first.process?.pid}\nkey is *** ***\nlistening ${second.process?.pid}\n`,
    );
    expect((await client.call('log', { app: 'fala', tail: 1, previous: true })).text).toBe(`listening ${first.process?.pid}\n`);
    expect(second.lastExit?.lastLogLines[0]).toBe('key is *** ***');
  });
});
