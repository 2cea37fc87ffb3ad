/**
 * The dialogs of a room, opened by Caderno over the bridge: invite, change, remove, leave, rename, delete, and what the others see of it; and the history,
 * with which people bring a text back.
 */
import { readFile } from 'node:fs/promises';
import type { Locator } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { HistoryAnswer } from '../../schema/wire/rooms.ts';
import { axeFindings, axeInBothThemes, dialogOf, openApp, windowOf } from './support/browser.ts';
import { caderno, makeRoom, openRoom, textOf, type Desktop, type RoomsWorld, useRoomsWorld } from './support/rooms-world.ts';

let world: RoomsWorld;
useRoomsWorld(
  (made) => (world = made),
  ['kind: Package\nmetadata: { name: notas-casa }\nspec: { app: notas, versao: 1.0.0, server: casa }'],
);

/** Opens the room in Caderno, and from there the dialog. */
async function share({ page }: Desktop, nome: string): Promise<Locator> {
  if ((await page.locator('iframe[title="Caderno"]').count()) === 0) await openApp(page, 'Caderno');
  const frame = caderno(page);
  await frame.locator('[data-sala]').filter({ hasText: nome }).click();
  await frame.getByRole('button', { name: 'Compartilhar' }).click();
  const dialog = dialogOf(page, `Compartilhar “${nome}”`);
  await dialog.waitFor();
  return dialog;
}
const rolesIn = async (desktop: Desktop, sala: string): Promise<Record<string, string>> => {
  const { value } = await desktop.call('GET', `/api/salas/${sala}`);
  const { pessoas } = value as { readonly pessoas: readonly { readonly usuario: string; readonly papel: string }[] };
  return Object.fromEntries(pessoas.map(({ usuario, papel }) => [usuario, papel]));
};

