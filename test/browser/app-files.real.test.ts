/** Apps and files of the person: what opens a type, own types, menus of a stopped app, what a page was opened with, pickers, `svc.disco`, links. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { FrameLocator, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { dialogOf, frameAt, frameOf, openApp, useDesk, windowOf } from './support/browser.ts';
import { confirmIn } from './support/consent.ts';
import { expectLooks } from './support/looks.ts';
import { openFileOn } from './support/open-file.ts';
import { someWidths } from '../support/share.ts';

let page: Page;
let problems: readonly string[];
useDesk((made) => ({ page, problems } = made), ['notas', 'tracos']);

const house =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100"><script>top.x = 1</script><rect x="20" y="40" width="60" height="50"/></svg>';
let root: string;
let folder: string;
let count = 0;
beforeAll(() => {
  root = realpathSync(mkdtempSync(path.join(tmpdir(), 'svc-app-files-')));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));
beforeEach(() => {
  count += 1;
  folder = path.join(root, `pasta-${count}`);
  mkdirSync(folder);
});

const at = (...names: string[]): string => path.join(folder, ...names);
const entry = (name: string): Locator => page.locator(`svc-window[top] svc-folder svc-file-view [data-name="${name}"]`);
const menuItem = (name: string | RegExp): Locator => page.getByRole('menuitem', { name });
const drawing = (): FrameLocator => frameOf(page, 'Traços');
const state = (): Locator => drawing().getByRole('status');

/** A window of files on the folder of the test. */
async function list(): Promise<void> {
  await openFileOn(page, { caminho: folder, nome: path.basename(folder), isFolder: true });
  await windowOf(page, path.basename(folder)).waitFor();
}

async function choose(name: string, opener: string): Promise<void> {
  await entry(name).click({ button: 'right' });
  await menuItem('Abrir com…').click();
  const dialog = dialogOf(page, `Abrir ${name} com`);
  await dialog.getByRole('radio', { name: opener }).check();
  await dialog.getByRole('checkbox').check();
  await dialog.getByRole('button', { name: 'Abrir' }).click();
}

/** Draws a stroke across the sheet. */
async function draw(): Promise<void> {
  const box = await drawing().locator('#folha').boundingBox();
  if (box === null) throw new Error('no sheet');
  await page.mouse.move(box.x + box.width * 0.3, box.y + box.height * 0.3);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.6, box.y + box.height * 0.6, { steps: 4 });
  await page.mouse.up();
  await state().getByText('não salvo').waitFor();
}

/** A press that comes as soon as the question counts for nothing. */
async function answer(word: string): Promise<void> {
  const button = page.getByRole('alertdialog').getByRole('button', { name: word });
  await button.waitFor();
  await page.waitForTimeout(350);
  await button.click();
}

const saved = (file: string): boolean => readFileSync(file, 'utf8').includes('tracos-do-svc');

test('a .svg goes where it was chosen to go, once; there it is changed and saved, and what is foreign in it stays outside of the page', async () => {
  writeFileSync(at('casa.svg'), house);
  await list();
  await choose('casa.svg', 'Visualizador');
  await page.locator('svc-window[top] svc-viewer').waitFor();
  await windowOf(page, 'casa.svg').getByRole('button', { name: 'Fechar' }).click();
  await choose('casa.svg', 'Traços');
  await state().getByText('casa.svg').waitFor();
  await windowOf(page, 'Traços').getByRole('button', { name: 'Fechar' }).click();
  await windowOf(page, 'Traços').waitFor({ state: 'detached' });
  await entry('casa.svg').dblclick();
  await state().getByText('casa.svg · salvo').waitFor();
  await draw();
  await page.keyboard.press('Control+s');
  await state().getByText('casa.svg · salvo').waitFor();
  const written = readFileSync(at('casa.svg'), 'utf8');
  expect([written.includes('<rect x="20"'), written.match(/<path /g)?.length]).toEqual([true, 1]);
  expect(await page.evaluate(() => (window as unknown as { readonly x?: number }).x)).toBeUndefined();
  // Somebody else changes it: the person is asked.
  writeFileSync(at('casa.svg'), house.replace('x="20"', 'x="30"'));
  await draw();
  await page.keyboard.press('Control+s');
  await answer('Não');
  expect(readFileSync(at('casa.svg'), 'utf8')).toContain('x="30"');
  await drawing().getByRole('button', { name: 'Salvar', exact: true }).click();
  await answer('Sim');
  await expect.poll(() => saved(at('casa.svg'))).toBe(true);
  // Errors that the desktop answers to the page are in the console of the desktop.
  expect(problems.filter((each) => !each.includes('412'))).toEqual([]);
});

