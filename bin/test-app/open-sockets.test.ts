/** Which unix sockets count as open to other accounts. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openSockets } from './open-sockets.ts';

let base: string;
const servers: Server[] = [];
beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'svc-os-'));
  chmodSync(base, 0o755);
});
afterAll(() => {
  for (const server of servers) server.close();
  rmSync(base, { recursive: true, force: true });
});

test.for<[string, number, number, boolean]>([
  ['one of everybody', 0o755, 0o777, true],
  ['one of everybody in a private folder', 0o700, 0o777, false],
  ['a private one', 0o755, 0o600, false],
  ['one that others may only read', 0o755, 0o755, false],
])('%s', async ([name, folderMode, mode, isOpen]) => {
  const folder = join(base, name);
  mkdirSync(folder);
  const socket = join(folder, 's');
  await listens(socket);
  chmodSync(socket, mode);
  chmodSync(folder, folderMode);
  expect(openSockets([process.pid]).includes(socket)).toBe(isOpen);
});

test('an abstract one has no permissions', async () => {
  await listens(`\0svc-os-${process.pid}`);
  expect(openSockets([process.pid])).toContain(`@svc-os-${process.pid}`);
});

async function listens(where: string): Promise<void> {
  const server = createServer();
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(where, resolve));
}
