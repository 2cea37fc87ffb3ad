/** The folder of the desktop on the desktop: what is in it is seen, opened, named, moved and dropped there, by mouse and keyboard, at three widths. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { until } from '../support/portal.ts';
import { boxOf, useDesk, windowOf } from './support/browser.ts';
import { draggedInto } from './support/drag.ts';
import { expectLooks, pictured } from './support/looks.ts';
import { openFileOn } from './support/open-file.ts';
import { middleOf, touchScreen, type Point } from './support/touch.ts';

let page: Page;
let problems: readonly string[];
let folder: string;
useDesk((made) => ({ page, problems } = made), ['notas']);

beforeEach(async () => {
  const { casa } = await page.evaluate(async () => (await (await fetch('/api/arquivos')).json()) as { casa: string });
  await page.setViewportSize({ width: 1_280, height: 800 });
  if (!existsSync(path.join(casa, '.config/user-dirs.dirs'))) {
    folder = path.join(casa, 'Área de trabalho');
    mkdirSync(folder);
    mkdirSync(path.join(casa, '.config'), { recursive: true });
    writeFileSync(path.join(casa, '.config/user-dirs.dirs'), 'XDG_DESKTOP_DIR="$HOME/Área de trabalho"\n');
    await page.reload();
  }
  await page.locator('svc-home .tile').first().waitFor();
  await page.locator('svc-desk-files[there]').waitFor({ state: 'attached' });
});
// The desktop of the next test is read once the folder is empty.
afterEach(() => {
  for (const name of readdirSync(folder)) rmSync(at(name), { recursive: true });
});

const at = (...names: string[]): string => path.join(folder, ...names);
const icon = (name: string): Locator => page.locator(`svc-home svc-file-view [data-name="${name}"]`);
const menuItem = (name: string | RegExp): Locator => page.getByRole('menuitem', { name });
/** The background, where nothing is on it. */
const ground = { button: 'right', position: { x: 1_200, y: 40 } } as const;

test('what is put there by somebody else is seen; a file is opened by its type, a folder as a window of files, where a rectangle chooses what it touches', async () => {
  writeFileSync(at('recado.txt'), 'leve o guarda-chuva');
  mkdirSync(at('Projetos'));
  for (const name of ['a.txt', 'b.txt']) writeFileSync(at('Projetos', name), '');
  await icon('recado.txt').dblclick();
  await page.getByText('leve o guarda-chuva').waitFor();
  await windowOf(page, 'recado.txt').getByRole('button', { name: 'Fechar' }).click();
  await icon('Projetos').dblclick();
  await windowOf(page, 'Projetos').waitFor();
  const view = page.locator('svc-window[top] svc-file-view');
  await view.locator('[data-name="b.txt"]').waitFor();
  const list = view.getByRole('listbox');
  const box = await boxOf(list);
  const [right, bottom] = [box.x + box.width - 30, box.y + box.height - 10];
  await page.mouse.move(right, bottom);
  await page.mouse.down();
  await page.mouse.move(box.x + 5, box.y + 5, { steps: 4 });
  // It ends where the pointer is up, whoever was told of it.
  await expect.poll(async () => await view.locator('[aria-selected="true"]').count()).toBe(2);
  expect(await view.locator('.band').isVisible()).toBe(true);
  const letGo = { bubbles: true, composed: true, buttons: 0, clientX: right, clientY: bottom };
  await list.evaluate((element, init) => element.dispatchEvent(new PointerEvent('pointermove', init)), letGo);
  expect([await view.locator('.band').isVisible(), await view.locator('[aria-selected="true"]').count()]).toEqual([false, 2]);
  await page.mouse.up();
  expect(problems).toEqual([]);
});

