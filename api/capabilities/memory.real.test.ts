/** Portal, provider and caller as processes of their own: 200 MB each way in bounded memory, and a provider that is killed in the middle. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import http from 'node:http';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream/promises';
import { Readable, Writable } from 'node:stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ourEnv, ourFlags } from '../../bench/peers/proxy-servers.ts';
import { tellCount } from '../../test/support/counts.ts';

const megabyte = 1_024 * 1_024;
const total = 200 * megabyte;
const prefix = '/api/capacidades/dicionario/v1';

/** `/down` sends 200 MB, `/up` answers how much came, `/echo` sends back, `/slow` sends and never ends, `/silent` says nothing. */
const provider = `
const http = require('node:http');
const chunk = Buffer.alloc(${megabyte}, 'm');
http.createServer((req, res) => {
  const what = req.url.split('/').pop();
  if (what === 'down') {
    let left = 200;
    const more = () => { while (left-- > 0) if (!res.write(chunk)) return res.once('drain', more); res.end(); };
    return more();
  }
  if (what === 'echo') return req.pipe(res);
  if (what === 'slow') return res.write('begun');
  if (what === 'silent') return;
  let bytes = 0;
  req.on('data', (part) => (bytes += part.length)).on('end', () => res.end(String(bytes)));
}).listen(process.argv[1], () => console.log('listens'));
`;

interface Told {
  readonly port: number;
  readonly headers: Record<string, string>;
  readonly socket: string;
}

const children: ChildProcess[] = [];
let portal: ChildProcess;
let told: Told;
let backend: ChildProcess;

async function firstLine(child: ChildProcess): Promise<string> {
  children.push(child);
  const [line] = (await once(createInterface({ input: child.stdout! }), 'line')) as [string];
  return line;
}

async function startProvider(): Promise<void> {
  backend = spawn(process.execPath, ['-e', `require('node:fs').rmSync(process.argv[1], { force: true });${provider}`, told.socket], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await firstLine(backend);
}

beforeAll(async () => {
  portal = spawn(process.execPath, [...ourFlags, 'test/support/capability-portal-main.ts'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...ourEnv },
  });
  told = JSON.parse(await firstLine(portal)) as Told;
  await startProvider();
});
afterAll(async () => {
  portal.kill('SIGTERM');
  await once(portal, 'exit');
  for (const child of children) child.kill('SIGKILL');
});

async function rss(): Promise<number> {
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(await readFile(`/proc/${portal.pid}/status`, 'utf8'))?.[1]) / 1_024;
}

function begin(path: string, method = 'GET'): { readonly req: http.ClientRequest; readonly head: Promise<http.IncomingMessage> } {
  const req = http.request({ host: '127.0.0.1', port: told.port, path: prefix + path, method, agent: false, headers: told.headers });
  const head = once(req, 'response').then(([res]) => res as http.IncomingMessage);
  return { req, head };
}

function* megabytes(): Generator<Buffer> {
  const chunk = Buffer.alloc(megabyte, 'u');
  for (let sent = 0; sent < total; sent += megabyte) yield chunk;
}

/** Counts what comes; `pauseMs` after each chunk. */
async function drained(res: http.IncomingMessage, pauseMs = 0): Promise<number> {
  let bytes = 0;
  const sink = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      bytes += chunk.length;
      if (pauseMs === 0) done();
      else setTimeout(done, pauseMs);
    },
  });
  await pipeline(res, sink);
  return bytes;
}

const down = async (): Promise<void> => {
  const { req, head } = begin('/down');
  req.end();
  expect(await drained(await head)).toBe(total);
};
const up = async (): Promise<void> => {
  const { req, head } = begin('/up', 'POST');
  await pipeline(Readable.from(megabytes()), req);
  expect((await (await head).toArray()).join('')).toBe(String(total));
};
/** Read at a fraction of the speed at which it is sent: what waits is left with the provider, and with the caller. */
const bothWaysSlowly = async (): Promise<void> => {
  const { req, head } = begin('/echo', 'POST');
  const sent = pipeline(Readable.from(megabytes()), req);
  expect(await drained(await head, 1)).toBe(total);
  await sent;
};
/** The others in the long run only: a portal that held a body would hold it in this one as well. */
const ways = process.env['SVC_TEST_LONG'] === '1' ? [down, up, bothWaysSlowly] : [bothWaysSlowly];

test('200 MB both ways at once, to a caller that reads slowly, in bounded memory', { timeout: 120_000 }, async () => {
  const warm = begin('/up', 'POST');
  warm.req.end('x');
  expect(await drained(await warm.head)).toBe(1);
  const before = await rss();
  let peak = before;
  const watch = setInterval(() => void rss().then((now) => (peak = Math.max(peak, now))), 20);
  for (const way of ways) await way();
  clearInterval(watch);
  tellCount(`capabilities: ${ways.length} × 200 MB, the portal's memory ${before.toFixed(0)} MB before, ${peak.toFixed(0)} MB at most`);
  // Uncollected garbage is some 80 MB, however much passes; a single held body would come on top.
  expect(peak - before).toBeLessThan(140);
});

test('a provider that is killed: a call without an answer is told, one with half of it is cut, the next process is asked', async () => {
  const half = begin('/slow');
  half.req.end();
  const res = await half.head;
  const cut = once(res, 'error').then(([error]) => (error as NodeJS.ErrnoException).code);
  const silent = begin('/silent');
  silent.req.end();
  // Both are with the provider when it dies.
  await new Promise((resolve) => setTimeout(resolve, 200));
  res.resume();
  backend.kill('SIGKILL');
  expect(await cut).toBe('ECONNRESET');
  const refused = await silent.head;
  expect([refused.statusCode, refused.headers['x-svc-fornecedor']]).toEqual([502, undefined]);
  expect(JSON.parse((await refused.toArray()).join(''))).toMatchObject({ code: 'BACKEND_UNREACHABLE' });
  await startProvider();
  const again = begin('/up', 'POST');
  again.req.end('again');
  expect((await (await again.head).toArray()).join('')).toBe('5');
});
