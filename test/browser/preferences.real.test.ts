/** What a person chose is there in another browser, and told to every open page. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startPortal, until, type RunningPortal } from '../support/portal.ts';
import { launchBrowser, newLink, newPage, openApp, windowOf } from './support/browser.ts';

let portal: RunningPortal;
let browser: Browser;
beforeAll(async () => {
  [portal, browser] = await Promise.all([startPortal(), launchBrowser()]);
});
afterAll(async () => {
  await browser?.close();
  await portal?.stop();
});

async function desktop(): Promise<{ readonly page: Page; readonly problems: readonly string[] }> {
  const made = await newPage(browser, { lastWindows: true });
  await made.page.goto(await newLink(portal));
  await made.page.getByRole('heading', { name: /Ana/ }).waitFor();
  return made;
}

async function choose(page: Page, words: RegExp): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill(words.source.replaceAll('\\', ''));
  await page.getByRole('option', { name: words }).first().click();
}

const themeOf = (page: Page): Promise<string | undefined> => page.evaluate(() => document.documentElement.dataset['theme']);
const kept = (page: Page): Promise<Record<string, unknown>> =>
  page.evaluate(async () => (await (await fetch('/api/preferencias')).json()) as Record<string, unknown>);

test('theme and language chosen in one browser are those of the other, at once and later', async () => {
  const [one, other] = [await desktop(), await desktop()];
  expect(await themeOf(other.page)).toBe('light');
  await choose(one.page, /Aparência: Escura/);
  await until('the other page to be dark', async () => (await themeOf(other.page)) === 'dark');
  await choose(one.page, /Idioma: English/);
  await until('the other page in English', async () => (await other.page.evaluate(() => document.documentElement.lang)) === 'en');
  const third = await desktop();
  await until('a new browser dark', async () => (await themeOf(third.page)) === 'dark');
  expect(await third.page.evaluate(() => document.documentElement.lang)).toBe('en');
  await choose(third.page, /Language: Português/);
  await choose(third.page, /Aparência: Clara/);
  await until('the portal to know', async () => JSON.stringify(await kept(one.page)).includes('"tema":"claro","idioma":"pt"'));
  for (const { page, problems } of [one, other, third]) {
    expect(problems).toEqual([]);
    await page.context().close();
  }
});

test('a new browser begins with the windows of the last one; a second page of the same browser does not', async () => {
  const first = await desktop();
  await openApp(first.page, 'Notas');
  await openApp(first.page, 'Relógio');
  await until('both windows to be kept', async () => {
    const { janelas } = (await kept(first.page)) as { readonly janelas?: readonly { readonly app: string }[] };
    return janelas?.map(({ app }) => app).join() === 'notas,relogio';
  });
  const besides = await first.page.context().newPage();
  await besides.goto(`http://svc.localhost:${portal.port}/`);
  await besides.getByRole('heading', { name: /Ana/ }).waitFor();
  await first.page.context().close();

  const next = await desktop();
  await windowOf(next.page, 'Relógio').locator('iframe').waitFor();
  await windowOf(next.page, 'Notas').locator('iframe').waitFor();
  expect(next.problems).toEqual([]);
});