describe('the owner', () => {
  test('invites by search, changes a role, removes in two steps; the person removed loses the room from the list', async () => {
    const [ana, bia] = await Promise.all([world.desktop('ana'), world.desktop('bia')]);
    const sala = await makeRoom(ana, 'Orçamento');
    await openApp(bia.page, 'Caderno');
    await caderno(bia.page).getByText('Nenhum caderno ainda.').waitFor();

    const dialog = await share(ana, 'Orçamento');
    // Where one begins to write, not the title.
    await expect.poll(() => dialog.getByLabel('Convidar pessoas ou grupos').evaluate((field) => field.matches(':focus'))).toBe(true);
    await dialog.getByLabel('Convidar pessoas ou grupos').fill('lim');
    await dialog.getByLabel('Convidar para').selectOption('comentar');
    await dialog.getByRole('button', { name: 'Convidar Bia Lima' }).click();
    await dialog.getByLabel('Papel de Bia Lima').waitFor();
    expect(await axeFindings(ana.page)).toEqual([]);
    expect(await rolesIn(ana, sala)).toEqual({ ana: 'dona', bia: 'comentar' });
    // Live, without a reload: the bell and the list of rooms.
    await bia.page.getByRole('button', { name: 'Avisos, 1 não lido', exact: true }).waitFor();
    await caderno(bia.page).locator('[data-sala]').filter({ hasText: 'Orçamento' }).getByText('Você comenta').waitFor();

    await dialog.getByLabel('Papel de Bia Lima').selectOption('ver');
    await expect.poll(() => rolesIn(ana, sala)).toEqual({ ana: 'dona', bia: 'ver' });
    await caderno(bia.page).locator('[data-sala]').getByText('Você vê').waitFor();

    await dialog.getByRole('button', { name: 'Tirar Bia Lima da sala' }).click();
    await ana.page.keyboard.press('Escape');
    await dialog.getByRole('button', { name: 'Tirar Bia Lima da sala' }).click();
    expect(await rolesIn(ana, sala)).toEqual({ ana: 'dona', bia: 'ver' });
    await dialog.getByRole('button', { name: 'Tirar mesmo' }).click();
    await dialog.getByLabel('Papel de Bia Lima').waitFor({ state: 'detached' });
    await caderno(bia.page).getByText('Nenhum caderno ainda.').waitFor();
    for (const { problems } of [ana, bia]) expect(problems).toEqual([]);
  });

  test('invites a group, renames, and deletes in two steps', async () => {
    const [ana, caio] = await Promise.all([world.desktop('ana'), world.desktop('caio')]);
    const sala = await makeRoom(ana, 'Rascunho');
    await openApp(caio.page, 'Caderno');
    const dialog = await share(ana, 'Rascunho');
    await dialog.getByLabel('Convidar pessoas ou grupos').fill('edit');
    // Nobody is in the group any more when it is invited: the room is there all the same.
    await ana.page.route(
      '**/grupos/editores',
      async (route) => await route.continue({ url: route.request().url().replace('editores', 'vazio') }),
      {
        times: 1,
      },
    );
    await dialog.getByRole('button', { name: 'Convidar editores' }).click();
    await dialog.getByText('Não há mais essa pessoa, ou ninguém nesse grupo.').waitFor();
    expect(await dialog.getByText('Esta sala não existe mais').count()).toBe(0);
    await dialog.getByRole('button', { name: 'Convidar editores' }).click();
    await dialog.getByLabel('Papel de editores').waitFor();
    await dialog.getByText('pelo grupo editores', { exact: false }).first().waitFor();
    expect(await rolesIn(ana, sala)).toEqual({ ana: 'dona', bia: 'editar', caio: 'editar' });

    await dialog.getByLabel('Nome da sala').fill('Versão final');
    await dialog.getByRole('button', { name: 'Renomear' }).click();
    const renamed = dialogOf(ana.page, 'Compartilhar “Versão final”');
    await renamed.waitFor();
    await caderno(caio.page).locator('[data-sala]').filter({ hasText: 'Versão final' }).waitFor();

    await renamed.getByRole('button', { name: 'Apagar a sala' }).click();
    await renamed.getByText('para todas as pessoas?').waitFor();
    expect(await axeFindings(ana.page)).toEqual([]);
    await renamed.getByRole('button', { name: 'Mover para a lixeira' }).click();
    await renamed.waitFor({ state: 'detached' });
    await caderno(caio.page).getByText('Nenhum caderno ainda.').waitFor();

    const { page } = ana;
    const bin = windowOf(page, 'Configurações');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('Configurações');
    await page.getByRole('option', { name: 'Configurações' }).first().waitFor();
    await page.keyboard.press('Enter');
    const show = async (): Promise<void> => {
      await bin.getByRole('button', { name: 'Onde você entrou' }).click();
      await bin.getByRole('button', { name: 'Salas apagadas' }).click();
    };
    await show();
    await bin.getByText('Versão final').waitFor();
    expect(await axeInBothThemes(page)).toEqual([]);
    await bin.getByRole('button', { name: 'Restaurar Versão final' }).press('Enter');
    await bin.getByText('Versão final voltou, com quem estava nela.').waitFor();
    await caderno(caio.page).locator('[data-sala]').filter({ hasText: 'Versão final' }).waitFor();
    expect(await rolesIn(ana, sala)).toEqual({ ana: 'dona', bia: 'editar', caio: 'editar' });
    await page.evaluate(async (id) => await fetch(`/api/salas/${id}`, { method: 'DELETE' }), sala);
    await show();
    await bin.getByRole('button', { name: 'Apagar de vez: Versão final' }).click();
    await bin.getByRole('button', { name: 'Apagar mesmo: Versão final' }).click();
    await bin.getByText('Nenhuma sala apagada.').waitFor();
    // The one that was refused is an error of the console.
    for (const { problems } of [ana, caio]) expect(problems.filter((line) => !line.includes('/grupos/editores'))).toEqual([]);
  });
});

