/** The text editor on a real portal and real files: saved, found again after a reload, changed on disk meanwhile, refused, and its looks. */
import { chmodSync, existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { dialogOf, signedIn, useDesk, windowOf } from './support/browser.ts';
import { expectLooks } from './support/looks.ts';
import type { RunningPortal } from '../support/portal.ts';
import { openFileOn } from './support/open-file.ts';

let portal: RunningPortal;
let browser: Browser;
let page: Page;
let problems: readonly string[];
useDesk((made) => ({ portal, browser, page, problems } = made), ['notas']);

let folder: string;
beforeAll(() => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'svc-editor-')));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const at = (name: string): string => path.join(folder, name);
const editor = (name: string): Locator => windowOf(page, name);
const textbox = (of: Locator): Locator => of.getByRole('textbox', { name: /^Texto de/ });
/** The one on top, whatever its title says now. */
const anyEditor = (): Locator => page.locator('svc-window[top]:has(svc-editor)');
const state = (of: Locator): Locator => of.locator('[data-state]');

/** Axe in both themes, and nothing is wider than the screen. */
async function looksWell(name: string, width: number): Promise<void> {
  await expectLooks(page, name, width);
  await page.setViewportSize({ width: 1_280, height: 800 });
}

async function open(name: string, content?: string | Uint8Array): Promise<Locator> {
  if (content !== undefined) writeFileSync(at(name), content);
  await openFileOn(page, { caminho: at(name), nome: name });
  const shown = editor(name);
  await shown.waitFor();
  return shown;
}

test('a file is changed and saved by Ctrl+S; encoding and line ends stay; the title says what is not saved', async () => {
  await open('conta.py', Buffer.from('# pre\xe7o\r\nx = 1\r\n', 'latin1'));
  const shown = anyEditor();
  await textbox(shown).waitFor();
  for (const words of ['Python', 'Latin-1 (Windows-1252)', 'Linhas de Windows (CRLF)'])
    await shown.getByText(words, { exact: true }).waitFor();
  await textbox(shown).focus();
  await page.keyboard.press('Control+End');
  await page.keyboard.type('y = "maçã"');
  await editor('conta.py (não salvo)').waitFor();
  await page.keyboard.press('Control+s');
  await editor('conta.py').waitFor();
  expect(readFileSync(at('conta.py'), 'latin1')).toBe('# preço\r\nx = 1\r\ny = "maçã"');
  // A character that the encoding lacks is not lost in silence.
  await page.keyboard.type(' 日');
  await page.keyboard.press('Control+s');
  await shown.getByText('Há caracteres que Latin-1 (Windows-1252) não tem.').waitFor();
  await shown.getByRole('button', { name: 'Salvar em UTF-8' }).click();
  await editor('conta.py').waitFor();
  expect(readFileSync(at('conta.py'), 'utf8')).toBe('# preço\r\nx = 1\r\ny = "maçã" 日');
  expect(problems).toEqual([]);
});

test('what is not saved is there after a reload, and closing asks', async () => {
  await open('nota.txt', 'um\n');
  await textbox(anyEditor()).focus();
  await page.keyboard.type('zero\n');
  await state(anyEditor()).and(page.locator('[data-state=kept]')).waitFor();
  await page.reload();
  await anyEditor()
    .getByText(/foram recuperadas/)
    .waitFor();
  await expect.poll(() => textbox(anyEditor()).innerText()).toMatch(/^zero\num/);
  expect(readFileSync(at('nota.txt'), 'utf8')).toBe('um\n');
  await anyEditor().getByRole('button', { name: 'Manter' }).click();
  await anyEditor().getByRole('button', { name: 'Fechar', exact: true }).click();
  await anyEditor().getByText('Salvar as alterações de nota.txt antes de fechar?').waitFor();
  await anyEditor().getByRole('button', { name: 'Continuar editando' }).click();
  await anyEditor().getByRole('button', { name: 'Fechar', exact: true }).click();
  await anyEditor().getByRole('button', { name: 'Salvar', exact: true }).last().click();
  await anyEditor().waitFor({ state: 'detached' });
  expect(readFileSync(at('nota.txt'), 'utf8')).toBe('zero\num\n');
  // Nothing is left of it in the browser.
  await open('nota.txt');
  await state(anyEditor()).and(page.locator('[data-state=saved]')).waitFor();
  await expect.poll(() => textbox(anyEditor()).innerText()).toMatch(/^zero\num/);
  expect(problems).toEqual([]);
});

