/**
 * Three accounts on a real sshd: each person signs in, starts the same app, and gets a process, a socket and data of their own. Then
 * everybody tries to reach what is another's, in every way that an account of the server or a session of the portal has: 0 succeed. Their
 * backends are in the rooms of their people (source: rules 5), and a secret goes from the browser into a vault of their account alone.
 *
 * @module-tag carries-state
 */
import { execFile, execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Browser } from '../../api/testing/portal-world.ts';
import { systemClock } from '../../controller/clock/system.ts';
import { createSshConnection } from '../../controller/hosts/ssh/connection.ts';
import { appPaths } from '../../schema/server-paths.ts';
import { until } from '../support/portal.ts';
import { connect } from '../support/room-client.ts';
import type { TestAccount } from '../support/sshd.ts';
import { createSshWorld, type SshWorld } from './world.ts';

const apps = ['notas', 'relogio', 'caderno', 'assinador'] as const;
let world: SshWorld;
const browsers = new Map<string, Browser>();
const paths = (account: TestAccount) => appPaths({ home: account.home, prefix: world.sshd.dir }, 'notas');
const browserOf = (name: string): Browser => browsers.get(name)!;

beforeAll(async () => {
  world = await createSshWorld({ accounts: 3, apps: [...apps], config: ['LogLevel DEBUG1'], url: 'localhost' });
  for (const app of apps) await world.whenState(`Package/${app}`, 'installed');
  for (const { name } of world.people) browsers.set(name, await world.signedIn(name));
}, 120_000);
afterAll(() => world?.stop());

