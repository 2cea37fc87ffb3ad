/** What the proxy's own process needs while 64 clients fetch 1 MB each, over and over, and one reads nothing at all. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import http from 'node:http';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { ourEnv, ourFlags } from '../../bench/peers/proxy-servers.ts';
import { freePort } from '../../test/support/portal.ts';

const megabyte = 1_024 * 1_024;
const undo: (() => Promise<unknown> | void)[] = [];
afterEach(async () => {
  for (const each of undo.splice(0).toReversed()) await each();
});

async function rssMb(pid: number): Promise<number> {
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024;
}

test('stays bounded', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svcm-'));
  undo.push(() => rm(folder, { recursive: true, force: true }));
  const body = Buffer.alloc(megabyte, 'm');
  const backend = http.createServer((_, res) => res.writeHead(200, { 'content-length': body.length }).end(body));
  const socketPath = join(folder, 'b.sock');
  backend.listen(socketPath);
  undo.push(
    () => backend.closeAllConnections(),
    () => void backend.close(),
  );
  const port = await freePort();

  const argv = [...ourFlags, 'bench/peers/our-proxy.ts', String(port), socketPath];
  const child = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, ...ourEnv } });
  undo.push(async () => {
    if (child.exitCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
  await once(child.stdout, 'data');
  const before = await rssMb(child.pid!);

  const stuck = net.connect(port, '127.0.0.1').pause();
  undo.push(() => void stuck.destroy());
  stuck.write(`GET /m1 HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`.repeat(100));
  const agent = new http.Agent({ keepAlive: true, maxSockets: 64 });
  undo.push(() => agent.destroy());
  const fetchOne = (): Promise<number> =>
    new Promise((resolve, reject) => {
      http
        .get({ agent, port, host: '127.0.0.1', path: '/m1' }, (res) => {
          let bytes = 0;
          res.on('data', (chunk: Buffer) => (bytes += chunk.length));
          res.on('end', () => resolve(bytes));
        })
        .on('error', reject);
    });
  let peak = before;
  for (let round = 0; round < 25; round += 1) {
    const sizes = await Promise.all(Array.from({ length: 64 }, fetchOne));
    expect(sizes.filter((size) => size !== megabyte)).toEqual([]);
    peak = Math.max(peak, await rssMb(child.pid!));
  }
  // 65 read buffers of 64 KB are 4 MB; the rest is the engine's own.
  expect(peak - before).toBeLessThan(80);
});
