/**
 * A server of engines and packages that lies about sizes, hashes and ranges, never ends, or comes drop by drop: a coded refusal in
 * bounded time and space, nothing extracted. Answers are written byte by byte on a socket, since node:http would not let them out.
 */
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { limits } from './limits.ts';
import { download, fetchDocument } from './download.ts';

const body = randomBytes(300_000);
let dir: string;
let part: string;
let server: net.Server;
let asked: string[];
/** Writes the answer to the nth request, which is given with its head. */
let answer: (socket: net.Socket, head: string, nth: number) => void | Promise<void>;
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'svc-lie-'));
  part = join(dir, 'part');
  asked = [];
  server = net.createServer((socket) => {
    socket.on('error', () => undefined);
    let head = '';
    socket.on('data', (chunk: Buffer) => {
      head += chunk.toString('latin1');
      if (!head.endsWith('\r\n\r\n')) return;
      asked.push(/^range: (.*)$/im.exec(head)?.[1] ?? '-');
      void answer(socket, head, asked.length - 1);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(() => {
  server.close();
  rmSync(dir, { recursive: true, force: true });
});

const url = (): string => `http://127.0.0.1:${(server.address() as net.AddressInfo).port}/v1/motor/a/1`;
const get = (more: { readonly bytes?: number; readonly slowMsMax?: number } = {}): Promise<void> =>
  download({ url: url(), part, bytes: body.length, onBytes: () => undefined, retryMs: 1, ...more });
const head = (status: string, ...lines: readonly string[]): string =>
  [`HTTP/1.1 ${status}`, ...lines, 'connection: close', '', ''].join('\r\n');
const whole = (socket: net.Socket): void => {
  socket.write(head('200 OK', `content-length: ${body.length}`));
  socket.end(body);
};
/** From the place that the last request named. */
const rest = (socket: net.Socket, bytes: number): void => {
  const start = Number(/[0-9]+/.exec(asked.at(-1) ?? '')?.[0] ?? 0);
  const range = `content-range: bytes ${start}-${body.length - 1}/${body.length}`;
  socket.write(
    head(start === 0 ? '200 OK' : '206 Partial Content', `content-length: ${body.length - start}`, ...(start === 0 ? [] : [range])),
  );
  socket.end(body.subarray(start, start + bytes));
};
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

test.for<readonly [string, string, typeof answer]>([
  [
    'an endless body without a length',
    'CHECKSUM_MISMATCH',
    async (socket) => {
      socket.write(head('200 OK'));
      while (!socket.destroyed && socket.write(randomBytes(65_536))) await sleep(0);
    },
  ],
  [
    'a length that is larger than the file',
    'DOWNLOAD_FAILED',
    (socket) => void socket.end(head('200 OK', 'content-length: 999999999') + 'x'),
  ],
  [
    'a length that is smaller than declared',
    'CHECKSUM_MISMATCH',
    (socket) => void socket.end(`${head('200 OK', 'content-length: 5')}12345`),
  ],
  ['two lengths', 'DOWNLOAD_FAILED', (socket) => void socket.end(`${head('200 OK', 'content-length: 5', 'content-length: 6')}12345`)],
  [
    'a range that nobody asked for',
    'DOWNLOAD_FAILED',
    (socket) => void socket.end(`${head('206 Partial Content', 'content-range: bytes 5-9/300000', 'content-length: 5')}12345`),
  ],
  ['a range without its place', 'DOWNLOAD_FAILED', (socket) => void socket.end(`${head('206 Partial Content', 'content-length: 5')}12345`)],
  [
    'a range at a huge place',
    'DOWNLOAD_FAILED',
    (socket) =>
      void socket.end(`${head('206 Partial Content', 'content-range: bytes 99999999999999999999-1/2', 'content-length: 5')}12345`),
  ],
  ['no range fits, ever', 'DOWNLOAD_FAILED', (socket) => void socket.end(head('416 Range Not Satisfiable', 'content-length: 0'))],
  ['no HTTP at all', 'DOWNLOAD_FAILED', (socket) => void socket.end('SSH-2.0-x\r\n\r\n')],
  [
    'heads without end',
    'DOWNLOAD_FAILED',
    async (socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      while (!socket.destroyed && socket.writable) {
        socket.write(`x-${'a'.repeat(1_000)}: b\r\n`);
        await sleep(0);
      }
    },
  ],
  [
    'a redirect into a circle',
    'DOWNLOAD_FAILED',
    (socket) => void socket.end(head('302 Found', 'location: /v1/motor/a/1', 'content-length: 0')),
  ],
  [
    'a redirect to the account next door',
    'DOWNLOAD_FAILED',
    (socket) => void socket.end(head('302 Found', 'location: unix:/run/x.sock', 'content-length: 0')),
  ],
])('%s: %s', async ([, code, lie]) => {
  answer = lie;
  await expect(get()).rejects.toMatchObject({ code });
  expect(statSync(part, { throwIfNoEntry: false })?.size ?? 0).toBeLessThanOrEqual(body.length);
  expect(asked.length).toBeLessThanOrEqual(2 * (limits.downloadRetriesMax + 2));
});

test('one byte a connection ends after a few attempts, and what came is kept', async () => {
  answer = (socket) => rest(socket, 1);
  await expect(get()).rejects.toMatchObject({ code: 'DOWNLOAD_FAILED' });
  expect(asked.length).toBe(limits.downloadRetriesMax + 1);
  const kept = readFileSync(part);
  expect(kept).toEqual(body.subarray(0, kept.length));
  answer = (socket) => rest(socket, body.length);
  await get();
  expect(sha256(readFileSync(part))).toBe(sha256(body));
});

test.for([
  ['does not take the range', '416 Range Not Satisfiable', ''],
  ['begins anew', '200 OK', 'x'.repeat(70_000)],
] as const)('70 KB, then it %s, again and again: ends after a few attempts', async ([, status, bytes]) => {
  const undo = (socket: net.Socket): void => void socket.end(`${head(status, `content-length: ${body.length}`)}${bytes}`);
  answer = (socket, _head, nth) => (nth % 2 === 0 ? rest(socket, 70_000) : undo(socket));
  await expect(get()).rejects.toMatchObject({ code: 'DOWNLOAD_FAILED' });
  expect(asked.length).toBeLessThan(20);
});

test('drop by drop is as good as cut', async () => {
  answer = async (socket) => {
    socket.write(head('200 OK', `content-length: ${body.length}`));
    for (let at = 0; at < body.length && !socket.destroyed; at += 1) {
      socket.write(body.subarray(at, at + 1));
      await sleep(5);
    }
  };
  const startedMs = performance.now();
  await expect(get({ slowMsMax: 100 })).rejects.toMatchObject({
    code: 'DOWNLOAD_FAILED',
    message: expect.stringContaining('slower than') as string,
  });
  expect(performance.now() - startedMs).toBeLessThan(20_000);
});

test('other bytes in the second half, under the same name and ETag: the caller, who knows the sha256, is told the size is right', async () => {
  answer = async (socket, _, nth) => {
    if (nth === 0) {
      socket.write(head('200 OK', `content-length: ${body.length}`, 'etag: "a"'));
      socket.write(body.subarray(0, 100_000));
      // A cut that comes with the bytes may take them with it.
      while (!existsSync(part) || statSync(part).size < 100_000) await sleep(5);
      socket.end();
    } else {
      socket.write(head('206 Partial Content', `content-range: bytes 100000-${body.length - 1}/${body.length}`, 'etag: "a"'));
      socket.end(Buffer.alloc(body.length - 100_000));
    }
  };
  await get();
  expect(asked).toEqual(['-', 'bytes=100000-']);
  expect(sha256(readFileSync(part))).not.toBe(sha256(body));
});

test('a catalogue without end is refused at its limit', async () => {
  answer = async (socket) => {
    socket.write(head('200 OK'));
    while (!socket.destroyed && socket.write(Buffer.alloc(65_536))) await sleep(0);
  };
  await expect(fetchDocument(url(), 1_000_000)).rejects.toMatchObject({ code: 'TOO_LARGE' });
});

test('a credential in the address is in no error', async () => {
  answer = (socket) => void socket.end(head('403 Forbidden', 'content-length: 0'));
  const secret = 'S3cretCanary';
  const withSecret = url().replace('http://', `http://ana:${secret}@`) + `?sig=${secret}`;
  for (const ask of [
    () => download({ url: withSecret, part, bytes: 5, onBytes: () => undefined, retryMs: 1 }),
    () => fetchDocument(withSecret, 5),
  ]) {
    const error = await ask().then(
      () => null,
      (caught: Error) => caught,
    );
    expect(error?.message).toContain('403');
    expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain(secret);
  }
  expect(existsSync(part) ? readdirSync(dir) : []).toEqual([]);
  answer = whole;
  await get();
});