const api = (browser: Browser, method: string, path: string, body?: unknown) =>
  browser.request(path, {
    method,
    headers: {
      host: world.appHost('notas'),
      origin: `http://${world.appHost('notas')}`,
      'sec-fetch-site': 'same-origin',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });

describe('each person', () => {
  test('opens the app by a navigation, all three at once', async () => {
    const pages = await Promise.all(world.people.map(({ name }) => browserOf(name).visit(`http://${world.appHost('notas')}/`)));
    expect(pages.map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  test('has a process of their own account, one supervisor, a socket and a folder that only they can enter', () => {
    for (const { account } of world.people) {
      expect(world.backends('notas', account)).toHaveLength(1);
      expect(world.supervisors(account)).toHaveLength(1);
      const { socket, dir, env } = paths(account);
      expect([statSync(socket).uid, statSync(socket).mode & 0o777, statSync(dir).mode & 0o777]).toEqual([account.uid, 0o600, 0o700]);
      expect(statSync(env).uid).toBe(account.uid);
    }
  });

  test('sees their own data and nobody else’s', async () => {
    for (const { name } of world.people) {
      const made = await api(browserOf(name), 'POST', '/api/notas', { titulo: `de ${name}`, texto: `só de ${name}` });
      expect(made.status).toBe(201);
    }
    for (const { name } of world.people) {
      const { notas } = (await api(browserOf(name), 'GET', '/api/notas')).json() as { notas: { titulo: string }[] };
      expect(notas.map(({ titulo }) => titulo)).toEqual([`de ${name}`]);
    }
  });

  test('talks over a WebSocket through the ssh channel', async () => {
    const browser = browserOf('p0');
    const host = world.appHost('relogio');
    expect((await browser.visit(`http://${host}/`)).status).toBe(200);
    const socket = browser.socket('/ws', { host, origin: `http://${host}` });
    const told: { tipo: string; texto?: string }[] = [];
    await new Promise<void>((resolve, reject) => {
      socket.on('open', () => socket.send('olá'));
      socket.on('message', (data: Buffer) => {
        told.push(JSON.parse(data.toString('utf8')) as { tipo: string });
        if (told.some(({ tipo }) => tipo === 'eco')) resolve();
      });
      socket.on('error', reject);
    });
    socket.close();
    expect(told).toContainEqual({ tipo: 'eco', texto: 'olá' });
    expect(told.some(({ tipo }) => tipo === 'hora')).toBe(true);
  });
});

/** Runs a program as the account; what it printed, or null when it failed. */
function as(account: TestAccount, program: string, args: readonly string[]): Promise<string | null> {
  return new Promise((resolve) => {
    const options = { uid: account.uid, gid: account.uid, env: { PATH: '/usr/bin:/bin', HOME: account.home }, timeout: 60_000 };
    execFile(program, [...args], options, (error, stdout) => resolve(error ? null : stdout));
  });
}

const connectScript = (path: string): readonly string[] => [
  '-c',
  `import socket,sys\ns=socket.socket(socket.AF_UNIX)\ns.settimeout(3)\ns.connect(${JSON.stringify(path)})\nprint("in")`,
];
const onServer: Readonly<Record<string, (me: TestAccount, other: TestAccount) => Promise<boolean>>> = {
  'connect to the app socket': async (me, other) => (await as(me, 'python3', connectScript(paths(other).socket))) !== null,
  'connect to the supervisor socket': async (me, other) =>
    (await as(me, 'python3', connectScript(`${other.home}/.svc-apps/supervisor.sock`))) !== null,
  'read the env file': async (me, other) => (await as(me, 'cat', [paths(other).env])) !== null,
  'read the secrets': async (me, other) => (await as(me, 'cat', [paths(other).secrets])) !== null,
  'read run.log': async (me, other) => (await as(me, 'cat', [paths(other).runLog])) !== null,
  'read status.json': async (me, other) => (await as(me, 'cat', [paths(other).status])) !== null,
  'list the data': async (me, other) => (await as(me, 'ls', [paths(other).data])) !== null,
  'list the home': async (me, other) => (await as(me, 'ls', [other.home])) !== null,
  'write into the folder': async (me, other) => (await as(me, 'touch', [`${paths(other).dir}/x`])) !== null,
  'read the environ of the backend': async (me, other) =>
    (await as(me, 'cat', [`/proc/${world.backends('notas', other)[0]}/environ`])) !== null,
  'read the environ of the supervisor': async (me, other) =>
    (await as(me, 'cat', [`/proc/${world.supervisors(other)[0]}/environ`])) !== null,
  'signal the backend': async (me, other) => (await as(me, 'kill', ['-0', String(world.backends('notas', other)[0])])) !== null,
  'replace the package': async (me) => (await as(me, 'touch', [`${world.sshd.dir}/opt/svc-apps/notas/backend/main.py`])) !== null,
  'forward ssh to the app socket': async (me, other) => await forwards(me, paths(other).socket),
  'forward ssh to the supervisor socket': async (me, other) => await forwards(me, `${other.home}/.svc-apps/supervisor.sock`),
  'sign in over ssh with a key of theirs': async (me, other) => await signsInAs(me, other),
};

async function forwards(me: TestAccount, socketPath: string): Promise<boolean> {
  const connection = createSshConnection({
    target: { host: '127.0.0.1', port: world.sshd.port, hostKey: world.sshd.hostKey },
    account: me.name,
    credential: async () => ({ kind: 'key', privateKey: readFileSync(world.sshd.keyFile) }),
    clock: systemClock,
    gate: (work) => work(),
    onUp: () => undefined,
    onLost: () => undefined,
  });
  try {
    (await connection.dial(socketPath)).destroy();
    return true;
  } catch {
    return false;
  } finally {
    connection.close();
  }
}

/** With the only key that an account has: none of the portal's. */
async function signsInAs(me: TestAccount, other: TestAccount): Promise<boolean> {
  const options = [
    '-p',
    String(world.sshd.port),
    '-o',
    'BatchMode=yes',
    '-o',
    'StrictHostKeyChecking=no',
    '-o',
    'UserKnownHostsFile=/dev/null',
  ];
  return (await as(me, 'ssh', [...options, `${other.name}@127.0.0.1`, 'true'])) !== null;
}

test('the attempts do succeed on what is one’s own: a matrix of failures would prove nothing otherwise', async () => {
  const [first] = world.people;
  const me = first!.account;
  await writeFile(paths(me).secrets, '{}', { mode: 0o600 });
  await as(me, 'true', []);
  const own = [
    'connect to the app socket',
    'connect to the supervisor socket',
    'read the env file',
    'read run.log',
    'list the home',
    'read the environ of the backend',
    'signal the backend',
    'forward ssh to the app socket',
    'forward ssh to the supervisor socket',
  ];
  for (const name of own) expect([name, await onServer[name]!(me, me)]).toEqual([name, true]);
});

test('16 ways for each of 3 accounts to reach each of the 2 others on the server: 0 succeed', { timeout: 240_000 }, async () => {
  const reached: string[] = [];
  let attempts = 0;
  for (const { account: other } of world.people) await writeFile(paths(other).secrets, '{"TOKEN":"segredo"}', { mode: 0o600 });
  for (const { name: mine, account: me } of world.people) {
    for (const { name: theirs, account: other } of world.people) {
      if (me === other) continue;
      // Each of them waits for a program or for sshd.
      const tried = Object.entries(onServer).map(async ([what, attempt]) => {
        attempts += 1;
        if (await attempt(me, other)) reached.push(`${mine} could ${what} of ${theirs}`);
      });
      await Promise.all(tried);
    }
  }
  console.log(`${attempts} attempts on the server`);
  expect(reached).toEqual([]);
  expect(attempts).toBe(96);
});

test('and through the portal a session reaches its own person’s backend only', async () => {
  const reached: string[] = [];
  for (const { name: mine } of world.people) {
    for (const { name: theirs, account } of world.people) {
      if (mine === theirs) continue;
      const me = browserOf(mine);
      const header = (headers: Record<string, string>) =>
        me.request('/api/notas', { headers: { host: world.appHost('notas'), ...headers } });
      const answers = await Promise.all([
        header({ 'x-svc-person': theirs, 'x-svc-app-token': 'x' }),
        header({ 'x-forwarded-user': account.name }),
        me.request(`/api/notas?usuario=${theirs}`, { headers: { host: world.appHost('notas') } }),
        me.request('/proxy/app/notas/api/notas', { headers: { host: world.appHost('notas') } }),
        me.request(`/proxy/app/${theirs}/notas/api/notas`),
        // Another's cookie of the shell is none of the app's.
        me.request('/api/notas', {
          headers: {
            host: world.appHost('notas'),
            cookie: browserOf(theirs).cookies.get(world.host) ?? '',
          },
        }),
        me.call('POST', `/api/admin/backends/${theirs}/notas/stop`),
        me.call('GET', `/api/admin/backends/${theirs}/notas/log`),
      ]);
      for (const answer of answers)
        if (answer.text.includes(`de ${theirs}`)) reached.push(`${mine} read ${theirs}: ${answer.text.slice(0, 100)}`);
      expect(answers.slice(-2).map(({ status }) => status)).toEqual([403, 403]);
    }
  }
  expect(reached).toEqual([]);
  for (const { account } of world.people) expect(world.backends('notas', account)).toHaveLength(1);
});

const written = 'escrito na página, lido no servidor ✓';
let sala: string;
const variableOf = (pid: number, name: string): string | undefined =>
  readFileSync(`/proc/${pid}/environ`, 'utf8')
    .split('\0')
    .find((entry) => entry.startsWith(`${name}=`))
    ?.slice(name.length + 1);
const tokenOf = (person: number): string => {
  const [pid] = world.backends('caderno', world.people[person]!.account);
  return variableOf(pid!, 'SVC_PORTAL_TOKEN') ?? '';
};
const asBackend = async (token: string): Promise<number> => {
  const answer = await fetch(`http://127.0.0.1:${world.port}/api/salas`, { headers: { authorization: `Bearer ${token}` } });
  await answer.body?.cancel();
  return answer.status;
};

test('a backend on the server reads the room as its person, who is in it or not', { timeout: 120_000 }, async () => {
  const [ana, bea, caio] = await Promise.all(['p0', 'p1', 'p2'].map((name) => world.signedIn(name)));
  ({ id: sala } = (await ana!.call('POST', '/api/salas?app=caderno', { nome: 'Atas' })).json() as { id: string });
  expect((await ana!.call('PUT', `/api/salas/${sala}/pessoas/p1?app=caderno`, { papel: 'ver' })).status).toBe(200);
  const { bilhete, caminho } = (await ana!.call('POST', `/api/salas/${sala}/bilhete?app=caderno`, {})).json() as Record<string, string>;
  const page = connect(`ws://127.0.0.1:${world.port}${caminho}/documento`, bilhete!, { host: world.host });
  await page.synced;
  page.doc.getText('texto').insert(0, written);
  const host = world.appHost('caderno');
  const exported = async (browser: typeof ana): Promise<{ status: number; text: string }> => {
    expect((await browser!.visit(`http://${host}/`)).status).toBe(200);
    const { status, text } = await browser!.request(`/api/exportar/${sala}`, { headers: { host } });
    return { status, text };
  };
  await until('the text to be there for the backend', async () => (await exported(ana)).text === written);
  expect(await exported(bea)).toEqual({ status: 200, text: written });
  expect((await exported(caio)).status).toBe(404);
  for (const { account } of world.people) expect(world.backends('caderno', account)).toHaveLength(1);
  page.end();
});

test('each backend has a credential of its own, told to nobody else', () => {
  const tokens = [0, 1, 2].map(tokenOf);
  expect(new Set(tokens).size).toBe(3);
  const said = [world.log.join(''), world.sshd.log(), JSON.stringify(world.sshd.processes().map(({ argv }) => argv))];
  for (const token of tokens) {
    expect(token).toMatch(/^[\w-]{43}$/);
    expect(said.filter((text) => text.includes(token))).toEqual([]);
  }
});

test('a credential ends with the app that it was given to, and no other', { timeout: 60_000 }, async () => {
  const [mine, other] = [tokenOf(0), tokenOf(1)];
  expect([await asBackend(mine), await asBackend(other)]).toEqual([200, 200]);
  await world.order('p0', 'stop', 'caderno');
  await until('the credential to have ended', async () => (await asBackend(mine)) === 401);
  expect(await asBackend(other)).toBe(200);
});

const value = 'chave-muito-secreta-4711';
const vaultOf = (account: TestAccount): string => appPaths({ home: account.home, prefix: world.sshd.dir }, 'assinador').secrets;

test('a secret that is set by the person is theirs alone on the server, and the app has it', { timeout: 120_000 }, async () => {
  const [{ account }, other] = world.people as [SshWorld['people'][number], SshWorld['people'][number]];
  const browser = await world.signedIn('p0');
  const set = await browser.call('PUT', '/api/apps/assinador/segredos/ASSINADOR_CHAVE', { value });
  expect([set.status, set.text.includes(value)]).toEqual([200, false]);
  const { uid, mode } = statSync(vaultOf(account));
  expect([uid, mode & 0o777]).toEqual([account.uid, 0o600]);
  expect(readFileSync(vaultOf(account), 'utf8')).toContain(value);
  expect(existsSync(vaultOf(other.account))).toBe(false);
  // The folders above let nobody else in, and the other person's own route knows of nothing.
  expect(() => execFileSync('cat', [vaultOf(account)], { uid: other.account.uid, gid: other.account.uid, stdio: 'pipe' })).toThrow(
    /Permission denied/,
  );
  const theirs = await (await world.signedIn('p1')).call('GET', '/api/apps/assinador/segredos');
  expect(theirs.json()).toMatchObject({ secrets: [{ name: 'ASSINADOR_CHAVE', set: false }, { set: false }] });

  await world.order('p0', 'start', 'assinador');
  await world.whenState('Backend/p0/assinador', 'running', 60_000);
  const [pid] = world.backends('assinador', account);
  expect(readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0')).toContain(`ASSINADOR_CHAVE=${value}`);
});

test('a secret is in no log, no list of processes and no file of the portal', () => {
  expect(world.log.join('')).not.toContain(value);
  expect(world.sshd.log()).not.toContain(value);
  expect(world.sshd.processes().flatMap(({ argv }) => argv)).not.toContainEqual(expect.stringContaining(value));
  const files = readdirSync(world.state, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  expect(files.filter((file) => readFileSync(join(file.parentPath, file.name)).includes(value))).toEqual([]);
});

test('a secret is taken back from the vault', async () => {
  const browser = await world.signedIn('p0');
  expect((await browser.call('DELETE', '/api/apps/assinador/segredos/ASSINADOR_CHAVE')).status).toBe(200);
  expect(readFileSync(vaultOf(world.people[0]!.account), 'utf8')).not.toContain(value);
});
