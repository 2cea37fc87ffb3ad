/** The bridge between the desktop and the page of an app, with the real SDK in a real page; and windows that get there by themselves. */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Browser, FrameLocator, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startPortal, until, type RunningPortal } from '../support/portal.ts';
import { boxOf, drag, frameOf, launchBrowser, openApp, signedIn, windowOf } from './support/browser.ts';

let portal: RunningPortal;
let browser: Browser;
let page: Page;
let notas: FrameLocator;

beforeAll(async () => {
  [portal, browser] = await Promise.all([startPortal(), launchBrowser()]);
});
afterAll(async () => {
  await browser?.close();
  await portal?.stop();
});
beforeEach(async () => {
  for (const context of browser.contexts()) await context.close();
  ({ page } = await signedIn(browser, portal));
  notas = frameOf(page, 'Notas');
});

/** Runs a script in the page of Notas; what it answers comes back. */
const inNotas = async <T>(script: string): Promise<T> => (await notas.locator('body').evaluate(`(async () => { ${script} })()`)) as T;

describe('the page of an app', () => {
  beforeEach(async () => {
    await openApp(page, 'Notas');
    await notas.getByRole('button', { name: 'Nova nota' }).waitFor();
  });

  test('asks what the desktop can do', async () => {
    const answer = await inNotas<{ host: string; shellVersion: string; verbos: string[] }>('return await svc.app.capacidades()');
    expect(answer.host).toBe('svc');
    expect(answer.shellVersion).toMatch(/^\d+\.\d+\.\d+$/);
    expect(answer.verbos).toEqual(expect.arrayContaining(['window.close', 'window.arrastar', 'janela.abrir', 'abertura']));
  });

  test('maximises, goes back, minimises and closes its window', async () => {
    const born = await boxOf(windowOf(page, 'Notas'));
    await inNotas('await svc.window.maximize()');
    const area = await boxOf(page.getByRole('main'));
    await expect.poll(() => boxOf(windowOf(page, 'Notas')), { timeout: 10_000 }).toEqual(area);
    await inNotas('await svc.window.alternarMaximizado()');
    await expect.poll(() => boxOf(windowOf(page, 'Notas')), { timeout: 10_000 }).toEqual(born);
    await inNotas('await svc.window.minimize()');
    await windowOf(page, 'Notas').waitFor({ state: 'hidden' });
    await inNotas('svc.window.close(); return null');
    await windowOf(page, 'Notas').waitFor({ state: 'detached' });
  });

  test('drags its window from a title of its own', async () => {
    const born = await boxOf(windowOf(page, 'Notas'));
    await inNotas(`document.querySelector('h1').addEventListener('pointerdown', (event) => svc.window.arrastar(event))`);
    const title = await boxOf(notas.getByRole('heading', { name: 'Notas', exact: true }));
    await drag(page, { x: title.x + 10, y: title.y + 10 }, 60, 30);
    await until('the window followed', async () => {
      const { x, y } = await boxOf(windowOf(page, 'Notas'));
      return x === born.x + 60 && y === born.y + 30;
    });
    expect(await boxOf(windowOf(page, 'Notas'))).toMatchObject({ width: born.width, height: born.height });
  });

  test('with one window, opening a route reaches the window that is open', async () => {
    const opened = await inNotas<{ rota: string; nova: boolean }>(`
      const seen = new Promise((resolve) => svc.app.ao('abertura', resolve));
      const { nova } = await svc.janela.abrir({ rota: 'nota/nova' });
      return { nova, ...(await seen) };`);
    expect(opened).toEqual({ rota: 'nota/nova', nova: false });
    expect(await windowOf(page, 'Notas').count()).toBe(1);
  });

  test('is refused a route out of the app, by code', async () => {
    expect(await inNotas(`return await svc.janela.abrir({ rota: '../relogio' }).catch((error) => error.code)`)).toBe(
      'argumentos-invalidos',
    );
  });

  test('gets a new port when it was loaded again', async () => {
    await inNotas('location.reload(); return null');
    await notas.getByRole('button', { name: 'Nova nota' }).waitFor();
    const host = async (): Promise<string> => (await inNotas<{ host: string }>('return await svc.app.capacidades()')).host;
    expect(await until('an answer in the new page', async () => await host().catch(() => null))).toBe('svc');
  });

  test('a frame inside the page is nobody: it gets no port', async () => {
    const got = await inNotas<number>(`
      const inner = document.createElement('iframe');
      inner.srcdoc = '<script>let got = 0; addEventListener("message", () => got++); top.postMessage({ svc: "ola", v: 1 }, "*")</' + 'script>';
      document.body.append(inner);
      await new Promise((resolve) => inner.addEventListener('load', resolve));
      // The desktop handles messages in order: once it answered this, it is through with the other.
      await svc.app.capacidades();
      return inner.contentWindow.eval('got');`);
    expect(got).toBe(0);
  });
});

test('an app that falls twice and then stays: its window gets there by itself', async () => {
  const data = path.join(portal.state, 'casa/home/ana/.svc-apps/cai/data');
  await mkdir(data, { recursive: true });
  await writeFile(path.join(data, 'queda.json'), JSON.stringify({ aposMs: 0, quedas: 2 }));
  await openApp(page, 'Cai');
  await frameOf(page, 'Cai').locator('script[src*="_sdk/svc.js"]').waitFor({ state: 'attached', timeout: 60_000 });
  expect(await frameOf(page, 'Cai').locator('body').evaluate('document.title')).not.toContain('não conseguiu');
});
