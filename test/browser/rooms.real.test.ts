/** Two people in two Chromium profiles write in one room: what each sees of the other, apart and together again, and where it ends. */
import { readFile } from 'node:fs/promises';
import type { FrameLocator } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import * as Y from 'yjs';
import { corDe } from '../../schema/rooms.ts';
import { until } from '../support/portal.ts';
import { axeFindings, dialogOf, openApp, windowOf } from './support/browser.ts';
import { joinRaw } from './support/room-client.ts';
import { caderno, makeRoom, openRoom, type Desktop, type RoomsWorld, useRoomsWorld } from './support/rooms-world.ts';

let world: RoomsWorld;
useRoomsWorld((made) => (world = made));

const lines = async (frame: FrameLocator): Promise<string> => (await frame.locator('.cm-line').allTextContents()).join('\n');
/** Types at the end of the text. */
async function write({ page }: Desktop, words: string): Promise<void> {
  await caderno(page).locator('.cm-content').click();
  await page.keyboard.press('Control+End');
  await page.keyboard.insertText(words);
}
const state = (frame: FrameLocator, name: string) => frame.locator(`#estado[data-estado="${name}"]`);
/** Without the names that the others' cursors put into the lines. */
const plain = async (frame: FrameLocator): Promise<string> =>
  await frame.locator('.cm-content').evaluate((content) => {
    const copy = content.cloneNode(true) as HTMLElement;
    for (const caret of copy.querySelectorAll('.cm-ySelectionCaret')) caret.remove();
    return [...copy.querySelectorAll('.cm-line')].map((line) => line.textContent).join('\n');
  });

/** Both show one text, with all these lines in it. */
async function agree(one: FrameLocator, other: FrameLocator, held: readonly string[]): Promise<void> {
  await expect
    .poll(
      async () =>
        (await plain(one))
          .split('\n')
          .filter((line) => line !== '')
          .sort(),
      { timeout: 30_000 },
    )
    .toEqual([...held].sort());
  await expect.poll(() => plain(other), { timeout: 30_000 }).toBe(await plain(one));
}

async function both(nome: string, papel = 'editar') {
  const [ana, bia] = await Promise.all([world.desktop('ana'), world.desktop('bia')]);
  const sala = await makeRoom(ana, nome, { bia: papel });
  const [hers, theirs] = await Promise.all([openRoom(ana, nome), openRoom(bia, nome)]);
  return { ana, bia, sala, hers, theirs };
}

describe('two people', () => {
  test('write at the same time and see each other, with the names and colours that the portal gives', async () => {
    const { ana, bia, hers, theirs } = await both('Juntas');
    await write(ana, 'Ana escreve.');
    await theirs.getByText('Ana escreve.').waitFor();
    await write(bia, ' Bia também.');
    await expect.poll(() => plain(hers)).toBe('Ana escreve. Bia também.');
    await expect.poll(() => plain(theirs)).toBe('Ana escreve. Bia também.');

    await hers.locator('.cm-ySelectionInfo').getByText('Bia Lima').waitFor();
    await theirs.locator('.cm-ySelectionInfo').getByText('Ana Souza').waitFor();
    const colour = await hers.locator('.cm-ySelectionCaret').evaluate((caret) => getComputedStyle(caret).borderLeftColor);
    const hex = `#${(colour.match(/\d+/g) ?? []).map((part) => Number(part).toString(16).padStart(2, '0')).join('')}`;
    expect(hex).toBe(corDe('bia'));
    expect(await hers.locator('#presentes li').allTextContents()).toEqual(['BLBia Lima']);
    for (const { problems } of [ana, bia]) expect(problems).toEqual([]);
  });

  test('both lose the network, both go on writing, both come back and agree', async () => {
    const { ana, bia, hers, theirs } = await both('Longe');
    await write(ana, 'comum\n');
    await theirs.getByText('comum').waitFor();
    for (const { page } of [ana, bia]) await page.context().setOffline(true);
    await Promise.all([state(hers, 'fora').waitFor(), state(theirs, 'fora').waitFor()]);
    await hers.getByText('Sem conexão. O que você escreve fica neste navegador').waitFor();
    await write(ana, 'da Ana sem rede\n');
    await write(bia, 'da Bia sem rede\n');
    expect(await plain(hers)).not.toContain('Bia');
    expect(await plain(theirs)).not.toContain('Ana');
    for (const { page } of [ana, bia]) await page.context().setOffline(false);
    await Promise.all([state(hers, 'sincronizado').waitFor(), state(theirs, 'sincronizado').waitFor()]);
    await agree(hers, theirs, ['comum', 'da Ana sem rede', 'da Bia sem rede']);
  });

  test('what one wrote is there when the page is opened again, and the page leads back to the room', async () => {
    const { ana, hers, theirs } = await both('Fica');
    await write(ana, 'guardado');
    await theirs.getByText('guardado').waitFor();
    await ana.page.reload();
    await windowOf(ana.page, 'Caderno').waitFor();
    await openRoom(ana, 'Fica');
    await expect.poll(() => plain(hers)).toBe('guardado');
  });
});

