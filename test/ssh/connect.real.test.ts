/** Connections of their own: the pin before everything, each kind of credential, and what a server that is not the right one gets. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import ssh2 from 'ssh2';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../controller/clock/system.ts';
import { connectSsh, scanHostKeys, type SshCredential } from '../../controller/hosts/ssh/connect.ts';
import { credentialOf } from '../../controller/hosts/ssh/credential.ts';
import { portalKey } from '../../controller/hosts/ssh/portal-key.ts';
import { repository } from '../support/portal.ts';
import { startSshd, type TestSshd } from '../support/sshd.ts';

const password = 'senha-muito-secreta-4711';
let sshd: TestSshd;
let folder: string;
beforeAll(async () => {
  sshd = await startSshd({ password, rsa: true });
  folder = await mkdtemp(join(tmpdir(), 'svcc-'));
});
afterAll(async () => {
  await sshd?.stop();
  await rm(folder, { recursive: true, force: true });
});

const account = () => sshd.accounts[0]!.name;
const withKey = (): SshCredential => ({ kind: 'key', privateKey: readFileSync(sshd.keyFile) });
/** The number of begun connections. sshd may log the end of one late. */
const connections = (): number => [...sshd.log().matchAll(/Connection from /g)].length;

/** As check-password.ts does, without its questions. */
function withPassword(username: string): SshCredential {
  let tried = false;
  return {
    kind: 'talk',
    handler: (_left, _partial, next) => {
      if (tried) return next(false as never);
      tried = true;
      return next({ type: 'password', username, password });
    },
    banner: () => undefined,
  };
}

async function signIn(credential: SshCredential, over: { hostKey?: string; username?: string; port?: number } = {}): Promise<string> {
  const { hostKey = sshd.hostKey, username = account(), port = sshd.port } = over;
  const client = await connectSsh({ target: { host: '127.0.0.1', port, hostKey }, username, credential, clock: systemClock });
  try {
    return await new Promise<string>((resolve, reject) => {
      client.exec('id -un', (error, channel) => {
        if (error) return reject(error);
        channel.on('data', (chunk: Buffer) => resolve(chunk.toString().trim()));
      });
    });
  } finally {
    client.destroy();
  }
}

describe('signing in', () => {
  test('by key, by password and by an agent, as the account that was asked for', async () => {
    expect(await signIn(withKey())).toBe(account());
    expect(await signIn(withPassword(account()))).toBe(account());
    const socket = join(folder, 'agent');
    const agent = spawn('ssh-agent', ['-D', '-a', socket], { stdio: 'ignore' });
    try {
      await expect
        .poll(() =>
          stat(socket).then(
            () => true,
            () => false,
          ),
        )
        .toBe(true);
      await promisify(execFile)('ssh-add', ['-q', sshd.keyFile], { env: { ...process.env, SSH_AUTH_SOCK: socket } });
      expect(await signIn({ kind: 'agent', socket })).toBe(account());
    } finally {
      agent.kill();
      await once(agent, 'exit');
    }
  });

  test('a strange key is refused', async () => {
    const { privateKey } = await portalKey(join(folder, 'estranho'));
    await expect(signIn({ kind: 'key', privateKey })).rejects.toMatchObject({ code: 'SSH_REFUSED' });
  });

  test.for(['-oProxyCommand=id', 'root;id', '', '12345', 'a b', '../x', 'a'.repeat(64)])(
    'the name %j never reaches a server',
    async (username) => {
      const before = connections();
      await expect(signIn(withKey(), { username })).rejects.toMatchObject({ code: 'NOT_FOUND' });
      expect(connections()).toBe(before);
    },
  );

  test('nobody there is told by the address and the cause', async () => {
    await expect(signIn(withKey(), { port: 1 })).rejects.toMatchObject({
      code: 'SERVER_UNREACHABLE',
      message: expect.stringMatching(/127\.0\.0\.1:1: ECONNREFUSED/) as string,
    });
  });
});

describe('the pin', () => {
  test.for(['ed25519', 'ecdsa', 'rsa'] as const)('may be the %s key of the server, with or without padding', async (type) => {
    expect(await signIn(withKey(), { hostKey: sshd.fingerprints[type] })).toBe(account());
    expect(await signIn(withKey(), { hostKey: `${sshd.fingerprints[type]}=` })).toBe(account());
  });

  test('another key is refused, and every key that the server has is named', async () => {
    const wrong = `SHA256:${'A'.repeat(43)}`;
    const refused = await signIn(withPassword(account()), { hostKey: wrong }).catch((error: unknown) => error as Error);
    expect(refused).toMatchObject({ code: 'HOST_KEY_CHANGED' });
    for (const fingerprint of Object.values(sshd.fingerprints)) expect((refused as Error).message).toContain(fingerprint);
    expect((refused as Error).message).toContain('svc server trust');
  });
});

interface Impostor {
  readonly port: number;
  /** Sign-in attempts that reached it, with what they carried. */
  readonly attempts: string[];
  readonly connections: () => number;
  close(): void;
}

