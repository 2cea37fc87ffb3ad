/** The page of an app sets cookies of the portal's whole domain until requests are too large: the person gets out of it by doing nothing. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { closePages, openBrowser } from '../support/chromium.ts';
import { startPortal, until, type RunningPortal } from '../support/portal.ts';
import { newLink, newPage } from './support/browser.ts';

let portal: RunningPortal;
let browser: Browser;

beforeAll(async () => {
  [portal, browser] = await Promise.all([startPortal(), openBrowser()]);
});
afterAll(async () => {
  await closePages(browser);
  await portal?.stop();
});

test.for(['/', '/api', '/api/sessao', '/ws'])('cookies of the whole domain for %s', async (below) => {
  const { page } = await newPage(browser);
  const notas = page.getByRole('button', { name: /^Notas/ }).first();
  await page.goto(await newLink(portal));
  await notas.waitFor();
  const tab = await page.context().newPage();
  await tab.goto(`http://notas.svc.localhost:${portal.port}/`);
  await page.goto('about:blank');
  await tab.evaluate((folder) => {
    for (let n = 0; n < 15; n += 1) document.cookie = `grande${n}=${'x'.repeat(3_000)}; Path=${folder}; Domain=svc.localhost`;
  }, below);
  const large = async (): Promise<number> => (await page.context().cookies()).filter(({ name }) => name.startsWith('grande')).length;
  // A page only hands its cookies on: they are there some time after its script has ended.
  await expect.poll(large).toBe(15);
  await tab.close();
  await page.goto(`http://svc.localhost:${portal.port}/`);
  await notas.waitFor();
  await until('no large cookie is left', async () => (await large()) === 0);
  await page.getByText('Conectado ao portal').waitFor();
  await page.context().close();
});
