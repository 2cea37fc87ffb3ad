import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { describe, expect, test as plain } from 'vitest';
import { accountPaths } from '../../schema/server-paths.ts';
import { echoBackend, homeFixture, type TestClient, type TestHome, until } from '../test-home.ts';

const test = plain.extend<{ home: TestHome }>(homeFixture);

const canary = 'canário-7f3d"\\ 91/çx';
const manifest = {
  secrets: [{ name: 'API_KEY', description: 'from the site', required: true }, { name: 'OUTRO' }],
};
const printing = {
  'main.py': `import os, json, urllib.parse
key = os.environ.get('API_KEY', 'none')
print('plain', key); print('json', json.dumps(key, ensure_ascii=False)); print('url', urllib.parse.quote(key, safe="!'()*-._~"))
print('unset' if 'OUTRO' not in os.environ else 'set')
${echoBackend}`,
};

let requests = 0;
const order = (app: string) => {
  requests += 1;
  return { app, token: `token-${requests}-long`, basePath: '/', pinned: false, requestId: `r${requests}`, variables: {} };
};
const isRunning = (snapshot: { state: string; socket: string }) => snapshot.state === 'running' && snapshot.socket === 'listening';
const stopOf = (app: string) => ({ app, requestId: `s${(requests += 1)}`, reason: 'StoppedByPerson' as const });
const logOf = async (client: TestClient, app: string, previous = false) => (await client.call('log', { app, tail: 50, previous })).text;

async function subscribed(home: TestHome): Promise<TestClient> {
  const { client } = await home.supervisor();
  await client.call('subscribe');
  return client;
}

