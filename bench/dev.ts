/**
 * How soon a change is seen under `svc dev`: of a file of the frontend until its page is painted again in Chromium, beside Vite's full reload of the
 * same page; of a file of the backend until the new one answers, beside the app's own boot by hand and `node --watch`. Turn by turn.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { createServer, type ViteDevServer } from 'vite';
import { launchBrowser } from '../test/support/chromium.ts';
import { startDev, type RunningDev } from '../test/support/dev.ts';
import { freePort } from '../test/support/portal.ts';
import { watchLoad } from './load.ts';
import { profilingOf } from './profile.ts';
import { median, percentilesOf, type Area, type Row } from './rows.ts';
import { sayStep } from './steps.ts';

const root = resolve(import.meta.dirname, '..');
const reloadMsMax = 300;
const overBootMsMax = 300;
const lookMs = 10;
const profiling = profilingOf();

type Runtime = 'python3' | 'node';

/** Painted: the frame after the one that holds the text. */
const pageText = (n: number): string =>
  `<!doctype html><html lang="pt"><head><title>x</title></head><body><h1>${n}</h1><script>requestAnimationFrame(() => setTimeout(() => console.log('painted ${n}')))</script></body></html>`;

const backendText: Readonly<Record<Runtime, (n: number) => string>> = {
  python3: (n) => `import pathlib, sys
from svc import servidor, web
pagina = web.spa(pathlib.Path(__file__).resolve().parent.parent / 'frontend')
class Pedido(servidor.Pedido):
    def atender(self, metodo):
        if self.path == '/api/n':
            return self.responder_json(200, {'n': ${n}})
        if not pagina(self):
            self.responder_json(404, {'error': 'rota desconhecida'})
sys.exit(servidor.escutar(Pedido, sys.argv[1:]))
`,
  node: (n) => `const http = require('node:http')
const path = require('node:path')
const { escutar, servidor, web } = require('svc')
const pagina = web.spa(path.join(__dirname, '../frontend'))
escutar(http.createServer(servidor.portao((req, res) => {
  if (req.url === '/api/n') return servidor.responderJson(res, 200, { n: ${n} })
  if (!pagina(req, res)) servidor.responderJson(res, 404, { error: 'rota desconhecida' })
})))
`,
};
const entrypoints: Readonly<Record<Runtime, string>> = { python3: 'backend/main.py', node: 'backend/main.js' };

async function makeApp(folder: string, runtime: Runtime): Promise<void> {
  for (const part of ['backend', 'frontend']) await mkdir(join(folder, part), { recursive: true });
  const manifest = { id: 'medida', version: '1.0.0', backend: { runtime, entrypoint: entrypoints[runtime] } };
  await writeFile(join(folder, 'svc-app.json'), JSON.stringify(manifest));
  await writeFile(join(folder, 'frontend/index.html'), pageText(0));
  await writeFile(join(folder, entrypoints[runtime]), backendText[runtime](0));
}

/** From the write until the page says that it painted that. */
async function paintedMs(page: Page, file: string, n: number): Promise<number> {
  const painted = page.waitForEvent('console', { predicate: (message) => message.text() === `painted ${n}`, timeout: 60_000 });
  const startedMs = performance.now();
  await writeFile(file, pageText(n));
  await painted;
  return performance.now() - startedMs;
}

