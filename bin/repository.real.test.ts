/**
 * `svc repository` as a process, asked over sockets, beside nginx over the same folder.
 *
 * @module-tag carries-state
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { navigation } from '../api/testing/portal-world.ts';
import { packFolder } from '../kit/archive/pack.ts';
import { publishEngine, stage } from '../kit/repository/publishing/folder.ts';
import { catalogueFrom } from '../kit/repository/testing/catalogue.ts';
import { emptyServer, freePort, until } from '../test/support/portal.ts';
import { beginNginx } from './testing/nginx.ts';

const home = path.resolve(import.meta.dirname, '..');
const svc = path.join(home, 'bin/svc');
let dir: string;
let root: string;
let child: ChildProcess;
let url: string;
let token: string;
let notas: Buffer;

beforeAll(async () => {
  dir = mkdtempSync(path.join(tmpdir(), 'svc-rep-'));
  root = path.join(dir, 'repo');
  token = execFileSync(svc, ['repository', root, '--new-token'], { encoding: 'utf8' }).trim();
  child = spawn(svc, ['repository', root, '--listen', '127.0.0.1:0'], { stdio: ['ignore', 'pipe', 'inherit'] });
  let told = '';
  child.stdout?.on('data', (chunk: Buffer) => (told += chunk.toString()));
  url = await until('the address', () => /http:\S+(?=\s)/.exec(told)?.[0]);
  notas = await packed('notas', '1.0.0');
});
afterAll(async () => {
  child.kill('SIGTERM');
  await once(child, 'close');
  rmSync(dir, { recursive: true, force: true });
});

/** The example app as a tarball, with changes. */
async function packed(id: string, version: string, change: (folder: string) => void = () => {}): Promise<Buffer> {
  const folder = path.join(dir, `src-${randomBytes(4).toString('hex')}`);
  cpSync(path.join(home, 'examples/apps/notas'), folder, { recursive: true });
  const file = path.join(folder, 'svc-app.json');
  writeFileSync(file, JSON.stringify({ ...(JSON.parse(readFileSync(file, 'utf8')) as object), id, version }));
  change(folder);
  const out = `${folder}.tgz`;
  await packFolder(folder, { root: `${id}-${version}`, out });
  return readFileSync(out);
}

interface Answer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Buffer;
}

interface Ask {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: Buffer;
}

/** Paths go out as they are: fetch would tidy them. */
function ask(base: string, target: string, { method = 'GET', headers = {}, body }: Ask = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(base);
    const length = body ? { 'content-length': String(body.length) } : {};
    const req = http.request({ hostname, port, path: target, method, headers: { ...length, ...headers }, agent: false }, (res) => {
      const chunks: Buffer[] = [];
      res.on('data', (chunk: Buffer) => chunks.push(chunk));
      res.on('end', () => resolve({ status: res.statusCode!, headers: res.headers, body: Buffer.concat(chunks) }));
      res.on('error', reject);
    });
    req.on('error', reject);
    req.end(body);
  });
}

const put = (target: string, body: Buffer, headers: Record<string, string> = {}): Promise<Answer> =>
  ask(url, target, { method: 'PUT', body, headers: { authorization: `Bearer ${token}`, ...headers } });
const code = ({ body }: Answer): unknown => (JSON.parse(body.toString()) as { code: unknown }).code;
const digest = (body: Buffer): string => `sha-256=:${createHash('sha256').update(body).digest('base64')}:`;
const sha256 = (body: Buffer): string => createHash('sha256').update(body).digest('hex');

