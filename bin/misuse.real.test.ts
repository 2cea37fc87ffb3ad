/**
 * Publishing, installing and serving as people misuse them: huge, sparse and oddly named folders, folders that may not be read or
 * written, a repository in the wrong place, many at once, a full disk, and tokens that must be nowhere but where they belong.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
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
  truncateSync,
  writeFileSync,
} from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { mountTmpfs, unmount } from '../test/support/mounts.ts';
import { compileCache } from '../kit/testing/compile-cache.ts';
import { kitSource } from '../kit/testing/kit-source.ts';
import { catalogueIn } from '../kit/repository/testing/catalogue.ts';
import { publishProgram } from './publish-program.ts';
import { useAuthor } from './testing/author.ts';
import { runHere } from './testing/run-here.ts';

const root = resolve(import.meta.dirname, '..');
let base: string;
let app: string;
let repo: string;
const ended = useAuthor((made) => ({ base, app, repo } = made));

interface End {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}
interface Run {
  readonly env?: Readonly<Record<string, string>>;
  /** As nobody: root may do everything. */
  readonly unprivileged?: boolean;
}

async function run(command: string, args: readonly string[], { env = {}, unprivileged = false }: Run = {}): Promise<End> {
  const account = unprivileged ? { uid: 65_534, gid: 65_534 } : {};
  const child: ChildProcess = spawn(join(root, 'bin', command), args, {
    cwd: base,
    env: { PATH: process.env['PATH'], HOME: base, TMPDIR: tmpdir(), NODE_COMPILE_CACHE: compileCache, ...env },
    ...account,
  });
  const text = { out: '', err: '' };
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => (text.out += chunk));
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => (text.err += chunk));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, ...text };
}
/** In this process, but for an account, an environment, a folder to run in or company of its own. */
const publish = (args: readonly string[], options?: Run): Promise<End> =>
  options === undefined ? runHere(publishProgram, args) : run('svc-app-publish', args, options);
const install = (args: readonly string[], options?: Run): Promise<End> =>
  run('svc-app-install', args, { ...options, env: { SVC_PREFIX: join(base, 'server'), SVC_KIT_SOURCE: kitSource, ...options?.env } });

function change(fields: Readonly<Record<string, unknown>>): void {
  const file = join(app, 'svc-app.json');
  writeFileSync(file, JSON.stringify({ ...(JSON.parse(readFileSync(file, 'utf8')) as object), ...fields }));
}

