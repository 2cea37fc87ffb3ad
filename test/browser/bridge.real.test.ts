/** The bridge between the desktop and the page of an app, with the real SDK in a real page; and windows that get there by themselves. */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { FrameLocator, Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { until, type RunningPortal } from '../support/portal.ts';
import { boxOf, drag, frameOf, openApp, useDesk, windowOf } from './support/browser.ts';

let portal: RunningPortal;
let page: Page;
let notas: FrameLocator;

useDesk(
  (made) => {
    ({ portal, page } = made);
    notas = frameOf(page, 'Notas');
  },
  ['notas', 'relogio', 'cai'],
);

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
    await expect.poll(() => boxOf(windowOf(page, 'Notas')), { timeout: 30_000 }).toEqual(area);
    await inNotas('await svc.window.alternarMaximizado()');
    await expect.poll(() => boxOf(windowOf(page, 'Notas')), { timeout: 30_000 }).toEqual(born);
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

  test.for([
    ['more than the portal reads', 60],
    ['more than a backend gets', 6],
  ] as const)('may set cookies for the whole domain, %s: they are removed and everything goes on', async ([, count]) => {
    const length = await inNotas<number>(`
      for (let n = 0; n < ${count}; n++) document.cookie = 'b' + n + '=' + 'x'.repeat(3000) + '; Path=/; Domain=svc.localhost';
      return document.cookie.length;`);
    expect(length).toBeGreaterThan(count * 3_000);
    await page.reload();
    await notas.getByRole('button', { name: 'Nova nota' }).waitFor();
    const left = await page.context().cookies();
    expect(left.filter(({ domain }) => domain.startsWith('.'))).toEqual([]);
    expect(left.map(({ name }) => name)).toContain('__Host-svc');
  });

  test('that says hello without end gets few ports', async () => {
    const ports = await inNotas<number>(`
      let ports = 0;
      addEventListener('message', ({ data }) => data?.svc === 'porta' && ports++);
      for (let n = 0; n < 20000; n++) parent.postMessage({ svc: 'ola', v: 1 }, '*');
      const host = async () => (await svc.app.capacidades().catch(() => ({}))).host;
      while ((await host()) !== 'svc');
      return ports;`);
    expect(ports).toBeLessThan(200);
  });

  test('that asks without end is refused most of it, and then heard again', async () => {
    // On a machine that does much else the page gives up before it receives the refusal.
    const [refused, done] = await inNotas<readonly [number, number]>(`
      const asked = await Promise.allSettled(Array.from({ length: 20000 }, () => svc.window.maximize()));
      const isRefusal = ({ reason }) => ['pedidos-demais', 'sem-resposta'].includes(reason?.code);
      return [asked.filter(isRefusal).length, asked.filter(({ status }) => status === 'fulfilled').length];`);
    expect(refused).toBeGreaterThan(10_000);
    expect(done).toBeLessThan(10_000);
    await until('an answer later on', async () => await inNotas('return await svc.app.capacidades()').catch(() => null));
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
