/** Files for browsers and answers of the API come in the coding that the client accepts, and are the same once decoded. */
import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import zlib from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { codingFor } from './content-coding.ts';
import { createStaticFolder, sendStatic } from './static-files.ts';

const script = 'export const words = "first load";\n'.repeat(400);
const decoders = { br: zlib.brotliDecompressSync, zstd: zlib.zstdDecompressSync, gzip: zlib.gunzipSync } as const;

let dir = '';
let server: http.Server;

beforeAll(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'svc-coding-'));
  await writeFile(path.join(dir, 'own.js'), script);
  await writeFile(path.join(dir, 'small.js'), 'export {};\n');
  await writeFile(path.join(dir, 'stale.js'), script);
  // An earlier build's.
  await writeFile(path.join(dir, 'stale.js.br'), zlib.brotliCompressSync('of another build'));
  await utimes(path.join(dir, 'stale.js.br'), 1, 1);
  const folder = createStaticFolder(dir);
  const answer = async (req: http.IncomingMessage, res: http.ServerResponse): Promise<void> => {
    const file = await folder.find((req.url ?? '').slice(1));
    if (file) await sendStatic(req, res, file, {});
    else res.writeHead(404).end();
  };
  server = http.createServer((req, res) => void answer(req, res));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
});

afterAll(async () => {
  server.close();
  await rm(dir, { recursive: true });
});

interface Answer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Buffer;
}

const get = async (name: string, headers: http.OutgoingHttpHeaders): Promise<Answer> =>
  await new Promise((done, fail) => {
    const { port } = server.address() as AddressInfo;
    http
      .get({ host: '127.0.0.1', port, path: `/${name}`, headers }, (res) => {
        const parts: Buffer[] = [];
        res.on('data', (part: Buffer) => parts.push(part));
        res.on('end', () => done({ status: res.statusCode ?? 0, headers: res.headers, body: Buffer.concat(parts) }));
      })
      .once('error', fail);
  });

test.for([
  [undefined, null],
  ['', null],
  ['identity', null],
  ['gzip, deflate', 'gzip'],
  ['gzip, deflate, br, zstd', 'br'],
  ['zstd, gzip', 'zstd'],
  ['GZIP;q=1.0, br;q=0.5', 'gzip'],
  ['br;q=0, gzip;q=0', null],
  ['*', 'br'],
  ['br;q=0, *;q=0.1', 'zstd'],
  ['gzip;q=rubbish', null],
  [`${'x,'.repeat(5_000)}br`, null],
] as const)('Accept-Encoding %s is answered with %s', ([asked, coding]) => {
  expect(codingFor(asked)).toBe(coding);
});

test.for(['br', 'zstd', 'gzip'] as const)('a file in %s is the file, and its validator is known again', async (coding) => {
  const { headers, body } = await get('own.js', { 'accept-encoding': coding });
  expect(headers).toMatchObject({ 'content-encoding': coding, 'content-length': String(body.length), vary: 'Accept-Encoding' });
  expect(body.length).toBeLessThan(script.length / 10);
  expect(decoders[coding](body).toString()).toBe(script);
  const again = await get('own.js', { 'accept-encoding': coding, 'if-none-match': headers.etag });
  expect(again).toMatchObject({ status: 304, headers: { etag: headers.etag } });
});

test('a small file goes as it is, and so does any where no coding is asked for', async () => {
  expect((await get('small.js', { 'accept-encoding': 'br' })).headers).not.toHaveProperty('content-encoding');
  const plain = await get('own.js', {});
  expect(plain.headers).not.toHaveProperty('content-encoding');
  expect(plain.body.toString()).toBe(script);
});

test('what an earlier build compressed is not sent for the file of this one', async () => {
  const { body } = await get('stale.js', { 'accept-encoding': 'br' });
  expect(zlib.brotliDecompressSync(body).toString()).toBe(script);
});