interface Asked {
  readonly port: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Number that `/api/n` answers; null: no answer yet. */
function answerOf({ port, headers = {} }: Asked): Promise<number | null> {
  const { promise, resolve: answered } = Promise.withResolvers<number | null>();
  const request = http.get({ host: '127.0.0.1', port, path: '/api/n', headers, agent: false }, (response) => {
    let text = '';
    response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    response.on('end', () => answered(response.statusCode === 200 ? (JSON.parse(text) as { n: number }).n : null));
    response.on('error', () => answered(null));
  });
  request.on('error', () => answered(null));
  return promise;
}

/** From `begin` until that is answered. */
async function answeredMs(asked: Asked, n: number, begin: () => Promise<void> | void): Promise<number> {
  const startedMs = performance.now();
  await begin();
  while ((await answerOf(asked)) !== n) {
    if (performance.now() - startedMs > 60_000) throw new Error(`${n} was not answered`);
    await sleep(lookMs);
  }
  return performance.now() - startedMs;
}

const environment = { ...process.env, PYTHONPATH: join(root, 'sdk/python'), NODE_PATH: join(root, 'sdk/node') };

function byHand(folder: string, runtime: Runtime, port: number, watch = false): ChildProcess {
  const [program, ...before] = runtime === 'node' ? [process.execPath, ...(watch ? ['--watch'] : [])] : ['python3', '-u'];
  const words = [...before, join(folder, entrypoints[runtime]), '--tcp', `127.0.0.1:${port}`];
  return spawn(program ?? '', words, { stdio: 'ignore', env: environment });
}

/** `node --watch` ends what it started at SIGTERM only. */
async function ended(child: ChildProcess, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill(signal);
  await exit;
}

async function bootMs(folder: string, runtime: Runtime, n: number): Promise<number> {
  const port = await freePort();
  await writeFile(join(folder, entrypoints[runtime]), backendText[runtime](n));
  let child: ChildProcess | null = null;
  try {
    return await answeredMs({ port }, n, () => void (child = byHand(folder, runtime, port)));
  } finally {
    if (child !== null) await ended(child);
  }
}

interface Opened {
  readonly dev: RunningDev;
  readonly page: Page;
  readonly asked: Asked;
}

async function openDev(app: string, context: BrowserContext): Promise<Opened> {
  const dev = await startDev({ app, env: profiling?.atExit ?? {} });
  const page = await context.newPage();
  const painted = page.waitForEvent('console', { predicate: (message) => message.text() === 'painted 0', timeout: 60_000 });
  await page.goto(dev.link('ana'));
  await painted;
  const { port } = new URL(dev.link('ana'));
  const host = `medida.svc.localhost:${port}`;
  const cookies = await context.cookies(`http://${host}/`);
  const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
  return { dev, page, asked: { port: Number(port), headers: { host, cookie, 'sec-fetch-site': 'same-origin' } } };
}

const ms = (value: number): string => `${value.toFixed(0)} ms`;

async function frontend(work: string, browser: Browser, rounds: number): Promise<Row> {
  sayStep('dev: a page');
  const context = await browser.newContext();
  await makeApp(join(work, 'pagina'), 'python3');
  const { dev, page } = await openDev(join(work, 'pagina'), context);
  let vite: ViteDevServer | null = null;
  try {
    const folder = join(work, 'vite');
    await mkdir(folder);
    await writeFile(join(folder, 'index.html'), pageText(0));
    vite = await createServer({
      root: folder,
      configFile: false,
      logLevel: 'silent',
      server: { host: '127.0.0.1', port: await freePort() },
    });
    await vite.listen();
    const peer = await context.newPage();
    const first = peer.waitForEvent('console', { predicate: (message) => message.text() === 'painted 0' });
    await peer.goto(`http://127.0.0.1:${vite.config.server.port}/`);
    await first;
    const ours: number[] = [];
    const theirs: number[] = [];
    const load = watchLoad();
    for (let n = 1; n <= rounds; n += 1) {
      await peer.bringToFront();
      theirs.push(await paintedMs(peer, join(folder, 'index.html'), n));
      await page.bringToFront();
      ours.push(await paintedMs(page, join(dev.folder, 'frontend/index.html'), n));
    }
    const [mine, other] = [median(ours), median(theirs)];
    return {
      name: `a file of the frontend changed until its page is painted, ${rounds} times (load ${load.share()}, Chromium beside it)`,
      ours: percentilesOf(ours, ms),
      peer: `Vite's full reload: ${percentilesOf(theirs, ms)}`,
      ratio: (mine / other).toFixed(2),
      target: `p50 ≤ ${ms(reloadMsMax)}`,
      held: mine <= reloadMsMax,
    };
  } finally {
    await vite?.close();
    await dev.remove();
    await context.close();
  }
}

async function backend(work: string, browser: Browser, runtime: Runtime, rounds: number): Promise<Row> {
  sayStep(`dev: a backend of ${runtime}`);
  const context = await browser.newContext();
  const hand = join(work, `${runtime}-hand`);
  for (const folder of [join(work, runtime), hand]) await makeApp(folder, runtime);
  const { dev, asked } = await openDev(join(work, runtime), context);
  const watched = { port: await freePort() };
  const watcher = runtime === 'node' ? byHand(hand, runtime, watched.port, true) : null;
  try {
    if (watcher !== null) await answeredMs(watched, 0, () => undefined);
    const [ours, boots, watches]: [number[], number[], number[]] = [[], [], []];
    const load = watchLoad();
    for (let n = 1; n <= rounds; n += 1) {
      const change = (folder: string) => async (): Promise<void> =>
        await writeFile(join(folder, entrypoints[runtime]), backendText[runtime](n));
      if (watcher !== null) watches.push(await answeredMs(watched, n, change(hand)));
      boots.push(await bootMs(watcher === null ? hand : join(work, runtime), runtime, n));
      ours.push(await answeredMs(asked, n, change(dev.folder)));
    }
    const [mine, boot] = [median(ours), median(boots)];
    const peer = watcher === null ? '' : `; node --watch: ${percentilesOf(watches, ms)}`;
    return {
      name: `a file of a ${runtime} backend changed until it answers, ${rounds} times (load ${load.share()}, boots by hand with it)`,
      ours: percentilesOf(ours, ms),
      peer: `its own boot by hand: ${percentilesOf(boots, ms)}${peer}`,
      ratio: (mine / boot).toFixed(2),
      target: `p50 ≤ boot + ${ms(overBootMsMax)} = ${ms(boot + overBootMsMax)}`,
      held: mine <= boot + overBootMsMax,
    };
  } finally {
    if (watcher !== null) await ended(watcher, 'SIGTERM');
    await dev.remove();
    await context.close();
  }
}

export const devArea: Area = async ({ short }) => {
  const rounds = short ? 5 : 20;
  const work = await mkdtemp(join(tmpdir(), 'svcb-'));
  const browser = await launchBrowser('whole');
  try {
    const rows = [
      await frontend(work, browser, rounds),
      await backend(work, browser, 'python3', rounds),
      await backend(work, browser, 'node', rounds),
    ];
    profiling?.write(`svc dev from its start to its end, ${rounds} changes each of a page and of two backends`);
    return rows;
  } finally {
    await browser.close();
    await rm(work, { recursive: true, force: true });
  }
};
