/** The bell: an invitation and a mention come without a reload, are read, and lead to the app. */
import { describe, expect, test } from 'vitest';
import { axeFindings, dialogOf, frameAt, openApp, windowOf } from './support/browser.ts';
import { makeRoom, type RoomsWorld, useRoomsWorld } from './support/rooms-world.ts';

let world: RoomsWorld;
useRoomsWorld((made) => (world = made));

describe('the bell', () => {
  test('counts, lists, leads to the app and is read in every window of the person', async () => {
    const [ana, bia] = await Promise.all([world.desktop('ana'), world.desktop('bia')]);
    const bell = bia.page.getByRole('button', { name: /^Avisos/ });
    await bell.click();
    await bia.page.getByText('Nenhum aviso.').waitFor();
    expect(await axeFindings(bia.page)).toEqual([]);
    await bia.page.keyboard.press('Escape');

    const room = await makeRoom(ana, 'Ata de maio', { bia: 'editar' });
    await bia.page.getByRole('button', { name: 'Avisos, 1 não lido', exact: true }).waitFor();
    await expect
      .poll(() => bia.page.locator('svc-desktop p[role=status]').textContent())
      .toContain('Ana Souza convidou você para editar “Ata de maio”');
    const second = await world.desktop('bia');
    await second.page.getByRole('button', { name: 'Avisos, 1 não lido', exact: true }).waitFor();

    // By keyboard alone.
    await bell.focus();
    await bia.page.keyboard.press('Enter');
    const list = dialogOf(bia.page, 'Avisos');
    await list.getByText('Ana Souza convidou você para editar “Ata de maio”').waitFor();
    await list.getByText(/Caderno · /).waitFor();
    expect(await axeFindings(bia.page)).toEqual([]);
    await list.getByRole('button', { name: 'Abrir Ata de maio em Caderno' }).focus();
    await bia.page.keyboard.press('Enter');
    await windowOf(bia.page, 'Caderno').waitFor();
    await list.waitFor({ state: 'detached' });
    expect(await bia.page.locator('iframe[title="Caderno"]').getAttribute('src')).toContain(`?sala=${room}`);
    await bia.page.getByRole('button', { name: 'Avisos', exact: true }).waitFor();
    await second.page.getByRole('button', { name: 'Avisos', exact: true }).waitFor();
    for (const { problems } of [ana, bia, second]) expect(problems).toEqual([]);
  });

  test('a notice that comes is shown over the windows, leads to its room, and goes away when it is sent away', async () => {
    const [ana, bia] = await Promise.all([world.desktop('ana'), world.desktop('bia')]);
    await openApp(bia.page, 'Caderno');
    const room = await makeRoom(ana, 'Pauta de junho', { bia: 'editar' });
    const toast = bia.page.getByRole('group', { name: 'Aviso que acabou de chegar' });
    await toast.getByText('Ana Souza convidou você para editar “Pauta de junho”').waitFor();
    expect(await axeFindings(bia.page)).toEqual([]);
    await toast.getByRole('button', { name: 'Abrir' }).click();
    await toast.waitFor({ state: 'detached' });
    await expect.poll(() => frameAt(bia.page, 'Caderno').then((frame) => frame.url())).toContain(room);
    await bia.page.getByRole('button', { name: 'Avisos', exact: true }).waitFor();

    await makeRoom(ana, 'Pauta de julho', { bia: 'ver' });
    await toast.getByRole('button', { name: 'Dispensar' }).click();
    await toast.waitFor({ state: 'detached' });
    await bia.page.getByRole('button', { name: 'Avisos, 1 não lido', exact: true }).waitFor();
  });

  test('marks one and all as read, and keeps the focus', async () => {
    const [ana, caio] = await Promise.all([world.desktop('ana'), world.desktop('caio')]);
    const room = await makeRoom(ana, 'Pauta', { caio: 'comentar' });
    for (const ancora of ['c1', 'c2', 'c2'])
      await ana.call('POST', `/api/salas/${room}/avisos?app=caderno`, { tipo: 'mencao', para: ['caio'], ancora });
    await caio.page.getByRole('button', { name: 'Avisos, 3 não lidos', exact: true }).click();
    const list = dialogOf(caio.page, 'Avisos');
    expect(await list.getByText('Ana Souza mencionou você em “Pauta”').count()).toBe(2);
    await list.getByRole('button', { name: 'Marcar como lido', exact: true }).first().click();
    await expect.poll(() => list.locator('li.unread').count()).toBe(2);
    // The button that was pressed is gone; the focus is on the other one of the line.
    await expect
      .poll(() =>
        list
          .locator('li')
          .first()
          .getByRole('button')
          .evaluate((button) => (button.getRootNode() as ShadowRoot).activeElement === button),
      )
      .toBe(true);
    await list.getByRole('button', { name: 'Marcar todos como lidos' }).click();
    await expect.poll(() => list.locator('li.unread').count()).toBe(0);
    await caio.page.keyboard.press('Escape');
    await caio.page.getByRole('button', { name: 'Avisos', exact: true }).waitFor();
    expect(caio.problems).toEqual([]);
  });
});
