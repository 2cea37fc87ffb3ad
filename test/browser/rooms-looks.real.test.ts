/** How rooms look: Caderno, the bell and the share dialog, large and on a phone, light and dark, with axe on each. The pictures are those of docs/. */
import type { BrowserContextOptions, FrameLocator, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { tellCount } from '../support/counts.ts';
import { shareSeed, someWidths } from '../support/share.ts';
import { axeFindings, axeFindingsIn, axeInBothThemes, dialogOf, frameAt } from './support/browser.ts';
import { caderno, createRoomsWorld, makeRoom, openRoom, type RoomsWorld } from './support/rooms-world.ts';
import { takePicture } from './support/pictures.ts';

const looks: readonly (readonly [string, BrowserContextOptions])[] = [
  ['1280', {}],
  ['320', { viewport: { width: 320, height: 640 }, hasTouch: true, isMobile: true }],
];

const grant = `kind: Grant
metadata: { name: estatuto }
spec: { app: caderno, sala: Estatuto, dona: ana, pessoas: [{ usuario: bia, papel: ver }], grupos: [{ grupo: editores, papel: comentar }] }`;

let world: RoomsWorld;
beforeAll(async () => {
  world = await createRoomsWorld([grant]);
  await write();
});
afterAll(() => world?.stop());
beforeEach(() => world.closeAll());

const sideways = (frame: FrameLocator): Promise<boolean> => frame.locator('html').evaluate((html) => html.scrollWidth > innerWidth);

async function pasteDrawing(frame: FrameLocator): Promise<void> {
  await frame.locator('.cm-content').evaluate(async (content) => {
    const canvas = Object.assign(document.createElement('canvas'), { width: 420, height: 150 });
    const context = canvas.getContext('2d');
    if (context === null) throw new Error('no canvas');
    context.fillStyle = '#e6f0ed';
    context.fillRect(0, 0, 420, 150);
    for (const [index, height] of [40, 70, 55, 95, 120].entries()) {
      context.fillStyle = index === 4 ? '#d6336c' : '#176b5b';
      context.fillRect(40 + index * 72, 140 - height, 48, height);
    }
    const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done));
    const clipboardData = new DataTransfer();
    if (blob !== null) clipboardData.items.add(new File([blob], 'gastos.png', { type: 'image/png' }));
    content.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  });
  await frame.getByRole('img', { name: 'gastos.png' }).waitFor();
}

const nome = 'Ata da reunião de maio';

/** A text with an image and a comment, and notices for Ana. */
async function write(): Promise<void> {
  const [ana, bia] = await Promise.all([world.desktop('ana'), world.desktop('bia')]);
  await makeRoom(ana, nome, { bia: 'editar', caio: 'comentar' });
  await makeRoom(bia, 'Plano de férias', { ana: 'comentar' });
  const hers = await openRoom(ana, nome);
  await hers.locator('.cm-content').click();
  await ana.page.keyboard.insertText(
    'Ata da reunião de maio\n\nPresentes: Ana, Bia e Caio.\n\nDecisões\n- O orçamento cresce dez por cento.\n- A janela volta sozinha quando o servidor volta.\n\nGastos até aqui:\n',
  );
  await pasteDrawing(hers);
  await ana.page.keyboard.insertText('\n\nPróximos passos: ');
  const theirs = await openRoom(bia, nome);
  await theirs.getByText('O orçamento cresce').waitFor();
  await theirs.locator('.cm-line').filter({ hasText: 'O orçamento cresce' }).click();
  await bia.page.keyboard.press('Home');
  await bia.page.keyboard.press('Shift+End');
  await theirs.getByRole('button', { name: 'Comentar', exact: true }).click();
  await bia.page.keyboard.type('Não eram oito, @an');
  await theirs.getByRole('option', { name: /Ana Souza/ }).waitFor();
  await bia.page.keyboard.press('Enter');
  await bia.page.keyboard.type('?');
  await theirs.getByRole('button', { name: 'Enviar' }).click();
  await hers.locator('.comentado').waitFor();
}

/** Bia is there, with her cursor where she writes. */
async function biaWrites(): Promise<void> {
  const bia = await world.desktop('bia');
  const theirs = await openRoom(bia, nome);
  await theirs.locator('.cm-line').filter({ hasText: 'Próximos passos' }).click();
  await bia.page.keyboard.press('End');
  await bia.page.keyboard.press('ArrowLeft');
}

const lookedAt = someWidths(looks);
afterAll(() => tellCount(`looks of rooms: ${lookedAt.map(([name]) => name).join(', ')} px of ${looks.length} widths, seed ${shareSeed}`));

