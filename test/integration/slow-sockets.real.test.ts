/** Ten thousand sockets of one account that send a byte now and then: whoever else comes is served as before. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { tellCount } from '../support/counts.ts';
import { startPortal, type RunningPortal } from '../support/portal.ts';
import { writeDesired } from './world.ts';

const sockets = 10_000;
const nobody = 65_534;
let folder: string;
let portal: RunningPortal;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svcs-'));
  portal = await startPortal({ desired: await writeDesired(join(folder, 'd'), { apps: [] }) });
}, 120_000);
afterAll(async () => {
  await portal?.stop();
  await rm(folder, { recursive: true, force: true });
});

/**
 * Keeps so many connections: on each the beginning of a head, and another byte every two seconds. An ended connection is opened again at
 * once. Prints how many it opened, once a second.
 */
const attacker = `
  const net = require('node:net');
  const [port, many] = process.argv.slice(1).map(Number);
  let opened = 0;
  const open = () => {
    const socket = net.connect(port, '127.0.0.1');
    let drip;
    socket.on('connect', () => {
      opened += 1;
      socket.write('GET / HTTP/1.1\\r\\nHost: svc.localhost:' + port + '\\r\\nX: ');
      drip = setInterval(() => socket.write('x'), 2000);
    });
    socket.on('error', () => {});
    socket.on('close', () => { clearInterval(drip); setTimeout(open, 100); });
  };
  for (let n = 0; n < many; n += 1) setTimeout(open, n / 4);
  setInterval(() => console.log(opened), 1000);`;

/** How long an answer took, on a connection of its own. */
async function ask(): Promise<number> {
  const startedMs = performance.now();
  await new Promise((resolve, reject) => {
    http
      .get(
        { host: '127.0.0.1', port: portal.port, path: '/api/sessao', agent: false, headers: { host: `svc.localhost:${portal.port}` } },
        (res) => {
          res.resume().on('end', resolve);
        },
      )
      .on('error', reject);
  });
  return performance.now() - startedMs;
}
async function percentiles(times: number): Promise<readonly [number, number]> {
  const all: number[] = [];
  for (let n = 0; n < times; n += 1) all.push(await ask());
  all.sort((a, b) => a - b);
  return [all[Math.floor(times / 2)] ?? 0, all[Math.floor(times * 0.99)] ?? 0];
}

test.runIf(process.getuid?.() === 0)(`${sockets} slow sockets`, { timeout: 300_000 }, async () => {
  const [, calm] = await percentiles(300);
  const script = [process.execPath, '-e', attacker, String(portal.port), String(sockets)]
    .map((word) => `'${word.replaceAll("'", `'\\''`)}'`)
    .join(' ');
  const child = spawn('sh', ['-c', `ulimit -n 20000 && exec ${script}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
    cwd: '/',
    env: {},
    uid: nobody,
    gid: nobody,
  });
  let opened = 0;
  child.stdout.on('data', (chunk: Buffer) => (opened = Number(chunk.toString().trim().split('\n').at(-1))));
  try {
    await expect.poll(() => opened, { timeout: 120_000 }).toBeGreaterThanOrEqual(sockets);
    const [p50, p99] = await percentiles(300);
    tellCount(
      `portal: ${opened} slow connections of another account; 300 requests beside them: 0 failed, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms (calm ${calm.toFixed(1)} ms)`,
    );
    // A machine that does much else is slow anyway, which is not theirs.
    expect(p99).toBeLessThan(Math.max(1_000, 50 * calm));
  } finally {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
});
