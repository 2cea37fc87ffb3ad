/**
 * A window whose app draws the title bar (`cabecalho: app`): while the app is not in it, the desktop draws one, with a way out by keyboard;
 * and the requests of such a page by the bridge. Source: rules 2.1 `cabecalho`. Decision: docs/decisions/0046-window-recovery.md
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { order, whenState, writeDesired } from '../integration/world.ts';
import { type RunningPortal } from '../support/portal.ts';
import { axeInBothThemes, frameOf, openApp, useDesk, windowOf } from './support/browser.ts';
import { copyExamples } from '../support/example-desired.ts';

const folder = await mkdtemp(join(tmpdir(), 'svcc-'));
/** While they are there: Notas takes long to start; it ends at once. */
const slowly = join(folder, 'devagar');
const badly = join(folder, 'mal');
let portal: RunningPortal;
let page: Page;

async function packages(): Promise<string> {
  const own = join(folder, 'packages');
  await copyExamples(['notas'], own);
  const manifest = JSON.parse(await readFile(join(own, 'notas/svc-app.json'), 'utf8')) as { window: object };
  const window = { ...manifest.window, cabecalho: 'app', multiplasJanelas: true };
  await writeFile(join(own, 'notas/svc-app.json'), JSON.stringify({ ...manifest, window }));
  const main = join(own, 'notas/backend/main.py');
  const begins = `import os, sys, time\nif os.path.exists(${JSON.stringify(badly)}): sys.exit(3)\nwhile os.path.exists(${JSON.stringify(slowly)}): time.sleep(0.1)\n`;
  await writeFile(main, begins + (await readFile(main, 'utf8')));
  return own;
}

useDesk(
  (made) => ({ portal, page } = made),
  async () => ({ desired: await writeDesired(join(folder, 'd'), { apps: ['notas'], packages: await packages() }) }),
);
afterAll(async () => await rm(folder, { recursive: true, force: true }));

const notas = (): Locator => windowOf(page, 'Notas');
const titleBar = (): Locator => notas().getByRole('heading', { name: 'Notas', level: 2 });
const newNote = (): Locator => frameOf(page, 'Notas').getByRole('button', { name: 'Nova nota' });
const picture = async (name: string): Promise<void> => {
  const pictures = process.env['SVC_PICTURES'];
  if (pictures !== undefined) await page.screenshot({ path: join(pictures, `${name}.png`) });
};

beforeEach(async () => {
  await Promise.all([slowly, badly].map((file) => rm(file, { force: true })));
  await order(portal, 'stop', 'notas');
  await whenState(portal, 'notas', 'stopped');
});

test('while it starts there is a title bar, its menu and its controls, by keyboard too; with the page it is gone', async () => {
  await writeFile(slowly, '');
  await openApp(page, 'Notas');
  await notas().getByText('Iniciando Notas', { exact: true }).waitFor();
  await titleBar().waitFor();
  expect(await axeInBothThemes(page)).toEqual([]);
  await picture('own-header-starting');
  // The focus is on the window: Tab leads to the menu and the controls of the title bar.
  await page.keyboard.press('Tab');
  await expect
    .poll(
      async () =>
        await notas()
          .getByRole('button', { name: 'Menu da janela Notas' })
          .evaluate((one) => one.matches(':focus')),
    )
    .toBe(true);
  await page.keyboard.press('Enter');
  await page.getByRole('menuitem', { name: 'Minimizar' }).waitFor();
  await page.keyboard.press('Escape');
  await rm(slowly);
  await newNote().waitFor();
  await titleBar().waitFor({ state: 'detached' });
  expect(await notas().getByRole('button', { name: 'Fechar', exact: true }).count()).toBe(0);
});

test('one that starts and never comes says that it takes long, and is closed by keyboard', async () => {
  await writeFile(slowly, '');
  await openApp(page, 'Notas');
  // Source: rules 3.2.
  await notas().getByText('Está demorando mais que o normal.').waitFor();
  const close = notas().getByRole('button', { name: 'Fechar', exact: true });
  await close.waitFor();
  for (let stops = 0; stops < 6 && !(await close.evaluate((one) => one.matches(':focus'))); stops += 1) await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await notas().waitFor({ state: 'detached' });
  expect(await page.getByRole('toolbar').getByRole('button', { name: 'Notas' }).count()).toBe(0);
});