test('the own type of an app has its sheet, its badge and its name; entries of the app are in menus while it is stopped, and start it', async () => {
  writeFileSync(at('primeiro.traco'), '');
  writeFileSync(at('casa.svg'), house);
  writeFileSync(at('lista.txt'), 'x');
  mkdirSync(at('esboços'));
  await list();
  await entry('primeiro.traco').getByText('Desenho de Traços').waitFor();
  await entry('primeiro.traco').locator('svc-file-icon').getByText('TRACO').waitFor();
  const items = async (name: string): Promise<readonly string[]> => {
    await entry(name).click({ button: 'right' });
    await menuItem('Abrir').first().waitFor();
    const labels = await page.getByRole('menuitem').allInnerTexts();
    await page.keyboard.press('Escape');
    return labels.map((label) => label.replace(/\n.*/s, ''));
  };
  expect(await items('casa.svg')).toContain('Riscar por cima');
  expect(await items('lista.txt')).not.toContain('Riscar por cima');
  const ofFolder = await items('esboços');
  expect(ofFolder.indexOf('Desenhar nesta pasta')).toBe(ofFolder.indexOf('Abrir terminal aqui') + 1);
  await entry('esboços').click({ button: 'right' });
  await menuItem('Desenhar nesta pasta').click();
  await state().getByText('Desenho sem nome · esboços').waitFor();
  await draw();
  await page.keyboard.press('Control+s');
  await state().getByText('desenho.traco · salvo').waitFor();
  expect(saved(at('esboços', 'desenho.traco'))).toBe(true);
  expect(problems).toEqual([]);
});

test('what an app is opened with is not lost when the desktop is loaded again, before the page heard of it and after', async () => {
  writeFileSync(at('casa.svg'), house);
  await page.route('**/tracos.js*', async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    await route.continue();
  });
  await openFileOn(page, { caminho: at('casa.svg'), nome: 'casa.svg' });
  await windowOf(page, 'Traços').waitFor();
  await page.reload();
  await state().getByText('casa.svg · salvo').waitFor();
  await page.unroute('**/tracos.js*');
  // The app still has the file that it was given, and shows it.
  await page.reload();
  await state().getByText('casa.svg · salvo').waitFor();
  const frame = await frameAt(page, 'Traços');
  const read = await frame.evaluate(async (caminho) => (await window.svc!.disco.ler(caminho)).bytes, at('casa.svg'));
  expect(read).toBe(house.length);
  expect(problems).toEqual([]);
});

test('a page reaches the files that were chosen for it, and no other', async () => {
  for (const name of ['casa.svg', 'torre.svg', 'lista.txt']) writeFileSync(at(name), house);
  await openApp(page, 'Traços');
  await state().getByText('Desenho sem nome').waitFor();
  const frame = await frameAt(page, 'Traços');
  const refusal = async (verb: 'ler' | 'estado' | 'listar', caminho: string): Promise<unknown> =>
    await frame.evaluate(
      async ([name, where]) =>
        await window.svc!.disco[name](where).then(
          () => 'reached',
          (error: { readonly code: string }) => error.code,
        ),
      [verb, caminho] as const,
    );
  for (const caminho of [at('casa.svg'), '/etc/passwd', folder, `${folder}/../x`, '~', 'casa.svg'])
    expect([caminho, await refusal('ler', caminho)]).toEqual([caminho, 'sem-permissao']);
  expect(await refusal('listar', folder)).toBe('sem-permissao');
  // Without a press no picker opens: what a test evaluates counts as one, for five seconds.
  const unasked = await frame.evaluate(async () => {
    await new Promise((resolve) => setTimeout(resolve, 5_500));
    return await window.svc!.arquivos.abrir().then(String, (error: { readonly code: string }) => error.code);
  });
  expect(unasked).toBe('sem-gesto');

  await drawing().getByRole('button', { name: 'Abrir…' }).click();
  const picker = dialogOf(page, 'Traços: abrir um arquivo');
  await expect.poll(async () => await picker.getByRole('listbox').evaluate((box) => box.matches(':focus'))).toBe(true);
  await goTo(picker);
  await picker.locator('[data-name="casa.svg"]').click();
  await picker.getByRole('button', { name: 'Abrir', exact: true }).click();
  // It was given nothing before.
  await confirmIn(page);
  await state().getByText('casa.svg · salvo').waitFor();
  expect(await refusal('estado', at('casa.svg'))).toBe('reached');
  expect(await refusal('estado', at('torre.svg'))).toBe('sem-permissao');

  // Beside another file, over one that is there, by keyboard alone.
  await draw();
  await drawing().getByRole('button', { name: 'Salvar como…' }).click();
  const saving = dialogOf(page, 'Traços: salvar um arquivo');
  await saving.getByRole('listbox').waitFor();
  await saving.getByRole('textbox', { name: 'Nome do arquivo' }).fill('novo');
  await page.keyboard.press('Enter');
  await state().getByText('novo.traco · salvo').waitFor();
  expect(saved(at('novo.traco'))).toBe(true);
  await draw();
  await drawing().getByRole('button', { name: 'Salvar como…' }).click();
  await saving.getByRole('listbox').waitFor();
  await saving.getByRole('textbox', { name: 'Nome do arquivo' }).fill('a/b');
  await page.keyboard.press('Enter');
  await saving.getByRole('alert').waitFor();
  await saving.getByRole('textbox', { name: 'Nome do arquivo' }).fill('torre.svg');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Substituir' }).click();
  await expect.poll(() => saved(at('torre.svg'))).toBe(true);
  // Put away, it is null.
  await drawing().getByRole('button', { name: 'Salvar como…' }).click();
  await saving.getByRole('listbox').waitFor();
  await page.keyboard.press('Escape');
  await saving.waitFor({ state: 'detached' });
  expect(existsSync(at('desenho.traco'))).toBe(false);
  // The picker asks whether the name is taken.
  expect(problems.filter((each) => !each.includes('/api/arquivos/estado'))).toEqual([]);
});