describe('publishing', () => {
  test('a package goes in once, and is in the catalogue with its manifest and changelog', async () => {
    const headers = { 'content-digest': digest(notas), 'svc-novidades': Buffer.from('Primeira versão\n- notas').toString('base64') };
    const first = await put('/v1/pacote/notas/1.0.0.tgz', notas, headers);
    expect([first.status, JSON.parse(first.body.toString())]).toMatchObject([
      201,
      { outcome: 'published', record: { sha256: sha256(notas), tamanho: notas.length, novidades: 'Primeira versão\n- notas' } },
    ]);
    const again = await put('/v1/pacote/notas/1.0.0.tgz', notas, headers);
    expect([again.status, JSON.parse(again.body.toString())]).toMatchObject([200, { outcome: 'unchanged' }]);
    const catalogue = catalogueFrom((await ask(url, '/v1/catalogo.json')).body);
    expect(catalogue.apps).toHaveLength(1);
    expect(catalogue.apps[0]).toMatchObject({ id: 'notas', versions: [{ version: '1.0.0', sha256: sha256(notas), icone: 'svg' }] });
    const icon = await ask(url, '/v1/pacote/notas/1.0.0.svg');
    expect(icon.body).toEqual(readFileSync(path.join(home, 'examples/apps/notas/icon.svg')));
    expect(icon.headers['content-security-policy']).toContain('sandbox');
  });

  test('an engine goes in, and anyone reads it', async () => {
    const engine = await packed('motor', '1.0.0');
    expect((await put('/v1/motor/ocr/2.1.0+cpu', engine)).status).toBe(201);
    const read = await ask(url, '/v1/motor/ocr/2.1.0+cpu');
    expect([read.status, read.headers.etag, sha256(read.body)]).toEqual([200, `"${sha256(engine)}"`, sha256(engine)]);
    expect((await ask(url, '/v1/motor/ocr/2.1.0%2Bcpu')).body).toEqual(read.body);
  });

  test('without a token, with another one, or with one for other apps it is refused', async () => {
    const target = '/v1/pacote/nova/1.0.0.tgz';
    const none = await ask(url, target, { method: 'PUT', body: notas });
    expect([none.status, none.headers['www-authenticate']]).toEqual([401, 'Bearer realm="svc repository"']);
    for (const bad of ['svcp_', `svcp_${'A'.repeat(43)}`, token.slice(0, -1), `${token}x`]) {
      expect((await put(target, notas, { authorization: `Bearer ${bad}` })).status).toBe(401);
    }
    const narrow = execFileSync(svc, ['repository', root, '--new-token', '--only', 'outra'], { encoding: 'utf8' }).trim();
    const other = await put(target, notas, { authorization: `Bearer ${narrow}` });
    expect([other.status, code(other)]).toEqual([403, 'FORBIDDEN']);
    const kept = readFileSync(path.join(root, '.svc/tokens.json'), 'utf8');
    for (const secret of [token, narrow]) expect(kept).not.toContain(secret.slice('svcp_'.length));
    expect(statSync(path.join(root, '.svc/tokens.json')).mode & 0o777).toBe(0o600);
  });

  test('other bytes under a version, wrong bytes and wrong packages are refused and leave nothing', async () => {
    const before = readFileSync(path.join(root, 'v1/catalogo.json'));
    const other = await packed('notas', '1.0.0', (folder) => writeFileSync(path.join(folder, 'more.txt'), 'x'));
    const link = path.join(dir, 'link');
    mkdirSync(path.join(link, 'ruim-1.0.0'), { recursive: true });
    writeFileSync(path.join(link, 'ruim-1.0.0/svc-app.json'), '{}');
    symlinkSync('/etc/passwd', path.join(link, 'ruim-1.0.0/x'));
    const withLink = execFileSync('tar', ['-cz', '-C', link, '--format=ustar', 'ruim-1.0.0']);
    const unknown = await packed('ruim', '1.0.0', (folder) => {
      const file = path.join(folder, 'svc-app.json');
      writeFileSync(file, readFileSync(file, 'utf8').replace('{', '{"naoExiste":1,'));
    });
    const cases: [string, Buffer, Record<string, string>, number, string][] = [
      ['/v1/pacote/notas/1.0.0.tgz', other, {}, 409, 'VERSION_TAKEN'],
      ['/v1/pacote/notas/1.0.1.tgz', notas, {}, 422, 'ARCHIVE_REFUSED'],
      ['/v1/pacote/ruim/1.0.0.tgz', withLink, {}, 422, 'ARCHIVE_REFUSED'],
      ['/v1/pacote/ruim/1.0.0.tgz', unknown, {}, 422, 'MANIFEST_INVALID'],
      ['/v1/pacote/ruim/1.0.0.tgz', Buffer.from('no tarball'), {}, 422, 'ARCHIVE_REFUSED'],
      ['/v1/pacote/ruim/1.0.0.tgz', gzipSync('no tar'), {}, 422, 'ARCHIVE_REFUSED'],
      ['/v1/pacote/notas/1.0.2.tgz', notas, { 'content-digest': digest(other) }, 422, 'DIGEST_MISMATCH'],
      ['/v1/motor/ruim/1', withLink, {}, 422, 'ARCHIVE_REFUSED'],
      ['/v1/pacote/notas/1.0.2.tgz', notas, { 'svc-novidades': '***' }, 400, 'BAD_REQUEST'],
      ['/v1/pacote/notas/1.0.2.tgz', notas, { 'content-encoding': 'gzip' }, 400, 'BAD_REQUEST'],
      ['/v1/pacote/notas/1.0.0.json', notas, {}, 405, 'METHOD_NOT_ALLOWED'],
      ['/v1/catalogo.json', notas, {}, 405, 'METHOD_NOT_ALLOWED'],
    ];
    for (const [target, body, headers, status, wanted] of cases) {
      const answer = await put(target, body, headers);
      expect([target, answer.status, code(answer)]).toEqual([target, status, wanted]);
      expect(answer.headers['content-type']).toContain('application/problem+json');
    }
    expect(readFileSync(path.join(root, 'v1/catalogo.json'))).toEqual(before);
    expect(readdirSync(path.join(root, '.svc/tmp'))).toEqual([]);
    expect(readdirSync(path.join(root, 'v1/pacote'))).toEqual(['notas']);
  });

  test('a length over the limit is refused before the body, and a sender that goes away leaves nothing', async () => {
    const { hostname, port } = new URL(url);
    const lines = (length: number): string =>
      `PUT /v1/pacote/nova/1.0.0.tgz HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Length: ${length}\r\n\r\n`;
    const large = net.connect(Number(port), hostname);
    large.write(lines(600_000_000));
    const [answer] = (await once(large, 'data')) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 413 [^]*"code":"TOO_LARGE"/);
    large.destroy();
    const cut = net.connect(Number(port), hostname);
    cut.write(lines(1_000_000));
    cut.write(randomBytes(100_000));
    await expect.poll(() => readdirSync(path.join(root, '.svc/tmp')).length).toBe(1);
    cut.destroy();
    await expect.poll(() => readdirSync(path.join(root, '.svc/tmp')).length).toBe(0);
  });
});

