/**
 * The memory of the proxy's own process: no requests are kept, and its need is measured while 64 clients fetch 1 MB each, over and over, and one
 * reads nothing at all.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import http from 'node:http';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { ourEnv, ourFlags } from '../../bench/peers/proxy-servers.ts';
import { amount } from '../../test/support/amount.ts';
import { freePort } from '../../test/support/portal.ts';

const megabyte = 1_024 * 1_024;
const undo: (() => Promise<unknown> | void)[] = [];
afterEach(async () => {
  for (const each of undo.splice(0).toReversed()) await each();
});

async function rssMb(pid: number): Promise<number> {
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024;
}

/** A backend that answers 1 KB, or 1 MB below /m, and the proxy in a process of its own. */
async function startBoth(): Promise<{ readonly port: number; readonly pid: number; readonly said: () => string }> {
  const folder = await mkdtemp(join(tmpdir(), 'svcm-'));
  undo.push(() => rm(folder, { recursive: true, force: true }));
  const bodies = [Buffer.alloc(1_024, 'k'), Buffer.alloc(megabyte, 'm')] as const;
  const backend = http.createServer((req, res) => {
    const body = bodies[req.url?.startsWith('/m') === true ? 1 : 0];
    res.writeHead(200, { 'content-length': body.length }).end(body);
  });
  const socketPath = join(folder, 'b.sock');
  backend.listen(socketPath);
  undo.push(
    () => backend.closeAllConnections(),
    () => void backend.close(),
  );
  const port = await freePort();

  const argv = ['--trace-gc', ...ourFlags, 'bench/peers/our-proxy.ts', String(port), socketPath];
  const child = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, ...ourEnv } });
  undo.push(async () => {
    if (child.exitCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
  while (!said.includes('ready')) await once(child.stdout, 'data');
  return { port, pid: child.pid!, said: () => said };
}

function clientOf(port: number, maxSockets: number): (path: string) => Promise<number> {
  const agent = new http.Agent({ keepAlive: true, maxSockets });
  undo.push(() => agent.destroy());
  return (path) =>
    new Promise((resolve, reject) => {
      http
        .get({ agent, port, host: '127.0.0.1', path }, (res) => {
          let bytes = 0;
          res.on('data', (chunk: Buffer) => (bytes += chunk.length));
          res.on('end', () => resolve(bytes));
        })
        .on('error', reject);
    });
}

/** The share of young memory that outlived its collections, from V8's trace. */
function outlived(trace: string): number {
  let [made, left, before] = [0, 0, Number.NaN];
  for (const [, kind, from, to] of trace.matchAll(/ms: (Scavenge|Mark-Compact)[^0-9]* ([\d.]+) \([\d.]+\) -> ([\d.]+) /g)) {
    if (kind === 'Scavenge' && !Number.isNaN(before)) {
      made += Number(from) - before;
      left += Number(to) - before;
    }
    before = Number(to);
  }
  expect(made).toBeGreaterThan(20);
  return left / made;
}

test('requests die young, before V8 has compiled anything too', async () => {
  const { port, said } = await startBoth();
  const fetchOne = clientOf(port, 8);
  const ask = async (rounds: number): Promise<void> => {
    for (let round = 0; round < rounds; round += 1) await Promise.all(Array.from({ length: 8 }, () => fetchOne('/k')));
  };
  await ask(50);
  const from = said().length;
  await ask(400);
  // Whole requests that hold each other would let a third outlive it.
  expect(outlived(said().slice(from))).toBeLessThan(0.2);
});

test('stays bounded', async () => {
  const { port, pid } = await startBoth();
  const before = await rssMb(pid);

  const stuck = net.connect(port, '127.0.0.1').pause();
  undo.push(() => void stuck.destroy());
  stuck.write(`GET /m1 HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`.repeat(100));
  const fetchOne = clientOf(port, 64);
  let peak = before;
  for (let round = 0; round < amount(3, 25); round += 1) {
    const sizes = await Promise.all(Array.from({ length: 64 }, () => fetchOne('/m1')));
    expect(sizes.filter((size) => size !== megabyte)).toEqual([]);
    peak = Math.max(peak, await rssMb(pid));
  }
  // 65 read buffers of 64 KB are 4 MB; the rest is the engine's own.
  expect(peak - before).toBeLessThan(80);
});
