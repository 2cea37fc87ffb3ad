/** The help: from the desktop by the keyboard, its search, and how its pages look in two widths and both themes. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { closePages, openBrowser } from '../support/chromium.ts';
import { startPortal, type RunningPortal } from '../support/portal.ts';
import { someWidths } from '../support/share.ts';
import { axeInBothThemes, frameOf, newPage, openApp, signedIn } from './support/browser.ts';

let portal: RunningPortal;
let browser: Browser;
beforeAll(async () => {
  [portal, browser] = await Promise.all([startPortal({ apps: ['notas'] }), openBrowser()]);
});
afterAll(async () => {
  await closePages(browser);
  await portal?.stop();
});

const isWider = (page: Page): Promise<boolean> =>
  page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);

test('F1 opens the page about the window in front; its search finds, by the keyboard alone', async () => {
  const { page } = await signedIn(browser, portal);
  await openApp(page, 'Gerenciador de tarefas');
  const opened = page.context().waitForEvent('page');
  await page.keyboard.press('F1');
  const help = await opened;
  await help.getByRole('heading', { level: 1, name: 'Configurações' }).waitFor();
  const problems: string[] = [];
  help.on('console', (message) => message.type() === 'error' && problems.push(message.text()));

  await help.waitForLoadState();
  await help.keyboard.press('/');
  await help.keyboard.type('lixiera restaurar');
  await help.getByRole('link', { name: /Arquivos › Lixeira/ }).waitFor();
  await expect.poll(() => help.locator('#results').getByRole('status').innerText()).toContain('“lixeira restaurar”');
  await help.keyboard.press('ArrowDown');
  await help.keyboard.press('Enter');
  await help.waitForURL(/\/ajuda\/pt\/files\.html#lixeira$/);
  await help.getByRole('heading', { level: 2, name: 'Lixeira' }).waitFor();
  expect(await help.evaluate(() => [...document.scripts].map(({ src }) => new URL(src).origin === location.origin))).toEqual([true, true]);
  expect(problems).toEqual([]);
});

test('in the page of an app F1 is the app’s; there the list of commands leads to the help', async () => {
  const { page } = await signedIn(browser, portal);
  await openApp(page, 'Notas');
  await frameOf(page, 'Notas').getByRole('button', { name: 'Nova nota' }).focus();
  await page.keyboard.press('F1');
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('ajuda');
  const opened = page.context().waitForEvent('page');
  await page.getByRole('option', { name: 'Ajuda' }).first().waitFor();
  await page.keyboard.press('Enter');
  await (await opened).getByRole('heading', { level: 1, name: 'Ajuda' }).waitFor();
  expect(page.context().pages()).toHaveLength(2);
});

test('it is read without a session, from the page where one signs in', async () => {
  const { page, problems } = await newPage(browser);
  await page.goto(`http://svc.localhost:${portal.port}/`);
  await page.getByRole('link', { name: 'Ajuda' }).click();
  await page.getByRole('heading', { level: 1, name: 'Entrar e sair' }).waitFor();
  await page.getByRole('link', { name: 'English' }).click();
  await page.getByRole('heading', { level: 1, name: 'Sign in and sign out' }).waitFor();
  // The session is asked for at the desktop.
  expect(problems.filter((problem) => !problem.includes('401'))).toEqual([]);
});

test('an address without a language leads to one; pages are sent as the files of the desktop are', async () => {
  const { page } = await newPage(browser, { locale: 'en-GB' });
  const origin = `http://svc.localhost:${portal.port}`;
  const answer = await page.goto(`${origin}/ajuda/failures.html#not-found`);
  expect(page.url()).toBe(`${origin}/ajuda/en/failures.html#not-found`);
  const headers = (await answer?.allHeaders()) ?? {};
  expect(headers).toMatchObject({ 'cache-control': 'no-cache', 'content-encoding': 'br', etag: expect.stringContaining('br') });
  expect(headers['content-security-policy']).toContain("script-src 'self'; style-src 'self'");
});

test.for(someWidths([1280, 320]))('axe finds nothing at %i px in either theme, and nothing is wider than the page', async (width) => {
  const { page, problems } = await newPage(browser, { viewport: { width, height: 800 } });
  for (const address of ['pt/', 'en/keyboard.html', 'docs/', 'docs/errors.html']) {
    await page.goto(`http://svc.localhost:${portal.port}/ajuda/${address}`);
    expect([address, await axeInBothThemes(page), await isWider(page)]).toEqual([address, [], false]);
  }
  await page.getByRole('searchbox').fill('servidor');
  await page.getByRole('status').waitFor();
  expect([await axeInBothThemes(page), await isWider(page)]).toEqual([[], false]);
  expect(problems).toEqual([]);
});