describe.each(lookedAt)('%s, light and dark', (width, options) => {
  const phone = width === '320';

  test('a notebook, its comments, the list, the share dialog and the bell have no serious findings of axe and don’t scroll sideways', async () => {
    await biaWrites();
    const { page, problems } = await world.desktop('ana', options);
    const frame = await openRoom({ page }, nome);
    await frame.locator('.cm-ySelectionInfo').getByText('Bia Lima').waitFor();
    await frame.getByRole('img', { name: 'gastos.png' }).waitFor();
    const inside = await frameAt(page, 'Caderno');
    const look = async (name: string): Promise<void> => {
      await page.mouse.move(1, 1);
      const seen = async (suffix: string): Promise<void> => await takePicture(page, `rooms-${name}-${width}${suffix}`);
      expect([await axeInBothThemes(page, { inside: [inside], seen }), await sideways(frame)]).toEqual([[], false]);
    };
    if (!phone) await page.getByRole('button', { name: 'Maximizar', exact: true }).click();
    await look('caderno');
    if (phone) {
      await frame.getByRole('button', { name: 'Comentários' }).click();
      await frame.locator('.conversa').getByText('Não eram oito').waitFor();
      await look('comments');
    }
    await frame.getByRole('button', { name: 'Compartilhar' }).click();
    const dialog = dialogOf(page, `Compartilhar “${nome}”`);
    await dialog.getByLabel('Papel de Caio Reis').waitFor();
    await look('share');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: /^Avisos/ }).click();
    await dialogOf(page, 'Avisos').locator('li').first().waitFor();
    await look('bell');
    await page.keyboard.press('Escape');
    if (phone) await frame.getByRole('button', { name: 'Cadernos', exact: true }).click();
    await look('list');
    await caderno(page).getByRole('button', { name: 'Novo caderno' }).click();
    await caderno(page).getByRole('dialog').waitFor();
    expect(await axeInBothThemes(page, { inside: [inside] })).toEqual([]);
    expect(problems).toEqual([]);
  });
});

test('without a network, taken out, and deleted: each says so in the strip', async () => {
  const [ana, bia] = await Promise.all([world.desktop('ana'), world.desktop('bia')]);
  const sala = await makeRoom(ana, 'Pauta', { bia: 'editar' });
  const hers = await openRoom(ana, 'Pauta');
  await hers.locator('.cm-content').click();
  await ana.page.keyboard.insertText('1. Contas\n2. Datas\n');
  const theirs = await openRoom(bia, 'Pauta');
  await theirs.getByText('2. Datas').waitFor();
  const look = async (frame: FrameLocator, page: Page, name: string, estado: string): Promise<void> => {
    await frame.locator(`#estado[data-estado="${estado}"]`).waitFor();
    await takePicture(page, `rooms-${name}-1280`);
    expect(await axeFindingsIn(await frameAt(page, 'Caderno'))).toEqual([]);
  };
  await ana.page.context().setOffline(true);
  await look(hers, ana.page, 'offline', 'fora');
  await ana.page.context().setOffline(false);
  await hers.locator('#estado[data-estado="sincronizado"]').waitFor();
  await ana.call('DELETE', `/api/salas/${sala}/pessoas/bia`);
  await look(theirs, bia.page, 'removed', 'sem-acesso');
  await ana.call('DELETE', `/api/salas/${sala}`);
  await look(hers, ana.page, 'deleted', 'apagada');
});

test('a role that the administrator set says so', async () => {
  const ana = await world.desktop('ana');
  const frame = await openRoom(ana, 'Estatuto');
  await frame.getByRole('button', { name: 'Compartilhar' }).click();
  const dialog = dialogOf(ana.page, 'Compartilhar “Estatuto”');
  await dialog.locator('[data-key="pessoa:bia"]').getByText('definido pela administração').waitFor();
  await dialog.locator('[data-key="grupo:editores"]').getByText('definido pela administração').waitFor();
  expect(await axeFindings(ana.page)).toEqual([]);
});

test('in English for whoever reads English', async () => {
  const bia = await world.desktop('bia', { locale: 'en-GB' });
  await makeRoom(bia, 'Minutes', { ana: 'ver' });
  const frame = await openRoom(bia, 'Minutes');
  await frame.getByText('Up to date · Your notebook').waitFor();
  await frame.getByRole('button', { name: 'Share' }).click();
  await dialogOf(bia.page, 'Share “Minutes”').getByText('People in the room').waitFor();
  expect(await frame.locator('html').getAttribute('lang')).toBe('en');
});
