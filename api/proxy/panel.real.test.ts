/** The error panel in a real browser: it is readable, it runs under its own policy, it recovers by itself. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { AppView } from './contract.ts';
import { byteBackend, startBench, stoppedView, type Bench } from './testing/harness.ts';
import { closePages, openBrowser } from '../../test/support/chromium.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
let browser: Browser;
const open: { bench: Bench; page: Page }[] = [];

beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => closePages(browser));
afterEach(async () => {
  for (const { bench, page } of open.splice(0)) {
    await page.context().close();
    await bench.close();
  }
});

interface Opened {
  readonly bench: Bench;
  readonly page: Page;
  readonly complaints: string[];
  readonly start: () => void;
}

/** After five failures, the last of which was this one. */
const gaveUp = (lastExit: NonNullable<AppView['lastExit']>): AppView => ({
  ...stoppedView,
  status: 'failed',
  reason: 'TooManyFailures',
  message: 'failed five times',
  wanted: true,
  lastExit,
});

/** A crashed app whose page is opened in a browser. */
async function panel(options: { locale?: string; width?: number; height?: number; colorScheme?: 'dark' | 'light' } = {}): Promise<Opened> {
  const bench = await startBench(
    byteBackend('HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 22\r\n\r\n<title>at last</title>').onConnection,
  );
  const route = bench.world.route;
  const down = { ...stoppedView, status: 'backoff', reason: 'Crashed', message: 'ended with code 1', wanted: true } as const;
  bench.world.route = null;
  bench.world.view = down;
  bench.world.log = 'line 1\nTypeError: <b>boom</b>\n';
  bench.world.hold = () =>
    Promise.resolve({ ready: false, status: 'backoff', reason: 'Crashed', message: 'ended with code 1', retryAfterMs: 30_000 });
  const context = await browser.newContext({
    locale: options.locale ?? 'pt-BR',
    viewport: { width: options.width ?? 1_280, height: options.height ?? 720 },
    colorScheme: options.colorScheme ?? 'light',
    bypassCSP: false,
  });
  context.setDefaultTimeout(90_000);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    // The 503 of the page itself is what is under test.
    if (message.type() === 'error' && !message.text().includes('503')) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  open.push({ bench, page });
  const listening = page.waitForResponse((response) => response.url().endsWith('/__svc/eventos'));
  const answer = await page.goto(`http://${bench.host}/`);
  expect(answer!.status()).toBe(503);
  await listening;
  const start = (): void => {
    bench.world.route = route;
    bench.world.view = { ...down, status: 'running', ready: true, reason: 'Healthy', message: 'answers' };
    bench.bus.publish('ana', { type: 'app-status', app: 'notas', status: 'running', ready: true, reason: 'Healthy', message: 'answers' });
  };
  return { bench, page, complaints, start };
}

