import { mkdtempSync, rmSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { LaunchRefused } from './refusal.ts';
import { probeSocket } from './socket.ts';

test('what the kernel says of the one who asks is no word about the socket', async ({ onTestFinished }) => {
  const dir = mkdtempSync(path.join(tmpdir(), 'svc-'));
  const file = path.join(dir, 's');
  const server = net.createServer();
  await new Promise<void>((resolve) => void server.listen(file, resolve));
  onTestFinished(() => {
    server.close();
    rmSync(dir, { recursive: true });
  });
  const errorOf = (code: string) => probeSocket(file, () => Promise.resolve(code)).catch((error: unknown) => error);
  expect(await probeSocket(file)).toBe('answers');
  expect(await errorOf('EACCES')).toBeInstanceOf(LaunchRefused);
  expect(await errorOf('EMFILE')).not.toBeInstanceOf(LaunchRefused);
});