test('paths outside of the grammar name nothing, whatever stands there', async () => {
  symlinkSync('/etc/passwd', path.join(root, 'v1/pacote/notas/9.0.0.tgz'));
  mkdirSync(path.join(root, 'v1/pacote/notas/8.0.0.tgz'));
  const targets = [
    '/',
    '/v1',
    '/v1/',
    '/v1/pacote/notas',
    '/v1/pacote/notas/',
    '/.svc/tokens.json',
    '/v1/../.svc/tokens.json',
    '/v1/pacote/../../.svc/tokens.json',
    '/v1/pacote/%2e%2e/%2e%2e%2f.svc%2ftokens.json',
    '/v1/pacote/notas/..%2f..%2f..%2f.svc%2ftokens.json',
    '/v1//pacote/notas/1.0.0.tgz',
    '/v1/pacote/notas/1.0.0.tgz/',
    '/v1/pacote/notas/1.0.0.tgz%00',
    '/v1/pacote/notas/%',
    '/v1/pacote/NOTAS/1.0.0.tgz',
    '/v1/pacote/notas/.1.0.0.tgz',
    '/v1/pacote/notas/9.0.0.tgz',
    '/v1/pacote/notas/8.0.0.tgz',
    '/v1/motor/ocr/..',
    '/v1/motor/ocr/.',
    '/v1/motor/ocr/2.1.0+cpu.json',
    `/v1/pacote/notas/${'1'.repeat(300)}.tgz`,
  ];
  for (const target of targets) {
    const answer = await ask(url, target);
    expect([target, answer.status, code(answer)]).toEqual([target, 404, 'NOT_FOUND']);
  }
  for (const method of ['POST', 'DELETE', 'PATCH', 'OPTIONS']) {
    const answer = await ask(url, '/v1/pacote/notas/1.0.0.tgz', { method });
    expect([answer.status, answer.headers.allow]).toEqual([405, 'GET, HEAD, PUT']);
  }
});

test('a tarball that was cut on the disk is not served under its hash', async () => {
  const body = await packed('cortada', '1.0.0');
  await put('/v1/pacote/cortada/1.0.0.tgz', body);
  truncateSync(path.join(root, 'v1/pacote/cortada/1.0.0.tgz'), 100);
  const cut = await ask(url, '/v1/pacote/cortada/1.0.0.tgz');
  expect([cut.status, code(cut)]).toEqual([500, 'REPOSITORY_DAMAGED']);
  expect((await put('/v1/pacote/cortada/1.0.0.tgz', body)).status).toBe(200);
  expect((await ask(url, '/v1/pacote/cortada/1.0.0.tgz')).body).toEqual(body);
});