test('closing with saving waits for a save under way, and closes nothing that was typed meanwhile', async () => {
  await open('texto.txt', 'um');
  await textbox(anyEditor()).focus();
  await page.keyboard.press('Control+End');
  const held: PromiseWithResolvers<void>[] = [];
  await page.route(/\/api\/arquivos\/conteudo/, async (route) => {
    const gate = Promise.withResolvers<void>();
    if (route.request().method() === 'PUT') {
      held.push(gate);
      await gate.promise;
    }
    await route.continue();
  });
  const saveAndClose = async (): Promise<void> => {
    await anyEditor().getByRole('button', { name: 'Fechar', exact: true }).click();
    await anyEditor().getByRole('button', { name: 'Salvar', exact: true }).last().click();
  };
  await page.keyboard.type(' dois');
  await saveAndClose();
  await expect.poll(() => held.length).toBe(1);
  await textbox(anyEditor()).focus();
  await page.keyboard.type(' três');
  // Asked for while a save is under way: it comes after it.
  await page.keyboard.press('Control+s');
  held[0]!.resolve();
  await expect.poll(() => held.length).toBe(2);
  expect([readFileSync(at('texto.txt'), 'utf8'), await textbox(anyEditor()).innerText()]).toEqual(['um dois', 'um dois três']);
  await saveAndClose();
  held[1]!.resolve();
  await anyEditor().waitFor({ state: 'detached' });
  expect([readFileSync(at('texto.txt'), 'utf8'), held.length]).toEqual(['um dois três', 2]);
  expect(problems).toEqual([]);
});

test('a file that changed on disk: nothing is overwritten without a word; mine as a copy, the one of the server, mine in its place', async () => {
  const type = async (what: string): Promise<void> => {
    await textbox(anyEditor()).focus();
    await page.keyboard.press('Control+Home');
    await page.keyboard.type(what);
  };
  const conflict = async (other: string): Promise<void> => {
    writeFileSync(at('a.txt'), other);
    await type('meu ');
    await page.keyboard.press('Control+s');
    await anyEditor().getByText('O arquivo mudou no servidor depois que foi aberto aqui.').waitFor();
    expect(readFileSync(at('a.txt'), 'utf8')).toBe(other);
  };
  await open('a.txt', 'zero');
  await textbox(anyEditor()).waitFor();
  await conflict('outro');
  await looksWell('editor-conflito', 320);
  await anyEditor().getByRole('button', { name: 'Abrir o do servidor' }).click();
  await expect.poll(() => textbox(anyEditor()).innerText()).toBe('outro');
  await conflict('mais um');
  await anyEditor().getByRole('button', { name: 'Substituir pelo meu' }).click();
  await expect.poll(() => readFileSync(at('a.txt'), 'utf8')).toBe('meu outro');
  await state(anyEditor()).and(page.locator('[data-state=saved]')).waitFor();
  await conflict('e outro');
  await anyEditor().getByRole('button', { name: 'Guardar o meu como cópia' }).click();
  await editor('a (2).txt').waitFor();
  expect([readFileSync(at('a.txt'), 'utf8'), readFileSync(at('a (2).txt'), 'utf8')]).toEqual(['e outro', 'meu meu outro']);
  // The window is that of the copy, with what can be undone.
  await textbox(anyEditor()).focus();
  await page.keyboard.press('Control+z');
  await expect.poll(() => textbox(anyEditor()).innerText()).not.toBe('meu meu outro');
  await page.keyboard.press('Control+y');
  await state(anyEditor()).and(page.locator('[data-state=saved]')).waitFor();
  // Text that others write is there when the person is back, and has nothing unsaved.
  writeFileSync(at('a (2).txt'), 'de fora');
  await page.evaluate(() => void dispatchEvent(new Event('focus')));
  await expect.poll(() => textbox(anyEditor()).innerText()).toBe('de fora');
  // A refused save is an error of the console of the browser, and no more.
  expect(problems.filter((line) => !line.includes('412'))).toEqual([]);
});

