/** The file manager on a real portal and real files: folders, names, copies, the trash, undo, uploads, drags, search, a large folder, and its looks. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { until } from '../support/portal.ts';
import { dialogOf, useDesk, windowOf } from './support/browser.ts';
import { mountTmpfs, unmount } from '../support/mounts.ts';
import { draggedInto } from './support/drag.ts';
import { expectLooks, pictured } from './support/looks.ts';
import { openFileOn } from './support/open-file.ts';

let page: Page;
let problems: readonly string[];
useDesk((made) => ({ page, problems } = made), ['notas']);

let root: string;
let folder: string;
let count = 0;
beforeAll(() => {
  root = realpathSync(mkdtempSync(path.join(tmpdir(), 'svc-files-')));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));
beforeEach(() => {
  count += 1;
  folder = path.join(root, `pasta-${count}`);
  mkdirSync(folder);
});

const at = (...names: string[]): string => path.join(folder, ...names);
const files = (name = path.basename(folder)): Locator => windowOf(page, name);
const entry = (name: string): Locator => page.locator(`svc-window[top] svc-file-view [data-name="${name}"]`);
const list = (): Locator => page.locator('svc-window[top] svc-file-view').getByRole('listbox');
const menuItem = (name: string | RegExp): Locator => page.getByRole('menuitem', { name });

async function open(): Promise<void> {
  await openFileOn(page, { caminho: folder, nome: path.basename(folder), isFolder: true });
  await files().waitFor();
  await list().waitFor();
}

test('an empty folder says so; a link that leads nowhere, and a pipe, say what they are and offer nothing to open', async () => {
  await open();
  const empty = page.locator('svc-window[top]').getByText('Esta pasta está vazia');
  await empty.waitFor();
  // The button is in sight, and nothing lies over it.
  const send = page.locator('svc-window[top]').getByRole('button', { name: 'Enviar arquivos' });
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), send.click()]);
  await chooser.setFiles({ name: 'novo.txt', mimeType: 'text/plain', buffer: Buffer.from('x') });
  await entry('novo.txt').waitFor();
  await send.waitFor({ state: 'detached' });
  symlinkSync('/nada', at('atalho'));
  execFileSync('mkfifo', [at('cano')]);
  for (const [name, words] of [
    ['atalho', 'atalho é um atalho que não leva a lugar nenhum.'],
    ['cano', 'cano não é um arquivo com conteúdo: nada o abre.'],
  ] as const) {
    await entry(name).dblclick();
    await page.locator('ui-toast').getByText(words).waitFor();
    await entry(name).click({ button: 'right' });
    await menuItem('Renomear').waitFor();
    expect(await menuItem(/^(Abrir|Baixar|Imprimir)/).count()).toBe(0);
    await page.keyboard.press('Escape');
  }
  expect(problems).toEqual([]);
});

test('folders are gone into and back, by mouse, keyboard, crumbs and a typed path; a reload finds the same one', async () => {
  mkdirSync(at('música'));
  writeFileSync(at('música', 'voz.mp3'), 'x');
  writeFileSync(at('100% certo.txt'), 'sim');
  await open();
  await entry('100% certo.txt').waitFor();
  await entry('música').dblclick();
  await entry('voz.mp3').waitFor();
  await windowOf(page, 'música').waitFor();
  await page.reload();
  await entry('voz.mp3').waitFor();
  await list().focus();
  await page.keyboard.press('Alt+ArrowUp');
  await entry('música').waitFor();
  await page.keyboard.press('Control+l');
  await page.getByRole('textbox', { name: 'Caminho' }).fill(at('música'));
  await page.keyboard.press('Enter');
  await entry('voz.mp3').waitFor();
  await files('música')
    .getByRole('navigation', { name: 'Caminho' })
    .getByRole('button', { name: path.basename(folder) })
    .click();
  await entry('música').waitFor();
  expect(problems).toEqual([]);
});

test('a name is changed in place, a folder is made, files are cut and pasted, trashed, and each is undone', async () => {
  writeFileSync(at('um.txt'), '1');
  writeFileSync(at('dois.txt'), '2');
  await open();
  await entry('um.txt').click();
  await page.keyboard.press('F2');
  await page.keyboard.type('primeiro');
  await page.keyboard.press('Enter');
  await entry('primeiro.txt').waitFor();
  expect(readdirSync(folder).toSorted()).toEqual(['dois.txt', 'primeiro.txt']);
  await list().focus();
  await page.keyboard.press('Control+z');
  await entry('um.txt').waitFor();

  await page.locator('svc-window[top]').getByRole('button', { name: 'Mais ações' }).click();
  await menuItem('Nova pasta').click();
  await page.getByRole('textbox', { name: 'Novo nome de Nova pasta' }).fill('caixa');
  // Opened at once, while it is still shown as it was called before.
  for (const key of ['Enter', 'Enter']) await page.keyboard.press(key);
  await files('caixa').waitFor();
  await page.keyboard.press('Alt+ArrowUp');
  await entry('caixa').waitFor();

  await entry('um.txt').click();
  await entry('dois.txt').click({ modifiers: ['Control'] });
  await page.keyboard.press('Control+x');
  await entry('caixa').dblclick();
  await files('caixa').waitFor();
  await page.keyboard.press('Control+v');
  await entry('dois.txt').waitFor();
  expect(readdirSync(at('caixa')).toSorted()).toEqual(['dois.txt', 'um.txt']);
  await page.keyboard.press('Control+z');
  await until('both are back', () => existsSync(at('um.txt')) && existsSync(at('dois.txt')));

  await page.keyboard.press('Alt+ArrowUp');
  await entry('um.txt').click();
  await page.keyboard.press('Delete');
  await until('it is gone', () => !existsSync(at('um.txt')));
  await page.keyboard.press('Control+z');
  await until('it is back', () => existsSync(at('um.txt')));
  expect(readFileSync(at('um.txt'), 'utf8')).toBe('1');
  expect(problems).toEqual([]);
});

test('the trash: what was deleted is restored from there, and is deleted for good after a question', async () => {
  writeFileSync(at('volta.txt'), 'v');
  writeFileSync(at('vai.txt'), 'x');
  await open();
  for (const name of ['volta.txt', 'vai.txt']) {
    await entry(name).click();
    await page.keyboard.press('Delete');
    await entry(name).waitFor({ state: 'detached' });
  }
  await files().getByRole('navigation', { name: 'Lugares' }).getByRole('button', { name: 'Lixeira' }).click();
  await entry('volta.txt').click({ button: 'right' });
  await menuItem('Restaurar').click();
  await until('it is back', () => existsSync(at('volta.txt')));
  await entry('vai.txt').click();
  await page.keyboard.press('Delete');
  await dialogOf(page, 'Apagar para sempre?', 'alertdialog').getByRole('button', { name: 'Apagar', exact: true }).click();
  await entry('vai.txt').waitFor({ state: 'detached' });
  expect(existsSync(at('vai.txt'))).toBe(false);
  expect(problems).toEqual([]);
});

test('200 files are uploaded, one of them is refused and said; a name that is taken by a folder, and by a file, is asked about', async () => {
  mkdirSync(at('f007.txt'));
  writeFileSync(at('f008.txt'), 'antes');
  await open();
  const chosen = Array.from({ length: 200 }, (_, n) => ({
    // A name is longer than a name can be.
    name: n === 150 ? `${'x'.repeat(252)}.txt` : `f${String(n).padStart(3, '0')}.txt`,
    mimeType: 'text/plain',
    buffer: Buffer.from(`conteúdo ${n}`),
  }));
  await page.locator('svc-window[top] svc-files .files-input').setInputFiles(chosen);
  // A folder has the name of the one, a file that of the other.
  const question = dialogOf(page, 'Este nome já existe', 'alertdialog');
  await question.getByText('Já há uma pasta chamada f007.txt').waitFor();
  await question.getByRole('button', { name: 'Pular' }).click();
  await question.getByText('Já há f008.txt').waitFor();
  await question.getByRole('button', { name: 'Manter os dois' }).click();
  await until('198 files and what was there', () => readdirSync(folder).filter((name) => !name.startsWith('.')).length === 200);
  const tasks = page.locator('svc-window[top]').getByRole('list', { name: 'Em andamento' });
  await tasks.getByText(/^x{20,}.*: /).waitFor();
  expect(readdirSync(at('f007.txt'))).toEqual([]);
  expect(readFileSync(at('f008.txt'), 'utf8')).toBe('antes');
  expect(readFileSync(at('f008 (2).txt'), 'utf8')).toBe('conteúdo 8');
  expect(readFileSync(at('f199.txt'), 'utf8')).toBe('conteúdo 199');
  await page.getByText('200 itens').waitFor();
  // The browser logs the portal's refusals, too.
  expect(problems.filter((line) => !line.includes('409') && !/status of 400 .*\/api\/arquivos\/envios/.test(line))).toEqual([]);
});

test('what does not fit is said before it is sent, and what is left when the disk is full', async () => {
  await mountTmpfs(folder, 'size=1m');
  try {
    await open();
    const sent = ['a.bin', 'b.bin', 'c.bin'].map((name) => ({ name, mimeType: '', buffer: Buffer.alloc(500_000, 1) }));
    const choose = async (): Promise<void> => await page.locator('svc-window[top] svc-folder .files-input').setInputFiles(sent);
    const question = dialogOf(page, 'Não cabe', 'alertdialog');
    await choose();
    await question.getByText(/Os 3 arquivos têm 1,5 MB, e em pasta-\d+ há 1 MB livres\./).waitFor();
    await pictured(page, 'files-no-room')('');
    await question.getByRole('button', { name: 'Cancelar' }).click();
    expect(readdirSync(folder)).toEqual([]);
    expect(await page.locator('svc-window[top] svc-file-tasks li').count()).toBe(0);
    await choose();
    await question.getByRole('button', { name: 'Enviar o que couber' }).click();
    await page
      .getByText(/Um arquivo não coube; em pasta-\d+ restam \d+,?\d* kB\./)
      .first()
      .waitFor();
    await page
      .getByText(/^c\.bin: Não há espaço no disco/)
      .first()
      .waitFor();
    expect(readdirSync(folder).filter((name) => !name.startsWith('.'))).toEqual(['a.bin', 'b.bin']);
    // The line below says what is left now.
    await page
      .locator('svc-window[top] footer')
      .getByText(/kB livres/)
      .waitFor();
    await pictured(page, 'files-full')('');
    await page.locator('svc-window[top]').getByRole('button', { name: 'Fechar', exact: true }).click();
  } finally {
    await unmount(folder);
  }
  expect(problems.filter((line) => !line.includes('507'))).toEqual([]);
});

test('files are dragged into a folder, and from the computer into the window; a drag that did not begin on this desktop carries nothing; others’ changes are seen', async () => {
  mkdirSync(at('destino'));
  for (const name of ['leva.txt', 'alheio.txt']) writeFileSync(at(name), name);
  await open();
  await entry('alheio.txt').waitFor();
  const dropped = await page.evaluateHandle(() => {
    const data = new DataTransfer();
    data.items.add(new File(['de fora'], 'solto.txt', { type: 'text/plain' }));
    return data;
  });
  await page.locator('svc-window[top] svc-file-view .scroll').dispatchEvent('drop', { dataTransfer: dropped });
  await entry('solto.txt').waitFor();
  expect(readFileSync(at('solto.txt'), 'utf8')).toBe('de fora');
  writeFileSync(at('de outro.txt'), 'o');
  await entry('de outro.txt').waitFor();
  // The page of an app can not choose what is moved or trashed.
  const forged = await page.evaluateHandle((path) => {
    const data = new DataTransfer();
    data.setData('application/x-svc-files', JSON.stringify([path]));
    return data;
  }, at('alheio.txt'));
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  await entry('destino').dispatchEvent('dragover', { dataTransfer: forged });
  await entry('destino').dispatchEvent('drop', { dataTransfer: forged });
  const trash = files().getByRole('navigation', { name: 'Lugares' }).getByRole('button', { name: 'Lixeira' });
  await trash.dispatchEvent('drop', { dataTransfer: forged });
  // A file dragged within the app is moved, and that is the only operation.
  await draggedInto(entry('leva.txt'), entry('destino'), () => existsSync(at('destino', 'leva.txt')) && !existsSync(at('leva.txt')));
  await entry('leva.txt').waitFor({ state: 'detached' });
  expect(readdirSync(folder).toSorted()).toEqual(['alheio.txt', 'de outro.txt', 'destino', 'solto.txt']);
  expect(asked.filter((path) => path === '/api/arquivos/operacoes')).toHaveLength(1);
  expect(problems).toEqual([]);
});

test('by keyboard alone from the launcher on; what it is at stays it, whatever comes before it', async () => {
  for (const name of ['a.txt', 'b.txt']) writeFileSync(at(name), name);
  const ring = page.locator('svc-window[top] svc-file-view .at');
  await page.setViewportSize({ width: 768, height: 800 });
  await page.keyboard.press('Control+k');
  await page.keyboard.type('arquivos\n');
  await page.locator('svc-window[top] svc-file-view').getByRole('listbox').and(page.locator(':focus')).waitFor();
  await page.keyboard.press('Control+l');
  await page.locator('svc-files').getByRole('textbox', { name: 'Caminho' }).fill(folder);
  await page.keyboard.press('Enter');
  await entry('b.txt').waitFor();
  await page.keyboard.press('b');
  await ring.and(entry('b.txt')).waitFor();
  writeFileSync(at('aa.txt'), '');
  await entry('aa.txt').waitFor();
  await ring.and(entry('b.txt')).waitFor();
  await page.keyboard.press('F2');
  await page.keyboard.type('aab\n');
  await ring.and(entry('aab.txt')).waitFor();
  await page.keyboard.type('a');
  await page.keyboard.press('F2');
  await page.keyboard.type('z\n');
  await ring.and(entry('z.txt')).waitFor();
  expect(readdirSync(folder).toSorted()).toEqual(['aa.txt', 'aab.txt', 'z.txt']);
  mkdirSync(at('nota.txt'));
  await page.locator('svc-window[top] .files-input').setInputFiles({ name: 'nota.txt', mimeType: 'text/plain', buffer: Buffer.from('1') });
  await page.getByText('Já há uma pasta chamada nota.txt').waitFor();
  const choice = (name: string): Locator => page.locator('svc-file-question').getByRole('button', { name });
  expect([await choice('Manter os dois').count(), await choice('Substituir').count()]).toEqual([1, 0]);
  expect(problems.filter((line) => !line.includes('409'))).toEqual([]);
});

test('the folder that is shown is removed, and made again', async () => {
  writeFileSync(at('antes.txt'), 'a');
  await open();
  await entry('antes.txt').waitFor();
  rmSync(folder, { recursive: true });
  await page.locator('svc-window[top]').getByRole('alert').waitFor();
  await entry('antes.txt').waitFor({ state: 'detached' });
  mkdirSync(folder);
  writeFileSync(at('depois.txt'), 'd');
  await entry('depois.txt').waitFor();
  await page.locator('svc-window[top]').getByRole('alert').waitFor({ state: 'detached' });
  expect(problems.filter((line) => !line.includes('404'))).toEqual([]);
});

test('an archive is extracted beside itself, undone, and one that is damaged is told', async () => {
  mkdirSync(at('obra'));
  writeFileSync(at('obra', 'planta.txt'), 'p');
  execFileSync('zip', ['-qr', 'tudo.zip', 'obra'], { cwd: folder });
  rmSync(at('obra'), { recursive: true });
  writeFileSync(at('quebrado.tar.gz'), 'não é um');
  writeFileSync(at('outro.7z'), 'x');
  await open();
  await entry('tudo.zip').dblclick();
  await dialogOf(page, 'tudo.zip', 'alertdialog').getByRole('button', { name: 'Extrair aqui' }).click();
  await entry('obra').waitFor();
  expect(readFileSync(at('obra', 'planta.txt'), 'utf8')).toBe('p');
  await list().focus();
  await page.keyboard.press('Control+z');
  await until('it is in the trash', () => !existsSync(at('obra')));
  await entry('obra').waitFor({ state: 'detached' });
  await entry('quebrado.tar.gz').click({ button: 'right' });
  await menuItem('Extrair aqui').click();
  await page.getByText(/quebrado\.tar\.gz: O arquivo compactado está danificado/).waitFor();
  // A kind that is not unpacked has no such entry.
  await entry('outro.7z').click({ button: 'right' });
  await menuItem('Baixar').waitFor();
  expect(await menuItem('Extrair aqui').count()).toBe(0);
  await page.keyboard.press('Escape');
  expect(readdirSync(folder).toSorted()).toEqual(['outro.7z', 'quebrado.tar.gz', 'tudo.zip']);
  expect(problems).toEqual([]);
});

test('search by name in all folders below; downloads of one file and of several', async () => {
  mkdirSync(at('a', 'b'), { recursive: true });
  writeFileSync(at('a', 'b', 'Relatório final.txt'), 'r');
  writeFileSync(at('outro.txt'), 'o');
  await open();
  await files().getByRole('searchbox').fill('relatorio');
  await entry('Relatório final.txt').waitFor();
  await page.getByText('1 encontrado').waitFor();
  await entry('Relatório final.txt').getByText('em a/b').waitFor();
  await entry('Relatório final.txt').click({ button: 'right' });
  const [one] = await Promise.all([page.waitForEvent('download'), menuItem('Baixar').click()]);
  expect(one.suggestedFilename()).toBe('Relatório final.txt');
  await files().getByRole('searchbox').fill('');
  await entry('outro.txt').waitFor();
  await list().focus();
  await page.keyboard.press('Control+a');
  await page.getByText('2 selecionados').waitFor();
  await entry('outro.txt').click({ button: 'right' });
  const [zip] = await Promise.all([page.waitForEvent('download'), menuItem('Baixar').click()]);
  expect(zip.suggestedFilename()).toMatch(/\.zip$/);
  expect(problems).toEqual([]);
});

test('a folder of 20,000: only those in sight are elements, the last one is a key away, and letters lead to what was not read yet', async () => {
  for (let n = 0; n < 20_000; n += 1) writeFileSync(at(`n${String(n).padStart(5, '0')}`), '');
  for (const name of ['árvore', 'zebra', 'zelo um', 'zelo dois']) writeFileSync(at(name), '');
  await open();
  await page.getByText(/20[.\s]?004 itens/).waitFor();
  await list().focus();
  await page.keyboard.press('End');
  await entry('zelo um').waitFor();
  expect(await page.locator('svc-window[top] svc-file-view .entry').count()).toBeLessThan(200);
  await page.keyboard.press('Home');
  await entry('árvore').waitFor();
  // Text typed after a second is another name: the clock of the page is set on.
  await page.evaluate(() => {
    const now = performance.now.bind(performance);
    const from = now();
    let later = 0;
    // Slow, so that keys of a busy machine are one name.
    performance.now = () => from + (now() - from) / 20 + later;
    Object.assign(window, { pause: () => (later += 1_100) });
  });
  const chosen = page.locator('svc-window[top] svc-file-view [aria-selected="true"]');
  for (const [typed, name] of [
    ['zel', 'zelo dois'],
    ['zelo u', 'zelo um'],
    ['a', 'árvore'],
    ['n1234', 'n12340'],
  ] as const) {
    await page.evaluate(() => (window as unknown as { pause(): void }).pause());
    await page.keyboard.type(typed);
    await expect.poll(async () => await chosen.getAttribute('data-name').catch(() => '')).toBe(name);
  }
  expect(problems).toEqual([]);
});

test('looks: list and icons, both themes, three widths; nothing is wider than the screen', async () => {
  mkdirSync(at('Projetos'));
  for (const name of [
    'foto.jpg',
    'contrato.pdf',
    'notas.md',
    'planilha.ods',
    'musica.mp3',
    'pacote.tar.gz',
    'um nome muito longo que não cabe em linha nenhuma.txt',
  ])
    writeFileSync(at(name), 'x'.repeat(2_000));
  await open();
  await entry('notas.md').click();
  for (const mode of ['lista', 'icones']) {
    await expectLooks(page, `files-${mode}`, 320, 768, 1_280);
    await page
      .locator('svc-window[top]')
      .getByRole('button', { name: /^Ver como/ })
      .click();
  }
  expect(problems).toEqual([]);
});