describe('folders of authors', () => {
  test('more files than a package holds: refused in seconds, by the limit', async () => {
    mkdirSync(join(app, 'many'));
    for (let nth = 0; nth < 50_001; nth += 1) writeFileSync(join(app, 'many', String(nth)), '');
    const startedMs = performance.now();
    const [published, installed] = [await publish([app, '--check']), await install([app])];
    expect(published).toMatchObject({ code: 1, err: expect.stringMatching(/ARCHIVE_REFUSED .*50000 entries/) as string });
    expect(installed).toMatchObject({ code: 1, err: expect.stringMatching(/PACKAGE_REFUSED .*50000 entries/) as string });
    expect(performance.now() - startedMs).toBeLessThan(60_000);
    // The same folder, told to stay out.
    writeFileSync(join(app, '.svcignore'), 'many/\n');
    expect(await publish([app, '--check'])).toMatchObject({ code: 0 });
  });

  test('sparse files: counted by what they unpack to, and never read when that is too much', async () => {
    const sparse = join(app, 'sparse.bin');
    writeFileSync(sparse, '');
    truncateSync(sparse, 40 * 1_024 ** 3);
    const startedMs = performance.now();
    expect((await publish([app, '--check'])).err).toMatch(/ARCHIVE_REFUSED .*more than 536870912 bytes/);
    expect((await install([app])).err).toMatch(/PACKAGE_REFUSED .*larger than 536870912 bytes/);
    expect(performance.now() - startedMs).toBeLessThan(30_000);
    truncateSync(sparse, 64 * 1_024 ** 2);
    // It would pack to a bomb that no server takes: said before it is published.
    expect((await publish([app, '--repository', repo])).err).toMatch(/ARCHIVE_REFUSED .*200 times/);
    expect(existsSync(repo)).toBe(false);
  });

  test('names in every script go through, and those that no archive may hold are told', async () => {
    const good = [
      'Gestão de Notas',
      '日本語',
      'עברית',
      '😀',
      '-rf',
      '--help',
      "it's",
      '$(id)',
      '`id`',
      'a;b',
      '#1',
      '~user',
      'CON',
      'ß',
      'ss',
      'a',
      'A',
      'x'.repeat(255),
    ];
    for (const name of good) writeFileSync(join(app, name), name);
    expect(await publish([app, '--repository', repo])).toMatchObject({ code: 0, err: '' });
    expect(await install(['notas', '--repository', repo])).toMatchObject({ code: 0, err: '' });
    const installed = join(base, 'server/opt/svc-apps/notas');
    for (const name of good) expect(readFileSync(join(installed, name), 'utf8')).toBe(name);
    for (const bad of ['cafe\u0301', 'tab\there', 'turn\u202earound', 'back\\slash']) {
      writeFileSync(join(app, bad), '');
      const { code, err } = await publish([app, '--check']);
      expect([code, err]).toEqual([1, expect.stringContaining('ARCHIVE_REFUSED')]);
      expect(err).not.toMatch(/[\t\u202e]/);
      rmSync(join(app, bad));
    }
  });

  test('a folder that may only be read is published; one that may not be read is told', async () => {
    execFileSync('chmod', ['-R', 'a-w,a+rX', app]);
    expect(await publish([app, '--check'], { unprivileged: true })).toMatchObject({ code: 0 });
    chmodSync(join(app, 'backend'), 0o700);
    const closed = await publish([app, '--check'], { unprivileged: true });
    expect(closed).toMatchObject({ code: 1, err: expect.stringMatching(/svc-app-publish: FORBIDDEN EACCES.*backend/) as string });
    mkdirSync(repo, { mode: 0o755 });
    chmodSync(join(app, 'backend'), 0o755);
    expect((await publish([app, '--repository', repo], { unprivileged: true })).err).toMatch(/FORBIDDEN EACCES/);
    expect(readdirSync(repo)).toEqual([]);
  });

  test('what an author keeps beside the app is neither published nor installed', async () => {
    for (const name of ['.git', '.venv/bin', 'node_modules/.bin', 'frontend/__pycache__']) mkdirSync(join(app, name), { recursive: true });
    writeFileSync(join(app, '.env'), 'SECRET=1');
    writeFileSync(join(app, '.git/config'), 'x');
    symlinkSync('/usr/bin/python3', join(app, '.venv/bin/python3'));
    symlinkSync('../x', join(app, 'node_modules/.bin/x'));
    writeFileSync(join(app, '.svcignore'), 'notes-*.txt\n');
    writeFileSync(join(app, 'notes-mine.txt'), 'x');
    expect(await install([app])).toMatchObject({ code: 0, err: '' });
    const installed = join(base, 'server/opt/svc-apps/notas');
    for (const name of ['.env', '.git', '.venv', 'node_modules/.bin', '.svcignore', 'notes-mine.txt'])
      expect(existsSync(join(installed, name))).toBe(false);
    // From the repository come the very same bytes.
    expect(await publish([app, '--repository', repo])).toMatchObject({ code: 0 });
    expect(await install(['notas', '--repository', repo])).toMatchObject({ code: 0, out: expect.stringContaining('unchanged') as string });
  });
});