test('by the menu of the background a folder is made and named; by keyboard it is named anew, trashed, and that is undone; a dropped file of the computer is uploaded, and dragged into it', async () => {
  await page.locator('svc-home').click(ground);
  await menuItem('Nova pasta').click();
  await page.getByRole('textbox', { name: 'Novo nome de Nova pasta' }).fill('caixa');
  await page.keyboard.press('Enter');
  await icon('caixa').click();
  await page.keyboard.press('F2');
  await page.keyboard.press('Control+a');
  await page.keyboard.type('cofre');
  await page.keyboard.press('Enter');
  await icon('cofre').waitFor();
  await icon('cofre').click();
  await page.keyboard.press('Delete');
  await until('it is in the trash', () => !existsSync(at('cofre')));
  // The entries are gone from the desktop with the last of them, and the background still knows the act.
  await icon('cofre').waitFor({ state: 'detached' });
  await page.locator('svc-home').click(ground);
  await menuItem(/^Desfazer/).click();
  await icon('cofre').waitFor();
  expect(existsSync(at('cofre'))).toBe(true);

  const carried = await page.evaluateHandle(() => {
    const data = new DataTransfer();
    data.items.add(new File(['do computador'], 'vindo.txt'));
    return data;
  });
  await page.locator('svc-home').dispatchEvent('drop', { dataTransfer: carried });
  await icon('vindo.txt').waitFor();
  expect(readFileSync(at('vindo.txt'), 'utf8')).toBe('do computador');
  await draggedInto(icon('vindo.txt'), icon('cofre'), () => existsSync(at('cofre', 'vindo.txt')) && !existsSync(at('vindo.txt')));
  expect(readdirSync(folder)).toEqual(['cofre']);
  expect(problems).toEqual([]);
});

test('by finger: at rest the menu opens, moved on a file is dragged into a folder and to the trash; moved at once the folder scrolls', async () => {
  mkdirSync(at('destino'));
  for (let n = 10; n < 60; n += 1) writeFileSync(at(`nota ${n}.txt`), 'x');
  await page.setViewportSize({ width: 320, height: 568 });
  await icon('nota 12.txt').waitFor();
  const finger = await touchScreen(page);
  const menu = page.getByRole('menu', { name: 'Menu de nota 10.txt' });
  const dragged = page.locator('svc-touch-drag');
  const hold = async (name: string): Promise<Point> => {
    await icon(name).scrollIntoViewIfNeeded();
    const from = await middleOf(icon(name));
    await finger.down(from);
    return from;
  };
  // At rest: the menu, which stays when the finger goes.
  await hold('nota 10.txt');
  await menu.waitFor();
  await finger.up();
  await page.getByRole('menuitem', { name: 'Renomear' }).waitFor();
  expect(await dragged.count()).toBe(0);
  await page.keyboard.press('Escape');
  // At rest and on: it is dragged.
  await hold('nota 10.txt');
  await menu.waitFor();
  await finger.move(await middleOf(icon('destino')));
  await dragged.getByText('nota 10.txt').waitFor();
  await menu.waitFor({ state: 'detached' });
  await page.locator('svc-home svc-file-view .entry.target[data-name="destino"]').waitFor();
  await pictured(page, 'touch-drag')('');
  await finger.up();
  await until('it was moved', () => existsSync(at('destino', 'nota 10.txt')));
  await dragged.waitFor({ state: 'detached' });
  // The system takes the finger away: nothing is moved.
  await hold('nota 11.txt');
  await page.getByRole('menu').waitFor();
  await finger.move(await middleOf(icon('destino')));
  await dragged.waitFor();
  await finger.cancel();
  await dragged.waitFor({ state: 'detached' });
  // To the trash.
  await hold('nota 11.txt');
  await page.getByRole('menu').waitFor();
  await finger.move({ x: 160, y: 300 });
  await dragged.waitFor();
  await finger.move(await middleOf(dragged.locator('.trash')));
  await pictured(page, 'touch-trash')('');
  await finger.up();
  await until('it is in the trash', () => !existsSync(at('nota 11.txt')));
  expect(existsSync(at('destino', 'nota 11.txt'))).toBe(false);
  // Without a rest it scrolls, and nothing is dragged.
  // The desktop is scrolled, or the folder on it.
  const scrolled = async (): Promise<number> => {
    const tops = [page.locator('svc-home'), page.locator('svc-home svc-file-view .scroll')].map(
      async (each) => await each.evaluate((element) => element.scrollTop),
    );
    return (await Promise.all(tops)).reduce((sum, top) => sum + top, 0);
  };
  await icon('nota 30.txt').scrollIntoViewIfNeeded();
  const before = await scrolled();
  const from = await hold('nota 30.txt');
  await finger.move({ x: from.x, y: from.y - 150 });
  await expect.poll(scrolled).toBeGreaterThan(before + 50);
  expect(await dragged.count()).toBe(0);
  await finger.up();
  await finger.end();
  await page.setViewportSize({ width: 1_280, height: 800 });
  expect(problems).toEqual([]);
});