/** An sshd with keys of its own that takes every sign-in, and records the passwords. */
async function startImpostor(): Promise<Impostor> {
  const keys = ['ed25519', 'rsa'].map(
    (type) => ssh2.utils.generateKeyPairSync(type as 'rsa', type === 'rsa' ? { bits: 2048 } : (undefined as never)).private,
  );
  const attempts: string[] = [];
  let connections = 0;
  const server = new ssh2.Server({ hostKeys: keys }, (client) => {
    connections += 1;
    client.on('authentication', (context) => {
      attempts.push(`${context.method} ${context.username} ${'password' in context ? context.password : ''}`);
      context.accept();
    });
    client.on('error', () => undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, attempts, connections: () => connections, close: () => server.close() };
}

describe('a server that is not the pinned one', () => {
  let impostor: Impostor;
  beforeAll(async () => {
    impostor = await startImpostor();
  });
  afterAll(() => impostor?.close());

  test('does hear the secret of whoever trusts it: it would notice', async () => {
    const [key] = await scanHostKeys({ host: '127.0.0.1', port: impostor.port }, systemClock);
    const client = await connectSsh({
      target: { host: '127.0.0.1', port: impostor.port, hostKey: key!.fingerprint },
      username: 'ana',
      credential: withPassword('ana'),
      clock: systemClock,
    });
    client.destroy();
    expect(impostor.attempts.splice(0)).toEqual([`password ana ${password}`]);
  });

  test('hears no name and no secret, whatever the credential and however often', async () => {
    const before = impostor.connections();
    const credentials = [() => withPassword(account()), withKey, (): SshCredential => ({ kind: 'agent', socket: join(folder, 'nenhum') })];
    for (const credential of credentials) {
      for (let n = 0; n < 5; n += 1) {
        await expect(signIn(credential(), { port: impostor.port })).rejects.toMatchObject({ code: 'HOST_KEY_CHANGED' });
      }
    }
    expect(impostor.connections() - before).toBeGreaterThanOrEqual(15);
    expect(impostor.attempts).toEqual([]);
  });

  test('is shown by svc server trust, which writes nothing and fails when another key is pinned', async () => {
    const desired = join(folder, 'd');
    await mkdir(desired, { recursive: true });
    const file = join(desired, 'a.yaml');
    const text = `apiVersion: svc/v1\nkind: Server\nmetadata: { name: sirius }\nspec: { ssh: { host: 127.0.0.1, port: ${sshd.port} } }\n`;
    await writeFile(file, text);
    const svc = (...args: string[]) =>
      new Promise<{ code: number; out: string }>((resolve) => {
        execFile(join(repository, 'bin/svc'), ['server', 'trust', ...args], (error, out) =>
          resolve({ code: Number(error?.code ?? 0), out }),
        );
      });
    const shown = await svc('sirius', desired);
    expect(shown.code).toBe(0);
    for (const fingerprint of Object.values(sshd.fingerprints)) expect(shown.out).toContain(fingerprint);
    expect(shown.out).toContain(`hostKey: "${sshd.hostKey}"`);
    expect(await readFile(file, 'utf8')).toBe(text);
    await writeFile(file, text.replace(`port: ${sshd.port}`, `port: ${impostor.port}, hostKey: "${sshd.hostKey}"`));
    const other = await svc('sirius', desired);
    expect([other.code, other.out.includes('Pinned is another key')]).toEqual([1, true]);
    const pinned = await svc(`127.0.0.1:${sshd.port}`, '-o', 'json');
    expect(JSON.parse(pinned.out)).toMatchObject({
      ok: true,
      pinned: null,
      keys: [{ type: 'ssh-ed25519', fingerprint: sshd.hostKey }, {}, {}],
    });
    expect(impostor.attempts).toEqual([]);
  });
});

describe("the portal's own key", () => {
  test('is made once, for its owner alone, and is the one that signs in', async () => {
    const state = join(folder, 'estado');
    const [first, second] = await Promise.all([portalKey(state), portalKey(state)]);
    expect(second.publicLine).toBe((await portalKey(state)).publicLine);
    expect((await stat(join(state, 'ssh/id_ed25519'))).mode & 0o777).toBe(0o600);
    expect((await stat(join(state, 'ssh'))).mode & 0o777).toBe(0o700);
    await sshd.authorize((await portalKey(state)).publicLine);
    expect(await signIn(await credentialOf(undefined, state, {}))).toBe(account());
    expect(first.publicLine).toMatch(/^ssh-ed25519 [A-Za-z0-9+/=]+ svc-portal$/);
  });

  test.for([
    [{ env: 'FALTA' }, /variable FALTA.*not set/],
    [{ env: 'LIXO' }, /variable LIXO holds no private key/],
    [{ file: 'nao-existe' }, /nao-existe.*there is no such file/],
    [{ agent: 'FALTA' }, /variable FALTA.*not set/],
  ] as const)('a reference that leads nowhere is told without its value: %j', async ([key, message]) => {
    const refused = await credentialOf(key, folder, { LIXO: 'segredo-que-nao-e-chave' }).catch((error: unknown) => error as Error);
    expect(refused).toMatchObject({ code: 'SECRET_UNREADABLE', message: expect.stringMatching(message) as string });
    expect((refused as Error).message).not.toContain('segredo');
  });
});
