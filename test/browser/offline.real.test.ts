/** The network or the portal is away: windows and the desktop itself say so with pages of ours, and come back by themselves. */
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { Browser, Page, Route } from 'playwright-core';
import { afterEach, describe, expect, test } from 'vitest';
import { offlineWords } from '../../shell/offline/page.ts';
import type { RunningPortal } from '../support/portal.ts';
import { axeFindings, frameAt, frameOf, newLink, newPage, openApp, signedIn, useDesk, windowOf } from './support/browser.ts';

let portal: RunningPortal;
let browser: Browser;
let page: Page;
let problems: readonly string[];

useDesk((made) => ({ portal, browser, page, problems } = made), ['notas', 'relogio']);

const activeWorker = async (on: Page = page): Promise<string> =>
  await on.evaluate(async () => {
    const registration = await navigator.serviceWorker.ready;
    if (registration.active?.state !== 'activated')
      await new Promise((resolve) => registration.active?.addEventListener('statechange', resolve, { once: true }));
    return registration.active?.scriptURL ?? '';
  });
/** Resolves when something came to the frame of the window: the app, or the browser's own page in place of it. */
const arrived = async (name: string): Promise<void> =>
  await expect
    .poll(
      async () =>
        await windowOf(page, name)
          .locator('svc-app-frame')
          .evaluate((frame) => (frame as unknown as { loaded: boolean }).loaded),
    )
    .toBe(true);
const openOf = async (name: string): Promise<void> => await frameOf(page, name).getByRole('button', { name: 'Nova nota' }).waitFor();

/** Holds requests of the page to that address until the answer is called, which waits for the first of them; later requests are not held. */
async function hold(address: RegExp, how: 'continue' | 'abort'): Promise<() => Promise<void>> {
  let held: Route[] | null = [];
  await page.route(address, async (route) => await (held === null ? route.continue() : Promise.resolve(void held.push(route))));
  return async () => {
    // A window is there before it asks for its page.
    await expect.poll(() => held?.length).toBeGreaterThan(0);
    const routes = held ?? [];
    held = null;
    for (const route of routes) await (how === 'abort' ? route.abort('connectionrefused') : route.continue());
    await page.unroute(address);
  };
}

