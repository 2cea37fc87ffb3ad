/** `web.spa` on both runtimes: paths that try to leave the root, ranges, validators, caching (rules 4.5). */
import { createHash } from 'node:crypto';
import { linkSync, mkdirSync, mkdtempSync, renameSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createRandom } from '../test/simulation/random.ts';
import { tellCount } from '../test/support/counts.ts';
import { ask, cleanUp, runtimes, startBench, temporaryFolder, type Answer, type Bench } from './testing/runtimes.ts';
import { wordsOf } from '../test/support/words.ts';

const canary = 'CANARIO-fora-da-raiz';
const modified = new Date('2026-01-02T03:04:05Z');
const alphabet = Array.from({ length: 1_000 }, (_, at) => at % 256);

/** A site whose neighbours hold the canary: above it, beside it with the same prefix, and behind links. */
function site(): { readonly home: string; readonly root: string } {
  const home = mkdtempSync(join(temporaryFolder(), 's'));
  const root = join(home, 'frontend');
  const put = (name: string, data: string | Uint8Array): void => writeFileSync(join(home, name), data);
  for (const folder of ['frontend/sub/fundo', 'frontend/.git', 'frontend-2', 'fora']) mkdirSync(join(home, folder), { recursive: true });
  for (const name of ['segredo.txt', 'index.html', 'fora/segredo.txt', 'frontend-2/segredo.txt', 'frontend/.env', 'frontend/.git/config'])
    put(name, canary);
  put('frontend/index.html', '<html><head><title>s</title></head><body></body></html>');
  put('frontend/bytes.bin', Uint8Array.from(alphabet));
  put('frontend/vazio.txt', '');
  put('frontend/sub/a b+ç.txt', 'espaço');
  put('frontend/sub/fundo/x.css', 'a{}');
  put('frontend/%2e%2e', 'um nome');
  symlinkSync('../segredo.txt', join(root, 'atalho.txt'));
  symlinkSync('..', join(root, 'acima'));
  symlinkSync('/', join(root, 'raiz'));
  symlinkSync('sub/fundo/x.css', join(root, 'dentro.css'));
  symlinkSync('volta', join(root, 'volta'));
  execFileSync('mkfifo', [join(root, 'cano.txt')]);
  linkSync(join(root, 'bytes.bin'), join(root, 'duplo.bin'));
  for (const name of ['bytes.bin', 'index.html', 'vazio.txt']) utimesSync(join(root, name), modified, modified);
  return { home, root };
}

const dots = [
  ...wordsOf(`
    .. . ... %2e%2e %2E. .%2e %252e%252e %c0%ae%c0%ae %e0%80%ae ..%00 ..; %2e%2e%3b
  `),
  '\uff0e\uff0e',
  '..\\',
  '%5c..',
  '..%5c',
  'acima',
  'raiz',
];
const slashes = ['/', '%2f', '%2F', '\\', '%5c', '%5C', '//', '/./', '%252f', '%c0%af', '/%00/', '%00', '/acima/', '///'];
const ends = wordsOf(`
  segredo.txt fora/segredo.txt frontend-2/segredo.txt index.html etc/passwd %73egredo.txt segredo.txt%00 segredo.txt%00.js segredo.txt?x
  frontend/../segredo.txt .env .git/config
`);
const starts = [
  '/',
  '//',
  '/sub/',
  '/sub/fundo/',
  '/nao-ha/',
  '/.',
  '/%2f',
  '/\\',
  '/acima/',
  '/atalho.txt/',
  '/frontend/',
  '/sub%2f',
  '/bytes.bin/',
];

const named = wordsOf(`
  /atalho.txt /acima/segredo.txt /acima/frontend-2/segredo.txt /.env /.git/config /raiz/etc/passwd /cano.txt /volta /sub /acima
`);

function grammar(): string[] {
  const found = new Set<string>(named);
  for (const start of starts) {
    for (const dot of dots) {
      for (const slash of slashes) {
        // Every pair of start, dots and slash with one end, round and round: each end meets each of the others.
        const end = ends[(found.size * 7) % ends.length]!;
        found.add(`${start}${dot}${slash}${end}`);
        found.add(`${start}${dot}${slash}${dot}${slash}${end}`);
      }
    }
  }
  return [...found];
}

