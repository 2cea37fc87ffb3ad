import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../../controller/clock/system.ts';
import { createServedRepository } from './served-repository.ts';

let root: string;
let folder: string | null;
let server: http.Server;
let status: (path: string) => Promise<number>;

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'svc-'));
  folder = root;
  const served = createServedRepository({
    folders: () => (folder === null ? [] : [folder]),
    clock: systemClock,
    log: pino({ level: 'silent' }),
  });
  server = http.createServer(served.handle).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  status = async (path) => (await fetch(`http://127.0.0.1:${port}${path}`)).status;
});
afterEach(async () => {
  server.close();
  server.closeAllConnections();
  await once(server, 'close');
  rmSync(root, { recursive: true, force: true });
});

const makePacked = (at: string): void => void mkdirSync(join(at, 'v1/pacote'), { recursive: true });

test('a folder that gets its first packed version while the portal runs is served from then on', async () => {
  expect([await status('/v1/catalogo.json'), await status('/v1/esquema/svc-app/atual.json')]).toEqual([404, 200]);
  makePacked(root);
  const together = await Promise.all(Array.from({ length: 5 }, async () => await status('/v1/catalogo.json')));
  expect(together).toEqual([200, 200, 200, 200, 200]);
  expect(await status('/v1/esquema/svc-app/atual.json')).toBe(200);
});

test('the folder is the one that the document names now', async () => {
  makePacked(root);
  expect(await status('/v1/catalogo.json')).toBe(200);
  folder = join(root, 'other');
  expect(await status('/v1/catalogo.json')).toBe(404);
  makePacked(folder);
  expect(await status('/v1/catalogo.json')).toBe(200);
  folder = null;
  expect(await status('/v1/catalogo.json')).toBe(404);
});

test('a folder that is removed and made anew while the portal runs is served again', async () => {
  makePacked(root);
  expect(await status('/v1/catalogo.json')).toBe(200);
  rmSync(root, { recursive: true });
  expect(await status('/v1/catalogo.json')).toBe(404);
  makePacked(root);
  expect(await status('/v1/catalogo.json')).toBe(200);
});
