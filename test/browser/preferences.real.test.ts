/**
 * The desktop as a person makes it: windows that come back, pinned apps, the switcher, colours and a wallpaper. It is there in another browser,
 * and every open page is notified of it.
 */
import type { Browser, Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { until, type RunningPortal } from '../support/portal.ts';
import { everyNth, someWidths } from '../support/share.ts';
import { axeInBothThemes, boxOf, drag, frameOf, newLink, newPage, openApp, signedIn, useDesk, windowOf } from './support/browser.ts';
import { pictured } from './support/looks.ts';

let portal: RunningPortal;
let browser: Browser;
/** Signed in, without windows. */
let page: Page;
let problems: readonly string[];
useDesk((made) => ({ page, portal, browser, problems } = made), ['notas', 'relogio', 'assinador']);

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

const taskbar = (at: Page): Locator => at.getByRole('toolbar', { name: 'Barra de tarefas' });
const pins = (page: Page): Promise<readonly string[]> =>
  taskbar(page)
    .getByRole('group', { name: 'Fixados' })
    .getByRole('button')
    .evaluateAll((buttons) => buttons.map((button) => button.getAttribute('title') ?? ''));

test('apps are pinned by the keyboard and by menus, in every page, and stay in another browser', async () => {
  const [one, other] = [{ page, problems }, await desktop(false)];
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
  for (const width of someWidths([1280, 320])) {
    await third.page.setViewportSize({ width, height: 720 });
    expect(await axeInBothThemes(third.page)).toEqual([]);
  }
  for (const each of [one, other, third]) expect(each.problems).toEqual([]);
});

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
  const pinned = taskbar(page).getByRole('group', { name: 'Fixados' });
  await pinned.getByRole('button', { name: 'Relógio' }).waitFor();
  expect(
    await taskbar(page)
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
  await taskbar(page).getByRole('button', { name: 'Notas' }).click();
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
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('Configurações');
  await page.getByRole('option', { name: 'Configurações' }).first().click();
  const settings = windowOf(page, 'Configurações');
  const looks = [
    ['Verde', 'Horizonte'],
    ['Laranja', 'Faixas'],
    ['Grafite', 'Liso'],
  ] as const;
  // The colours by themselves are computed in shell/preferences/look.test.ts.
  const seenByAxe = new Set<string>(everyNth(looks.length, looks).map(([accent]) => accent));
  for (const [accent, wall] of looks) {
    await settings.getByRole('radio', { name: accent }).check();
    await settings.getByRole('radio', { name: wall }).check();
    if (!seenByAxe.has(accent)) continue;
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
  expect(problems).toEqual([]);
});