describe('roles', () => {
  test('who may only view can’t write, neither in the editor nor past it; a better role works at once', async () => {
    const { ana, bia, sala, hers, theirs } = await both('Leitura', 'ver');
    await write(ana, 'só leitura');
    await theirs.getByText('só leitura').waitFor();
    expect(await theirs.locator('.cm-content').getAttribute('contenteditable')).toBe('false');
    expect(await theirs.getByRole('button', { name: 'Comentar', exact: true }).isDisabled()).toBe(true);
    await theirs.getByText('Você vê').first().waitFor();

    const raw = await joinRaw(bia, world.portal.port, sala, 'documento');
    expect(raw.doc.getText('texto').toJSON()).toBe('só leitura');
    raw.doc.getText('texto').insert(0, 'INVASÃO ');
    raw.push(Y.encodeStateAsUpdate(raw.doc));
    // The other way round, a change of Ana's arrives after it: whatever was to come of the push would have come before.
    await write(ana, ' sempre');
    await until('the raw client hears it', () => raw.doc.getText('texto').toJSON().includes('sempre'));
    expect(await plain(hers)).toBe('só leitura sempre');
    raw.close();

    await ana.call('PUT', `/api/salas/${sala}/pessoas/bia?app=caderno`, { papel: 'editar' });
    await theirs.locator('.cm-content[contenteditable="true"]').waitFor();
    await write(bia, ', agora não');
    await expect.poll(() => plain(hers)).toBe('só leitura sempre, agora não');
  });

  test('a person removed while writing is told, keeps the text on the screen, and sends nothing more', async () => {
    const { ana, bia, sala, hers, theirs } = await both('Saída');
    await write(bia, 'da Bia');
    await hers.getByText('da Bia').waitFor();
    await ana.call('DELETE', `/api/salas/${sala}/pessoas/bia?app=caderno`);
    await state(theirs, 'sem-acesso').waitFor();
    await theirs.getByText('Você não está mais neste caderno.').waitFor();
    expect(await plain(theirs)).toBe('da Bia');
    expect(await axeFindings(bia.page)).toEqual([]);
    await write(ana, ' e da Ana');
    await expect.poll(() => plain(hers)).toBe('da Bia e da Ana');
    expect(await plain(theirs)).toBe('da Bia');
  });

  test('a deleted room says so to everybody in it', async () => {
    const { ana, sala, hers, theirs } = await both('Efêmera');
    await write(ana, 'até logo');
    await theirs.getByText('até logo').waitFor();
    await ana.call('DELETE', `/api/salas/${sala}?app=caderno`);
    await Promise.all([state(hers, 'apagada').waitFor(), state(theirs, 'apagada').waitFor()]);
    await theirs.getByText('Este caderno foi apagado.').waitFor();
    expect(await plain(theirs)).toBe('até logo');
  });
});