describe('a repository in the wrong place', () => {
  test('within the folder of the app it would be packed with the next version', async () => {
    for (const where of [join(app, 'repository'), join(app, 'a/b'), app, 'notas/repository']) {
      const refused = await publish([app, '--repository', where], {});
      expect(refused).toMatchObject({ code: 1, err: expect.stringMatching(/BAD_REQUEST .*lies in the folder of the app/) as string });
    }
    symlinkSync(app, join(base, 'link'));
    expect((await publish([app, '--repository', join(base, 'link/repository')])).err).toContain('lies in the folder');
    expect(readdirSync(app)).not.toContain('repository');
    writeFileSync(join(app, '.svcignore'), '/repository/\n');
    expect(await publish([app, '--repository', join(app, 'repository')])).toMatchObject({ code: 0 });
  });

  test('a file, or a folder below one', async () => {
    writeFileSync(repo, 'x');
    for (const where of [repo, join(repo, 'below')])
      expect(await publish([app, '--repository', where])).toMatchObject({ code: 1, out: '' });
    expect(readFileSync(repo, 'utf8')).toBe('x');
  });

  test('on a full disk: told by its name, and published once there is room', async () => {
    await mountTmpfs(repo, 'size=1m');
    ended.push(() => unmount(repo));
    writeFileSync(join(repo, 'filler'), Buffer.alloc(1_000_000));
    writeFileSync(join(app, 'large.bin'), execFileSync('head', ['-c', '300000', '/dev/urandom']));
    const full = await publish([app, '--repository', repo]);
    expect(full).toMatchObject({ code: 1, err: expect.stringContaining('DISK_FULL') as string });
    rmSync(join(repo, 'filler'));
    expect(await publish([app, '--repository', repo])).toMatchObject({ code: 0, out: expect.stringContaining(': published') as string });
  });
});

describe('many at once', () => {
  test('publishers of one version: one version, one of two contents; publishers of many: all of them', async () => {
    const other = join(base, 'other');
    cpSync(app, other, { recursive: true });
    writeFileSync(join(other, 'more.txt'), 'x');
    const ends = await Promise.all([app, other, app, other].map((folder) => publish([folder, '--repository', repo], {})));
    const codes = ends.map(({ code }) => code);
    expect([codes[0] === codes[2], codes[1] === codes[3], codes.toSorted((a, b) => Number(a) - Number(b))]).toEqual([
      true,
      true,
      [0, 0, 1, 1],
    ]);
    const tokens = await Promise.all(Array.from({ length: 4 }, () => run('svc', ['repository', repo, '--new-token'])));
    expect(new Set(tokens.map(({ out }) => out)).size).toBe(4);
    const kept = JSON.parse(readFileSync(join(repo, '.svc/tokens.json'), 'utf8')) as { tokens: unknown[] };
    expect(kept.tokens).toHaveLength(4);
    expect(catalogueIn(repo).apps[0]?.versions).toHaveLength(1);
  });

  test('installers of different apps, and of one app, from one repository', async () => {
    const ids = ['notas', 'outra', 'mais'];
    for (const id of ids) {
      change({ id });
      expect(await publish([app, '--repository', repo])).toMatchObject({ code: 0 });
    }
    const ends = await Promise.all([...ids, ...ids].map((id) => install([id, '--repository', repo])));
    expect(ends.map(({ code, err }) => [code, err])).toEqual(ends.map(() => [0, '']));
    expect(readdirSync(join(base, 'server/opt/svc-apps')).toSorted()).toEqual(['.versions', ...ids.toSorted()]);
    expect(readdirSync(join(base, 'server/opt/svc-apps/.versions')).filter((name) => name.startsWith('in.'))).toEqual([]);
  });
});