const long = process.env['SVC_TEST_LONG'] === '1';
const seed = Number(process.env['FC_SEED'] ?? process.env['SVC_TEST_RUN_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
/** The named paths, and a quarter of the others by the seed; all in the long run. */
function chosen(paths: readonly string[]): string[] {
  if (long) return [...paths];
  const random = createRandom(seed);
  return paths.filter((_, at) => at < named.length || random.chance(0.25));
}

afterAll(cleanUp);

describe.each(runtimes)('%s spa', (runtime) => {
  let bench: Bench;
  const { home, root } = site();
  beforeAll(async () => {
    bench = await startBench(runtime, root);
  });
  const get = (path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> =>
    ask(bench.socket, { path, method, headers: Object.entries(headers) });

  test('no generated path leaves the root', async () => {
    // A target is bytes: what is not ASCII travels as its UTF-8 bytes, as an attacker would send it.
    const all = grammar();
    expect(all.length).toBeGreaterThan(6_000);
    const paths = chosen(all).map((path) => Buffer.from(path, 'utf8').toString('latin1'));
    expect(paths.length).toBeGreaterThan(1_000);
    const escapes: string[] = [];
    const statuses = new Map<number, number>();
    const left = [...paths];
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        for (let path = left.pop(); path !== undefined; path = left.pop()) {
          const answer = await get(path);
          if (answer.body.includes(canary) || answer.body.includes('root:') || answer.status >= 500) escapes.push(path);
          statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
        }
      }),
    );
    tellCount(`page of ${runtime}: ${paths.length} of ${all.length} paths, ${escapes.length} left the folder, seed ${seed}`);
    expect(escapes).toEqual([]);
    expect([...statuses.keys()].every((status) => [200, 400, 404].includes(status))).toBe(true);
    // Every path answered with 200 lies inside: the index, or the file with the odd name.
    expect(statuses.get(404)).toBeGreaterThan(paths.length / 4);
  });

  test('a root that is itself a link serves, and a link inside to the inside serves', async () => {
    expect((await get('/dentro.css')).body).toBe('a{}');
    const linked = join(mkdtempSync(join(home, 'elo-')), 'elo');
    symlinkSync(root, linked);
    const other = await startBench(runtime, linked);
    expect((await ask(other.socket, { path: '/dentro.css' })).body).toBe('a{}');
    expect((await ask(other.socket, { path: '/atalho.txt' })).status).toBe(404);
  });

  test('a root replaced by a new version is served at once', async () => {
    const base = mkdtempSync(join(home, 'versoes-'));
    const place = join(base, 'versao');
    const make = (name: string, text: string): void => {
      mkdirSync(join(base, name));
      writeFileSync(join(base, name, 'v.txt'), text);
    };
    make('versao', '1');
    make('versao-nova', '2');
    const other = await startBench(runtime, place);
    expect((await ask(other.socket, { path: '/v.txt' })).body).toBe('1');
    renameSync(place, join(base, 'versao-velha'));
    renameSync(join(base, 'versao-nova'), place);
    expect((await ask(other.socket, { path: '/v.txt' })).body).toBe('2');
    expect((await ask(other.socket, { path: '/' })).status).toBe(404);
  });

  test('names with blanks, accents and a percent sign', async () => {
    expect((await get('/sub/a%20b+%C3%A7.txt')).body).toBe('espaço');
    expect((await get('/sub/a%20b%2B%c3%a7.txt?v=1')).body).toBe('espaço');
    expect((await get('/%252e%252e')).body).toBe('um nome');
    expect((await get('/sub/a%20b+%E7.txt')).status).toBe(404);
  });

  const bytes = Buffer.from(Uint8Array.from(alphabet)).toString('latin1');
  test.each([
    ['bytes=0-0', 206, 'bytes 0-0/1000', bytes.slice(0, 1)],
    ['bytes=0-', 206, 'bytes 0-999/1000', bytes],
    ['bytes=990-2000', 206, 'bytes 990-999/1000', bytes.slice(990)],
    ['bytes=-10', 206, 'bytes 990-999/1000', bytes.slice(990)],
    ['bytes=-5000', 206, 'bytes 0-999/1000', bytes],
    ['bytes=999-', 206, 'bytes 999-999/1000', bytes.slice(999)],
    ['bytes=1000-', 416, 'bytes */1000', ''],
    ['bytes=1000-1001', 416, 'bytes */1000', ''],
    ['bytes=-0', 416, 'bytes */1000', ''],
    ['bytes=5-4', 200, undefined, bytes],
    ['bytes=a-b', 200, undefined, bytes],
    ['bytes=0-0,5-6', 200, undefined, bytes],
    ['bytes=99999999999999999999-', 200, undefined, bytes],
    ['items=0-1', 200, undefined, bytes],
    ['bytes = 0-1', 200, undefined, bytes],
  ] as const)('Range: %s → %i', async (range, status, contentRange, body) => {
    const answer = await get('/bytes.bin', { Range: range });
    expect(answer.status).toBe(status);
    expect(answer.headers['content-range']).toBe(contentRange);
    expect(answer.headers['content-length']).toBe(String(body.length));
    expect(createHash('sha1').update(answer.body, 'utf8').digest('hex')).toBe(
      createHash('sha1').update(Buffer.from(body, 'latin1').toString('utf8'), 'utf8').digest('hex'),
    );
  });

  test('ranges of the index and of an empty file', async () => {
    const whole = await get('/');
    expect((await get('/', { Range: 'bytes=0-4' })).body).toBe(whole.body.slice(0, 5));
    expect((await get('/vazio.txt')).headers['content-length']).toBe('0');
    expect((await get('/vazio.txt', { Range: 'bytes=0-' })).status).toBe(416);
  });

  test('HEAD has the headers of GET and ignores Range', async () => {
    const [head, whole] = [await get('/bytes.bin', { Range: 'bytes=0-1' }, 'HEAD'), await get('/bytes.bin')];
    expect(head.status).toBe(200);
    expect(head.body).toBe('');
    for (const name of ['content-length', 'etag', 'last-modified', 'content-type', 'accept-ranges'])
      expect(head.headers[name]).toBe(whole.headers[name]);
  });

  test('validators: strong ETag, Last-Modified, If-Range', async () => {
    const { headers } = await get('/bytes.bin');
    const etag = headers['etag']!;
    expect(etag).toMatch(/^"[0-9a-f-]+"$/);
    expect(headers['last-modified']).toBe('Fri, 02 Jan 2026 03:04:05 GMT');
    expect((await get('/bytes.bin', { 'If-None-Match': `"x", W/${etag}` })).status).toBe(304);
    expect((await get('/bytes.bin', { 'If-None-Match': '*' })).status).toBe(304);
    expect((await get('/bytes.bin', { 'If-None-Match': '"x"', 'If-Modified-Since': headers['last-modified']! })).status).toBe(200);
    expect((await get('/bytes.bin', { 'If-Modified-Since': headers['last-modified']! })).status).toBe(304);
    expect((await get('/bytes.bin', { 'If-Modified-Since': 'Fri, 02 Jan 2026 03:04:04 GMT' })).status).toBe(200);
    expect((await get('/bytes.bin', { 'If-Modified-Since': 'ontem' })).status).toBe(200);
    const notModified = await get('/bytes.bin', { 'If-None-Match': etag });
    expect([notModified.body, notModified.headers['etag']]).toEqual(['', etag]);
    expect((await get('/bytes.bin', { Range: 'bytes=0-1', 'If-Range': etag })).status).toBe(206);
    expect((await get('/bytes.bin', { Range: 'bytes=0-1', 'If-Range': headers['last-modified']! })).status).toBe(206);
    expect((await get('/bytes.bin', { Range: 'bytes=0-1', 'If-Range': '"x"' })).status).toBe(200);
    expect((await get('/bytes.bin', { Range: 'bytes=0-1', 'If-Range': `W/${etag}` })).status).toBe(200);
  });

  test('caching: the index and plain names are asked again, only the right content hash is for ever', async () => {
    const hash = createHash('sha256').update('a{}').digest('hex').slice(0, 16);
    expect((await get('/')).headers['cache-control']).toBe('no-cache');
    expect((await get('/sub/fundo/x.css')).headers['cache-control']).toBe('no-cache');
    expect((await get(`/sub/fundo/x.css?v=${hash}`)).headers['cache-control']).toBe('private, max-age=31536000, immutable');
    expect((await get(`/sub/fundo/x.css?v=${hash.replace(/./, (c) => (c === '0' ? '1' : '0'))}`)).headers['cache-control']).toBe(
      'no-cache',
    );
  });

  test.each([
    ['/proxy/app/bancada/', '/proxy/app/bancada/'],
    ['/', '/'],
    ['/proxy/../x/', '/'],
    ['"><script>', '/'],
    ['//outro/', '/'],
    ['/sem-barra', '/'],
  ])('SVC_APP_BASE_PATH %s → base %s, with relative URLs', async (given, base) => {
    const other = await startBench(runtime, root, { SVC_APP_BASE_PATH: given });
    const page = await ask(other.socket, { path: '/a/b/c', headers: [['Accept', 'text/html']] });
    expect(page.body).toContain(
      `<head><base href="${base}"><script src="_sdk/svc.js"></script><link rel="stylesheet" href="_sdk/ui/svc-ui.css">`,
    );
  });
});