test('a file that was deleted: its text stays, also over a reload, and is saved here again or elsewhere', async () => {
  const save = async (): Promise<void> => {
    await textbox(anyEditor()).focus();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('!');
    await page.keyboard.press('Control+s');
  };
  const gone = async (): Promise<void> => await anyEditor().getByText('some.txt foi apagado no servidor.').waitFor();
  await open('some.txt', 'só aqui');
  await textbox(anyEditor()).waitFor();
  rmSync(at('some.txt'));
  await save();
  await gone();
  expect(await anyEditor().getByRole('button', { name: 'Abrir o do servidor' }).count()).toBe(0);
  await state(anyEditor()).and(page.locator('[data-state=kept]')).waitFor();
  await page.reload();
  await gone();
  expect(await textbox(anyEditor()).innerText()).toBe('só aqui!');
  await anyEditor().getByRole('button', { name: 'Salvar aqui de novo' }).click();
  await expect.poll(() => (existsSync(at('some.txt')) ? readFileSync(at('some.txt'), 'utf8') : null)).toBe('só aqui!');
  await state(anyEditor()).and(page.locator('[data-state=saved]')).waitFor();
  // A conflict answered after the file is gone loses nothing either.
  writeFileSync(at('some.txt'), 'outro');
  await save();
  await anyEditor().getByText('O arquivo mudou no servidor').waitFor();
  rmSync(at('some.txt'));
  await anyEditor().getByRole('button', { name: 'Abrir o do servidor' }).click();
  await gone();
  expect(await textbox(anyEditor()).innerText()).toBe('só aqui!!');
  await anyEditor().getByRole('button', { name: 'Salvar em outro lugar…' }).click();
  // The proposed name is chosen when the folder is known.
  await page.locator('svc-file-picker ui-field input:focus').fill('salvo.txt');
  await dialogOf(page, 'Editor de texto: salvar um arquivo').getByRole('button', { name: 'Salvar', exact: true }).click();
  await editor('salvo.txt').waitFor();
  expect(readFileSync(at('salvo.txt'), 'utf8')).toBe('só aqui!!');
  expect(problems.filter((line) => !/412|404/.test(line))).toEqual([]);
});

test('what is no text is refused with its reason and opened all the same as it was; large and read-only ones say so', async () => {
  const bytes = Uint8Array.from({ length: 256 }, (_, byte) => byte);
  await open('dados.txt', bytes);
  await anyEditor()
    .getByText(/não parece texto/)
    .waitFor();
  await looksWell('editor-recusa', 320);
  await anyEditor().getByRole('button', { name: 'Abrir mesmo assim como Latin-1 (Windows-1252)' }).click();
  await textbox(anyEditor()).focus();
  await page.keyboard.press('Control+Home');
  await page.keyboard.type('!');
  await page.keyboard.press('Control+s');
  await state(anyEditor()).and(page.locator('[data-state=saved]')).waitFor();
  expect(readFileSync(at('dados.txt'))).toEqual(Buffer.concat([Buffer.from('!'), bytes]));
  await anyEditor().getByRole('button', { name: 'Fechar', exact: true }).click();
  await open('grande.log', Buffer.alloc(10 * 1_024 * 1_024 + 1, 0x61));
  await anyEditor()
    .getByText(/o editor abre até 10/)
    .waitFor();
  await anyEditor().getByRole('button', { name: 'Fechar', exact: true }).click();
  writeFileSync(at('fixo.txt'), 'fixo');
  chmodSync(at('fixo.txt'), 0o444);
  await open('fixo.txt');
  await anyEditor().getByText('Somente leitura').waitFor();
  await textbox(anyEditor()).focus();
  await page.keyboard.type('x');
  expect(await textbox(anyEditor()).innerText()).toBe('fixo');
  expect(problems).toEqual([]);
});

test('find, replace and lines by keyboard; nothing for axe to find in either theme at 1280, 768 and 320 px', async () => {
  await open('soma.py', `def soma(a, b):\n    """Soma."""\n    return a + b  # ${'comprida '.repeat(20)}\n\nprint(soma(1, 2.5), None)\n`);
  await textbox(anyEditor()).focus();
  await page.keyboard.press('Control+f');
  await anyEditor().getByRole('textbox', { name: 'Localizar' }).fill('soma');
  await anyEditor().getByRole('textbox', { name: 'Substituir por' }).fill('adiciona');
  await anyEditor().getByRole('button', { name: 'substituir todas' }).click();
  await expect.poll(() => textbox(anyEditor()).innerText()).toContain('print(adiciona(1, 2.5), None)');
  for (const width of [1_280, 768, 320]) await looksWell('editor', width);
  await page.keyboard.press('Escape');
  await textbox(anyEditor()).focus();
  await page.keyboard.press('Control+Alt+g');
  await anyEditor().getByRole('textbox', { name: 'Ir para a linha' }).fill('5');
  await page.keyboard.press('Enter');
  await anyEditor().getByText('Linha 5, coluna 1').waitFor();
  expect(problems).toEqual([]);
});

test('in English, the panels of the editor too', async () => {
  writeFileSync(at('note.txt'), 'one\n');
  const { page: english, problems: found } = await signedIn(browser, portal, { locale: 'en-GB' });
  await openFileOn(english, { caminho: at('note.txt'), nome: 'note.txt' });
  const shown = windowOf(english, 'note.txt');
  await shown.getByRole('textbox', { name: /^Text of note.txt/ }).focus();
  await shown.getByText('Unix lines (LF)').waitFor();
  await english.keyboard.press('Control+f');
  await shown.getByRole('textbox', { name: 'Find' }).waitFor();
  await english.keyboard.press('Escape');
  await english.keyboard.type('x');
  await windowOf(english, 'note.txt (not saved)').waitFor();
  expect(found).toEqual([]);
});
