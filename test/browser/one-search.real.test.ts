/** Ctrl+K finds what a person made, by the keyboard alone: files, rooms of their apps, windows and places of Settings. Decision: docs/decisions/0452-one-search.md */
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { until } from '../support/portal.ts';
import { axeInBothThemes, frameOf, openApp, windowOf } from './support/browser.ts';
import { makeRoom, type RoomsWorld, useRoomsWorld } from './support/rooms-world.ts';

let world: RoomsWorld;
useRoomsWorld((made) => (world = made));

const field = (page: Page): Locator => page.getByRole('combobox', { name: 'Buscar aplicativos, comandos, salas e arquivos' });
const hits = (page: Page, group: string): Locator => page.getByRole('group', { name: group, exact: true }).getByRole('option');
const ask = async (page: Page, words: string): Promise<void> => {
  await page.keyboard.press('Control+k');
  await field(page).waitFor();
  await page.keyboard.insertText(words);
};

test('each hit says where it is and leads there; what comes later stands behind what was there', async () => {
  const desktop = await world.desktop('ana');
  const { page, problems } = desktop;
  const home = ((await desktop.call('GET', '/api/arquivos')).value as { casa: string }).casa;
  await desktop.call('POST', '/api/arquivos/pasta', { caminho: `${home}/Obra` });
  await desktop.call('POST', '/api/arquivos/pasta', { caminho: `${home}/Obra/Reforma da casa` });
  await makeRoom(desktop, 'Reforma: orçamento', {});

  await ask(page, 'reforma');
  await hits(page, 'Salas').filter({ hasText: 'Reforma: orçamento' }).filter({ hasText: 'Caderno' }).waitFor();
  await hits(page, 'Arquivos').filter({ hasText: 'Reforma da casa' }).filter({ hasText: 'Obra' }).waitFor();
  // The first hit is still the chosen one.
  expect(await page.getByRole('option', { selected: true }).innerText()).toContain('orçamento');
  expect(await axeInBothThemes(page)).toEqual([]);
  await page.keyboard.press('Enter');
  await frameOf(page, 'Caderno').locator('#nome').getByText('Reforma: orçamento').waitFor();

  await ask(page, 'reforma');
  await hits(page, 'Arquivos').first().waitFor();
  for (let steps = 0; steps < 4 && !(await page.getByRole('option', { selected: true }).innerText()).includes('Obra'); steps += 1)
    await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await windowOf(page, 'Reforma da casa').waitFor();

  await openApp(page, 'Arquivos');
  await ask(page, 'reforma da');
  await hits(page, 'Janelas abertas').first().waitFor();
  await page.keyboard.press('Enter');
  await until('the window of the folder is in front', () =>
    windowOf(page, 'Reforma da casa').evaluate((window) => window.matches(':focus-within') || window === document.activeElement),
  );

  await ask(page, 'sessões');
  await hits(page, 'Configurações').first().waitFor();
  await page.keyboard.press('Escape');
  await ask(page, 'nada disso existe');
  await page.getByText('Nada encontrado para “nada disso existe”.').waitFor();
  expect(problems).toEqual([]);
});
