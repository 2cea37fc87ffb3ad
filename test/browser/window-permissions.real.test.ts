/** Permissions of the window of an app: nothing of what a browser asks about until the person allows it to this app, and all in a tab of its own. */
import type { Frame } from 'playwright-core';
import { expect, test } from 'vitest';
import { until } from '../support/portal.ts';
import { frameAt, frameOf, openApp, useDesk, windowOf } from './support/browser.ts';

let desk: Parameters<Parameters<typeof useDesk>[0]>[0];
useDesk((made) => (desk = made), ['notas', 'relogio']);

/** Features that the browser gives a page, of those that somebody could want. */
const allowedIn = (frame: Frame): Promise<readonly string[]> =>
  frame.evaluate(() => {
    const { featurePolicy } = document as unknown as { readonly featurePolicy: { allowedFeatures(): string[] } };
    const asked = ['clipboard-read', 'clipboard-write', 'fullscreen', 'camera', 'microphone', 'geolocation', 'display-capture'];
    return asked.filter((name) => featurePolicy.allowedFeatures().includes(name));
  });

test('a frame may write the clipboard; the rest is allowed app by app, remembered, and taken back', async () => {
  const { page } = desk;
  await openApp(page, 'Relógio');
  await openApp(page, 'Notas');
  const allowed = async (app: string): Promise<readonly string[]> => {
    const frame = await frameAt(page, app);
    await frame.waitForLoadState();
    // A page that is being loaded again has none yet.
    return await allowedIn(frame).catch(() => []);
  };
  await frameOf(page, 'Notas').getByRole('button', { name: 'Nova nota' }).waitFor();
  expect(await allowed('Notas')).toEqual(['clipboard-write']);
  const toPermissions = async (): Promise<void> => {
    await windowOf(page, 'Notas').getByRole('button', { name: 'Menu da janela Notas' }).press('Enter');
    await page.getByRole('menuitem', { name: 'Permissões…' }).press('Enter');
  };
  await toPermissions();
  const settings = windowOf(page, 'Configurações');
  const flip = async (name: string): Promise<void> => {
    const kept = page.waitForResponse(
      (response) => response.url().endsWith('/api/preferencias') && response.request().method() === 'PATCH',
    );
    await settings.getByRole('switch', { name }).press('Space');
    expect((await kept).status()).toBe(200);
  };
  for (const name of ['Usar a tela inteira', 'Usar o microfone', 'Ler a área de transferência']) await flip(name);
  await settings.getByRole('button', { name: 'Recarregar Notas' }).click();
  const all = ['clipboard-read', 'clipboard-write', 'fullscreen', 'microphone'];
  await until('Notas has them', async () => (await allowed('Notas')).join() === all.join());
  expect(await allowed('Relógio')).toEqual(['clipboard-write']);
  await page.reload();
  await until('Notas still has them', async () => (await allowed('Notas')).join() === all.join());
  await toPermissions();
  for (const name of ['Usar a tela inteira', 'Usar o microfone', 'Ler a área de transferência', 'Abrir outras janelas']) await flip(name);
  await settings.getByRole('button', { name: 'Recarregar Notas' }).click();
  await until('they are taken back', async () => (await allowed('Notas')).length === 1);
  expect(await (await frameAt(page, 'Notas')).evaluate(() => window.open('about:blank'))).toBe(null);
});

test('an app opens in a tab of its own, without a hold on the desktop, where it may ask for all', async () => {
  const { page } = desk;
  const context = page.context();
  await openApp(page, 'Notas');
  await windowOf(page, 'Notas').getByRole('button', { name: 'Menu da janela Notas' }).click();
  const [tab] = await Promise.all([context.waitForEvent('page'), page.getByRole('menuitem', { name: 'Abrir em uma aba' }).click()]);
  await tab.getByRole('button', { name: 'Nova nota' }).waitFor();
  expect(new URL(tab.url()).host).toBe(`notas.svc.localhost:${desk.portal.port}`);
  expect(await tab.evaluate(() => opener)).toBe(null);
  expect(await allowedIn(tab.mainFrame())).toContain('fullscreen');
});
