/** The client against literal bytes on a real unix socket: what a portal may answer, and what happens when none does. */
import { once } from 'node:events';
import { chmod, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { type Server, type Socket, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createClient } from './client.ts';
import { objectOf } from './object-key.ts';

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
  expect(await createClient(dir).call('GET /api/admin/objects', { query: { prefix: 'a b&c', after: undefined } })).toEqual([{ key: 'é' }]);
  expect(asked[0]).toMatch(/^GET \/api\/admin\/objects\?prefix=a\+b%26c HTTP\/1\.1\r\n/);
});

test('an object is not another one whose name begins like its own', async () => {
  await answer(ok('[{"key":"Server/sirius-b"}]'));
  expect(await objectOf(createClient(dir), 'Server/sirius')).toBeNull();
});

test('a problem document keeps its code', async () => {
  const body = '{"code":"NOT_FOUND","detail":"no object x"}';
  await answer(`HTTP/1.1 404 Not Found\r\ncontent-type: application/problem+json\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
  await expect(createClient(dir).call('GET /api/admin/objects')).rejects.toMatchObject({
    name: 'PortalError',
    code: 'NOT_FOUND',
    message: 'no object x',
  });
});

test('an error without a problem document is told as such', async () => {
  await answer('HTTP/1.1 502 Bad Gateway\r\ncontent-length: 3\r\n\r\nbad');
  await expect(createClient(dir).call('POST /api/admin/apply')).rejects.toMatchObject({ code: 'HTTP_502' });
});

test('no socket, a dead socket and a wrong folder say how to start a portal', async () => {
  const down = { code: 'PORTAL_NOT_RUNNING', message: expect.stringContaining('svc up DIR --state') };
  await expect(createClient(dir).call('GET /api/admin/objects')).rejects.toMatchObject(down);
  await answer('');
  await chmod(path.join(dir, 'svc.sock'), 0o600);
  server?.close();
  await expect(createClient(path.join(dir, 'none')).call('GET /api/admin/objects')).rejects.toMatchObject(down);
});

test('a portal that hangs up in the middle is an error, not a half answer', async () => {
  await answer('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n[1');
  await expect(createClient(dir).call('GET /api/admin/objects')).rejects.toThrow(/aborted|hang up/);
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
  for await (const chunk of createClient(dir).text(
    'GET /api/admin/backends/:person/:app/log',
    { params: { person: 'ana', app: 'notas' } },
    end.signal,
  )) {
    got.push(chunk);
    end.abort();
  }
  expect(got).toEqual(['aé']);
});

/** A portal that was asked and will not answer any more, and what takes its place over once it was. */
async function takenOver(bytes: string): Promise<{ readonly asked: Promise<void>; take(): Promise<void>; close(): void }> {
  const asked = Promise.withResolvers<void>();
  const sockets: Socket[] = [];
  const old = createServer((socket) => {
    sockets.push(socket.on('error', () => {}));
    socket.once('data', () => asked.resolve());
  });
  old.listen(path.join(dir, 'svc.sock'));
  await once(old, 'listening');
  await writeFile(path.join(dir, 'pid'), '1\n');
  return {
    asked: asked.promise,
    take: async () => {
      // The order of a portal that starts: its pid, then its socket.
      await writeFile(path.join(dir, 'pid'), '2\n');
      server = createServer((socket) => {
        socket.on('error', () => {});
        socket.once('data', () => socket.end(bytes));
      });
      server.listen(path.join(dir, 'svc.tmp'));
      await once(server, 'listening');
      await rename(path.join(dir, 'svc.tmp'), path.join(dir, 'svc.sock'));
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
      old.close();
    },
  };
}

test('another portal takes the state folder over: what only reads is asked there, what acts is told', async () => {
  const portals = await takenOver(ok('[1]'));
  const client = createClient(dir);
  const read = client.call('GET /api/admin/objects');
  const acted = client.call('POST /api/admin/apply').catch((error: unknown) => error);
  await portals.asked;
  await portals.take();
  expect(await read).toEqual([1]);
  expect(await acted).toMatchObject({ code: 'TIMEOUT', message: expect.stringContaining('took over') as string });
  portals.close();
});
