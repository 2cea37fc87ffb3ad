import {
  chmodSync,
  closeSync,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  readdirSync,
  readlinkSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { describe, expect, test as plain } from 'vitest';
import { environOf, isAlive, readPidFile } from '../processes.ts';
import { echoBackend, homeFixture, type TestHome, until } from '../test-home.ts';

const test = plain.extend<{ home: TestHome }>(homeFixture);

describe.concurrent('svc-app-run', () => {
  test('becomes the backend, with the same pid and fresh descriptors', async ({ home }) => {
    home.install('notas');
    home.writeEnv('notas');
    await home.launcher('notas');
    const paths = home.paths('notas');
    await until('the backend listens', () => existsSync(paths.socket));
    const identity = readPidFile(paths.runPid)!;
    // The start time is the launcher's: it is one and the same process.
    expect(isAlive(identity)).toBe(true);
    expect(readFileSync(`/proc/${identity.pid}/cmdline`, 'utf8')).toContain('/opt/svc-apps/notas/main.py');
    const targets = readdirSync(`/proc/${identity.pid}/fd`).map((fd) => readlinkSync(`/proc/${identity.pid}/fd/${fd}`));
    expect(targets.filter((target) => !target.startsWith('socket:'))).toEqual(['/dev/null', paths.runLog, paths.runLog]);
    expect(environOf(identity.pid)?.get('SVC_APP_TOKEN')).toBe('token-of-the-env-file');
    expect([...(environOf(identity.pid)?.keys() ?? [])].filter((name) => /^SVC_(PREFIX|KIT|APP_DETACHED|KIT_SOURCE)/.test(name))).toEqual(
      [],
    );
    // A node backend must not inherit ignored signals; python ignores two of its own, so sh is asked.
    expect((await home.launcher('notas')).code).toBe(0);
    expect(home.backends('notas')).toEqual([identity.pid]);
  });

  test('gives back the signals that node ignores', async ({ home }) => {
    home.install(
      'casca',
      { backend: { runtime: 'binary', entrypoint: 'run.sh' } },
      { 'run.sh': '#!/bin/sh\ngrep SigIgn /proc/self/status\nexec sleep 99\n' },
    );
    home.writeEnv('casca');
    await home.launcher('casca');
    const log = await until(
      'it told',
      () => existsSync(home.paths('casca').runLog) && readFileSync(home.paths('casca').runLog, 'utf8').trimEnd(),
    );
    expect(log).toBe('SigIgn:\t0000000000000000');
  });

  test('runs a node backend with the node of the kit, which finds the runtime library by require and by import', async ({ home }) => {
    const script = `import http from 'node:http';
import { createRequire } from 'node:module';
import * as svc from 'svc';
console.log(process.execPath, process.env.NODE_PATH, createRequire(import.meta.url)('svc').servidor === svc.servidor);
http.createServer().listen(process.env.SVC_APP_SOCKET);`;
    home.install('no', { backend: { runtime: 'node', entrypoint: 'main.mjs' } }, { 'main.mjs': script });
    home.writeEnv('no');
    await home.launcher('no');
    await until('the backend listens', () => existsSync(home.paths('no').socket));
    const [execPath, nodePath, isSame] = readFileSync(home.paths('no').runLog, 'utf8').trim().split(' ');
    expect(readlinkSync(`/proc/${readPidFile(home.paths('no').runPid)?.pid}/exe`)).toBe(execPath);
    expect(nodePath).toMatch(/\/sdk\/node$/);
    expect(isSame).toBe('true');
  });

  test('says usage with 2 and a refusal with 78 and the reason', async ({ home }) => {
    expect((await home.launcher('../notas')).code).toBe(2);
    expect(await home.launcher('outra')).toMatchObject({ code: 78, text: expect.stringContaining('NotInstalled') });
  });

  test('by hand and without an env file makes the wish itself; supervisor and stop then treat it as any other', async ({ home }) => {
    home.install('notas');
    await home.launcher('notas');
    const paths = home.paths('notas');
    await until('the backend listens', () => existsSync(paths.socket));
    const token = environOf(readPidFile(paths.runPid)?.pid ?? 0)?.get('SVC_APP_TOKEN') ?? '';
    expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect([statSync(paths.env).mode & 0o777, readFileSync(paths.env, 'utf8')]).toEqual([
      0o600,
      `SVC_APP_TOKEN=${token}\nSVC_APP_BASE_PATH=/\n`,
    ]);
    const { client } = await home.supervisor();
    // Its first look may come before or after this line; until then it knows of no wish.
    let ruling: string | null = null;
    while (ruling === null) ruling = (await client.call('token', { app: 'notas' })).token;
    expect(ruling).toBe(token);
    await client.call('stop', { app: 'notas', requestId: 'r1', reason: 'StoppedByPerson' });
    await until('it ended', () => home.backends('notas').length === 0);
    expect(existsSync(paths.env)).toBe(false);
  });

  test('of the supervisor makes no wish: where it is gone, somebody stopped the app', async ({ home }) => {
    home.install('notas');
    expect(await home.launcher('notas', { SVC_APP_LAUNCHED: '1' })).toMatchObject({
      code: 78,
      text: expect.stringContaining('it has no env file'),
    });
    expect(existsSync(home.paths('notas').env)).toBe(false);
  });

  test('is told apart from a second launcher, which ends with 75', async ({ home }) => {
    home.install('lento', { backend: { installCommand: 'sleep 60' } });
    home.writeEnv('lento');
    const first = home.launcher('lento');
    await until('the first one is in set-up', () => existsSync(home.paths('lento').runLog));
    expect((await home.launcher('lento')).code).toBe(75);
    process.kill(JSON.parse(readFileSync(home.paths('lento').comingUp, 'utf8')).process.pid, 'SIGKILL');
    expect((await first).signal).toBe('SIGKILL');
  });

  test('runs installCommand once for each hash, and again when asked', async ({ home }) => {
    const count = () => readFileSync(`${home.home}/count`, 'utf8').length;
    home.install(
      'uma',
      { backend: { runtime: 'binary', entrypoint: 'run.sh', installCommand: 'printf x >> "$HOME/count"' } },
      { 'run.sh': '#!/bin/sh\nexit 0\n' },
    );
    home.writeEnv('uma');
    const launch = async (): Promise<number> => {
      await home.launcher('uma');
      await until('it ended', () => home.backends('uma').length === 0);
      return count();
    };
    expect([await launch(), await launch()]).toEqual([1, 1]);
    home.install(
      'uma',
      { version: '1.0.1', backend: { runtime: 'binary', entrypoint: 'run.sh', installCommand: 'printf x >> "$HOME/count"' } },
      {},
    );
    expect([await launch(), await launch()]).toEqual([2, 2]);
    writeFileSync(home.paths('uma').env, 'SVC_APP_TOKEN=x\nSVC_APP_REBUILD=1\n');
    await launch();
    // Before the installation there is no backend either.
    await until('it was installed again', () => count() === 3);
  });

  test('starts an entrypoint that installCommand makes, and tries again while it makes none', async ({ home }) => {
    const made = 'printf "#!/bin/sh\\nsleep 99; true\\n" > run.sh; chmod 755 run.sh';
    const installCommand = `printf x >> "$HOME/tries"; [ ! -e "$HOME/may" ] || { ${made}; }`;
    home.install('feita', { backend: { runtime: 'binary', entrypoint: 'run.sh', installCommand } }, {});
    home.writeEnv('feita');
    for (let tries = 0; tries < 2; tries += 1)
      expect(await home.launcher('feita')).toMatchObject({ text: expect.stringContaining('run.sh is missing in the package') as string });
    writeFileSync(`${home.home}/may`, '');
    await home.launcher('feita');
    await until('it runs', () => home.backends('feita').length === 1);
    expect(readFileSync(`${home.home}/tries`, 'utf8')).toBe('xxx');
  });

  test('finds somebody on the socket: the app is up, and nothing is started beside', async ({ home }) => {
    home.install('notas');
    home.writeEnv('notas');
    const server = createServer().listen(home.paths('notas').socket);
    await until('the socket is bound', () => existsSync(home.paths('notas').socket));
    expect((await home.launcher('notas')).code).toBe(0);
    expect(home.backends('notas')).toEqual([]);
    server.close();
  });

  test('refuses a vault that others may read, by its mode', async ({ home }) => {
    home.install('notas');
    home.writeEnv('notas');
    writeFileSync(home.paths('notas').secrets, '{}');
    chmodSync(home.paths('notas').secrets, 0o644);
    expect(await home.launcher('notas')).toMatchObject({ code: 78, text: expect.stringContaining('mode 644') });
  });

  test('exports an engine that is on disk, and the person shadows the system', async ({ home }) => {
    const motor = { nome: 'fala-pt', versao: '1.0', url: 'http://x/y', sha256: '0'.repeat(64), tamanho: 1 };
    home.install('voz', { motores: [motor] }, { 'main.py': `import os\nprint(os.environ['SVC_MOTOR_FALA_PT'])\n${echoBackend}` });
    mkdirSync(`${home.home}/var/lib/svc-motores/voz/fala-pt/1.0`, { recursive: true });
    home.writeEnv('voz');
    await home.launcher('voz');
    await until('the backend listens', () => existsSync(home.paths('voz').socket));
    expect(readFileSync(home.paths('voz').runLog, 'utf8').split('\n')[0]).toBe(`${home.home}/var/lib/svc-motores/voz/fala-pt/1.0`);
  });
});

function endOf(file: string, bytes: number): string {
  const fd = openSync(file, 'r');
  try {
    const end = Buffer.alloc(bytes);
    readSync(fd, end, 0, bytes, Math.max(0, fstatSync(fd).size - bytes));
    return end.toString();
  } finally {
    closeSync(fd);
  }
}

describe('a backend that prints without end', () => {
  test('does not fill the disk', { timeout: 500_000 }, async ({ home }) => {
    // The end again and again: the log may be cut right after it.
    const print = `import os, time\nblock = (b'x' * 1023 + b'\\n') * 64\nfor i in range(16384): os.write(1, block)\nwhile True: os.write(1, b'the end\\n'); time.sleep(0.1)`;
    home.install('fala', {}, { 'main.py': print });
    const { client } = await home.supervisor();
    await client.call('subscribe');
    await client.call('start', { app: 'fala', token: 'token-long', basePath: '/', pinned: false, requestId: 'r', variables: {} });
    const { runLog } = home.paths('fala');
    let peak = 0;
    await until(
      '1 GB was printed',
      () => {
        const size = statSync(runLog, { throwIfNoEntry: false })?.size ?? 0;
        peak = Math.max(peak, size);
        return size > 0 && endOf(runLog, 8) === 'the end\n' ? true : null;
      },
      400_000,
    );
    const size = await until('the log is short again', () => {
      const now = statSync(runLog).size;
      return now <= 16 * 1_024 * 1_024 ? now : null;
    });
    console.log(
      `peak of run.log while 1 GB was printed: ${(peak / 1_048_576).toFixed(0)} MB; afterwards ${(size / 1_048_576).toFixed(1)} MB`,
    );
    expect(peak).toBeLessThan(512 * 1_048_576);
    // Lines that are written while the log is cut are lost: until the next one it ends with what was kept.
    await expect.poll(async () => (await client.call('log', { app: 'fala', tail: 1, previous: false })).text).toBe('the end\n');
  });
});
