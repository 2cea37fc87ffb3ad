/** The command as people and the portal use it: real folders, tarballs, repositories and processes. */
import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { putPackages, tarballIn } from '../repository/testing/catalogue.ts';
import { packFolder } from '../archive/pack.ts';
import { hashTree } from './tree.ts';
import { leftovers, testServer, type Outcome, type TestServer } from './test-server.ts';

let server: TestServer;
const children = new Set<ChildProcess>();
beforeEach(() => {
  server = testServer();
});
afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
  children.clear();
  server.dispose();
});

const failure = (outcome: Outcome, code: string): void => expect(outcome).toMatchObject({ code: 1, last: { event: 'error', code } });
const message = ({ last }: Outcome): string => (last?.event === 'error' ? last.message : '');

describe('versions', () => {
  test('an installed one is left alone, another one needs --force, other bytes of the same one too', async () => {
    const one = server.package('one', { version: '1.0.0' });
    expect(await server.run([one])).toMatchObject({ code: 0, last: { result: 'installed', before: null } });
    const inode = statSync(join(server.apps, 'notas')).ino;
    expect(await server.run([one])).toMatchObject({ code: 0, last: { result: 'unchanged' } });
    expect(await server.run([one, '--force'])).toMatchObject({ code: 0, last: { result: 'unchanged' } });
    expect(statSync(join(server.apps, 'notas')).ino).toBe(inode);

    const two = server.package('two', { version: '2.0.0' });
    failure(await server.run([two]), 'INSTALLED');
    appendFileSync(join(one, 'backend/other.py'), '# other bytes\n');
    failure(await server.run([one]), 'VERSION_CHANGED');
    expect(server.version()).toBe('1.0.0');
    expect(await server.run([two, '--force'])).toMatchObject({ code: 0, last: { result: 'installed', before: '1.0.0' } });
    expect([server.version(), leftovers(server.apps, 2)]).toEqual(['2.0.0', []]);
  });

  test('a file that was changed on the server is put back by --force, and is nothing to go back to', async () => {
    const one = server.package('one');
    await server.run([one]);
    appendFileSync(join(server.apps, 'notas/backend/main.py'), '# changed\n');
    const refused = await server.run([one]);
    failure(refused, 'INSTALLED');
    expect(message(refused)).toContain('changed on this server');
    expect(await server.run([one, '--force'])).toMatchObject({ code: 0, last: { result: 'installed' } });
    expect([server.version(), leftovers(server.apps, 1)]).toEqual(['1.0.0', []]);
    failure(await server.run(['--rollback', 'notas']), 'NO_PREVIOUS_VERSION');
  });

  test('at every moment of many upgrades a reader finds a whole version', async () => {
    const sources = ['1.0.0', '2.0.0'].map((version) => server.package(version, { version }));
    await server.run([sources[0] ?? '']);
    let looks = 0;
    const ended = new AbortController();
    const look = async (): Promise<void> => {
      while (!ended.signal.aborted) {
        const folder = realpathSync(join(server.apps, 'notas'));
        const version = (JSON.parse(readFileSync(join(folder, 'svc-app.json'), 'utf8')) as { version: string }).version;
        for (const file of ['main.py', 'other.py']) expect(readFileSync(join(folder, 'backend', file), 'utf8')).toContain(version);
        looks += 1;
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    const looking = look();
    for (let n = 1; n <= 4; n += 1) expect(await server.run([sources[n % 2] ?? '', '--force'])).toMatchObject({ code: 0 });
    ended.abort();
    await looking;
    expect(looks).toBeGreaterThan(100);
  });

  test('two installers at once: one after the other, and nothing is mixed', async () => {
    const sources = ['1.0.0', '2.0.0', '3.0.0'].map((version) => server.package(version, { version }));
    const outcomes = await Promise.all(sources.map((source) => server.run([source, '--force'])));
    expect(outcomes.map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(server.version()).toMatch(/^[123]\.0\.0$/);
    expect(leftovers(server.apps, 2)).toEqual([]);
  });
});

describe('refused, and the version before stays:', () => {
  test.for([
    ['a capability that nobody offers', { requires: ['texto/v1'] }, 'MISSING_CAPABILITY', 'texto/v1'],
    ['a Linux package', { requiredPackages: ['dpkg', 'nao-existe-9|tambem-nao'] }, 'MISSING_PACKAGE', 'apt-get install nao-existe-9'],
    ['a package name that is an option', { requiredPackages: ['--help'] }, 'MANIFEST_INVALID', '--help'],
    [
      'a color that white text can not be read on',
      { opens: { proprios: [{ extensao: 'nt', nome: 'N', cor: '#ffff00' }] } },
      'MANIFEST_INVALID',
      '1.07:1',
    ],
    ['no entrypoint', { backend: { entrypoint: 'backend/nada.py' } }, 'PACKAGE_REFUSED', 'nada.py'],
    ['a root phase that fails', { backend: { installCommand: 'echo torto; exit 3' } }, 'INSTALL_COMMAND_FAILED', 'exit code 3'],
    ['pessoa only', { instalacao: ['pessoa'] }, 'SCOPE_REFUSED', '--pessoa'],
  ] as const)('%s', async ([, manifest, code, told]) => {
    await server.run([server.package('one')]);
    const two = server.package('two', { version: '2.0.0', ...manifest });
    const outcome = await server.run([two, '--force']);
    failure(outcome, code);
    expect(message(outcome)).toContain(told);
    expect(server.version()).toBe('1.0.0');
    expect(await server.run([server.package('three', { version: '3.0.0' }), '--force'])).toMatchObject({ code: 0 });
    expect(leftovers(server.apps, 2)).toEqual([]);
  });

  test('an alternative satisfies, and so does a capability of an installed app', async () => {
    await server.run([server.package('texto', { id: 'texto', provides: ['texto/v1'] })]);
    const outcome = await server.run([server.package('one', { requires: ['texto/v1'], requiredPackages: ['nao-existe-9|dpkg'] })]);
    expect(outcome).toMatchObject({ code: 0, last: { result: 'installed' } });
  });

  test.for([
    ['not declared', {}],
    [
      'with motores',
      { instalacao: ['pessoa'], motores: [{ nome: 'm', versao: '1', url: 'http://x/', sha256: '0'.repeat(64), tamanho: 1 }] },
    ],
  ] as const)('--pessoa, %s', async ([, manifest]) => {
    failure(await server.run([server.package('one', manifest), '--pessoa']), 'SCOPE_REFUSED');
    expect(existsSync(join(server.dir, '.local/share/svc-apps/notas'))).toBe(false);
  });
});

test('--pessoa installs below the home, without a root phase', async () => {
  const source = server.package('one', { instalacao: ['pessoa'], backend: { installCommand: 'touch "$HOME/root-phase"' } });
  expect(await server.run([source, '--pessoa'])).toMatchObject({ code: 0, last: { scope: 'pessoa' } });
  expect(existsSync(join(server.dir, '.local/share/svc-apps/notas/svc-app.json'))).toBe(true);
  expect(existsSync(join(server.dir, 'root-phase'))).toBe(false);
  // As the first start leaves it.
  const done = join(server.dir, '.svc-apps/notas/installed.hash');
  mkdirSync(join(server.dir, '.svc-apps/notas'), { recursive: true });
  writeFileSync(done, 'of that package\n');
  await server.run([source, '--pessoa', '--force']);
  expect(existsSync(done)).toBe(true);
  await server.run([source, '--pessoa', '--force'], { SVC_APP_REBUILD: '1' });
  expect(existsSync(done)).toBe(false);
});

test('the root phase runs once, in the folder that stays; SVC_APP_REBUILD runs it again', async () => {
  const command = 'echo "$PWD $SVC_APP_REBUILD" >> "$HOME/runs"; mkdir -p built; echo ok > built/file; ln -sf file built/link';
  const source = server.package('one', { backend: { installCommand: command } });
  await server.run([source]);
  expect(await server.run([source])).toMatchObject({ last: { result: 'unchanged' } });
  expect(await server.run([source, '--force'], { SVC_APP_REBUILD: '1' })).toMatchObject({ last: { result: 'installed' } });
  const runs = readFileSync(join(server.dir, 'runs'), 'utf8').trim().split('\n');
  expect(runs).toHaveLength(2);
  expect(runs[1]).toBe(`${realpathSync(join(server.apps, 'notas'))} 1`);
  expect(readFileSync(join(server.apps, 'notas/built/link'), 'utf8')).toBe('ok\n');
});

const makes = {
  'python3 of a source': { runtime: 'python3', entrypoint: 'dist/main.py', installCommand: 'mkdir -p dist; cp backend/main.py dist/' },
  node: { runtime: 'node', entrypoint: 'dist/main.js', installCommand: 'mkdir -p dist; echo "" > dist/main.js' },
  binary: {
    runtime: 'binary',
    entrypoint: 'dist/main',
    installCommand: 'mkdir -p dist; printf "#!/bin/sh\\n" > dist/main; chmod 755 dist/main',
  },
} as const;

test.for(Object.entries(makes))(
  'an entrypoint that installCommand makes, %s: is installed for everybody once it is made, and for one person before',
  async ([, backend]) => {
    const source = server.package('one', { instalacao: ['sistema', 'pessoa'], backend });
    expect(await server.run([source])).toMatchObject({ code: 0, last: { result: 'installed' } });
    expect(existsSync(join(server.apps, 'notas', backend.entrypoint))).toBe(true);
    expect(await server.run([source, '--pessoa'])).toMatchObject({ code: 0, last: { result: 'installed' } });
  },
);

test.for([
  ['not made', 'true', 'missing'],
  ['made without its executable bit', 'mkdir dist; : > dist/main', 'not executable'],
] as const)('an entrypoint that is %s: refused, and the version before stays', async ([, installCommand, told]) => {
  await server.run([server.package('one')]);
  const outcome = await server.run([server.package('two', { version: '2.0.0', backend: { ...makes.binary, installCommand } }), '--force']);
  failure(outcome, 'PACKAGE_REFUSED');
  expect([message(outcome).includes(told), server.version(), leftovers(server.apps, 1)]).toEqual([true, '1.0.0', []]);
});

/** An instance as the launcher would start it: the mark of the app, and the hash of the code it runs. */
function instance(
  environment: Readonly<Record<string, string>>,
  script = 'echo up; exec sleep 1000',
  account?: number,
): Promise<ChildProcess> {
  const child = spawn('/bin/sh', ['-c', script], {
    env: { PATH: '/usr/bin:/bin', SVC_APP_ID: 'notas', SVC_APP_SOCKET: `${server.dir}/home/ana/.svc-apps/notas/app.sock`, ...environment },
    stdio: ['ignore', 'pipe', 'ignore'],
    ...(account === undefined ? {} : { uid: account, gid: account }),
  });
  children.add(child);
  return once(child.stdout, 'data').then(() => child);
}

test('--force ends the instances of every account that run another code, and nobody else', async () => {
  await server.run([server.package('one')]);
  const old = await hashTree(join(server.apps, 'notas'));
  const two = server.package('two', { version: '2.0.0' });
  const ana = await instance({ SVC_APP_INSTALLED_HASH: old });
  const bia = await instance({ SVC_APP_INSTALLED_HASH: old, SVC_APP_SOCKET: `${server.dir}/home/bia/.svc-apps/notas/app.sock` });
  const others = await Promise.all([
    instance({ SVC_APP_INSTALLED_HASH: await hashTree(two) }),
    instance({ SVC_APP_INSTALLED_HASH: old, SVC_APP_ID: 'outro' }),
    instance({ SVC_APP_INSTALLED_HASH: old, SVC_APP_SOCKET: '/elsewhere/home/ana/.svc-apps/notas/app.sock' }),
    instance({}),
  ]);
  expect(await server.run([two, '--force'])).toMatchObject({ code: 0, last: { ended: 2 } });
  expect([ana.signalCode, bia.signalCode]).toEqual(['SIGTERM', 'SIGTERM']);
  expect(others.map((child) => child.signalCode ?? child.exitCode)).toEqual([null, null, null, null]);
});

test('--force with the same bytes ends every instance of every account, and without it none', async () => {
  const source = server.package('one');
  await server.run([source]);
  const hash = await hashTree(join(server.apps, 'notas'));
  const all = await Promise.all([
    instance({ SVC_APP_INSTALLED_HASH: hash }),
    instance({ SVC_APP_INSTALLED_HASH: hash, SVC_APP_SOCKET: `${server.dir}/home/bia/.svc-apps/notas/app.sock` }),
    instance({ SVC_APP_INSTALLED_HASH: '0'.repeat(64) }),
  ]);
  const other = await instance({ SVC_APP_INSTALLED_HASH: hash, SVC_APP_ID: 'outro' });
  expect(await server.run([source])).toMatchObject({ code: 0, last: { result: 'unchanged', ended: 0 } });
  expect(all.map(({ signalCode, exitCode }) => signalCode ?? exitCode)).toEqual([null, null, null]);
  expect(await server.run([source, '--force'])).toMatchObject({ code: 0, last: { result: 'unchanged', ended: 3 } });
  expect(all.map(({ signalCode }) => signalCode)).toEqual(['SIGTERM', 'SIGTERM', 'SIGTERM']);
  // By its id alone, too: the very words of the table.
  const again = await instance({ SVC_APP_INSTALLED_HASH: hash });
  expect(await server.run(['notas', '--force'])).toMatchObject({ code: 0, last: { result: 'unchanged', ended: 1 } });
  expect([again.signalCode, other.signalCode]).toEqual(['SIGTERM', null]);
});

test('an instance that does not listen to SIGTERM is killed after the grace', async () => {
  await server.run([server.package('one')]);
  const stubborn = await instance({ SVC_APP_INSTALLED_HASH: '0'.repeat(64) }, 'trap "" TERM; echo up; while :; do sleep 0.1; done');
  expect(await server.run([server.package('two', { version: '2.0.0' }), '--force'])).toMatchObject({ code: 0 });
  expect(stubborn.signalCode).toBe('SIGKILL');
});

describe('the version before', () => {
  /** A backend that answers with a status, on the socket of ana. */
  async function backend(hash: string, status: number): Promise<void> {
    const socket = `${server.dir}/home/ana/.svc-apps/notas/app.sock`;
    mkdirSync(join(socket, '..'), { recursive: true });
    const script = `require('http').createServer((q, r) => { r.statusCode = q.headers['x-svc-app-token'] === 't' ? ${status} : 403; r.end(); }).listen(process.env.SVC_APP_SOCKET, () => console.log('up'))`;
    rmSync(socket, { force: true });
    await instance(
      { SVC_APP_INSTALLED_HASH: hash, SVC_APP_TOKEN: 't', NODE: process.execPath, SCRIPT: script },
      'exec "$NODE" -e "$SCRIPT"',
    );
  }

  test('stays until an instance of the new one answers with a ready code, then it goes', async () => {
    await server.run([server.package('one')]);
    const two = server.package('two', { version: '2.0.0' });
    await server.run([two, '--force']);
    failure(await server.run(['--confirm', 'notas']), 'NOT_CONFIRMED');
    await backend(await hashTree(two), 503);
    failure(await server.run(['--confirm', 'notas']), 'NOT_CONFIRMED');
    for (const child of children) child.kill('SIGKILL');
    await backend(await hashTree(two), 404);
    expect(await server.run(['--confirm', 'notas'])).toMatchObject({ code: 0, last: { result: 'confirmed' } });
    expect(leftovers(server.apps, 1)).toEqual([]);
    failure(await server.run(['--rollback', 'notas']), 'NO_PREVIOUS_VERSION');
  });

  test('stays when its owner leads the look to a socket that they may not open themselves', async () => {
    await server.run([server.package('one')]);
    const two = server.package('two', { version: '2.0.0' });
    await server.run([two, '--force']);
    const [ofRoot, ofBia] = [join(server.dir, 'root.sock'), `${server.dir}/home/bia/.svc-apps/notas/app.sock`];
    let asked = 0;
    const service = http.createServer((_request, response) => {
      asked += 1;
      response.end();
    });
    await once(service.listen(ofRoot), 'listening');
    chmodSync(ofRoot, 0o600);
    mkdirSync(join(ofBia, '..'), { recursive: true });
    symlinkSync(ofRoot, ofBia);
    const mark = { SVC_APP_INSTALLED_HASH: await hashTree(two), SVC_APP_SOCKET: ofBia };
    const child = await instance(mark, 'echo up; exec sleep 1000', 61_004);
    failure(await server.run(['--confirm', 'notas']), 'NOT_CONFIRMED');
    expect([asked, child.exitCode]).toEqual([0, null]);
    service.close();
  });
});

describe('a tarball and a repository', () => {
  const publish = (repository: string, ...folders: readonly string[]): Promise<void> => putPackages(repository, folders);
  const repositoryDir = (): string => join(server.dir, 'repo');

  test('the newest version of an id, or the one that is named; what it needs is named with who offers it', async () => {
    const repository = repositoryDir();
    const packages = ['1.0.0', '1.10.0', '1.9.0'].map((version) => server.package(version, { version }));
    await publish(
      repository,
      ...packages,
      server.package('carta', { id: 'carta', requires: ['texto/v1'] }),
      server.package('texto', { id: 'texto', provides: ['texto/v1'] }),
    );
    expect(await server.run(['notas@1.0.0', '--repository', repository])).toMatchObject({ code: 0, last: { version: '1.0.0' } });
    expect(await server.run(['notas', '--force'], { SVC_REPOSITORY: repository })).toMatchObject({
      last: { version: '1.10.0', before: '1.0.0' },
    });
    expect(server.version()).toBe('1.10.0');
    const refused = await server.run(['carta', '--repository', repository]);
    failure(refused, 'MISSING_CAPABILITY');
    expect(message(refused)).toContain('texto/v1 (install texto first)');
    failure(await server.run(['nada', '--repository', repository]), 'PACKAGE_SOURCE_MISSING');
    failure(await server.run(['notas@7.0.0', '--repository', repository]), 'PACKAGE_SOURCE_MISSING');
    // The same files behind a plain web server.
    const web = http.createServer((request, response) => {
      const file = join(repository, request.url ?? '');
      if (existsSync(file)) response.end(readFileSync(file));
      else response.writeHead(404).end();
    });
    await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(web.address() as AddressInfo).port}/`;
    expect(await server.run(['texto'], { SVC_REPOSITORY: url })).toMatchObject({ code: 0, last: { app: 'texto' } });
    expect(await server.run(['carta'], { SVC_REPOSITORY: url })).toMatchObject({ code: 0, last: { app: 'carta' } });
    web.close();
  });

  test('a tarball of other bytes than the catalogue says is refused before it is opened', async () => {
    const repository = repositoryDir();
    await publish(repository, server.package('one'));
    writeFileSync(tarballIn(repository, 'notas', '1.0.0'), 'no tarball');
    failure(await server.run(['notas', '--repository', repository]), 'CHECKSUM_MISMATCH');
    expect([server.version(), leftovers(server.apps, 0)]).toEqual([null, []]);
  });

  test('a tarball by its path, with the sha256 that is expected', async () => {
    const repository = repositoryDir();
    await publish(repository, server.package('one'));
    const tarball = tarballIn(repository, 'notas', '1.0.0');
    failure(await server.run([tarball, '--sha256', '0'.repeat(64)]), 'CHECKSUM_MISMATCH');
    const folder = await server.run([tarball]);
    expect(folder).toMatchObject({ code: 0, last: { version: '1.0.0', hash: await hashTree(join(server.apps, 'notas')) } });
    const { uid, mode } = statSync(join(server.apps, 'notas/backend/main.py'));
    expect([uid, mode & 0o777, statSync(join(server.apps, 'notas/backend')).mode & 0o777]).toEqual([process.getuid?.(), 0o644, 0o755]);
  });
});

test('a killed installer takes its extraction with it, and the next run is not in its way', async () => {
  const big = server.package('big', {}, { 'weights-1': randomBytes(25_000_000).toString('hex') });
  const out = join(server.dir, 'big.tgz');
  await packFolder(big, { root: 'notas-1.0.0', out });
  let installer: ChildProcess | undefined;
  const ended = server.run([out], {}, (child) => {
    installer = child;
  });
  const inside = (): readonly number[] => server.pidsBelow('.versions/in.');
  await expect.poll(inside, { timeout: 30_000, interval: 20 }).toHaveLength(1);
  installer?.kill('SIGKILL');
  expect(await ended).toMatchObject({ signal: 'SIGKILL' });
  await expect.poll(inside, { timeout: 20_000, interval: 20 }).toEqual([]);
  // Killed with it, and not at its own end.
  const written = readdirSync(join(server.apps, '.versions'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
  expect(written).toBeLessThan(50_000_000);
  expect(await server.run([out])).toMatchObject({ code: 0, last: { result: 'installed' } });
  expect(leftovers(server.apps, 1)).toEqual([]);
});

test('--remove takes everything of the app and nothing of another one', async () => {
  await server.run([server.package('one')]);
  await server.run([server.package('outro', { id: 'outro' })]);
  expect(await server.run(['--remove', 'notas'])).toMatchObject({ code: 0, last: { result: 'removed', before: '1.0.0' } });
  expect(await server.run(['--remove', 'notas'])).toMatchObject({ code: 0, last: { result: 'absent' } });
  expect(readdirSync(server.apps).toSorted()).toEqual(['.versions', 'outro']);
});

test.for([
  [[]],
  [['a', 'b']],
  [['x', '--sistema', '--pessoa']],
  [['--remove', '../x']],
  [['--nada', 'x']],
  [['x', '--sha256', 'y']],
] as const)('usage: %j', async ([argv]) => {
  const outcome = await server.run(argv);
  expect([outcome.code, outcome.lines]).toEqual([2, []]);
  expect(outcome.stderr).toContain('usage: svc-app-install');
});
