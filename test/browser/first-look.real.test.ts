/**
 * A newcomer's first desktop: windows that stay in sight in a narrower browser, one place for a pinned app, the switcher, colours and
 * wallpapers of one's own.
 */
import type { Browser, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { until, type RunningPortal } from '../support/portal.ts';
import { axeInBothThemes, boxOf, drag, frameOf, openApp, signedIn, useDesk, windowOf } from './support/browser.ts';
import { pictured } from './support/looks.ts';

let page: Page;
let portal: RunningPortal;
let browser: Browser;
let problems: readonly string[];
useDesk((made) => ({ page, portal, browser, problems } = made), ['notas', 'relogio']);

const taskbar = (): ReturnType<Page['getByRole']> => page.getByRole('toolbar', { name: 'Barra de tarefas' });
const onTop = (): Promise<string> => page.locator('svc-window[top]').getByRole('heading', { level: 2 }).first().innerText();

test('windows that were whole in sight are so in a narrower and lower browser', async () => {
  await page.setViewportSize({ width: 1_280, height: 800 });
  await openApp(page, 'Relógio');
  const box = await boxOf(windowOf(page, 'Relógio'));
  await drag(page, { x: box.x + 150, y: box.y + 20 }, 1_270 - box.x - box.width, 0);
  const before = await boxOf(windowOf(page, 'Relógio'));
  expect(before.x + before.width).toBeGreaterThan(1_200);
  await page.setViewportSize({ width: 700, height: 500 });
  await until('it to be in sight', async () => {
    const { x, y, width, height } = await boxOf(windowOf(page, 'Relógio'));
    return x >= 0 && y >= 0 && x + width <= 700 && y + height <= 500;
  });
  await page.setViewportSize({ width: 1_280, height: 800 });
  expect(problems).toEqual([]);
});

test('a pinned app is once in the taskbar: its windows are in its place, and it is there without one', async () => {
  await openApp(page, 'Notas');
  await openApp(page, 'Relógio');
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('Relógio');
  await page.getByRole('option', { name: 'Relógio' }).first().click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Fixar na barra' }).click();
  await page.keyboard.press('Escape');
  const pinned = taskbar().getByRole('group', { name: 'Fixados' });
  await pinned.getByRole('button', { name: 'Relógio' }).waitFor();
  expect(
    await taskbar()
      .getByRole('button', { name: /Relógio/ })
      .count(),
  ).toBe(1);
  await windowOf(page, 'Relógio').getByRole('button', { name: 'Fechar' }).click();
  await pinned.getByRole('button', { name: 'Abrir Relógio' }).click();
  await windowOf(page, 'Relógio').waitFor();
  await pinned.getByRole('button', { name: 'Abrir Relógio' }).waitFor({ state: 'detached' });
  expect(problems).toEqual([]);
});

test('Alt+Q, held, goes through the windows by when they were used; from the page of an app too', async () => {
  for (const name of ['Notas', 'Relógio', 'Fila']) await openApp(page, name);
  await page.locator('svc-window[top]').getByRole('heading', { name: 'Fila', level: 2 }).click();
  await page.keyboard.down('Alt');
  await page.keyboard.press('q');
  const list = page.getByRole('listbox', { name: 'Trocar de janela' });
  await list.waitFor();
  expect(await list.getByRole('option').allInnerTexts()).toEqual(['Fila', 'Relógio', 'Notas']);
  await page.keyboard.press('q');
  await page.keyboard.up('Alt');
  await until('Notas in front', async () => (await onTop()) === 'Notas');
  await page.keyboard.press('Alt+q');
  await until('Fila in front', async () => (await onTop()) === 'Fila');
  // With Shift from the other end, at once: the list is Fila, Notas, Relógio.
  await page.keyboard.down('Alt');
  await page.keyboard.press('Shift+Q');
  await list.waitFor();
  expect(await list.getByRole('option', { selected: true }).innerText()).toBe('Relógio');
  await page.keyboard.press('Shift+Q');
  expect(await list.getByRole('option', { selected: true }).innerText()).toBe('Notas');
  await page.keyboard.press('Escape');
  await page.keyboard.up('Alt');
  await list.waitFor({ state: 'detached' });
  // Given up.
  await page.keyboard.down('Alt');
  await page.keyboard.press('q');
  await list.waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.up('Alt');
  await list.waitFor({ state: 'detached' });
  expect(await onTop()).toBe('Fila');
  // The page of an app has the keyboard.
  await taskbar().getByRole('button', { name: 'Notas' }).click();
  await frameOf(page, 'Notas').getByRole('button', { name: 'Nova nota' }).focus();
  await page.keyboard.down('Alt');
  await page.keyboard.press('q');
  await list.waitFor();
  await page.keyboard.up('Alt');
  await until('Fila in front again', async () => (await onTop()) === 'Fila');
  expect(problems).toEqual([]);
});

test('a colour and a wallpaper are in every page at once, are read in both themes, and are there at the first paint', async () => {
  const other = await signedIn(browser, portal);
  await page.locator('svc-home .tile').first().waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('Configurações');
  await page.getByRole('option', { name: 'Configurações' }).first().click();
  const settings = windowOf(page, 'Configurações');
  const looks = [
    ['Verde', 'Horizonte'],
    ['Laranja', 'Faixas'],
    ['Grafite', 'Liso'],
  ] as const;
  for (const [accent, wall] of looks) {
    await settings.getByRole('radio', { name: accent }).check();
    await settings.getByRole('radio', { name: wall }).check();
    // The colours by themselves are computed in shell/preferences/look.test.ts.
    expect(await axeInBothThemes(page, { seen: pictured(page, `look-${accent}`) })).toEqual([]);
  }
  await settings.getByRole('radio', { name: 'Pontos' }).check();
  const chosen = (at: Page): Promise<string> =>
    at.evaluate(() => JSON.stringify(Object.fromEntries(Object.entries(document.documentElement.dataset))));
  await until('the other page', async () =>
    /"accent":"grafite".*"wall":"pontos"|"wall":"pontos".*"accent":"grafite"/.test(await chosen(other.page)),
  );
  await page.reload({ waitUntil: 'domcontentloaded' });
  await page.locator('svc-home').waitFor();
  expect(await chosen(page)).toContain('"accent":"grafite"');
  await other.page.context().close();
  expect(problems).toEqual([]);
});
