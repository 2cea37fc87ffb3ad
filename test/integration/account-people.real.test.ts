import { execFile } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { packSource } from '../../bin/up/pack-source.ts';
import { accountPaths } from '../../schema/server-paths.ts';
import { emptyServer, until } from '../support/portal.ts';
import { everyNth } from '../support/share.ts';
import { addAccount, removeAccount, sweep, type TestAccount } from '../support/sshd.ts';
import { systemClock } from '../../controller/clock/system.ts';
import { peopleByAccount, type AccountPeopleOptions } from '../../controller/hosts/account-people.ts';
import { describeHost } from '../../controller/hosts/host-contract.ts';
import { createLocalHost } from '../../controller/hosts/local.ts';
import type { Host } from '../../controller/hosts/host.ts';
import { ownAccounts } from '../../controller/hosts/own-account.ts';

const call = promisify(execFile);
const binDir = path.resolve(import.meta.dirname, '../../bin');
let dir = '';
const made: TestAccount[] = [];
const hosts: Host[] = [];
const [anaOf, biaOf] = [() => made[0]!, () => made[1]!];

beforeAll(async () => {
  if (process.getuid?.() !== 0) throw new Error('only root lends accounts: run these tests with sudo');
  await sweep();
  dir = mkdtempSync(path.join(os.tmpdir(), 'svcs-'));
  chmodSync(dir, 0o755);
  mkdirSync(path.join(dir, 'h'));
  for (let n = 0; n < 2; n += 1) made.push(await addAccount(dir, undefined));
});

afterEach(async () => {
  await Promise.all(hosts.splice(0).map((host) => host.close()));
});

afterAll(async () => {
  for (const { name } of made) await removeAccount(name);
  rmSync(dir, { recursive: true, force: true });
});

function hostAt(prefix: string, over: Partial<AccountPeopleOptions> = {}): Host {
  const options = { server: 'casa', prefix, binDir, clock: systemClock, onBadPackage: () => undefined };
  const specPrefix = prefix === '' ? undefined : prefix;
  const state = path.join(dir, 'state');
  const host = createLocalHost(options, peopleByAccount({ ...options, specPrefix, pack: (source) => packSource(source, state), ...over }));
  hosts.push(host);
  return host;
}

function freshPrefix(): string {
  const prefix = mkdtempSync(path.join(dir, 'p-'));
  chmodSync(prefix, 0o755);
  return prefix;
}

/** Doors of an account. */
function doors(name: string): readonly number[] {
  return readdirSync('/proc').flatMap((pid) => {
    try {
      const argv = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      return /^\d+$/.test(pid) && argv.includes('account-door-main.ts') && argv.includes(`"name":"${name}"`) ? [Number(pid)] : [];
    } catch {
      return [];
    }
  });
}