test('a comment with a mention rings the other’s bell, and Open leads to the comment; who may only comment answers it', async () => {
  const [ana, bia] = await Promise.all([world.desktop('ana'), world.desktop('bia')]);
  await makeRoom(ana, 'Revisão', { bia: 'comentar' });
  // Clears the notices that the tests before left in the bells.
  for (const desktop of [ana, bia]) await desktop.call('POST', '/api/avisos/lidos', { ids: null });
  const hers = await openRoom(ana, 'Revisão');
  await write(ana, 'Uma frase a rever.');
  await ana.page.keyboard.press('Shift+Home');
  await hers.getByRole('button', { name: 'Comentar', exact: true }).click();
  await ana.page.keyboard.type('O que acha, @bi');
  await hers.getByRole('option', { name: /Bia Lima/ }).waitFor();
  await ana.page.keyboard.press('Enter');
  await ana.page.keyboard.type('?');
  await hers.getByRole('button', { name: 'Enviar' }).click();
  await hers.locator('.comentado').waitFor();

  await bia.page.getByRole('button', { name: 'Avisos, 1 não lido', exact: true }).click();
  const list = dialogOf(bia.page, 'Avisos');
  await list.getByText('Ana Souza mencionou você em “Revisão”').waitFor();
  await list.getByRole('button', { name: 'Abrir Revisão em Caderno' }).first().click();
  const theirs = caderno(bia.page);
  await theirs.locator('.conversa.atual').getByText('O que acha, @bia ?').waitFor();
  await theirs.locator('.comentado.atual').getByText('Uma frase a rever.').waitFor();

  await theirs.getByRole('combobox', { name: 'Resposta' }).fill('Está boa.');
  await theirs.getByRole('button', { name: 'Responder' }).click();
  await hers.getByText('Está boa.').waitFor();
  // Everybody who wrote in the thread is notified of the answer.
  await ana.page.getByRole('button', { name: 'Avisos, 1 não lido', exact: true }).click();
  await dialogOf(ana.page, 'Avisos').getByText('Bia Lima comentou em “Revisão”').waitFor();
  // An open window is led there, too.
  await ana.page.getByRole('button', { name: 'Abrir Revisão em Caderno' }).click();
  await hers.locator('.conversa.atual').getByText('Está boa.').waitFor();
  for (const { problems } of [ana, bia]) expect(problems).toEqual([]);
});

test('an image that one pastes is seen by the other, and the text holds its sha256 only', async () => {
  const { ana, bia, sala, hers, theirs } = await both('Figuras');
  await write(ana, 'Veja:\n');
  const sha = await hers.locator('.cm-content').evaluate(async (content) => {
    const canvas = Object.assign(document.createElement('canvas'), { width: 120, height: 60 });
    const context = canvas.getContext('2d');
    if (context !== null) {
      context.fillStyle = '#176b5b';
      context.fillRect(0, 0, 120, 60);
    }
    const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done));
    if (blob === null) throw new Error('no picture');
    const clipboardData = new DataTransfer();
    clipboardData.items.add(new File([blob], 'quadro.png', { type: 'image/png' }));
    content.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
    const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', await blob.arrayBuffer()));
    return [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  });
  for (const frame of [hers, theirs]) {
    const image = frame.getByRole('img', { name: 'quadro.png' });
    await image.waitFor();
    await until('the picture is there', () => image.evaluate((node) => (node as HTMLImageElement).naturalWidth === 120));
  }
  const raw = await joinRaw(bia, world.portal.port, sala, 'documento');
  expect(raw.doc.getText('texto').toJSON()).toBe(`Veja:\n![quadro.png](anexo:${sha})`);
  raw.close();
});

test('an image above the limit is refused in words, and the text stays as it was', async () => {
  const ana = await world.desktop('ana');
  await makeRoom(ana, 'Grande');
  const hers = await openRoom(ana, 'Grande');
  await write(ana, 'texto');
  await hers.locator('.cm-content').evaluate((content) => {
    const clipboardData = new DataTransfer();
    clipboardData.items.add(new File([new Uint8Array(32 * 1_024 * 1_024 + 1)], 'enorme.png', { type: 'image/png' }));
    content.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  });
  await hers.getByText('A imagem não foi enviada: é grande demais').waitFor();
  expect(await plain(hers)).toBe('texto');
});

test('the backend joins the room as its person does, and exports what it says', async () => {
  const { ana, bia, sala, hers, theirs } = await both('Exporta');
  await write(bia, 'Título ç\n\numa linha “entre aspas”\n');
  await hers.getByText('Título ç').waitFor();
  const download = ana.page.waitForEvent('download');
  await hers.getByRole('link', { name: 'Exportar' }).click();
  const file = await download;
  expect(file.suggestedFilename()).toBe(`caderno-${sala}.md`);
  expect(await readFile(await file.path(), 'utf8')).toBe('Título ç\n\numa linha “entre aspas”\n');

  // Caio is not in it: his backend can't be in it either.
  const caio = await world.desktop('caio');
  await openApp(caio.page, 'Caderno');
  await caderno(caio.page).getByText('Nenhum caderno ainda.').waitFor();
  const status = await caderno(caio.page)
    .locator('body')
    .evaluate(async (_, id) => (await fetch(`api/exportar/${id}`)).status, sala);
  expect(status).toBe(404);
  expect(await lines(theirs)).toContain('Título ç');
});