describe('the head of the index', () => {
  const tags =
    '<base href="/"><script src="_sdk/svc.js"></script><link rel="stylesheet" href="_sdk/ui/svc-ui.css"><script src="_sdk/ui/svc-ui.js" defer></script>';
  test.each([
    ['<!doctype html><html><head><title>x</title>', `<!doctype html><html><head>${tags}<title>x</title>`],
    ['<HTML><HEAD data-a=">b"><title>', `<HTML><HEAD data-a=">b">${tags}<title>`],
    ['<!-- <head> --><html><head\n lang=pt>x', `<!-- <head> --><html><head\n lang=pt>${tags}x`],
    ['<header>topo</header>', `${tags}<header>topo</header>`],
    ['<!doctype html><p>oi', `<!doctype html>${tags}<p>oi`],
    ['<html lang=pt><body>oi', `<html lang=pt>${tags}<body>oi`],
    ['', tags],
    ['\u00e7 sem etiqueta', `${tags}\u00e7 sem etiqueta`],
    [
      '<head><base href="/meu/"><script src="_sdk/svc.js"></script><link href="_sdk/ui/svc-ui.css">',
      '<head><base href="/meu/"><script src="_sdk/svc.js"></script><link href="_sdk/ui/svc-ui.css">',
    ],
  ])('%s', async (page, expected) => {
    const root = temporaryFolder();
    writeFileSync(join(root, 'index.html'), page);
    const benches = await Promise.all(runtimes.map((runtime) => startBench(runtime, root)));
    for (const bench of benches) expect((await ask(bench.socket, {})).body).toBe(expected);
  });
});
