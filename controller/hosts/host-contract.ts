/** Contract of every host driver, as one suite on real sockets and folders: local.real.test.ts runs it, the ssh driver runs the same. */
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { limits } from '../../schema/limits.ts';
import { unpackedNow } from '../../kit/repository/reading/unpacked-now.ts';
import { accountPaths, type ServerPlace } from '../../schema/server-paths.ts';
import type { Host, HostRun } from './host.ts';
import { describeShell } from './testing/shell-contract.ts';

export interface HostFixture {
  readonly host: Host;
  /** An account that exists there. */
  readonly account: string;
  /** The place of the account as this test process can reach its files. */
  readonly place: ServerPlace;
  /** Another driver on the same server, as a restarted portal has. */
  again(): Promise<Host>;
  /** Ends every process that was started, and removes what was made. */
  remove(): Promise<void>;
}

const manifest = (version: string, installCommand?: string): string =>
  JSON.stringify({
    id: 'ola',
    version,
    instalacao: ['sistema', 'pessoa'],
    backend: { runtime: 'python3', entrypoint: 'backend/main.py', ...(installCommand === undefined ? {} : { installCommand }) },
  });

/** Apps that people and programs see; how versions are kept beside them is the installer's matter. */
const appsIn = (root: string): readonly string[] => (existsSync(root) ? readdirSync(root).filter((name) => !name.startsWith('.')) : []);

type Part = (made: () => HostFixture, source: () => string) => void;

/** `some` takes a part of it for a driver that differs from another one in a few ways. */
export function describeHost(
  name: string,
  fixture: () => Promise<HostFixture>,
  some: (parts: readonly Part[]) => readonly Part[] = (parts) => parts,
): void {
  describe(`host contract: ${name}`, () => {
    let made: HostFixture;
    let repository: string;
    let source: string;
    beforeEach(async () => {
      made = await fixture();
      repository = mkdtempSync(path.join(os.tmpdir(), 'svc-pkg-'));
      source = path.join(repository, 'ola');
      writePackage(source, '1.0.0');
    });
    afterEach(async () => {
      await made.host.close();
      await made.remove();
      rmSync(repository, { recursive: true, force: true });
    });
    for (const part of some([placeTests, installTests, runTests, fileTests, describeShell, refusalTests, supervisorTests, inventoryTests]))
      part(
        () => made,
        () => source,
      );
  });
}

function writePackage(folder: string, version: string, installCommand?: string): void {
  mkdirSync(path.join(folder, 'backend'), { recursive: true });
  writeFileSync(path.join(folder, 'svc-app.json'), manifest(version, installCommand));
  writeFileSync(path.join(folder, 'backend/main.py'), `print(${JSON.stringify(version)})\n`);
  writeFileSync(path.join(folder, 'run.sh'), '#!/bin/sh\n');
  chmodSync(path.join(folder, 'run.sh'), 0o700);
}