describe('the error panel', () => {
  test('says what happened, and comes back by itself when the verdict arrives', async () => {
    const { page, complaints, start } = await panel();
    expect(await page.textContent('h1')).toBe('Notas caiu e será iniciado de novo');
    expect(await page.textContent('#mensagem')).toBe('O processo terminou sozinho');
    expect(await page.locator('#tecnico').isVisible()).toBe(false);
    await page.click('summary');
    expect(await page.locator('#tecnico').isVisible()).toBe(true);
    expect(await page.locator('p:has(#tecnico)').getAttribute('lang')).toBe('en');
    expect(await page.textContent('#tecnico')).toBe('ended with code 1');
    expect(await page.textContent('#log')).toContain('<b>boom</b>');
    start();
    await expect.poll(() => page.title(), { timeout: 30_000 }).toBe('at last');
    expect(complaints).toEqual([]);
  });

  test('beside a connection that failed it never says that the app answers', async () => {
    const { page, bench } = await panel();
    const healthy = { ...stoppedView, status: 'running', ready: true, reason: 'Healthy', message: 'answers', wanted: true } as const;
    bench.world.view = healthy;
    // As when somebody deleted app.sock a moment ago.
    bench.world.route = {
      generation: 'lost',
      socketPath: null,
      dial: () => Promise.reject(new Error('ENOENT')),
      token: 't',
      keepIdleMs: 0,
    };
    await page.reload();
    await page.locator('h1', { hasText: /^Notas não respondeu$/ }).waitFor();
    expect(await page.textContent('#mensagem')).toBe('A conexão com o aplicativo falhou');
    // Not ready, so that this page stays: what is asked now is shown on it.
    bench.world.route = null;
    const asked = page.waitForResponse((response) => response.url().endsWith('/__svc/estado'));
    bench.bus.publish('ana', { type: 'app-status', app: 'notas', status: 'running', ready: true, reason: 'Healthy', message: 'answers' });
    await (await asked).finished();
    bench.world.view = { ...healthy, ready: false, status: 'starting', reason: 'SocketLost' };
    expect(await page.textContent('#mensagem')).toBe('A conexão com o aplicativo falhou');
    bench.bus.publish('ana', { type: 'app-status', app: 'notas', status: 'starting', ready: false, reason: 'SocketLost', message: '' });
    await page.locator('#mensagem', { hasText: /sumiu/ }).waitFor();
  });

  test('recovers without the events, by asking again', async () => {
    const { page, bench, start } = await panel();
    const publish = bench.bus.publish.bind(bench.bus);
    bench.bus.publish = () => undefined;
    start();
    bench.bus.publish = publish;
    // Stop is offered for a wanted app; pressing anything asks for the state at once.
    await page.click('#parar');
    await expect.poll(() => page.title(), { timeout: 30_000 }).toBe('at last');
    expect(bench.world.wishes).toEqual(['stop notas']);
  });

  test('Start asks for a start, once', async () => {
    const { page, bench } = await panel();
    bench.world.view = gaveUp({ code: 3, signal: null, atMs: 1, reason: 'ExitedAtOnce' });
    await page.click('#iniciar');
    await page.locator('#mensagem', { hasText: 'Terminou logo ao iniciar' }).waitFor();
    expect(bench.world.wishes).toEqual(['start notas']);
    expect(await page.textContent('h1')).toBe('Notas não conseguiu iniciar');
    expect(await page.textContent('#saida')).toBe('Código de saída: 3');
    // Nothing runs: Stop and a second way to start would only contradict it.
    expect(await page.getByRole('button').allTextContents()).toEqual(['Iniciar']);
  });

  test('what ran and crashed is not said to have failed to start; the signal and the last lines are in view', async () => {
    const { page, bench } = await panel({ height: 480 });
    bench.world.log = Array.from({ length: 20 }, (_, index) => `line ${index}`).join('\n');
    bench.world.view = gaveUp({ code: null, signal: 'SIGSEGV', atMs: 1, reason: 'Crashed' });
    bench.bus.publish('ana', { type: 'app-status', app: 'notas', status: 'failed', ready: false, reason: 'TooManyFailures', message: '' });
    await page.locator('h1', { hasText: /^Notas caiu$/ }).waitFor();
    expect(await page.title()).toBe('Notas caiu');
    expect(await page.textContent('#mensagem')).toBe('O processo terminou sozinho');
    const inView = await page.evaluate(`(() => {
      const low = (id) => document.getElementById(id).getBoundingClientRect().bottom;
      const log = document.getElementById('log');
      return { exit: low('saida') < innerHeight, log: low('log') < innerHeight, newest: log.scrollTop + log.clientHeight >= log.scrollHeight - 1 };
    })()`);
    expect(inView).toEqual({ exit: true, log: true, newest: true });
    expect(await page.textContent('#saida')).toBe('Encerrado pelo sinal SIGSEGV');
    // Where the log has the sentence of an error, it is in sight, and not the end of its trace.
    const trace = Array.from({ length: 30 }, (_, index) => `    at frame${index} (file:///app/server.js:${index}:1)`).join('\n');
    bench.world.log = `throw new Error('x')\n      ^\n\nError [ERR_X]: no <b>database</b>\n${trace}\n\nNode.js v24.1.0\n`;
    bench.bus.publish('ana', { type: 'app-status', app: 'notas', status: 'failed', ready: false, reason: 'TooManyFailures', message: '' });
    const sentence = page.locator('#log strong');
    await sentence.waitFor();
    expect(await sentence.textContent()).toBe('Error [ERR_X]: no <b>database</b>');
    const [box, line] = [await page.locator('#log').boundingBox(), await sentence.boundingBox()];
    expect(line!.y).toBeGreaterThanOrEqual(box!.y);
    expect(line!.y + line!.height).toBeLessThanOrEqual(box!.y + box!.height);
  });

  test('a step has words, and what it tells is a technical detail', async () => {
    const { page, bench } = await panel();
    bench.world.view = {
      ...stoppedView,
      status: 'starting',
      reason: 'BoundTcp',
      message: 'x',
      step: { name: 'socket', detail: 'no socket yet' },
    };
    await page.click('#iniciar');
    await page.locator('#passo', { hasText: 'Etapa: Conexão' }).waitFor();
    expect(await page.textContent('#mensagem')).toBe('Abriu uma porta TCP em vez do socket');
    // Nothing in English stands outside of the technical part.
    expect(await page.evaluate(`document.body.innerText`)).not.toContain('no socket yet');
    expect(await page.textContent('#passo-tecnico')).toBe('no socket yet');
  });

  test('after Stop it no longer says that it stops', async () => {
    const { page, bench } = await panel();
    bench.world.view = { ...stoppedView, reason: 'StoppedByPerson', message: 'the person stopped it' };
    await page.click('#parar');
    await page.locator('#mensagem', { hasText: 'Parado por você' }).waitFor();
    await expect.poll(() => page.textContent('#aviso'), { timeout: 30_000 }).toMatch(/^Esta página se recarrega/);
  });

  test.for(['light', 'dark'] as const)('has no accessibility fault at 320 px, %s, and does not scroll sideways', async (colorScheme) => {
    const { page } = await panel({ width: 320, colorScheme, locale: 'en-GB' });
    expect(await page.textContent('h1')).toBe('Notas crashed and will be started again');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320);
    // The page's policy keeps scripts out: the checker comes in by the debugger, which is not bound by it.
    const session = await page.context().newCDPSession(page);
    const { result } = await session.send('Runtime.evaluate', {
      expression: `${axe};axe.run().then((r) => JSON.stringify(r.violations.map((v) => [v.id, v.nodes.map((n) => n.html)])))`,
      awaitPromise: true,
    });
    expect(JSON.parse(String(result.value))).toEqual([]);
  });
});