describe('a window', () => {
  test('that was opened while the network was off is covered, and is the app soon after it is back', async () => {
    await page.context().setOffline(true);
    await openApp(page, 'Notas');
    await windowOf(page, 'Notas').getByText('O portal não respondeu').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await page.context().setOffline(false);
    const backAtMs = performance.now();
    await openOf('Notas');
    expect(performance.now() - backAtMs).toBeLessThan(15_000);
    await windowOf(page, 'Notas').getByText('O portal não respondeu').waitFor({ state: 'detached' });
  });

  test('that was opened, or loaded again, while the portal was stopped is never a grey face', async () => {
    await openApp(page, 'Notas');
    await openOf('Notas');
    await portal.kill();
    await page.getByText('Sem conexão com o portal').waitFor();
    await openApp(page, 'Relógio');
    await windowOf(page, 'Relógio').getByText('O portal não respondeu').waitFor();
    await windowOf(page, 'Relógio').getByRole('button', { name: 'Tentar de novo' }).click();
    await windowOf(page, 'Notas').getByRole('button', { name: 'Menu da janela Notas' }).click({ force: true });
    await page.getByRole('menuitem', { name: 'Recarregar' }).click();
    await windowOf(page, 'Notas').getByText('O portal não respondeu').waitFor();
    await portal.again();
    await openOf('Notas');
    await expect.poll(() => frameOf(page, 'Relógio').locator('time').textContent()).toMatch(/^\d\d:/);
  });

  test('whose page could not be loaded keeps the keyboard that was on the page before', async () => {
    const end = await hold(/\/\/notas\./, 'abort');
    await openApp(page, 'Notas');
    await page.locator('svc-taskbar .person').focus();
    await page.keyboard.press('Shift+Tab');
    await end();
    await arrived('Notas');
    const isInWindow = async (): Promise<boolean> => await windowOf(page, 'Notas').evaluate((window) => window.matches(':focus-within'));
    await expect.poll(isInWindow).toBe(true);
  });

  test('whose page could not be loaded loses the keyboard to a page that is pressed', async () => {
    // In one that has shown pages of apps before, the browser may tell nobody that the keyboard is gone.
    page = (await signedIn(browser, portal)).page;
    await openApp(page, 'Notas');
    await openOf('Notas');
    const end = await hold(/\/\/relogio\./, 'abort');
    await openApp(page, 'Relógio');
    await page.locator('svc-taskbar .person').focus();
    await page.keyboard.press('Shift+Tab');
    await end();
    // A press before that would be on another page than the one that fails.
    await arrived('Relógio');
    const hasKeyboard = async (name: string): Promise<boolean> =>
      await windowOf(page, name).evaluate((window) => window.matches(':focus-within'));
    await expect.poll(async () => await hasKeyboard('Relógio')).toBe(true);
    await frameOf(page, 'Notas')
      .locator('body')
      .click({ position: { x: 5, y: 5 } });
    await expect.poll(async () => [await hasKeyboard('Notas'), await hasKeyboard('Relógio')]).toEqual([true, false]);
  });

  test('of Files opens at once: what is opened before the server told of its folders stays in front', async () => {
    const end = await hold(/\/api\/arquivos$/, 'continue');
    await openApp(page, 'Arquivos');
    await openApp(page, 'Notas');
    await end();
    const files = windowOf(page, 'Arquivos');
    await files.getByRole('listbox').waitFor();
    expect([await windowOf(page, 'Notas').getAttribute('top'), await files.getAttribute('top')]).toEqual(['', null]);
    // A second time it is the same window.
    await openApp(page, 'Arquivos');
    expect([await files.count(), await files.getAttribute('top')]).toEqual([1, '']);
  });

  test('of Files that no server answered asks again by itself', async () => {
    const end = await hold(/\/api\/arquivos$/, 'abort');
    await openApp(page, 'Arquivos');
    await end();
    await expect.poll(async () => await windowOf(page, 'Arquivos').getByRole('listbox').count()).toBe(1);
  });

  test('whose page does not say hello is the app when the portal says so: it is loaded once', async () => {
    await page.route('**/_sdk/svc.js', async (route) => await route.fulfill({ contentType: 'text/javascript', body: '' }));
    let loads = 0;
    page.on('request', (request) => {
      if (request.isNavigationRequest() && new URL(request.url()).hostname.startsWith('notas.') && request.frame() !== page.mainFrame())
        loads += 1;
    });
    await openApp(page, 'Notas');
    await openOf('Notas');
    const before = loads;
    await frameOf(page, 'Notas').getByRole('button', { name: 'Nova nota' }).click();
    await frameOf(page, 'Notas').getByLabel('Título').fill('fica');
    await page.evaluate(() => dispatchEvent(new Event('online')));
    // By the pointer: a page without the SDK keeps the keys for itself.
    await page.getByRole('button', { name: 'Abrir aplicativos' }).click();
    await page.getByRole('option', { name: 'Gerenciador de tarefas' }).click();
    await page.locator('tr[data-app="notas"][data-status="running"]').waitFor();
    expect(await frameOf(page, 'Notas').getByLabel('Título').inputValue()).toBe('fica');
    expect(loads).toBe(before);
  });
});