test('who is invited sees who is in the room, changes nothing, and leaves in two steps', async () => {
  const [ana, bia] = await Promise.all([world.desktop('ana'), world.desktop('bia')]);
  const sala = await makeRoom(ana, 'Pauta', { bia: 'comentar', caio: 'ver' });
  const dialog = await share(bia, 'Pauta');
  await dialog.getByText('Só quem é responsável pela sala convida').waitFor();
  expect(await dialog.locator('li .name').allTextContents()).toEqual(['Ana Souza', 'Bia Lima (você)', 'Caio Reis']);
  expect(await dialog.getByRole('combobox').count()).toBe(0);
  // Deleted text stands in it: it is for those who may write.
  for (const place of [dialog, caderno(bia.page)]) expect(await place.getByRole('button', { name: 'Histórico' }).count()).toBe(0);
  expect(await axeFindings(bia.page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Sair da sala' }).click();
  await dialog.getByRole('button', { name: 'Sair mesmo' }).click();
  await dialog.waitFor({ state: 'detached' });
  expect(await rolesIn(ana, sala)).toEqual({ ana: 'dona', caio: 'ver' });
});

// Source: rules 4.3 `tirarAcesso`: anyone removes self.
test('the owner leaves in two steps, and the room is that of the best role in it', async () => {
  const [ana, bia] = await Promise.all([world.desktop('ana'), world.desktop('bia')]);
  const sala = await makeRoom(ana, 'Herança', { bia: 'ver', caio: 'editar' });
  const dialog = await share(ana, 'Herança');
  await dialog.getByRole('button', { name: 'Sair da sala' }).click();
  await dialog.getByText('A sala passa a outra pessoa que está nela.').waitFor();
  await dialog.getByRole('button', { name: 'Sair mesmo' }).click();
  await dialog.waitFor({ state: 'detached' });
  expect(await rolesIn(bia, sala)).toEqual({ bia: 'ver', caio: 'dona' });
});

test('the owner hands the room over in two steps, stays in it, and can be given it back', async () => {
  const [ana, bia] = await Promise.all([world.desktop('ana'), world.desktop('bia')]);
  const sala = await makeRoom(ana, 'Sucessão', { bia: 'ver' });
  const dialog = await share(ana, 'Sucessão');
  const role = dialog.getByLabel('Papel de Bia Lima');
  await role.selectOption('dona');
  await dialog.getByText('Passar a sala a Bia Lima?').waitFor();
  expect(await axeFindings(ana.page)).toEqual([]);
  await ana.page.keyboard.press('Escape');
  await expect.poll(() => role.inputValue()).toBe('ver');
  await expect.poll(() => role.evaluate((field) => field.matches(':focus'))).toBe(true);
  expect(await rolesIn(ana, sala)).toEqual({ ana: 'dona', bia: 'ver' });
  await role.selectOption('dona');
  await dialog.getByRole('button', { name: 'Passar mesmo' }).click();
  await dialog.getByText('Só quem é responsável pela sala convida').waitFor();
  expect(await rolesIn(ana, sala)).toEqual({ bia: 'dona', ana: 'editar' });
  const theirs = await share(bia, 'Sucessão');
  await theirs.getByLabel('Papel de Ana Souza').waitFor();
  for (const { problems } of [ana, bia]) expect(problems).toEqual([]);
});

test('a page opens the dialog for a room of its own app only', async () => {
  const ana = await world.desktop('ana');
  const { value } = await ana.call('POST', '/api/salas?app=notas', { nome: 'De outro' });
  await openApp(ana.page, 'Caderno');
  await caderno(ana.page).getByRole('button', { name: 'Novo caderno' }).waitFor();
  const { id } = value as { readonly id: string };
  for (const verb of ['compartilhar', 'mostrarHistorico']) {
    const script = `svc.salas.${verb}(${JSON.stringify(id)}).then(() => 'aberto', ({ status }) => status)`;
    expect([verb, await caderno(ana.page).locator('body').evaluate(script)]).toEqual([verb, 404]);
  }
  expect(await ana.page.locator('svc-share, svc-history').count()).toBe(0);
});

/** The history of the room that is open in Caderno, without the mouse. */
async function historyOf({ page }: Desktop, nome: string): Promise<Locator> {
  await caderno(page).getByRole('button', { name: 'Histórico' }).press('Enter');
  const dialog = dialogOf(page, `Histórico de “${nome}”`);
  await dialog.waitFor();
  // The keyboard begins in the list.
  await dialog.locator('[data-version]:focus').waitFor();
  return dialog;
}

test('by the keyboard alone a version is named, told from what another person wrote since, and brought back for both', async () => {
  const [ana, bia] = await Promise.all([world.desktop('ana'), world.desktop('bia')]);
  const { keyboard } = ana.page;
  const sala = await makeRoom(ana, 'Diário', { bia: 'editar' });
  const versions = async (): Promise<number> =>
    ((await ana.call('GET', `/api/salas/${sala}/historico`)).value as HistoryAnswer).versoes.length;
  const [hers, theirs] = await Promise.all([openRoom(ana, 'Diário'), openRoom(bia, 'Diário')]);
  await hers.locator('.cm-content').click();
  await keyboard.insertText('Bom dia.');
  await theirs.getByText('Bom dia.').waitFor();
  await expect.poll(versions).toBe(1);

  // By way of the share dialog.
  const sharing = await share(ana, 'Diário');
  await sharing.getByRole('button', { name: 'Histórico' }).press('Enter');
  const first = dialogOf(ana.page, 'Histórico de “Diário”');
  await first.locator('[data-version]:focus').waitFor();
  expect(await ana.page.locator('svc-share').count()).toBe(0);
  await first.getByText('É a versão mais antiga').waitFor();
  await keyboard.press('Tab');
  await keyboard.press('Enter');
  await first.getByLabel('Nome desta versão').and(ana.page.locator(':focus')).waitFor();
  await keyboard.type('Rascunho');
  await keyboard.press('Enter');
  await first.getByText('A versão agora se chama “Rascunho”.').waitFor();
  await keyboard.press('Escape');
  await first.waitFor({ state: 'detached' });

  await theirs.locator('.cm-content').press('Control+End');
  await bia.page.keyboard.insertText(' Até logo.');
  await hers.getByText('Até logo.').waitFor();
  await expect.poll(versions).toBe(2);
  const dialog = await historyOf(ana, 'Diário');
  expect(await dialog.locator('[data-version]').allInnerTexts()).toEqual([
    expect.stringContaining('Agora · Bia Lima'),
    expect.stringMatching(/^Rascunho\n.*Ana Souza/),
  ]);
  const changes = dialog.locator('svc-version').locator('.text');
  await expect.poll(() => changes.textContent()).toBe('Bom dia.[acrescentado:  Até logo.]');
  await keyboard.press('ArrowDown');
  await keyboard.press('Enter');
  await dialog.getByRole('heading', { name: 'Rascunho' }).waitFor();
  await dialog.getByRole('switch', { name: 'Comparar com agora' }).press('Space');
  await expect.poll(() => changes.textContent()).toBe('Bom dia.[acrescentado:  Até logo.]');

  await ana.page.setViewportSize({ width: 320, height: 640 });
  expect(await axeInBothThemes(ana.page)).toEqual([]);
  expect(
    await dialog.evaluate((element) => element.querySelector('.panes')!.scrollWidth <= element.querySelector('.panes')!.clientWidth),
  ).toBe(true);
  await ana.page.setViewportSize({ width: 1_280, height: 800 });
  const coming = ana.page.waitForEvent('download');
  await dialog.getByRole('link', { name: 'Baixar em Markdown' }).press('Enter');
  const file = await coming;
  expect([file.suggestedFilename(), await readFile(await file.path(), 'utf8')]).toEqual([
    'Diário Rascunho.md',
    expect.stringContaining('Bom dia.'),
  ]);

  await dialog.locator('[data-version]').last().focus();
  await keyboard.press('Tab');
  await keyboard.press('Enter');
  await keyboard.press('Escape');
  await expect.poll(() => dialog.locator('[data-verb=back]').evaluate((button) => button.matches(':focus'))).toBe(true);
  await keyboard.press('Enter');
  await dialog.locator('[data-verb=confirm]:focus').waitFor();
  await keyboard.press('Enter');
  await dialog.getByText('A versão “Rascunho” voltou.').waitFor();
  await dialog.locator('[data-version]:focus').getByText('Agora · Ana Souza').waitFor();
  await keyboard.press('Escape');
  for (const { page } of [ana, bia]) await expect.poll(() => textOf(page).innerText()).toMatch(/^Bom dia\.(?!.*Até logo)/s);
  for (const { problems } of [ana, bia]) expect(problems).toEqual([]);
});
