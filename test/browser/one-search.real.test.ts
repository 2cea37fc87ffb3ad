/** Ctrl+K finds what a person made, by the keyboard alone: files, rooms of their apps, windows and places of Settings. Decision: docs/decisions/0452-one-search.md */
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeDesired } from '../integration/world.ts';
import { until } from '../support/portal.ts';
import { axeInBothThemes, frameOf, openApp, useDesk, windowOf } from './support/browser.ts';

let page: Page;
useDesk(
  (made) => ({ page } = made),
  async () => ({ desired: await writeDesired(await mkdtemp(join(tmpdir(), 'svcc-')), { apps: ['notas', 'caderno'] }) }),
);

const post = (path: string, body: object): Promise<unknown> =>
  page.evaluate(
    async ([to, sent]) => {
      const answer = await fetch(to, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(sent) });
      if (!answer.ok) throw new Error(`${to}: ${answer.status} ${await answer.text()}`);
    },
    [path, body] as const,
  );

const field = (): Locator => page.getByRole('combobox', { name: 'Buscar aplicativos, comandos, salas e arquivos' });
const hits = (group: string): Locator => page.getByRole('group', { name: group, exact: true }).getByRole('option');
const ask = async (words: string): Promise<void> => {
  await page.keyboard.press('Control+k');
  await field().waitFor();
  await page.keyboard.insertText(words);
};

test('each hit says where it is and leads there; what comes later stands behind what was there', async () => {
  const { casa } = await page.evaluate(async () => (await (await fetch('/api/arquivos')).json()) as { casa: string });
  await post('/api/arquivos/pasta', { caminho: `${casa}/Obra` });
  await post('/api/arquivos/pasta', { caminho: `${casa}/Obra/Reforma da casa` });
  await post('/api/salas?app=caderno', { nome: 'Reforma: orçamento' });

  await ask('reforma');
  await hits('Salas').filter({ hasText: 'Reforma: orçamento' }).filter({ hasText: 'Caderno' }).waitFor();
  await hits('Arquivos').filter({ hasText: 'Reforma da casa' }).filter({ hasText: 'Obra' }).waitFor();
  // The first hit is still the chosen one.
  expect(await page.getByRole('option', { selected: true }).innerText()).toContain('orçamento');
  expect(await axeInBothThemes(page)).toEqual([]);
  await page.keyboard.press('Enter');
  await frameOf(page, 'Caderno').locator('#nome').getByText('Reforma: orçamento').waitFor();

  await ask('reforma');
  await hits('Arquivos').first().waitFor();
  for (let steps = 0; steps < 4 && !(await page.getByRole('option', { selected: true }).innerText()).includes('Obra'); steps += 1)
    await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await windowOf(page, 'Reforma da casa').waitFor();

  await openApp(page, 'Arquivos');
  await ask('reforma da');
  await hits('Janelas abertas').first().waitFor();
  await page.keyboard.press('Enter');
  await until('the window of the folder is in front', () =>
    windowOf(page, 'Reforma da casa').evaluate((window) => window.matches(':focus-within') || window === document.activeElement),
  );

  await ask('sessões');
  await hits('Configurações').first().waitFor();
  await page.keyboard.press('Escape');
  await ask('nada disso existe');
  await page.getByText('Nada encontrado para “nada disso existe”.').waitFor();
});