function placeTests(made: () => HostFixture): void {
  test('says where an account lives, and refuses a name that is none', async () => {
    expect(await made().host.place(made().account)).toEqual(made().place);
    for (const name of ['', '../root', '-o', '12', 'a b', 'a'.repeat(64)]) {
      await expect(made().host.place(name)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    }
  });

  test('dials a unix socket both ways, and says so when nobody listens', async () => {
    const { host, account, place } = made();
    mkdirSync(place.home, { recursive: true });
    const file = path.join(place.home, 's');
    await expect(host.dial(account, file)).rejects.toMatchObject({ code: 'SERVER_UNREACHABLE' });
    const server = net.createServer({ allowHalfOpen: true }, (socket) => socket.pipe(socket));
    await new Promise<void>((resolve) => server.listen(file, resolve));
    // The test may be another account than the one that dials.
    chmodSync(file, 0o777);
    const stream = await host.dial(account, file);
    stream.end('half open');
    expect(await text(stream)).toBe('half open');
    server.close();
    await expect(host.dial(account, `/tmp/${'x'.repeat(limits.socketPathBytesMax)}`)).rejects.toMatchObject({
      code: 'SOCKET_PATH_TOO_LONG',
    });
  });
}

function runTests(made: () => HostFixture): void {
  const run = async (argv: readonly string[], change: Partial<HostRun> = {}, account: string | null = made().account) => {
    const lines: string[] = [];
    const signal = new AbortController().signal;
    const end = await made().host.run(account, { argv, stdin: '', onLine: (line) => lines.push(line), signal, msMax: 20_000, ...change });
    return { ...end, lines };
  };

  test('runs a program as the account, with what it reads, and tells how it ended', async () => {
    const { place } = made();
    const script = 'echo "a b"; printf last; echo "$HOME"; exit 3\n';
    expect(await run(['bash', '-s'], { stdin: script })).toMatchObject({ code: 3, signal: null, lines: ['a b', `last${place.home}`] });
    expect(await run(['bash', '-s'], { stdin: 'kill -9 $$\n' })).toMatchObject({ lines: [] });
    expect((await run(['id', '-u'], {}, null)).lines).toEqual([expect.stringMatching(/^\d+$/) as string]);
  });

  test('a program that hangs, or that is wanted no more, is given up', async () => {
    await expect(run(['sleep', '60'], { msMax: 300 })).rejects.toMatchObject({ code: 'TIMEOUT' });
    await expect(run(['sleep', '60'], { signal: AbortSignal.timeout(300) })).rejects.toMatchObject({ code: 'CANCELLED' });
    await expect(run(['id'], {}, '../root')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
}

function installTests(made: () => HostFixture, source: () => string): void {
  test('installs, lists, replaces and removes in both scopes', async () => {
    const { host, account } = made();
    expect(await host.installed(account)).toEqual([]);
    // Neither is published, and neither is installed.
    mkdirSync(path.join(source(), '.git'));
    for (const secret of ['.git/config', '.env']) writeFileSync(path.join(source(), secret), 'mine');
    const system = await host.install({ kind: 'folder', path: source() }, 'sistema', null);
    const own = await host.install({ kind: 'folder', path: source() }, 'pessoa', account);
    expect(system).toMatchObject({
      app: 'ola',
      version: '1.0.0',
      scope: 'sistema',
      hash: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
    });
    expect(own.hash).toBe(system.hash);
    // Both ways of delivery must give the hash that a later read of the folder is compared with.
    const now = await unpackedNow([path.dirname(source())], path.basename(source()), { nowMs: 0, ageMsMax: 0 });
    expect([system.delivered, own.delivered]).toEqual([now?.hash, now?.hash]);
    expect((await host.installed(account)).map((one) => one.scope)).toEqual(['sistema', 'pessoa']);
    expect((await host.installed(null)).map((one) => one.scope)).toEqual(['sistema']);
    writePackage(source(), '1.1.0');
    rmSync(path.join(source(), 'run.sh'));
    const newer = await host.install({ kind: 'folder', path: source() }, 'sistema', null);
    expect(newer.hash).not.toBe(system.hash);
    expect((await host.installed(null)).map((one) => one.version)).toEqual(['1.1.0']);
    await host.remove('ola', 'sistema', null);
    await host.remove('ola', 'sistema', null);
    expect((await host.installed(account)).map((one) => one.scope)).toEqual(['pessoa']);
  });

  test('gives every file the same modes whatever the umask was, and leaves nothing else behind', async () => {
    const { host, place } = made();
    await host.install({ kind: 'folder', path: source() }, 'sistema', null);
    const root = accountPaths(place).systemApps;
    const mode = (file: string): number => statSync(path.join(root, 'ola', file)).mode & 0o777;
    expect([mode('.'), mode('backend'), mode('svc-app.json'), mode('run.sh')]).toEqual([0o755, 0o755, 0o644, 0o755]);
    expect(appsIn(root)).toEqual(['ola']);
  });

  test('goes back to the version before, and forgets it once it is confirmed', async () => {
    const { host } = made();
    await host.install({ kind: 'folder', path: source() }, 'sistema', null);
    writePackage(source(), '1.1.0');
    await host.install({ kind: 'folder', path: source() }, 'sistema', null);
    await expect(host.confirm('ola', 'sistema', null)).rejects.toMatchObject({ code: 'NOT_CONFIRMED' });
    await host.rollBack('ola', 'sistema', null);
    expect((await host.installed(null)).map((one) => one.version)).toEqual(['1.0.0']);
    await expect(host.rollBack('ola', 'sistema', null)).rejects.toMatchObject({ code: 'NO_PREVIOUS_VERSION' });
  });

  test('tells when a file was changed on the server, and puts it back', async () => {
    const { host, place } = made();
    const first = await host.install({ kind: 'folder', path: source() }, 'sistema', null);
    expect(first.delivered).toBe(first.hash);
    appendFileSync(path.join(accountPaths(place).systemApps, 'ola/backend/main.py'), '# changed\n');
    expect(await host.installed(null)).toMatchObject([{ delivered: null }]);
    await host.install({ kind: 'folder', path: source() }, 'sistema', null);
    expect(await host.installed(null)).toEqual([first]);
  });

  test('takes the place of a folder that somebody put there by hand', async () => {
    const { host, place } = made();
    cpSync(source(), path.join(accountPaths(place).systemApps, 'ola'), { recursive: true });
    expect((await host.installed(null)).map((one) => one.version)).toEqual(['1.0.0']);
    writePackage(source(), '1.1.0');
    await host.install({ kind: 'folder', path: source() }, 'sistema', null);
    expect((await host.installed(null)).map((one) => one.version)).toEqual(['1.1.0']);
    await host.remove('ola', 'sistema', null);
    expect(await host.installed(null)).toEqual([]);
  });
}

function fileTests(made: () => HostFixture, source: () => string): void {
  test('reads plain files of a package and nothing else', async () => {
    const { host, account, place } = made();
    writeFileSync(path.join(source(), 'ícone azul.svg'), '<svg/>');
    writeFileSync(path.join(source(), 'grande.bin'), Buffer.alloc(700_000, 'ab'));
    await host.install({ kind: 'folder', path: source() }, 'sistema', null);
    await host.install({ kind: 'folder', path: source() }, 'pessoa', account);
    const read = async (file: string, scope: 'sistema' | 'pessoa' = 'sistema') => await host.packageFile(account, 'ola', scope, file);
    expect(Buffer.from((await read('ícone azul.svg')) ?? []).toString()).toBe('<svg/>');
    expect(Buffer.from((await read('grande.bin', 'pessoa')) ?? [])).toEqual(Buffer.alloc(700_000, 'ab'));
    const root = path.join(accountPaths(place).systemApps, 'ola');
    symlinkSync('/etc/passwd', path.join(root, 'senhas'));
    symlinkSync('/etc', path.join(root, 'fora'));
    for (const file of ['senhas', 'fora/passwd', '../../../etc/passwd', '/etc/passwd', 'backend', 'falta', 'a\0b', 'a\nb', '']) {
      expect([file, await read(file)]).toEqual([file, null]);
    }
    expect(await host.packageFile(account, 'outra', 'sistema', 'svc-app.json')).toBeNull();
  });

  test('tells how an installation goes on', async () => {
    const steps: string[] = [];
    await made().host.install({ kind: 'folder', path: source() }, 'sistema', null, {
      onEvent: (event) => {
        if (event.event === 'step') steps.push(event.step);
      },
    });
    expect(steps).toEqual(expect.arrayContaining(['stage', 'check', 'swap']));
  });

  test('an installation that is cancelled leaves what was there, and the next one goes on', async () => {
    const { host, place } = made();
    const before = await host.install({ kind: 'folder', path: source() }, 'sistema', null);
    writePackage(source(), '2.0.0', 'sleep 600');
    const abort = new AbortController();
    const cancelled = host.install({ kind: 'folder', path: source() }, 'sistema', null, {
      onEvent: (event) => {
        if (event.event === 'step' && event.step === 'set-up') abort.abort();
      },
      signal: abort.signal,
    });
    await expect(cancelled).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(await host.installed(null)).toEqual([before]);
    const late = host.install({ kind: 'folder', path: source() }, 'sistema', null, { signal: AbortSignal.abort() });
    await expect(late).rejects.toMatchObject({ code: 'CANCELLED' });
    writePackage(source(), '2.0.1');
    expect(await host.install({ kind: 'folder', path: source() }, 'sistema', null)).toMatchObject({ version: '2.0.1' });
    expect(appsIn(accountPaths(place).systemApps)).toEqual(['ola']);
  });
}

function inventoryTests(made: () => HostFixture): void {
  test('tells which Linux packages are missing, whatever alternatives are asked for', async () => {
    const { missing, engines, gpu } = await made().host.inventory(['dpkg|rpm', 'falta-mesmo|falta-tambem', 'falta-mesmo|dpkg']);
    expect(missing).toEqual(['falta-mesmo|falta-tambem']);
    expect(engines).toEqual([]);
    expect(gpu).toBeTypeOf('boolean');
  });
}

function refusalTests(made: () => HostFixture, source: () => string): void {
  test('a package with a link, with a socket or without a manifest is refused, and nothing of it stays', async () => {
    const { host, place } = made();
    const spoils: readonly (readonly [string, (root: string) => unknown])[] = [
      ['a link', (root) => symlinkSync('/etc/passwd', path.join(root, 'backend/link'))],
      ['a link to a folder', (root) => symlinkSync('/etc', path.join(root, 'etc'))],
      ['a socket', (root) => net.createServer().listen(path.join(root, 's')).unref()],
      ['no manifest', (root) => rmSync(path.join(root, 'svc-app.json'))],
      ['a manifest that is none', (root) => writeFileSync(path.join(root, 'svc-app.json'), '{"id":"../x"}')],
    ];
    for (const [what, spoil] of spoils) {
      const folder = path.join(source(), what);
      writePackage(folder, '1.0.0');
      spoil(folder);
      const code = await host.install({ kind: 'folder', path: folder }, 'sistema', null).then(
        () => 'installed',
        (error: unknown) => (error as { code?: string }).code,
      );
      expect([what, code]).toEqual([what, expect.stringMatching(/^(PACKAGE_REFUSED|PACKAGE_SOURCE_MISSING|MANIFEST_INVALID)$/) as string]);
      expect([what, appsIn(accountPaths(place).systemApps)]).toEqual([what, []]);
    }
  });

  test('one package that can not be read hides no other', async () => {
    const { host, place } = made();
    await host.install({ kind: 'folder', path: source() }, 'sistema', null);
    const root = accountPaths(place).systemApps;
    mkdirSync(path.join(root, 'torta'));
    writeFileSync(path.join(root, 'torta/svc-app.json'), '{');
    mkdirSync(path.join(root, 'vazia'));
    expect((await host.installed(null)).map((one) => one.app)).toEqual(['ola']);
  });
}

function supervisorTests(made: () => HostFixture): void {
  test('starts the supervisor, which answers, outlives the portal and is there only once', async () => {
    const { host, account, place } = made();
    await Promise.all([host.startSupervisor(account), host.startSupervisor(account)]);
    const hello = async () => {
      const stream = await host.dial(account, accountPaths(place).supervisorSocket);
      stream.write('{"id":1,"op":"hello"}\n');
      for await (const chunk of stream) return JSON.parse(String(chunk)) as { ok: boolean; home: string; pid: number };
      throw new Error('the supervisor hung up');
    };
    const first = await hello();
    expect(first).toMatchObject({ ok: true, home: place.home });
    await host.startSupervisor(account);
    expect((await hello()).pid).toBe(first.pid);
  });
}
