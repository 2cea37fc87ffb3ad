/** `svc-app-publish` and `publicar-motor` as an author runs them, into a folder and to a repository over HTTP. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { extractArchive } from '../kit/archive/extract.ts';
import { engineArchive } from '../kit/archive/rules.ts';
import { isManifest } from '../schema/manifest/validate.ts';
import { catalogueIn } from '../kit/repository/testing/catalogue.ts';
import { publishProgram } from './publish-program.ts';
import { useAuthor } from './testing/author.ts';
import { runHere } from './testing/run-here.ts';
import { beginSvc, type Outcome, repository as source, runSvc } from './testing/run-svc.ts';

let base: string;
let app: string;
let repo: string;
const ended = useAuthor((made) => ({ base, app, repo } = made));

async function run(command: string, args: readonly string[], env: Record<string, string> = {}): Promise<Outcome> {
  if (command === 'svc-app-publish') return await runHere(publishProgram, args, { SVC_REPOSITORY: '', ...env });
  const child: ChildProcess = spawn(join(source, 'bin', command), args, { cwd: base, env: { ...process.env, SVC_REPOSITORY: '', ...env } });
  const text = { out: '', err: '' };
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => (text.out += chunk));
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => (text.err += chunk));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, ...text };
}

const publish = (...args: readonly string[]): Promise<Outcome> => run('svc-app-publish', [app, ...args]);

function change(fields: Record<string, unknown>): void {
  const file = join(app, 'svc-app.json');
  writeFileSync(file, JSON.stringify({ ...(JSON.parse(readFileSync(file, 'utf8')) as object), ...fields }, null, 2));
}

const sha256 = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex');
const catalogue = (): ReturnType<typeof catalogueIn> => catalogueIn(repo);

describe('into a folder', () => {
  test('the program of bin/ does it', async () => {
    const child = spawn(join(source, 'bin/svc-app-publish'), ['.', '--repository', repo], { cwd: app });
    expect(await once(child, 'close')).toEqual([0, null]);
    expect(catalogue().apps.map(({ id }) => id)).toEqual(['notas']);
  });

  test('a version is published, told again, and refused with other bytes', async () => {
    writeFileSync(join(app, 'CHANGELOG.md'), '# Changes\n\n## 1.0.0\n\n- the first\n');
    const first = await publish('--repository', repo);
    expect(first).toMatchObject({ code: 0, err: '' });
    expect(first.out).toMatch(/^notas 1\.0\.0: published \(\d+ bytes, sha256 [0-9a-f]{64}\)\n$/);
    const [version] = catalogue().apps[0]?.versions ?? [];
    expect(version).toMatchObject({ version: '1.0.0', novidades: '- the first', icone: 'svg' });
    expect(version?.sha256).toBe(sha256(join(repo, 'v1/pacote/notas/1.0.0.tgz')));
    expect(first.out).toContain(version?.sha256);
    for (const name of readdirSync(app)) utimesSync(join(app, name), 1, 1);
    expect(await publish('--repository', repo)).toMatchObject({ code: 0, out: expect.stringContaining('with the same bytes') as string });
    writeFileSync(join(app, 'backend/more.py'), '');
    const taken = await publish('--repository', repo);
    expect(taken).toMatchObject({ code: 1, out: '' });
    expect(taken.err).toMatch(/VERSION_TAKEN notas 1\.0\.0/);
    change({ version: '1.1.0' });
    expect((await publish('--repository', repo)).code).toBe(0);
    expect(catalogue().apps[0]?.versions.map(({ version }) => version)).toEqual(['1.1.0', '1.0.0']);
  });

  test('a failed publish does not burn the version', async () => {
    change({ provides: ['x/v1'], colour: 'red' });
    const refused = await publish('--repository', repo);
    expect(refused.code).toBe(1);
    expect(refused.err).toContain('UNKNOWN_FIELD');
    expect(existsSync(repo)).toBe(false);
    cpSync(join(source, 'examples/apps/notas/svc-app.json'), join(app, 'svc-app.json'));
    symlinkSync('/etc/passwd', join(app, 'link'));
    const linked = await publish('--repository', repo);
    expect(linked).toMatchObject({ code: 1, out: '' });
    expect(linked.err).toMatch(/ARCHIVE_REFUSED .*"link"/);
    rmSync(join(app, 'link'));
    expect(await publish('--repository', repo)).toMatchObject({ code: 0, out: expect.stringContaining(': published') as string });
  });

  test('--check and --list publish nothing; --list is what is packed', async () => {
    writeFileSync(join(app, '.svcignore'), 'secret*\n');
    writeFileSync(join(app, 'secret.txt'), 'x');
    mkdirSync(join(app, '__pycache__'));
    writeFileSync(join(app, '__pycache__/main.pyc'), 'x');
    expect(await publish('--check', '--repository', repo)).toMatchObject({
      code: 0,
      out: expect.stringContaining('not published') as string,
    });
    const listed = await publish('--list', '--repository', repo);
    expect(existsSync(repo)).toBe(false);
    expect(listed.out).not.toMatch(/secret|pyc|svcignore/);
    await publish('--repository', repo);
    const packed = execFileSync('tar', ['-tzf', join(repo, 'v1/pacote/notas/1.0.0.tgz')], { encoding: 'utf8' })
      .trim()
      .split('\n');
    const files = packed.filter((line) => !line.endsWith('/')).map((line) => line.replace('notas-1.0.0/', ''));
    for (const file of files) expect(listed.out).toContain(` ${file}\n`);
    expect(listed.out).toContain(`${files.length} files`);
  });

  test('--json tells findings with their places, files and the tarball', async () => {
    change({
      version: '1.4',
      contributes: { contextMenu: [{ id: 'x', superficie: 'pasta', rotulo: 'X', ordem: 1_000 }] },
      provides: ['x/v1'],
    });
    const { code, out, err } = await publish('--check', '--json');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const told = JSON.parse(out) as {
      warnings: { code: string; message: string; line: number }[];
      entries: { path: string }[];
      sha256: string;
    };
    expect(told).toMatchObject({ outcome: 'checked', ok: true, id: 'notas', version: '1.4', errors: [] });
    expect(told.warnings.map((warning) => warning.code).toSorted()).toEqual(['MENU_ITEM_OMITTED', 'NOT_CALLABLE', 'NOT_SEMVER']);
    expect(told.warnings.find((one) => one.code === 'MENU_ITEM_OMITTED')?.message).toContain('0 to 999');
    expect(told.entries.map(({ path }) => path)).toContain('backend/main.py');
  });

  test('every file that the manifest names must be there', async () => {
    change({
      icon: 'gone.svg',
      contributes: { settings: 'settings/gone.js' },
      opens: { extensions: ['nota'], proprios: [{ extensao: 'nota', nome: 'Nota', cor: '#aa0000', icone: 'type.svg' }] },
      type: 'engine',
      engine: { loader: 'served-by-the-backend.js' },
      backend: { runtime: 'binary', entrypoint: 'backend/main.py' },
    });
    const { code, out } = await publish('--check', '--json');
    const told = JSON.parse(out) as { errors: { code: string; path: string; line: number }[] };
    expect(code).toBe(1);
    expect(told.errors.map((error) => `${error.code} ${error.path}`).toSorted()).toEqual([
      'FILE_MISSING /contributes/settings',
      'FILE_MISSING /icon',
      'FILE_MISSING /opens/proprios/0/icone',
      'NOT_EXECUTABLE /backend/entrypoint',
    ]);
    const lines = readFileSync(join(app, 'svc-app.json'), 'utf8').split('\n');
    expect(lines[(told.errors.find(({ path }) => path === '/icon')?.line ?? 0) - 1]).toContain('gone.svg');
    writeFileSync(join(app, '.svcignore'), 'backend/\n');
    change({
      icon: 'icon.svg',
      contributes: {},
      opens: {},
      backend: { runtime: 'python3', entrypoint: 'backend/main.py', installCommand: 'true' },
    });
    const made = await publish('--check', '--json');
    expect(made.code).toBe(0);
    expect(made.out).toContain('MADE_AT_INSTALL');
    chmodSync(join(app, 'backend/main.py'), 0o755);
  });

  test('nothing to publish, nowhere to publish', async () => {
    expect((await publish()).err).toMatch(/BAD_REQUEST where to\?/);
    rmSync(join(app, 'svc-app.json'));
    expect((await publish('--check')).err).toMatch(/BAD_REQUEST .* holds no svc-app\.json: is it the folder of an app\?/);
    expect(await run('svc-app-publish', [join(base, 'nothing'), '--check'])).toMatchObject({
      code: 1,
      err: expect.stringMatching(/nothing is no folder/),
    });
  });
});

async function serve(): Promise<{ url: string; token: string }> {
  const made = await runSvc(base, ['repository', repo, '--new-token', '--only', 'notas', 'eco']);
  expect(made).toMatchObject({ code: 0 });
  const { child, text } = beginSvc(base, ['repository', repo, '--listen', '127.0.0.1:0'], { SVC_LOG_LEVEL: 'silent' });
  ended.push(async () => {
    if (child.exitCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'close');
  });
  while (!text.out.includes('\n'))
    await Promise.race([once(child.stdout, 'data'), once(child, 'close').then(() => Promise.reject(new Error(text.err)))]);
  return { url: /http:\S+/.exec(text.out)?.[0] ?? '', token: made.out.trim() };
}

describe('to an address', () => {
  test('with the token of the repository, and told as the repository tells it', async () => {
    const { url, token } = await serve();
    const env = { SVC_REPOSITORY_TOKEN: token };
    writeFileSync(join(app, 'CHANGELOG.md'), '## 1.0.0\nnão há “nada” novo\n');
    const to = [app, '--repository', url];
    expect((await run('svc-app-publish', to)).err).toMatch(/UNAUTHENTICATED .*SVC_REPOSITORY_TOKEN/);
    expect((await run('svc-app-publish', to, { SVC_REPOSITORY_TOKEN: 'svcp_wrong' })).err).toMatch(/UNAUTHENTICATED/);
    const published = await run('svc-app-publish', to, env);
    expect(published).toMatchObject({ code: 0, out: expect.stringContaining(': published') as string });
    expect(`${published.out}${published.err}`).not.toContain(token);
    expect(catalogue().apps[0]?.versions[0]).toMatchObject({ version: '1.0.0', novidades: 'não há “nada” novo', icone: 'svg' });
    expect(await run('svc-app-publish', to, env)).toMatchObject({ code: 0, out: expect.stringContaining('same bytes') as string });
    writeFileSync(join(app, 'x'), 'x');
    expect((await run('svc-app-publish', to, env)).err).toMatch(/VERSION_TAKEN/);
    change({ id: 'other' });
    expect((await run('svc-app-publish', to, env)).err).toMatch(/FORBIDDEN/);
    expect(catalogue().apps.map(({ id }) => id)).toEqual(['notas']);
  });

  test('an engine: checked, uploaded, and the entry installs what was given', async () => {
    const { url, token } = await serve();
    mkdirSync(join(base, 'e/eco-1/bin'), { recursive: true });
    writeFileSync(join(base, 'e/eco-1/bin/eco'), '#!/bin/sh\n', { mode: 0o755 });
    execFileSync('tar', ['-czf', join(base, 'eco.tgz'), '-C', join(base, 'e'), 'eco-1']);
    const args = ['eco.tgz', '--nome', 'eco', '--versao', '1.0', '--repository', url, '--confere', 'bin/eco'];
    const { code, out } = await run('publicar-motor', args, { SVC_REPOSITORY_TOKEN: token });
    expect(code).toBe(0);
    const motor = JSON.parse(out) as { url: string; sha256: string; tamanho: number };
    expect(isManifest({ id: 'x', version: '1.0.0', backend: { runtime: 'node', entrypoint: 'x' }, motores: [motor] })).toBe(true);
    const bytes = Buffer.from(await (await fetch(motor.url)).arrayBuffer());
    expect({ sha256: createHash('sha256').update(bytes).digest('hex'), tamanho: bytes.length }).toEqual({
      sha256: motor.sha256,
      tamanho: motor.tamanho,
    });
    writeFileSync(join(base, 'got.tgz'), bytes);
    await extractArchive(join(base, 'got.tgz'), join(base, 'got'), { limits: engineArchive });
    expect(readFileSync(join(base, 'got/bin/eco'), 'utf8')).toBe('#!/bin/sh\n');
    const again = await run('publicar-motor', args, { SVC_REPOSITORY_TOKEN: token });
    expect(again).toMatchObject({ code: 0, err: expect.stringContaining('same bytes') as string });
  });

  test('an address that a token should not go to is refused before anything is sent', async () => {
    const env = { SVC_REPOSITORY_TOKEN: 'svcp_secret' };
    for (const url of ['http://repository.invalid', 'https://ana:pw@repository.invalid', 'ftp://x', 'https://x/?a=b']) {
      const { code, err } = await run('svc-app-publish', [app, '--repository', url], env);
      expect(code).toBe(1);
      expect(err).toMatch(/BAD_REQUEST/);
      expect(err).not.toMatch(/svcp_secret|pw/);
    }
  });

  test.for<readonly [string, http.RequestListener, RegExp]>([
    ['redirects', (_, res) => res.writeHead(307, { location: 'http://127.0.0.1:1/' }).end(), /REPOSITORY_UNREACHABLE .*307/],
    ['is another program', (_, res) => res.end('<h1>hello</h1>'), /REPOSITORY_UNREACHABLE .*200/],
    ['hangs up', (req) => req.socket.destroy(), /REPOSITORY_UNREACHABLE/],
    ['answers for ever', (_, res) => res.writeHead(200).end(Buffer.alloc(4_000_000, 0x20)), /REPOSITORY_UNREACHABLE .*too long/],
    ['has a code that we do not know', (_, res) => res.writeHead(418).end('{"code":"toString"}'), /REPOSITORY_UNREACHABLE .*418/],
  ])('a repository that %s', async ([, listener, message]) => {
    const server = http.createServer(listener).listen(0, '127.0.0.1');
    await once(server, 'listening');
    ended.push(async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    });
    const { port } = server.address() as AddressInfo;
    const told = await run('svc-app-publish', [app, '--repository', `http://127.0.0.1:${port}`], { SVC_REPOSITORY_TOKEN: 'svcp_x' });
    expect(told).toMatchObject({ code: 1, out: '' });
    expect(told.err).toMatch(message);
  });
});

describe('publicar-motor', () => {
  test('refuses what extraction would refuse, a missing path, and names that are none', async () => {
    mkdirSync(join(base, 'e/eco-1'), { recursive: true });
    writeFileSync(join(base, 'e/eco-1/x'), 'x');
    execFileSync('tar', ['-czf', join(base, 'good.tgz'), '-C', join(base, 'e'), 'eco-1']);
    symlinkSync('x', join(base, 'e/eco-1/l'));
    execFileSync('tar', ['-czf', join(base, 'linked.tgz'), '-C', join(base, 'e'), 'eco-1']);
    const motor = (...args: readonly string[]): Promise<Outcome> => run('publicar-motor', [...args, '--repository', repo]);
    expect((await motor('linked.tgz', '--nome', 'eco', '--versao', '1')).err).toMatch(/ARCHIVE_REFUSED .*links/);
    expect((await motor('good.tgz', '--nome', 'eco', '--versao', '1', '--confere', 'y')).err).toMatch(/PACKAGE_REFUSED .*y/);
    expect((await motor('good.tgz', '--nome', 'Eco', '--versao', '1')).err).toMatch(/BAD_REQUEST/);
    expect((await motor('good.tgz', '--nome', 'eco', '--versao', '../1')).err).toMatch(/BAD_REQUEST/);
    expect((await motor('none.tgz', '--nome', 'eco', '--versao', '1')).code).toBe(1);
    expect(existsSync(repo)).toBe(false);
    const good = await motor('good.tgz', '--nome', 'eco', '--versao', '1', '--confere', 'x', '--url', 'https://r.example/base');
    expect(good.code).toBe(0);
    expect(JSON.parse(good.out)).toMatchObject({
      url: 'https://r.example/base/v1/motor/eco/1',
      confere: 'x',
      sha256: sha256(join(repo, 'v1/motor/eco/1')),
    });
    writeFileSync(join(base, 'e/eco-1/x'), 'y');
    rmSync(join(base, 'e/eco-1/l'));
    execFileSync('tar', ['-czf', join(base, 'other.tgz'), '-C', join(base, 'e'), 'eco-1']);
    expect((await motor('other.tgz', '--nome', 'eco', '--versao', '1')).err).toMatch(/VERSION_TAKEN/);
  });
});
