/** How the store looks, large and on a phone, in both themes; axe on each. The pictures are those of docs/shop.md. */
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { tellCount } from '../support/counts.ts';
import { shareSeed, someWidths } from '../support/share.ts';
import { until } from '../support/portal.ts';
import { axeInBothThemes, signedIn, windowOf } from './support/browser.ts';
import { closePages, openBrowser } from '../support/chromium.ts';
import { createStoreWorld, type StoreWorld } from './support/shop-world.ts';
import { takePicture } from './support/pictures.ts';

const phone: BrowserContextOptions = { viewport: { width: 320, height: 640 }, hasTouch: true, isMobile: true };

let world: StoreWorld;
let browser: Browser;

const own = { instalacao: ['sistema', 'pessoa'], developer: { name: 'Lia Prado' } };
const agenda = {
  ...own,
  name: 'Agenda',
  category: 'Office',
  description: 'Compromissos da semana, com lembretes e convites para a equipe.',
};

beforeAll(async () => {
  [world, browser] = await Promise.all([createStoreWorld(), openBrowser()]);
  const { publish } = world;
  await publish({ id: 'agenda', version: '1.0.0', news: 'A primeira.', icon: ['#e2574c', '#a8327d', 'A'], manifest: agenda });
  await publish({
    id: 'atlas',
    version: '1.0.0',
    payload: 12_000_000,
    icon: ['#1f8a70', '#0b4f6c', 'M'],
    manifest: {
      ...own,
      name: 'Atlas',
      category: 'Education',
      description: 'Mapas do mundo para folhear sem rede.',
      publisher: { name: 'Casa' },
    },
  });
  await publish({
    id: 'lousa',
    version: '0.9.0',
    icon: ['#5b5bd6', '#3a2f9e', 'L'],
    manifest: {
      ...own,
      name: 'Lousa',
      category: 'Education',
      description: 'Desenhar e explicar a duas mãos.',
      publisher: { name: 'Casa' },
    },
  });
  await publish({
    id: 'filmes',
    version: '2.0.0',
    icon: ['#27475e', '#0d1b24', 'F'],
    manifest: {
      ...own,
      name: 'Filmes',
      category: 'AudioVideo',
      description: 'Corta, junta e legenda vídeos.',
      requiredPackages: ['nao-existe-9|tambem-nao'],
      requires: ['eco/v1'],
    },
  });
  await publish({ id: 'motor-eco', version: '1.0.0' });
  await world.desired('notas.yaml', packageOf('notas', '1.0.0'));
  const { page } = await signedIn(browser, world.portal, {}, { button: /^Loja/ });
  await go(page, '#loja/agenda');
  await page.getByRole('button', { name: 'Instalar Agenda' }).click();
  await page.getByRole('button', { name: 'Remover Agenda' }).waitFor();
  const news = '- Lembretes por som\n- A semana começa na segunda\n- Convites respondidos sem sair da agenda';
  await publish({ id: 'agenda', version: '1.1.0', news, icon: ['#e2574c', '#a8327d', 'A'], manifest: agenda });
  await publish({ id: 'notas', version: '1.1.0' });
  await world.desired('notas.yaml', packageOf('notas', '1.1.0'));
  world.valve('atlas/1.0.0', 'held');
  await go(page, '#loja/atlas');
  await page.getByRole('button', { name: 'Instalar Atlas' }).click();
  await page.getByRole('progressbar').waitFor();
  await page.context().close();
});
afterAll(async () => {
  await closePages(browser);
  await world?.stop();
});

const packageOf = (app: string, version: string): string =>
  `apiVersion: svc/v1\nkind: Package\nmetadata: { name: ${app}-casa }\nspec: { app: ${app}, versao: ${version}, server: casa }\n`;
const loja = (page: Page): Locator => windowOf(page, 'Loja');

/** As somebody who follows a link. */
async function go(page: Page, fragment: string): Promise<void> {
  await page.evaluate((to) => void (location.hash = to), fragment);
  await loja(page).waitFor();
}

/** Axe in both themes, nothing wider than the page. */
async function seen(page: Page, name: string): Promise<void> {
  expect(await axeInBothThemes(page, { seen: async (suffix) => await picture(page, `${name}${suffix}`) })).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)).toBe(false);
  const content = loja(page).locator('.content');
  expect(await content.evaluate((element) => element.scrollWidth > element.clientWidth)).toBe(false);
}

async function picture(page: Page, name: string): Promise<void> {
  if (process.env['SVC_SCREENSHOTS'] !== '1') return;
  const images = page.locator('svc-app-icon img');
  await until('every icon', () => images.evaluateAll((all) => all.every((image) => (image as HTMLImageElement).complete)));
  await takePicture(page, name);
}

const widths: readonly (readonly [name: string, options: BrowserContextOptions])[] = [
  ['1280', {}],
  ['320', phone],
];
const lookedAt = someWidths(widths);
afterAll(() =>
  tellCount(`looks of the store: ${lookedAt.map(([name]) => name).join(', ')} px of ${widths.length} widths, seed ${shareSeed}`),
);

test.each(lookedAt)('at %s px, light and dark: list, page, refusal, updates, panel', async (name, options) => {
  const { page, problems } = await signedIn(browser, world.portal, options, { button: /^Abrir aplicativos/ });
  await go(page, '#loja');
  await loja(page).getByRole('progressbar').waitFor();
  await loja(page).locator('.card[data-app="agenda"]').getByText('Atualização').waitFor();
  await loja(page).locator('.card[data-app="filmes"]').getByText('Falta algo para instalar').waitFor();
  expect(await loja(page).locator('section:has(.cards) h3').last().innerText()).toBe('Usados por outros aplicativos');
  await seen(page, `shop-${name}`);

  await go(page, '#loja/agenda');
  await loja(page).getByText('1.0.0 → 1.1.0').waitFor();
  await seen(page, `shop-app-${name}`);

  await go(page, '#loja/atlas');
  await loja(page).getByRole('button', { name: 'Cancelar a instalação de Atlas' }).waitFor();
  await seen(page, `shop-progress-${name}`);

  await go(page, '#loja/filmes');
  await loja(page).getByText('Por que não dá para instalar').waitFor();
  await seen(page, `shop-refused-${name}`);

  await loja(page)
    .getByRole('tab', { name: /Instalados/ })
    .click();
  await loja(page).locator('.row[data-app="agenda"]').getByText('Novidades').click();
  await seen(page, `shop-installed-${name}`);

  await loja(page)
    .getByRole('tab', { name: /Administração/ })
    .click();
  const notas = loja(page).locator('[data-package="Package/notas-casa"]');
  await notas.getByRole('button', { name: 'Voltar para 1.0.0: notas' }).waitFor();
  await seen(page, `shop-admin-${name}`);
  expect(problems).toEqual([]);

  if (name !== '320') return;
  const buttons = await loja(page).locator('button:visible').all();
  const sizes = await Promise.all(buttons.map(async (button) => await button.boundingBox()));
  expect(sizes.filter((box) => box !== null && (box.width < 44 || box.height < 44))).toEqual([]);
});
