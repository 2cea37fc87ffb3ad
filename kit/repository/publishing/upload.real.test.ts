/** Uploads against literal bytes: what a repository may answer in the middle of one, and what ends one that gets no answer. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import about from '../../../package.json' with { type: 'json' };
import { upload } from './upload.ts';

let dir: string;
let server: net.Server | undefined;
const sockets: net.Socket[] = [];
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'svcu-'));
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  server?.close();
  rmSync(dir, { recursive: true });
});

const bytes = 8 * 1024 * 1024;

/** Uploads 8 MB to a server that does `serve` once the first bytes came, and reads no further. */
async function uploadTo(serve: (socket: net.Socket) => void): Promise<string> {
  const file = join(dir, 'a.tgz');
  writeFileSync(file, Buffer.alloc(bytes));
  server = net.createServer((socket) => {
    sockets.push(socket.on('error', () => {}));
    socket.once('data', () => {
      socket.pause();
      serve(socket);
    });
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as net.AddressInfo;
  return await upload(new URL(`http://127.0.0.1:${port}/v1/pacote/a/1.0.0.tgz`), 'token', { path: file, sha256: 'ab'.repeat(32), bytes });
}

const refusal = '{"code":"TOO_LARGE","detail":"at most 1 byte"}';

test('a refusal in the middle is what is told, though most was never read', async () => {
  const head = `HTTP/1.1 413 Content Too Large\r\ncontent-type: application/problem+json\r\ncontent-length: ${refusal.length}\r\n`;
  for (const closing of ['', 'connection: close\r\n']) {
    await expect(uploadTo((socket) => void socket.write(`${head}${closing}\r\n${refusal}`))).rejects.toMatchObject({
      code: 'TOO_LARGE',
      message: 'at most 1 byte',
    });
    server?.close();
  }
});

test('a manifest that the publisher took and the repository refuses: the versions of both are told', async () => {
  const body = '{"code":"MANIFEST_INVALID","detail":"unknown field. The repository is svc 0.0.1."}';
  const head = `HTTP/1.1 422 Unprocessable\r\ncontent-type: application/problem+json\r\ncontent-length: ${body.length}\r\n\r\n`;
  await expect(uploadTo((socket) => void socket.write(`${head}${body}`))).rejects.toMatchObject({
    code: 'MANIFEST_INVALID',
    message: `unknown field. The repository is svc 0.0.1. It was published by svc ${about.version}.`,
  });
});

test('a repository that goes away in the middle', async () => {
  await expect(uploadTo((socket) => socket.destroy())).rejects.toMatchObject({ code: 'REPOSITORY_UNREACHABLE' });
});