/** From where it begins to the folder of the test, by the file system's root. */
async function goTo(picker: Locator): Promise<void> {
  await picker.getByRole('combobox', { name: 'Lugares' }).selectOption('/');
  for (const name of folder.split('/').filter((part) => part !== '')) {
    await picker.getByRole('listbox').focus();
    await findEntry(picker, name);
    await picker.locator(`[data-name="${name}"]`).dblclick();
  }
  await picker.locator('[data-name="lista.txt"]').waitFor();
}

/** A long folder shows a part of its entries. */
async function findEntry(picker: Locator, name: string): Promise<void> {
  await picker.locator('[data-index]').first().waitFor();
  for (let n = 0; n < 200 && (await picker.locator(`[data-name="${name}"]`).count()) === 0; n += 1) {
    await page.keyboard.press('PageDown');
    await page.evaluate(async () => await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
  }
}

test('a link in the page of an app opens the app that has its host', async () => {
  await page.route('https://desenhos.example/**', async (route) => {
    await route.fulfill({ body: house, contentType: 'image/svg+xml', headers: { 'access-control-allow-origin': '*' } });
  });
  await openApp(page, 'Notas');
  await frameOf(page, 'Notas').getByRole('button', { name: 'Nova nota' }).waitFor();
  const frame = await frameAt(page, 'Notas');
  await frame.evaluate(() => {
    document.querySelector('h1')?.insertAdjacentHTML('afterend', '<a id="fora" href="https://desenhos.example/casa.svg">casa</a>');
  });
  await frame.locator('#fora').click();
  await state().getByText('https://desenhos.example/casa.svg').waitFor();
  await drawing().locator('#fundo:not([hidden])').waitFor();
  expect(page.context().pages()).toHaveLength(1);
  expect(problems).toEqual([]);
});

test.each(someWidths([1_280, 768, 320]))('looks at %i px: the picker and the app', async (width) => {
  for (const name of ['casa.svg', 'desenho de uma casa com um nome que não cabe na tela.svg', 'lista.txt']) writeFileSync(at(name), house);
  mkdirSync(at('esboços'));
  await page.setViewportSize({ width, height: 700 });
  await openFileOn(page, { caminho: at('casa.svg'), nome: 'casa.svg' });
  await state().getByText('casa.svg · salvo').waitFor();
  await expectLooks(page, 'tracos', width);
  await drawing().getByRole('button', { name: 'Abrir…' }).click();
  await dialogOf(page, 'Traços: abrir um arquivo').getByRole('listbox').waitFor();
  await expectLooks(page, 'picker', width);
  await page.keyboard.press('Escape');
  await drawing().getByRole('button', { name: 'Salvar como…' }).click();
  await dialogOf(page, 'Traços: salvar um arquivo').getByRole('listbox').waitFor();
  await expectLooks(page, 'picker-save', width);
  expect(problems).toEqual([]);
});

const unsaved = (): Locator => page.locator('svc-unsaved').getByRole('alertdialog', { name: 'Traços' });
const sheet = (): Locator => drawing().locator('#folha path');

test('a drawing that is not saved: each way to lose it asks, and the app hears of the end after the answer', async () => {
  await openApp(page, 'Traços');
  await draw();
  const ended: string[] = [];
  page.on('request', (request) => request.url().endsWith('/close-tabs') && ended.push(request.url()));
  const window = windowOf(page, 'Traços (não salvo)');
  const frame = await frameAt(page, 'Traços');
  const stay = unsaved().getByRole('button', { name: 'Continuar editando' });
  const ways: Readonly<Record<string, () => Promise<unknown>>> = {
    cross: async () => await window.getByRole('button', { name: 'Fechar', exact: true }).click(),
    menu: async () => {
      await window.getByRole('button', { name: /^Menu da janela/ }).click();
      await menuItem('Fechar').click();
    },
    taskbar: async () => {
      await page
        .getByRole('toolbar')
        .getByRole('button', { name: /^Traços/ })
        .click({ button: 'right' });
      await menuItem('Fechar').click();
    },
    page: async () => await frame.evaluate('void svc.window.close()'),
    reload: async () => {
      await window.getByRole('button', { name: /^Menu da janela/ }).click();
      await menuItem('Recarregar').click();
    },
  };
  for (const [name, act] of Object.entries(ways)) {
    await act();
    await unsaved().getByText('não está salvo').waitFor();
    // The keyboard is at the answer that loses nothing.
    await expect.poll(async () => await stay.evaluate((button) => button.matches(':focus')), { message: name }).toBe(true);
    if (name === 'cross') {
      for (const width of someWidths([320, 1280])) await expectLooks(page, 'nao-salvo', width);
      await page.setViewportSize({ width: 1_280, height: 700 });
      await page.keyboard.press('Escape');
    } else await stay.click();
    await unsaved().waitFor({ state: 'detached' });
  }
  const leaving = page.waitForEvent('dialog');
  const reloading = page.evaluate('void location.reload()').catch(() => undefined);
  const dialog = await leaving;
  expect(dialog.type()).toBe('beforeunload');
  await dialog.dismiss();
  await reloading;
  await page.getByRole('button', { name: /Sessão e preferências/ }).click();
  await page.getByRole('menuitem', { name: 'Sair' }).click();
  const out = dialogOf(page, 'Sair sem salvar?', 'alertdialog');
  await out.getByText('Não está salvo e se perde: desenho').waitFor();
  await out.getByRole('button', { name: 'Continuar editando' }).click();
  expect(await sheet().count()).toBe(1);
  expect(ended).toEqual([]);
  await window.getByRole('button', { name: 'Fechar', exact: true }).click();
  await unsaved().getByText('não está salvo').waitFor();
  await expect
    .poll(async () => {
      // A press that was meant for what was there before counts for nothing.
      if (await unsaved().isVisible()) await unsaved().getByRole('button', { name: 'Fechar sem salvar' }).click({ timeout: 2_000 });
      return await window.count();
    })
    .toBe(0);
  await expect.poll(() => ended.length).toBe(1);
  expect(problems).toEqual([]);
});

test('save and close: a window that could not be saved stays; when its page saved, the window closes', async () => {
  writeFileSync(at('traco.traco'), '');
  await openFileOn(page, { caminho: at('traco.traco'), nome: 'traco.traco' });
  await drawing().getByRole('status').getByText('traco.traco').waitFor();
  await draw();
  const window = windowOf(page, 'Traços (não salvo)');
  await window.getByRole('button', { name: 'Fechar', exact: true }).click();
  rmSync(folder, { recursive: true });
  const save = unsaved().getByRole('button', { name: 'Salvar e fechar' });
  const failed = unsaved().getByText('Não foi possível salvar.');
  // The file is gone, and then it is another one: its page asks about it while it saves, over the question that waits for it.
  const asked = page.locator('svc-question').getByRole('alertdialog', { name: 'Traços pergunta' });
  const saveAnd = async (isDone: () => Promise<boolean>): Promise<void> =>
    await expect
      .poll(async () => {
        if (await asked.isVisible()) await asked.getByRole('button', { name: 'Sim' }).click({ timeout: 2_000 });
        else if (await save.isVisible()) await save.click({ timeout: 2_000 }).catch(() => undefined);
        return await isDone();
      })
      .toBe(true);
  await saveAnd(async () => await failed.isVisible());
  expect(await sheet().count()).toBe(1);
  mkdirSync(folder);
  writeFileSync(at('traco.traco'), '');
  await saveAnd(async () => (await window.count()) === 0);
  expect(readFileSync(at('traco.traco'), 'utf8')).toContain('<path');
});