describe.concurrent('the vault', () => {
  test('takes what the manifest asks for, 0600, and answers names only', async ({ home }) => {
    home.install('cofre', manifest);
    const client = await subscribed(home);
    const empty = await client.call('secrets', { app: 'cofre' });
    expect(empty).toMatchObject({
      secrets: [
        { name: 'API_KEY', description: 'from the site', required: true, declared: true, set: false },
        { name: 'OUTRO', description: '', required: false, declared: true, set: false },
      ],
      restartNeeded: false,
    });
    const put = await client.call('secret-put', { app: 'cofre', name: 'API_KEY', value: canary });
    expect(put).toMatchObject({
      ok: true,
      secrets: [
        { name: 'API_KEY', set: true },
        { name: 'OUTRO', set: false },
      ],
      restartNeeded: false,
    });
    expect(JSON.stringify(put)).not.toContain('7f3d');
    const { secrets, dir } = home.paths('cofre');
    expect([statSync(secrets).mode & 0o777, statSync(dir).mode & 0o777]).toEqual([0o600, 0o700]);
    expect(JSON.parse(readFileSync(secrets, 'utf8'))).toEqual({ API_KEY: canary });
    expect((await client.call('secret-delete', { app: 'cofre', name: 'API_KEY' })).secrets.map(({ set }) => set)).toEqual([false, false]);
    expect((await client.call('secret-delete', { app: 'cofre', name: 'API_KEY' })).ok).toBe(true);
    expect(JSON.parse(readFileSync(secrets, 'utf8'))).toEqual({});
  });

  const refused = [
    ['NAO_PEDIDO', 'x', 'SECRET_UNDECLARED'],
    ['SVC_APP_SOCKET', 'x', 'SECRET_REFUSED'],
    ['SVC_APP_TOKEN', 'a b', 'SECRET_REFUSED'],
    ['minusculo', 'x', 'BAD_REQUEST'],
    ['../env', 'x', 'BAD_REQUEST'],
    ['API_KEY', '', 'BAD_REQUEST'],
    ['API_KEY', `${canary}\u0000`, 'BAD_REQUEST'],
    ['API_KEY', `${canary}\ud800`, 'BAD_REQUEST'],
    ['API_KEY', `${canary}${'x'.repeat(9_000)}`, 'BAD_REQUEST'],
  ] as const;
  test('refuses names that nobody declared, and what is no value', async ({ home }) => {
    home.install('cofre', manifest);
    const client = await subscribed(home);
    for (const [name, value, code] of refused) {
      const answer = await client.call('secret-put', { app: 'cofre', name, value });
      expect([name, answer]).toMatchObject([name, { ok: false, error: { code } }]);
      expect(JSON.stringify(answer)).not.toContain('7f3d');
    }
    expect(existsSync(home.paths('cofre').secrets)).toBe(false);
  });

  const pem = `-----BEGIN PRIVATE KEY-----\r\n${'MIIEvQIBADANBg7f3d'.repeat(3)}\n${'k'.repeat(60)}7f3d\n-----END PRIVATE KEY-----\n`;
  test('a PEM key and the names of the person reach the app whole, with a set-up and without; only the reserved never do', async ({
    home,
  }) => {
    const values: Readonly<Record<string, string>> = {
      CHAVE_PEM: pem,
      BROWSER: 'b',
      NODE_AUTH_TOKEN: 'n-7f3d',
      PYTHON_KEY: 'p',
      ENV: 'e',
      SVC_PORTAL_URL: 'https://elsewhere.example',
      // Each is set by the launcher, or obeyed by a program between it and the app.
      HOME: '/nowhere',
      PATH: `/own $HOME 'a' "b" \\ #`,
      PWD: '/elsewhere',
      PPID: 'x',
      LD_LIBRARY_PATH: '/own/lib',
      NODE_OPTIONS: '--require=/nope',
      PYTHONPATH: '/own/python',
      XDG_RUNTIME_DIR: '/own/run',
      DBUS_SESSION_BUS_ADDRESS: 'unix:path=/own/bus',
      CUDA_VISIBLE_DEVICES: '3',
      SVC_APP_BASE_PATH: '/own/',
      SVC_APP_TOKEN: 'own-token',
      SVC_MOTOR_ROSTO: '/own/engine',
      SVC_APP_PINNED: '1',
    };
    const secrets = Object.keys(values).map((name) => ({ name }));
    const telling = `import os, json
open(os.path.join(os.environ['SVC_APP_DATA_DIR'], 'seen'), 'w').write(json.dumps(dict(os.environ)))
for line in os.environ['CHAVE_PEM'].splitlines(): print('line', line)
${echoBackend}`;
    home.install('cofre', { secrets, backend: { installCommand: 'true' } }, { 'main.py': telling });
    const client = await subscribed(home);
    for (const [name, value] of Object.entries(values))
      expect((await client.call('secret-put', { app: 'cofre', name, value })).ok).toBe(true);
    // Written by hand, as no request would.
    const vault = home.paths('cofre').secrets;
    writeFileSync(vault, JSON.stringify({ ...values, SVC_APP_ID: 'outro' }));
    // The first start is the launcher's, for the set-up; the second one the supervisor's own.
    for (const launcher of ['svc-app-run', 'supervisor']) {
      const started = order('cofre');
      await client.call('start', { ...started, variables: { SVC_PORTAL_URL: 'http://127.0.0.1:1', SVC_PORTAL_TOKEN: 'portal-token' } });
      await client.state('cofre', isRunning);
      const seen = JSON.parse(readFileSync(`${home.paths('cofre').data}/seen`, 'utf8')) as Record<string, string>;
      expect({ launcher, ...seen }).toMatchObject({
        launcher,
        ...values,
        SVC_APP_ID: 'cofre',
        SVC_PORTAL_TOKEN: 'portal-token',
      });
      expect(Object.keys(seen).filter((name) => name.startsWith('svc_'))).toEqual(['svc_secrets']);
      expect(await client.call('secrets', { app: 'cofre' })).toMatchObject({ restartNeeded: false });
      expect(await client.call('token', { app: 'cofre' })).toMatchObject({ token: 'own-token' });
      if (launcher === 'svc-app-run') await client.call('stop', stopOf('cofre'));
      if (launcher === 'svc-app-run') await client.state('cofre', ({ state }) => state === 'stopped');
    }
    const log = await logOf(client, 'cofre');
    expect(log).toContain('svc: the secret SVC_APP_ID does not reach the app');
    expect(log).toContain('line -----BEGIN PRIVATE KEY-----\nline ***\nline ***\nline -----END PRIVATE KEY-----\n');
    expect(log).not.toContain('7f3d');
    await client.call('stop', stopOf('cofre'));
  });

  test('of no app, of an app that is not there, and one that can not be used are told', async ({ home }) => {
    home.install('cofre', manifest);
    const client = await subscribed(home);
    expect(await client.call('secrets', { app: 'nenhum' })).toMatchObject({ ok: false, error: { code: 'NOT_FOUND' } });
    const { dir, secrets } = home.paths('cofre');
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    writeFileSync(secrets, '{"API_KEY":"antigo-valor"}', { mode: 0o644 });
    expect(await client.call('secret-put', { app: 'cofre', name: 'API_KEY', value: canary })).toMatchObject({
      ok: false,
      error: { code: 'SECRETS_UNUSABLE', message: expect.stringContaining('make it 600') },
    });
    expect(readFileSync(secrets, 'utf8')).toBe('{"API_KEY":"antigo-valor"}');
  });

  test('of an update that asks for less keeps the value, which can be removed and not set', async ({ home }) => {
    home.install('cofre', manifest);
    const client = await subscribed(home);
    await client.call('secret-put', { app: 'cofre', name: 'OUTRO', value: 'velho-valor' });
    home.install('cofre', { secrets: [{ name: 'API_KEY' }] });
    expect((await client.call('secrets', { app: 'cofre' })).secrets.at(-1)).toEqual({
      name: 'OUTRO',
      description: '',
      required: false,
      declared: false,
      set: true,
    });
    expect(await client.call('secret-put', { app: 'cofre', name: 'OUTRO', value: 'x' })).toMatchObject({
      error: { code: 'SECRET_UNDECLARED' },
    });
    expect((await client.call('secret-delete', { app: 'cofre', name: 'OUTRO' })).secrets.map(({ name }) => name)).toEqual(['API_KEY']);
  });

  test('what a killed writer left behind does not stay', async ({ home }) => {
    home.install('cofre', manifest);
    const { dir, secrets } = home.paths('cofre');
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    writeFileSync(`${secrets}.999999.tmp`, `{"API_KEY":"${canary}`, { mode: 0o600 });
    const client = await subscribed(home);
    await client.call('secret-put', { app: 'cofre', name: 'OUTRO', value: 'um-valor' });
    expect(readdirSync(dir).filter((name) => name.startsWith('secrets.json'))).toEqual(['secrets.json']);
  });
});

