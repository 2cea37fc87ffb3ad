/** Preferences of a person are there in another browser, and every open page is notified of them. */
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startPortal, until, type RunningPortal } from '../support/portal.ts';
import { axeInBothThemes, newLink, newPage, openApp, windowOf } from './support/browser.ts';
import { closePages, openBrowser } from '../support/chromium.ts';

let portal: RunningPortal;
let browser: Browser;
beforeAll(async () => {
  [portal, browser] = await Promise.all([startPortal({ apps: ['notas', 'relogio', 'assinador'] }), openBrowser()]);
});
afterAll(async () => {
  await closePages(browser);
  await portal?.stop();
});

async function desktop(lastWindows = true): Promise<{ readonly page: Page; readonly problems: readonly string[] }> {
  const made = await newPage(browser, { lastWindows });
  await made.page.goto(await newLink(portal));
  await made.page.getByRole('heading', { name: /Ana/ }).waitFor();
  return made;
}

async function choose(page: Page, words: RegExp): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill(words.source.replaceAll('\\', ''));
  await page.getByRole('option', { name: words }).first().click();
}

const kept = (page: Page): Promise<Record<string, unknown>> =>
  page.evaluate(async () => (await (await fetch('/api/preferencias')).json()) as Record<string, unknown>);

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
  expect(await besides.getByRole('dialog').count()).toBe(0);
  // Windows that were open in either page are there after both were closed.
  await openApp(besides, 'Gerenciador de tarefas');
  await openApp(besides, 'Assinador');
  await until('the windows of both pages to be kept', async () => {
    const { janelas } = (await kept(besides)) as { readonly janelas?: readonly { readonly app: string }[] };
    return janelas?.map(({ app }) => app).join() === 'notas,relogio,assinador';
  });
  await first.page.close();
  await first.page.context().close();

  const next = await desktop();
  await windowOf(next.page, 'Assinador').locator('iframe').waitFor();
  await windowOf(next.page, 'Relógio').locator('iframe').waitFor();
  await windowOf(next.page, 'Notas').locator('iframe').waitFor();
  expect(await next.page.getByRole('dialog').count()).toBe(3);
  expect(next.problems).toEqual([]);
});

const taskbar = (page: Page) => page.getByRole('toolbar');
const pins = (page: Page): Promise<readonly string[]> =>
  taskbar(page)
    .getByRole('group', { name: 'Fixados' })
    .getByRole('button')
    .evaluateAll((buttons) => buttons.map((button) => button.getAttribute('title') ?? ''));

test('apps are pinned by the keyboard and by menus, in every page, and stay in another browser', async () => {
  const [one, other] = [await desktop(false), await desktop(false)];
  // By the keyboard alone: the launcher, its menu, "pin".
  await one.page.keyboard.press('Control+k');
  await one.page.getByRole('combobox').fill('Notas');
  await one.page.getByRole('option', { name: 'Notas' }).first().waitFor();
  await one.page.keyboard.press('Shift+F10');
  await one.page.getByRole('menu', { name: 'Notas' }).waitFor();
  await one.page.keyboard.press('F');
  await one.page.keyboard.press('Enter');
  await until('the other page', async () => (await pins(other.page)).join() === 'Notas');
  // Two pages at the same moment: both stay.
  const pinBy = async (page: Page, name: string): Promise<void> => {
    await page.getByRole('button', { name }).first().click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Fixar na barra' }).click();
  };
  await Promise.all([pinBy(one.page, 'Relógio'), pinBy(other.page, 'Assinador')]);
  await until('all three', async () => (await pins(one.page)).length === 3 && (await pins(other.page)).length === 3);
  expect((await pins(one.page)).toSorted()).toEqual(['Assinador', 'Notas', 'Relógio']);

  const third = await desktop(false);
  const order = (await pins(one.page)).join();
  await until('a new browser', async () => (await pins(third.page)).join() === order);
  // Their order: by the menu, and by dragging.
  const [first = '', second = '', last = ''] = await pins(one.page);
  const pinned = (page: Page, name: string): Locator => taskbar(page).getByRole('button', { name: `Abrir ${name}` });
  const isOrder = async (...names: readonly string[]): Promise<unknown> =>
    await until(names.join(), async () => (await pins(other.page)).join() === names.join());
  await pinned(one.page, first).focus();
  await one.page.keyboard.press('Shift+F10');
  expect(await one.page.getByRole('menuitem', { name: 'Mover para a esquerda' }).count()).toBe(0);
  await one.page.getByRole('menuitem', { name: 'Mover para a direita' }).click();
  await isOrder(second, first, last);
  await pinned(one.page, last).dragTo(pinned(one.page, second), { targetPosition: { x: 6, y: 20 } });
  await isOrder(last, second, first);
  await pinned(one.page, last).dragTo(pinned(one.page, first), { targetPosition: { x: 40, y: 20 } });
  await isOrder(second, first, last);
  await taskbar(third.page).getByRole('button', { name: 'Abrir Notas' }).click();
  await windowOf(third.page, 'Notas').waitFor();
  // In the launcher they come first.
  await third.page.keyboard.press('Control+k');
  expect(await third.page.getByRole('listbox').getByRole('group').first().getAttribute('aria-label')).toBe('Fixados');
  await third.page.keyboard.press('Escape');
  await taskbar(third.page).getByRole('button', { name: 'Abrir Relógio' }).focus();
  await third.page.keyboard.press('Shift+F10');
  await third.page.getByRole('menuitem', { name: 'Desafixar da barra' }).click();
  await until('unpinned', async () => !(await pins(one.page)).includes('Relógio'));
  await choose(third.page, /Aparência: Como no sistema/);
  for (const width of [1280, 320]) {
    await third.page.setViewportSize({ width, height: 720 });
    expect(await axeInBothThemes(third.page)).toEqual([]);
  }
  for (const { page, problems } of [one, other, third]) {
    expect(problems).toEqual([]);
    await page.context().close();
  }
});