describe('the desktop', () => {
  test('without a portal a reload shows the offline page; it comes back by itself with the windows that were open', async () => {
    await openApp(page, 'Notas');
    await openOf('Notas');
    expect(await activeWorker()).toMatch(/\/offline\.js$/);
    await portal.kill();
    await page.reload();
    await page.getByRole('heading', { name: offlineWords.pt.title }).waitFor();
    expect(await page.locator('html').getAttribute('lang')).toBe('pt-BR');
    expect(await axeFindings(page)).toEqual([]);
    await page.getByRole('button', { name: offlineWords.pt.retry }).click();
    await page.getByText(offlineWords.pt.still).waitFor();
    await portal.again();
    await openOf('Notas');
  });

  test('in English, dark, on a phone, as the person chose them', async () => {
    const made = await newPage(browser, { locale: 'en-GB', viewport: { width: 320, height: 640 }, colorScheme: 'dark' });
    await made.page.goto(await newLink(portal));
    await made.page.getByRole('toolbar').waitFor();
    await activeWorker(made.page);
    await made.page.context().setOffline(true);
    await made.page.reload();
    await made.page.getByRole('heading', { name: offlineWords.en.title }).waitFor();
    expect(await made.page.locator('html').getAttribute('data-theme')).toBe('dark');
    expect(await made.page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
    expect(await axeFindings(made.page)).toEqual([]);
    await made.page.context().setOffline(false);
    await made.page.getByRole('toolbar').waitFor();
  });

  test('the worker keeps nothing, answers no app and no API, and signing in stays between browser and portal', async () => {
    await activeWorker();
    await page.reload();
    await page
      .getByRole('button', { name: /^Notas/ })
      .first()
      .waitFor();
    await openApp(page, 'Notas');
    await openOf('Notas');
    expect(await page.evaluate(async () => await caches.keys())).toEqual([]);
    const frame = await frameAt(page, 'Notas');
    expect(await frame.evaluate(() => navigator.serviceWorker.controller)).toBeNull();
    expect(await frame.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length)).toBe(0);

    const seen: { readonly path: string; readonly byWorker: boolean }[] = [];
    page.on('response', (response) => seen.push({ path: new URL(response.url()).pathname, byWorker: response.fromServiceWorker() }));
    await page.goto(await newLink(portal));
    await page.getByRole('toolbar').waitFor();
    expect(new URL(page.url()).search).toBe('');
    const answered = seen.filter(({ byWorker }) => byWorker).map((one) => one.path);
    expect(answered.filter((one) => one !== '/')).toEqual([]);
    expect(seen.some((one) => one.path.startsWith('/api/'))).toBe(true);
    await page.context().setOffline(true);
    const status = await page.evaluate(async () => (await fetch('/api/sessao').catch(() => null))?.status ?? 'refused');
    expect(status).toBe('refused');
    await page.context().setOffline(false);
    expect(problems.filter((line) => !line.includes('ERR_INTERNET_DISCONNECTED'))).toEqual([]);
  });
});

describe('another version of the portal', () => {
  const servers: Server[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      server.close();
    }
  });

  /** A portal as far as the worker sees one: the desktop's page and, as long as it has one, the worker. */
  async function serve(files: Map<string, { readonly type: string; readonly body: string }>): Promise<string> {
    const server = createServer((req, res) => {
      const file = files.get(req.url ?? '/');
      if (file === undefined) res.writeHead(404).end();
      else
        res.writeHead(200, { 'content-type': file.type, 'cache-control': 'no-cache' }).end(req.method === 'HEAD' ? undefined : file.body);
    });
    servers.push(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return `http://svc.localhost:${(server.address() as AddressInfo).port}/`;
  }

  test('takes the place of its worker at once, and one without a worker is left alone', async () => {
    const worker = await readFile(path.resolve(import.meta.dirname, '../../build/shell/offline.js'), 'utf8');
    const files = new Map([
      ['/', { type: 'text/html', body: '<title>desktop</title>' }],
      ['/offline.js', { type: 'text/javascript', body: worker }],
    ]);
    const address = await serve(files);
    const made = await newPage(browser);
    await made.page.goto(address);
    await made.page.evaluate(() => navigator.serviceWorker.register('/offline.js', { updateViaCache: 'none' }));
    await activeWorker(made.page);
    await made.page.reload();
    expect(await made.page.evaluate(() => navigator.serviceWorker.controller !== null)).toBe(true);

    files.set('/offline.js', { type: 'text/javascript', body: `${worker}\n// another version` });
    const taken = await made.page.evaluate(async () => {
      const registration = await navigator.serviceWorker.ready;
      const before = registration.active;
      await registration.update();
      while (registration.active === before || registration.active?.state !== 'activated')
        await new Promise((resolve) => setTimeout(resolve, 20));
      return registration.waiting === null;
    });
    expect(taken).toBe(true);

    files.delete('/offline.js');
    files.set('/', { type: 'text/html', body: '<title>another desktop</title>' });
    await made.page.reload();
    expect(await made.page.title()).toBe('another desktop');
    await expect.poll(() => made.page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length)).toBe(0);
  });
});
