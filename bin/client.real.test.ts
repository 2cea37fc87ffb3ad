/** The client against literal bytes on a real unix socket: what a portal may answer, and what happens when none does. */
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { type Server, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createClient } from './client.ts';

let dir: string;
let server: Server | undefined;
beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'svcc-'));
});
afterEach(async () => {
  server?.close();
  server = undefined;
  await rm(dir, { recursive: true });
});

/** Answers every request with the bytes, and tells what was asked. */
async function answer(bytes: string): Promise<string[]> {
  const asked: string[] = [];
  server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', (chunk) => {
      asked.push(chunk.toString());
      socket.end(bytes);
    });
  });
  server.listen(path.join(dir, 'svc.sock'));
  await once(server, 'listening');
  return asked;
}

const ok = (body: string) =>
  `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

test('a value comes back, and the query is encoded', async () => {
  const asked = await answer(ok('[{"key":"é"}]'));
  expect(await createClient(dir).get('/api/admin/objects', { prefix: 'a b&c', none: undefined })).toEqual([{ key: 'é' }]);
  expect(asked[0]).toMatch(/^GET \/api\/admin\/objects\?prefix=a\+b%26c HTTP\/1\.1\r\n/);
});

test('a problem document keeps its code', async () => {
  const body = '{"code":"NOT_FOUND","detail":"no object x"}';
  await answer(`HTTP/1.1 404 Not Found\r\ncontent-type: application/problem+json\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
  await expect(createClient(dir).get('/x')).rejects.toMatchObject({ name: 'PortalError', code: 'NOT_FOUND', message: 'no object x' });
});

test('an error without a problem document is told as such', async () => {
  await answer('HTTP/1.1 502 Bad Gateway\r\ncontent-length: 3\r\n\r\nbad');
  await expect(createClient(dir).post('/x')).rejects.toMatchObject({ code: 'HTTP_502' });
});

test('no socket, a dead socket and a wrong folder say how to start a portal', async () => {
  const down = { code: 'PORTAL_NOT_RUNNING', message: expect.stringContaining('svc up DIR --state') };
  await expect(createClient(dir).get('/x')).rejects.toMatchObject(down);
  await answer('');
  await chmod(path.join(dir, 'svc.sock'), 0o600);
  server?.close();
  await expect(createClient(path.join(dir, 'none')).get('/x')).rejects.toMatchObject(down);
});

test('a portal that hangs up in the middle is an error, not a half answer', async () => {
  await answer('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n[1');
  await expect(createClient(dir).get('/x')).rejects.toThrow(/aborted|hang up/);
});

test('text streams until the signal fires, without an error', async () => {
  server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () =>
      socket.write('HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ntransfer-encoding: chunked\r\n\r\n3\r\na\u00e9\r\n'),
    );
  });
  server.listen(path.join(dir, 'svc.sock'));
  await once(server, 'listening');
  const end = new AbortController();
  const got: string[] = [];
  for await (const chunk of createClient(dir).text('/log', {}, end.signal)) {
    got.push(chunk);
    end.abort();
  }
  expect(got).toEqual(['aé']);
});