describe.concurrent('an app that asks for a secret', () => {
  test('starts without it, which is told; what is set needs a restart, which is told; and then it has it', async ({ home }) => {
    home.install('cofre', manifest, printing);
    const client = await subscribed(home);
    await client.call('start', order('cofre'));
    const without = await client.state('cofre', (s) => isRunning(s) && s.secrets.missing.length > 0);
    expect(without.secrets).toEqual({ declared: 2, missing: ['API_KEY'], restartNeeded: false });
    const set = await client.call('secret-put', { app: 'cofre', name: 'API_KEY', value: canary });
    expect(set.restartNeeded).toBe(true);
    await client.state('cofre', (s) => s.secrets.restartNeeded && s.secrets.missing.length === 0);
    await client.call('stop', stopOf('cofre'));
    await client.state('cofre', (s) => s.state === 'stopped' && !s.secrets.restartNeeded);
    await client.call('start', order('cofre'));
    const running = await client.state('cofre', isRunning);
    expect(running.secrets).toEqual({ declared: 2, missing: [], restartNeeded: false });
    expect(readFileSync(`/proc/${running.process?.pid}/environ`, 'utf8')).toContain(`API_KEY=${canary}\0`);
    expect(readFileSync(home.paths('cofre').runLog, 'utf8')).toContain(canary);
    expect(await logOf(client, 'cofre')).toBe(`plain ***\njson "***"\nurl ***\nunset\nlistening ${running.process?.pid}\n`);
  });

  test('the value that was replaced or removed stays hidden in its logs, also for the next supervisor', async ({ home }) => {
    home.install('cofre', manifest, printing);
    const first = await home.supervisor();
    await first.client.call('subscribe');
    await first.client.call('secret-put', { app: 'cofre', name: 'API_KEY', value: canary });
    await first.client.call('start', order('cofre'));
    await first.client.state('cofre', isRunning);
    await first.client.call('secret-put', { app: 'cofre', name: 'API_KEY', value: 'the-new-one' });
    expect(await logOf(first.client, 'cofre')).not.toContain('7f3d');
    // The process still has the old value; a supervisor that never knew it reads it there.
    const gone = once(first.child, 'exit');
    first.child.kill('SIGKILL');
    await gone;
    const client = await subscribed(home);
    await client.state('cofre', (s) => isRunning(s) && s.secrets.restartNeeded);
    expect(await logOf(client, 'cofre')).not.toContain('7f3d');
    await client.call('secret-delete', { app: 'cofre', name: 'API_KEY' });
    await client.state('cofre', (s) => s.secrets.missing.includes('API_KEY'));
    expect(await logOf(client, 'cofre')).not.toContain('7f3d');
  });

  test('a replaced value stays hidden after the app that had it ended', async ({ home }) => {
    home.install('cofre', manifest, printing);
    const client = await subscribed(home);
    await client.call('secret-put', { app: 'cofre', name: 'API_KEY', value: canary });
    await client.call('start', order('cofre'));
    await client.state('cofre', isRunning);
    await client.call('secret-put', { app: 'cofre', name: 'API_KEY', value: 'the-new-one' });
    await client.call('stop', stopOf('cofre'));
    await client.state('cofre', (s) => s.state === 'stopped' && s.process === null);
    expect(readFileSync(home.paths('cofre').runLog, 'utf8')).toContain(canary);
    expect(await logOf(client, 'cofre')).not.toContain('7f3d');
  });

  test('a follower never gets half of a value', async ({ home }) => {
    home.install('cofre', manifest, {
      'main.py': `import os, sys, time
key = os.environ['API_KEY']
${echoBackend.replace(
  "print('listening', os.getpid())",
  `def drip():
    while True:
        time.sleep(0.05)
        sys.stdout.write('x' * 65500 + key + 'y' * 40000 + key + '\\n'); sys.stdout.flush()
threading.Thread(target=drip, daemon=True).start()`,
)}`,
    });
    const client = await subscribed(home);
    await client.call('secret-put', { app: 'cofre', name: 'API_KEY', value: 'segredo-bem-longo-0123456789' });
    await client.call('start', order('cofre'));
    await client.state('cofre', isRunning);
    await client.call('follow', { app: 'cofre', tail: 0 });
    const followed = () => client.pushes.flatMap((push) => (push.event === 'log' ? [push.text] : [])).join('');
    await until('lines are followed', () => followed().length > 1_000_000);
    // Whatever piece of it: the beginning and the end of the value alone, too.
    expect(followed()).not.toMatch(/segredo|0123|6789|bem|longo/);
    expect(followed()).toContain('***');
  });

  test('leaves its value in no file but the vault and the log that it wrote itself', async ({ home }) => {
    home.install('cofre', manifest, {
      'main.py': `import os\nprint(os.environ['API_KEY'])\nraise SystemExit(3)`,
    });
    const client = await subscribed(home);
    await client.call('secret-put', { app: 'cofre', name: 'API_KEY', value: canary });
    await client.call('start', order('cofre'));
    const ended = await client.state('cofre', (s) => s.failures === 2 && s.state === 'backoff');
    expect(ended.lastExit?.lastLogLines).toEqual(['***']);
    await until('status.json has the end', () => readFileSync(home.paths('cofre').status, 'utf8').includes('"***"'));
    const { root } = accountPaths({ home: home.home, prefix: home.home });
    const holders = readdirSync(root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && readFileSync(`${entry.parentPath}/${entry.name}`, 'utf8').includes('7f3d'))
      .map(({ name }) => name);
    expect([...new Set(holders)].sort()).toEqual(['run.log', 'run.log.1', 'secrets.json']);
    expect(JSON.stringify(client.pushes)).not.toContain('7f3d');
  });
});