function uidOf(pid: number): number {
  return Number(/^Uid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
}

function as({ name }: TestAccount, ...argv: readonly string[]): Promise<string> {
  const become = [`--reuid=${name}`, '--regid=' + name, '--init-groups', '--'];
  return call('setpriv', [...become, ...argv], { cwd: '/' }).then(
    ({ stdout }) => stdout,
    (error: Error & { stderr: string }) => `refused: ${error.stderr}`,
  );
}

async function hello(host: Host, { name }: TestAccount): Promise<{ readonly pid: number; readonly home: string }> {
  const stream = await host.dial(name, accountPaths(await host.place(name)).supervisorSocket);
  stream.write('{"id":1,"op":"hello"}\n');
  for await (const chunk of stream) return JSON.parse(String(chunk)) as { pid: number; home: string };
  throw new Error('the supervisor hung up');
}

// The driver itself, whole: controller/hosts/local.real.test.ts.
describeHost(
  'local, as accounts',
  async () => {
    const prefix = freshPrefix();
    const { name } = anaOf();
    return {
      host: hostAt(prefix),
      account: name,
      place: { home: `${prefix}/home/${name}`, prefix },
      again: async () => hostAt(prefix),
      remove: async () => {
        await emptyServer(prefix);
        rmSync(prefix, { recursive: true, force: true });
      },
    };
  },
  (parts) => everyNth(2, parts),
);

test("each person's supervisor runs as their account, in a home that nobody else reads", async () => {
  const host = hostAt(freshPrefix());
  const [ana, bia] = [anaOf(), biaOf()];
  for (const one of [ana, bia]) {
    await host.startSupervisor(one.name);
    const { pid } = await hello(host, one);
    expect(uidOf(pid)).toBe(one.uid);
    const { home } = await host.place(one.name);
    expect(statSync(home)).toMatchObject({ uid: one.uid, mode: 0o40700 });
    expect(await host.asPortal(one.name)).toBeNull();
  }
  const { home } = await host.place(ana.name);
  expect(await as(bia, 'ls', home)).toMatch(/^refused: .*Permission denied/);
  expect(await as(bia, 'cat', `${home}/.svc-apps/supervisor.log`)).toMatch(/^refused: .*Permission denied/);
});

test('without a prefix the home is that of the account', async () => {
  const host = hostAt('');
  expect(await host.place(anaOf().name)).toEqual({ home: anaOf().home, prefix: '' });
});

test('a link in a home leads the portal nowhere that the account may not go itself', async () => {
  const host = hostAt(freshPrefix());
  const ana = anaOf();
  const { home } = await host.place(ana.name);
  const closed = path.join(dir, 'closed');
  mkdirSync(closed, { mode: 0o700, recursive: true });
  const server = net.createServer((socket) => socket.end('of root'));
  await new Promise<void>((resolve) => server.listen(path.join(closed, 's'), resolve));
  symlinkSync(path.join(closed, 's'), path.join(home, 's'));
  await expect(host.dial(ana.name, path.join(home, 's'))).rejects.toMatchObject({
    code: 'SERVER_UNREACHABLE',
    message: expect.stringContaining('EACCES') as string,
  });
  server.close();
  const apps = accountPaths({ home, prefix: '' }).personApps;
  mkdirSync(path.join(closed, 'notas'));
  const manifest = { id: 'notas', version: '1.0.0', backend: { runtime: 'node', entrypoint: 'main.js' } };
  writeFileSync(path.join(closed, 'notas/svc-app.json'), JSON.stringify(manifest));
  mkdirSync(path.dirname(apps), { recursive: true });
  symlinkSync(closed, apps);
  expect(await host.installed(ana.name)).toEqual([]);
  expect(await host.packageFile(ana.name, 'notas', 'pessoa', 'svc-app.json')).toBeNull();
});

test('not a byte is lost of a program that speaks first', async () => {
  const host = hostAt(freshPrefix());
  const ana = anaOf();
  const { home } = await host.place(ana.name);
  const server = net.createServer((socket) => socket.end('x'.repeat(300_000)));
  await new Promise<void>((resolve) => server.listen(path.join(home, 's'), resolve));
  chmodSync(path.join(home, 's'), 0o777);
  const streams = await Promise.all(Array.from({ length: 20 }, () => host.dial(ana.name, path.join(home, 's'))));
  for (const stream of streams) expect((await text(stream)).length).toBe(300_000);
  server.close();
});

test('a door that is killed or held is made anew; what it started goes on', async () => {
  const host = hostAt(freshPrefix());
  const ana = anaOf();
  await host.startSupervisor(ana.name);
  const { pid: supervisor } = await hello(host, ana);
  const [first = 0] = doors(ana.name);
  expect(uidOf(first)).toBe(ana.uid);
  process.kill(first, 'SIGKILL');
  expect((await until('an answer', () => hello(host, ana).catch(() => null))).pid).toBe(supervisor);
  const [second = 0] = doors(ana.name);
  expect(second).not.toBe(first);
  process.kill(second, 'SIGSTOP');
  await expect(hello(host, ana)).rejects.toMatchObject({ code: 'SERVER_UNREACHABLE' });
  expect((await until('an answer', () => hello(host, ana).catch(() => null))).pid).toBe(supervisor);
  // Another's is not touched, and an observation of the server waits for nobody.
  const [third = 0] = doors(ana.name);
  process.kill(third, 'SIGSTOP');
  const begun = performance.now();
  expect(await host.installed(ana.name)).toEqual([]);
  expect(performance.now() - begun).toBeLessThan(20_000);
  await host.close();
  expect(doors(ana.name)).toEqual([]);
  expect(existsSync(`/proc/${supervisor}`)).toBe(true);
});

test('the account can not speak through its door', async () => {
  const host = hostAt(freshPrefix());
  const ana = anaOf();
  await host.installed(ana.name);
  const [pid = 0] = doors(ana.name);
  expect(await as(ana, 'ls', `/proc/${pid}/fd`)).toMatch(/^refused: .*Permission denied/);
  expect(await as(ana, 'dd', `if=/proc/${pid}/mem`, 'count=1')).toMatch(/^refused: .*Permission denied/);
  // SIGUSR1, which opens the debugger of Node for everybody on the machine, is not caught.
  const caught = /^SigCgt:\s+([0-9a-f]+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? '';
  expect(BigInt(`0x${caught}`) & (1n << 9n)).toBe(0n);
});

test('who has no account, or a home of root, is served as before, and it is said', async () => {
  const prefix = freshPrefix();
  const told: string[] = [];
  const host = hostAt(prefix, { onBadPackage: (folder) => told.push(folder) });
  expect(await host.asPortal('svctnobody')).toMatchObject({ en: 'there is no account svctnobody: adduser svctnobody makes it' });
  expect(await host.place('svctnobody')).toEqual({ home: `${prefix}/home/svctnobody`, prefix });
  const { name, uid } = anaOf();
  const home = `${prefix}/home/${name}`;
  mkdirSync(home, { mode: 0o700 });
  writeFileSync(`${home}/x`, '');
  expect(await host.asPortal(name)).toMatchObject({ en: expect.stringContaining(`chown -R ${name}: ${home}`) as string });
  chownSync(home, uid, uid);
  // Their apps run: from the next start on.
  expect(await host.asPortal(name)).not.toBeNull();
  expect(await hostAt(prefix).asPortal(name)).toBeNull();
  chownSync(home, 65_534, 65_534);
  await expect(hostAt(prefix).place(name)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect((await ownAccounts([name], 'state')).get(name)).toMatchObject({ kind: 'portal' });
  chmodSync(prefix, 0o700);
  expect((await ownAccounts([name, 'root'], prefix)).get(name)).toMatchObject({ why: { en: `other accounts can't enter ${prefix}` } });
});