describe('reading', () => {
  const target = '/v1/pacote/notas/1.0.0.tgz';

  test('validators: what is known is not sent again, what changed is sent whole', async () => {
    const whole = await ask(url, target);
    const { etag = '', 'last-modified': modified = '' } = whole.headers;
    expect([whole.headers['cache-control'], etag]).toEqual(['public, max-age=31536000, immutable', `"${sha256(notas)}"`]);
    expect((await ask(url, '/v1/catalogo.json')).headers['cache-control']).toBe('no-cache');
    const rows: [Record<string, string>, number, number][] = [
      [{ 'if-none-match': etag }, 304, 0],
      [{ 'if-none-match': `"other", W/${etag}` }, 304, 0],
      [{ 'if-none-match': '*' }, 304, 0],
      [{ 'if-none-match': '"other"' }, 200, notas.length],
      [{ 'if-modified-since': modified }, 304, 0],
      [{ 'if-modified-since': modified, 'if-none-match': '"other"' }, 200, notas.length],
      [{ 'if-match': '"other"' }, 412, 0],
      [{ 'if-match': etag }, 200, notas.length],
      [{ range: 'bytes=0-9', 'if-range': etag }, 206, 10],
      [{ range: 'bytes=0-9', 'if-range': modified }, 206, 10],
      [{ range: 'bytes=0-9', 'if-range': '"other"' }, 200, notas.length],
      [{ range: 'bytes=0-9', 'if-range': `W/${etag}` }, 200, notas.length],
      [{ range: 'bytes=0-9', 'if-none-match': etag }, 304, 0],
    ];
    for (const [headers, status, length] of rows) {
      const answer = await ask(url, target, { headers });
      expect([headers, answer.status, answer.body.length]).toEqual([headers, status, length]);
      expect(answer.headers.etag).toBe(etag);
    }
  });

  test.skipIf(!existsSync('/usr/sbin/nginx'))('answers are those of nginx over the same folder', async () => {
    const peer = await beginNginx(path.join(dir, 'nginx'), root);
    try {
      const size = notas.length;
      const ranges = [
        '0-0',
        '0-',
        '5-9',
        '-1',
        '-5',
        `${size - 1}-`,
        `0-${size * 2}`,
        `-${size * 2}`,
        `${size}-`,
        `${size + 5}-${size + 9}`,
        '-0',
      ];
      const asks: [string, Ask][] = [
        ...[
          target,
          '/v1/catalogo.json',
          '/v1/pacote/notas/1.0.0.json',
          '/v1/pacote/notas/1.0.0.svg',
          '/v1/esquema/svc-app/atual.json',
          '/v1/motor/ocr/2.1.0+cpu',
        ].flatMap((each): [string, Ask][] => [
          [each, {}],
          [each, { method: 'HEAD' }],
        ]),
        ...ranges.map((range): [string, Ask] => [target, { headers: { range: `bytes=${range}` } }]),
        [target, { headers: { range: 'lines=0-4' } }],
        [target, { headers: { range: 'bytes=0-4', 'if-range': '"other"' } }],
        ['/v1/pacote/notas/7.0.0.tgz', {}],
        ['/v1/motor/ocr/7', {}],
      ];
      for (const [each, options] of asks) {
        const [ours, theirs] = await Promise.all([ask(url, each, options), ask(peer.url, each, options)]);
        const told = ({ status, headers }: Answer) => ({
          status,
          range: headers['content-range'],
          ...(status < 300
            ? {
                length: headers['content-length'],
                accepts: status === 200 ? headers['accept-ranges'] : 'bytes',
                modified: headers['last-modified'],
              }
            : {}),
        });
        expect([each, options, told(ours)]).toEqual([each, options, told(theirs)]);
        expect(ours.status >= 300 || ours.body.equals(theirs.body)).toBe(true);
      }
    } finally {
      await peer.end();
    }
  });

  test('curl takes up a download where it was cut, at every tenth', async () => {
    for (let tenth = 0; tenth < 10; tenth += 1) {
      const file = path.join(dir, 'resumed.tgz');
      writeFileSync(file, notas.subarray(0, Math.floor((notas.length * tenth) / 10)));
      execFileSync('curl', ['-sS', '--fail', '--max-time', '20', '-C', '-', '-o', file, url + target]);
      expect(readFileSync(file).equals(notas)).toBe(true);
    }
  });

  test('readers that stop taking cost no memory, and one that goes away in the middle resumes to the same bytes', async () => {
    const bytes = randomBytes(64 * 1_024 * 1_024);
    async function* source(): AsyncGenerator<Buffer> {
      yield bytes;
    }
    await publishEngine(root, await stage(root, source(), bytes.length), { nome: 'grande', versao: '1' }, 0);
    const rss = (): number => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${nodeOf(child.pid!)}/status`, 'utf8'))![1]) * 1_024;
    const { hostname, port } = new URL(url);
    await ask(url, target);
    const before = rss();
    const stalled = Array.from({ length: 16 }, () => {
      const socket = net.connect(Number(port), hostname);
      socket.write('GET /v1/motor/grande/1 HTTP/1.1\r\nHost: x\r\n\r\n');
      socket.pause();
      return socket;
    });
    await Promise.all(stalled.map((socket) => once(socket, 'connect')));
    const whole = await ask(url, '/v1/motor/grande/1');
    expect(sha256(whole.body)).toBe(sha256(bytes));
    const grown = rss() - before;
    expect(grown).toBeLessThan(96 * 1_024 * 1_024);
    for (const socket of stalled) socket.destroy();
    const parts = [
      await ask(url, '/v1/motor/grande/1', { headers: { range: 'bytes=0-19999999' } }),
      await ask(url, '/v1/motor/grande/1', { headers: { range: 'bytes=20000000-', 'if-range': `"${sha256(bytes)}"` } }),
    ];
    expect(parts.map(({ status }) => status)).toEqual([206, 206]);
    expect(Buffer.concat(parts.map(({ body }) => body)).equals(bytes)).toBe(true);
    await expect.poll(() => openFiles('grande')).toBe(0);
  });
});

test('inside `svc up` the same folder stands below the portal, and the store shows it', async () => {
  const desired = path.join(dir, 'desired');
  mkdirSync(desired);
  const document = (kind: string, name: string, spec: string): string =>
    `apiVersion: svc/v1\nkind: ${kind}\nmetadata: { name: ${name} }\nspec: ${spec}\n`;
  const documents = [
    document('Portal', 'casa', '{ repository: ../repo }'),
    document('Server', 'casa', '{ local: { prefix: casa } }'),
    document('Person', 'ana', '{ nome: Ana, login: ana, server: casa }'),
  ];
  writeFileSync(path.join(desired, 'all.yaml'), documents.join('---\n'));
  const port = await freePort();
  const args = ['up', desired, '--state', path.join(dir, 'state'), '--listen', `127.0.0.1:${port}`];
  const up = spawn(svc, args, { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, SVC_LOG_LEVEL: 'silent' } });
  try {
    let told = '';
    up.stdout.on('data', (chunk: Buffer) => (told += chunk.toString()));
    const pass = await until('the printed link', () => /\?passe=\S+(?=\s)/.exec(told)?.[0]);
    const base = `http://127.0.0.1:${port}`;
    const host = `svc.localhost:${port}`;
    const tarball = await ask(base, '/v1/pacote/notas/1.0.0.tgz', { headers: { host, range: 'bytes=1-' } });
    expect([tarball.status, tarball.body.equals(notas.subarray(1))]).toEqual([206, true]);
    expect((await ask(base, '/v1/catalogo.json', { headers: { host: `notas.${host}` } })).status).not.toBe(200);
    // An installer on this machine fetches an engine by address; nothing else of the repository is there.
    const byAddress = ['/v1/motor/ocr/2.1.0+cpu', '/v1/catalogo.json'].map(async (target) => (await ask(base, target)).status);
    expect(await Promise.all(byAddress)).toEqual([200, 421]);
    const body = await packed('nova', '2.0.0');
    const headers = { host, authorization: `Bearer ${token}` };
    expect((await ask(base, '/v1/pacote/nova/2.0.0.tgz', { method: 'PUT', headers, body })).status).toBe(201);
    expect((await ask(base, '/api/loja', { headers: { host } })).status).toBe(401);
    const signed = await ask(base, `/${pass}`, { headers: { host, ...navigation } });
    const cookie = signed.headers['set-cookie']![0]!.split(';')[0]!;
    const store = await ask(base, '/api/loja', { headers: { host, cookie } });
    expect([store.status, JSON.parse(store.body.toString())]).toMatchObject([200, { problem: null }]);
    const { apps } = JSON.parse(store.body.toString()) as { apps: { id: string }[] };
    expect(apps).toContainEqual(
      expect.objectContaining({ id: 'nova', installed: null, updatable: false, refused: [expect.objectContaining({ motivo: 'escopo' })] }),
    );
  } finally {
    up.kill('SIGTERM');
    await once(up, 'close');
    // Supervisors outlive the portal.
    await emptyServer(path.join(dir, 'state'));
  }
});

/** The shim of bin/svc replaces itself, or starts node below it. */
function nodeOf(pid: number): number {
  const below = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return below === '' ? pid : Number.parseInt(below, 10);
}

function openFiles(name: string): number {
  const folder = `/proc/${nodeOf(child.pid!)}/fd`;
  const links = execFileSync('ls', ['-l', folder], { encoding: 'utf8' });
  return links.split('\n').filter((line) => line.includes(name)).length;
}