/** `svc repository` over the folder until the test ends; `told` is all that it wrote. */
async function serve(): Promise<{ readonly url: string; readonly told: () => string }> {
  const child = spawn(join(root, 'bin/svc'), ['repository', repo, '--listen', '127.0.0.1:0'], {
    env: { PATH: process.env['PATH'], HOME: base, SVC_LOG_LEVEL: 'trace' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (said += chunk.toString()));
  ended.push(async () => {
    child.kill('SIGTERM');
    await once(child, 'close');
  });
  await expect.poll(() => said, { timeout: 60_000 }).toContain('\n');
  return { url: /http:\S+/.exec(said)?.[0] ?? '', told: () => said };
}

test.for(['Content-Length: 1000000', 'Transfer-Encoding: chunked'])(
  'a question with a body without end (%s): its connection is closed',
  async (head) => {
    const { url } = await serve();
    const socket = net.connect(Number(new URL(url).port), '127.0.0.1').on('error', () => undefined);
    socket.write(`GET /v1/catalogo.json HTTP/1.1\r\nHost: x\r\n${head}\r\n\r\n`);
    const drip = setInterval(() => socket.write('1'), 50);
    expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1\.1 (200|400) /);
    await once(socket.resume(), 'close');
    clearInterval(drip);
  },
);

describe('tokens', () => {
  /** Returns the whole answer to a request. */
  function ask(url: string, method: string, path: string, headers: Readonly<Record<string, string>>, body = ''): Promise<string> {
    const { hostname, port } = new URL(url);
    return new Promise((done) => {
      const req = http.request({ hostname, port, path, method, headers, agent: false }, (res) => {
        let text = `${res.statusCode} ${JSON.stringify(res.headers)} `;
        res.on('data', (chunk: Buffer) => (text += chunk.toString()));
        res.on('close', () => done(text));
      });
      req.on('error', (error) => done(String(error)));
      req.end(body);
    });
  }

  test('are in no log, no answer, no message and no command line, whatever goes wrong', async () => {
    const { out } = await run('svc', ['repository', repo, '--new-token']);
    const token = out.trim();
    const secret = token.slice('svcp_'.length);
    const { url, told } = await serve();
    const env = { SVC_REPOSITORY_TOKEN: token };
    const seen: string[] = [];
    const sendAll = async (): Promise<void> => {
      const bearer = { authorization: `Bearer ${token}` };
      for (const [method, path, headers, body] of [
        ['PUT', '/v1/pacote/notas/1.0.0.tgz', bearer, 'no tarball'],
        ['PUT', '/v1/pacote/notas/1.0.0.tgz', { authorization: `Basic ${token}` }, 'x'],
        ['PUT', '/v1/pacote/notas/1.0.0.tgz', { ...bearer, 'content-digest': 'sha-256=:x:' }, 'x'],
        ['PUT', `/v1/pacote/notas/${token}.tgz`, bearer, 'x'],
        ['PUT', `/v1/pacote/${secret}/1.tgz`, bearer, 'x'],
        ['POST', '/v1/catalogo.json', bearer, 'x'],
        ['GET', '/.svc/tokens.json', bearer, ''],
        ['GET', `/v1/motor/a/1?token=${token}`, bearer, ''],
      ] as const)
        seen.push(await ask(url, method, path, headers, body));
      const publishing = publish([app, '--repository', url, '--json'], { env });
      const look = setInterval(() => {
        for (const pid of readdirSync('/proc').filter((name) => /^[0-9]+$/.test(name))) {
          try {
            seen.push(readFileSync(`/proc/${pid}/cmdline`, 'utf8'));
          } catch {
            // It ended meanwhile.
          }
        }
      }, 20);
      const end = await publishing;
      clearInterval(look);
      seen.push(end.out, end.err);
    };
    await sendAll();
    // A repository that fails in the middle of it: its private folder is in pieces.
    writeFileSync(join(repo, '.svc/tokens.json'), `{"tokens": [ ${token}`);
    await sendAll();
    expect(seen.join('\n')).toContain('REPOSITORY_INVALID');
    rmSync(join(repo, '.svc'), { recursive: true });
    await sendAll();
    seen.push(
      ...(
        await Promise.all([
          publish([app, '--repository', 'http://127.0.0.1:1', '--json'], { env }),
          publish([app, '--repository', `http://x:${token}@127.0.0.1/`], { env }),
        ])
      ).flatMap(({ out, err }) => [out, err]),
    );
    expect(told().split('\n').length).toBeGreaterThan(1);
    // The path of a request is its own; everything else stays silent about it.
    for (const text of [told(), ...seen]) expect(text.replaceAll(`${token}.tgz`, '')).not.toContain(secret);
  });
});