test('one that failed has a title bar, and is moved and closed by its menu', async () => {
  await writeFile(badly, '');
  await openApp(page, 'Notas');
  // The panel of the portal is in it, which is no page of the app.
  await frameOf(page, 'Notas').getByRole('heading').first().waitFor();
  await titleBar().waitFor();
  expect(await notas().getByRole('button', { name: 'Fechar', exact: true }).isVisible()).toBe(true);
  await picture('own-header-failed');
  await notas().getByRole('button', { name: 'Menu da janela Notas' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('menuitem', { name: 'Fechar' }).click();
  await notas().waitFor({ state: 'detached' });
});

test('with its page in it the keys of the desktop lead out: F6, the list of commands, and the menu that the page asks for', async () => {
  await openApp(page, 'Gerenciador de tarefas');
  await openApp(page, 'Notas');
  await newNote().click();
  // The page takes the focus once the note is there: a key before that would be undone.
  const title = frameOf(page, 'Notas').getByLabel('Título');
  await expect.poll(async () => await title.evaluate((field) => field === field.ownerDocument.activeElement)).toBe(true);
  expect(await titleBar().count()).toBe(0);
  await page.keyboard.press('F6');
  await expect
    .poll(
      async () =>
        await windowOf(page, 'Gerenciador de tarefas').evaluate(
          (window) => window === document.activeElement || window.matches(':focus-within'),
        ),
    )
    .toBe(true);
  await page.keyboard.press('F6');
  await newNote().focus();
  await frameOf(page, 'Notas').locator('body').evaluate('void svc.window.menuDoCabecalho({ clientX: 9, clientY: 9 })');
  await page.getByRole('menuitem', { name: 'Fechar' }).waitFor();
  await page.keyboard.press('Escape');
  await newNote().focus();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('fechar notas');
  await page.keyboard.press('Enter');
  await notas().waitFor({ state: 'detached' });
});

test('it is loaded again from its menu, and the title bar is there meanwhile', async () => {
  await openApp(page, 'Notas');
  await newNote().waitFor();
  const held = Promise.withResolvers<void>();
  await page.route(/notas\.svc\.localhost/, async (route) => {
    await held.promise;
    await route.continue();
  });
  await frameOf(page, 'Notas').locator('body').evaluate('void svc.window.menuDoCabecalho({ clientX: 9, clientY: 9 })');
  await page.getByRole('menuitem', { name: 'Recarregar' }).click();
  await titleBar().waitFor();
  held.resolve();
  await titleBar().waitFor({ state: 'detached' });
  await newNote().waitFor();
  expect(await notas().count()).toBe(1);
});

const inPage = (): Locator => frameOf(page, 'Notas').locator('body');

test('a drag by its title bar is over with the page that began it, and where the page does not say so', async () => {
  await openApp(page, 'Notas');
  await newNote().waitFor();
  // Shields that keep frames from the pointer meanwhile.
  const shields = page.locator('svc-app-frame .shield:not([hidden])');
  const begin = async (): Promise<void> => {
    await inPage().evaluate(`void svc.window.arrastar(new PointerEvent('pointerdown'))`);
    await expect.poll(() => shields.count()).toBe(1);
  };
  await begin();
  await page.mouse.move(300, 300);
  await page.mouse.move(310, 310);
  await expect.poll(() => shields.count()).toBe(0);
  await begin();
  await inPage().evaluate('location.reload()');
  await expect.poll(() => shields.count()).toBe(0);
  await newNote().waitFor();
  await begin();
  void inPage()
    .evaluate('void svc.window.close()')
    .catch(() => undefined);
  await notas().waitFor({ state: 'detached' });
  await openApp(page, 'Notas');
  await newNote().waitFor();
  expect(await shields.count()).toBe(0);
});

test('the menu that a page asks for is that of the window in front, and comes a few times one after the other', async () => {
  await openApp(page, 'Notas');
  await newNote().waitFor();
  const menu = `svc.window.menuDoCabecalho({ clientX: 9, clientY: 9 }).then(() => 'aberto', ({ code }) => code)`;
  expect(await inPage().evaluate(`Promise.all(Array.from({ length: 6 }, () => ${menu}))`)).toEqual([
    'aberto',
    'aberto',
    'aberto',
    'pedidos-demais',
    'pedidos-demais',
    'pedidos-demais',
  ]);
  await page.keyboard.press('Escape');
  await page.locator('ui-menu[open]').waitFor({ state: 'detached' });
  await openApp(page, 'Gerenciador de tarefas');
  expect(await inPage().evaluate(menu)).toBe('falhou');
  expect(await page.locator('ui-menu[open]').count()).toBe(0);
});

test('a page opens 32 windows of its app and no more', async () => {
  await openApp(page, 'Notas');
  await newNote().waitFor();
  // The content of the windows does not matter.
  await page.route(/notas\.svc\.localhost/, async (route) => await route.fulfill({ body: '' }));
  const open = `svc.janela.abrir().then(({ nova }) => nova, ({ code }) => code)`;
  const answers = await inPage().evaluate(`(async () => {
    const answers = [];
    for (let n = 0; n < 34; n += 1) answers.push(await ${open});
    return answers;
  })()`);
  expect(answers).toEqual([...Array.from({ length: 31 }, () => true), 'pedidos-demais', 'pedidos-demais', 'pedidos-demais']);
  expect(await page.locator('svc-window').count()).toBe(32);
});