test('looks at three widths, both themes: icons cover no app, nothing is wider than the screen', async () => {
  mkdirSync(at('Projetos'));
  for (const name of [
    'foto.jpg',
    'contrato.pdf',
    'notas.md',
    'planilha.ods',
    'pacote.tar.gz',
    'um nome muito longo que não cabe em linha nenhuma.txt',
  ])
    writeFileSync(at(name), 'x');
  await icon('planilha.ods').waitFor();
  const widths = [1_280, 768, 320];
  await expectLooks(page, 'desk', ...widths);
  for (const width of widths) {
    await page.setViewportSize({ width, height: 700 });
    const areApart = async (): Promise<boolean> => {
      const files = await boxOf(page.locator('svc-home svc-desk-files'));
      const tiles = await boxOf(page.locator('svc-home .tiles'));
      return files.x + files.width <= tiles.x || files.y >= tiles.y + tiles.height;
    };
    await expect.poll(areApart, { message: `${width} px` }).toBe(true);
  }
  // By keyboard from the apps on.
  await page.locator('svc-home .tile').first().focus();
  await page.keyboard.press('Tab');
  await page.keyboard.press('End');
  await page.keyboard.press('F2');
  await page.getByRole('textbox', { name: /^Novo nome de um nome/ }).waitFor();
  await page.keyboard.press('Escape');
  expect(problems).toEqual([]);
});

test('in a folder that is not read in full, what is trashed or renamed is chosen no more', async () => {
  mkdirSync(at('muitos'));
  for (let n = 0; n < 300; n += 1) writeFileSync(at('muitos', `n${String(n).padStart(3, '0')}`), '');
  await openFileOn(page, { caminho: at('muitos'), nome: 'muitos', isFolder: true });
  const entry = (name: string): Locator => page.locator(`svc-window[top] svc-file-view [data-name="${name}"]`);
  const chosen = page.locator('svc-window[top]').getByText(/ · \d+ selecionados?$/);
  await entry('n000').click();
  await chosen.waitFor();
  await page.keyboard.press('Delete');
  await entry('n000').waitFor({ state: 'detached' });
  await chosen.waitFor({ state: 'detached' });
  await entry('n001').click({ modifiers: ['Control'] });
  await page.keyboard.press('F2');
  await page.keyboard.type('m001');
  await page.keyboard.press('Enter');
  await entry('m001').waitFor();
  expect(readdirSync(at('muitos'))).toHaveLength(299);
  await entry('n002').click({ modifiers: ['Control'] });
  await page
    .locator('svc-window[top]')
    .getByText(/ · 2 selecionados$/)
    .waitFor();
  await page.keyboard.press('Delete');
  await until('both are gone', () => !existsSync(at('muitos', 'm001')) && !existsSync(at('muitos', 'n002')));
  await chosen.waitFor({ state: 'detached' });
  expect(problems).toEqual([]);
});

// The last: what the browser says of its 404 may come late.
test('the folder is deleted under the desktop that shows it: nothing of it is shown; made again, it is there', async () => {
  writeFileSync(at('antes.txt'), 'a');
  await icon('antes.txt').waitFor();
  rmSync(folder, { recursive: true });
  await icon('antes.txt').waitFor({ state: 'detached' });
  // The background still answers: what is made there fails and says why.
  await page.locator('svc-home').click(ground);
  await menuItem('Nova pasta').click();
  await page
    .getByText(/não existe|não há|não foi encontrad/i)
    .first()
    .waitFor();
  mkdirSync(folder);
  writeFileSync(at('depois.txt'), 'd');
  await icon('depois.txt').waitFor();
  expect(problems.filter((line) => !line.includes('404'))).toEqual([]);
});
