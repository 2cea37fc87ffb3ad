/**
 * The store as a person meets it: a real portal, a packed repository behind a web server, installations by the real command.
 *
 * @module-tag carries-state
 */
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { until } from '../support/portal.ts';
import { dialogOf, frameOf, signedInAnew, type TestPage, windowOf } from './support/browser.ts';
import { closePages, openBrowser } from '../support/chromium.ts';
import { createStoreWorld, type AppToPublish, type StoreWorld } from './support/shop-world.ts';

let world: StoreWorld;
let browser: Browser;
let made: TestPage | undefined;
let page: Page;
let problems: readonly string[];

const own = { instalacao: ['sistema', 'pessoa'], developer: { name: 'Lia Prado' }, publisher: { name: 'Casa' } };
const agenda = (version: string, news: string): AppToPublish => ({
  id: 'agenda',
  version,
  news,
  icon: ['#e2574c', '#a8327d', 'A'],
  pictures: { 'desktop-1280.png': 'A semana', 'desktop-320.png': 'No telefone' },
  manifest: { ...own, name: 'Agenda', category: 'Office', description: 'Compromissos da semana, com lembretes e convites para a equipe.' },
});
const atlas = (version: string): AppToPublish => ({
  id: 'atlas',
  version,
  news: `O mapa de ${version}.`,
  payload: 2_000_000,
  icon: ['#1f8a70', '#0b4f6c', 'M'],
  manifest: { ...own, name: 'Atlas', category: 'Education', description: 'Mapas do mundo para folhear sem rede.' },
});

beforeAll(async () => {
  [world, browser] = await Promise.all([createStoreWorld(), openBrowser()]);
  await world.publish(agenda('1.0.0', 'A primeira.'));
  await world.publish(atlas('1.0.0'));
  await world.publish({ id: 'motor-eco', version: '1.0.0' });
  await world.publish({
    id: 'filmes',
    version: '2.0.0',
    icon: ['#27475e', '#0d1b24', 'F'],
    manifest: {
      ...own,
      name: 'Filmes',
      category: 'AudioVideo',
      description: 'Corta e junta vídeos.',
      requiredPackages: ['nao-existe-9|tambem-nao'],
      requires: ['eco/v1'],
    },
  });
});
afterAll(async () => {
  await closePages(browser);
  await world?.stop();
});
beforeEach(async () => {
  made = await signedInAnew(made, browser, world.portal, { button: /^Loja/ });
  ({ page, problems } = made);
});

const loja = (): Locator => windowOf(page, 'Loja');
const card = (id: string): Locator => loja().locator(`.card[data-app="${id}"]`);
const row = (id: string): Locator => loja().locator(`.row[data-app="${id}"]`);
const appPage = (): Locator => loja().getByRole('article');
const tab = (name: RegExp): Locator => loja().getByRole('tab', { name });
const said = (words: string | RegExp): Promise<void> =>
  page.getByRole('status').filter({ hasText: words }).first().waitFor({ state: 'attached' });
const onDisk = (app: string): string => path.join(world.portal.state, 'home/ana/.local/share/svc-apps', app, 'svc-app.json');

async function openStore(): Promise<void> {
  await page.getByRole('button', { name: /^Loja/ }).first().click();
  await card('agenda').waitFor();
}
/** Wherever its window is. */
async function bringStore(): Promise<void> {
  await page.evaluate(() => void (location.hash = '#loja'));
  await loja().waitFor();
}
async function openPage(id: string): Promise<void> {
  await card(id).locator('.name').click();
  await appPage().waitFor();
}

describe('looking', () => {
  test('search finds by name, maker and description; categories narrow; nothing found is said', async () => {
    await openStore();
    const search = loja().getByRole('searchbox', { name: 'Buscar na loja' });
    await search.fill('lembretes');
    await until('one card', async () => (await loja().locator('.card').count()) === 1);
    await said('1 aplicativo');
    await search.fill('nada disso');
    await loja().getByText('Nada encontrado para “nada disso”.').waitFor();
    await search.fill('');
    await loja().getByRole('button', { name: 'Educação' }).click();
    await until('only one category', async () => (await loja().locator('.card').count()) === 1);
    await card('atlas').waitFor();
    expect(await card('atlas').locator('.authors').textContent()).toBe('por Lia Prado · portado por Casa');
    await until('its picture', () =>
      card('atlas')
        .locator('img')
        .evaluate((image) => (image as HTMLImageElement).naturalWidth > 0),
    );
    expect(problems).toEqual([]);
  });

  test('a link leads to the page of one app, and the keyboard comes back to the card', async () => {
    await page.goto(`${new URL(page.url()).origin}/#loja/agenda`);
    await appPage().getByRole('heading', { name: 'Agenda' }).waitFor();
    expect(new URL(page.url()).hash).toBe('');
    await loja().getByText('A primeira.').waitFor();
    const picture = appPage().getByRole('link', { name: 'A semana (abre em outra aba)' });
    await until('its first picture', () => picture.locator('img').evaluate((image) => (image as HTMLImageElement).naturalWidth === 1280));
    await appPage().getByRole('link', { name: 'No telefone' }).focus();
    expect(await appPage().getByRole('link', { name: 'https://ajuda.example/' }).count()).toBe(1);
    await appPage().getByRole('button', { name: 'Voltar' }).click();
    await until('the card has the keyboard', () =>
      card('agenda')
        .locator('.name')
        .evaluate((button) => button.matches(':focus')),
    );
    await page.keyboard.press('Enter');
    await appPage().waitFor();
    await until('the heading has it', () =>
      appPage()
        .locator('h3')
        .evaluate((heading) => heading.matches(':focus')),
    );
  });

  test('what can not be installed says why, and what to ask for', async () => {
    await openStore();
    await card('filmes').getByText('Falta algo para instalar').waitFor();
    expect(
      await card('filmes')
        .getByRole('button', { name: /Instalar/ })
        .count(),
    ).toBe(0);
    await openPage('filmes');
    const why = loja().locator('.why');
    await why.getByText('Falta no servidor um pacote do Linux: nao-existe-9|tambem-nao.').waitFor();
    await why.getByText('Peça ao administrador que instale nao-existe-9 no servidor.').waitFor();
    await why.getByText(/Instale antes Eco, que oferece isso/).waitFor();
    await loja().locator('.needs [data-here=nao]', { hasText: 'o pacote do Linux nao-existe-9|tambem-nao: falta aqui' }).waitFor();
    // The app that offers it is one press away; it says that only an administrator installs it.
    await why.getByRole('button', { name: 'Página de Eco' }).click();
    await appPage().getByRole('heading', { name: 'Eco' }).waitFor();
    await loja().getByText('um documento Package com app motor-eco, versao 1.0.0').waitFor();
    const refused = await page.evaluate(async () => {
      const answer = await fetch('/api/apps/filmes/instalacao', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{}',
      });
      return { status: answer.status, ...((await answer.json()) as { code: string; motivos: { motivo: string }[] }) };
    });
    expect(refused).toMatchObject({ status: 422, code: 'PACKAGE_REFUSED' });
    expect(refused.motivos.map(({ motivo }) => motivo).toSorted()).toEqual(['capability', 'pacote']);
  });
});

describe('for oneself', () => {
  test('installed with its progress, opened, updated with its news, removed after a question', async () => {
    world.valve('atlas/1.0.0', 'held');
    await openStore();
    await card('atlas').getByRole('button', { name: 'Instalar Atlas' }).click();
    // Half of it is there: the bar says so, in bytes.
    const bar = card('atlas').getByRole('progressbar', { name: 'Instalação de Atlas' });
    await until('half of it', async () => {
      const at = Number(await bar.getAttribute('aria-valuenow')) / Number(await bar.getAttribute('aria-valuemax'));
      return at > 0.3 && at < 0.6;
    });
    await card('atlas')
      .getByText(/(kB|MB) de 2\sMB/)
      .waitFor();
    expect(existsSync(onDisk('atlas'))).toBe(false);
    // Another page of the person sees the same, also after a reload.
    await page.reload();
    await card('atlas')
      .getByText(/(kB|MB) de 2\sMB/)
      .waitFor();
    world.valve('atlas/1.0.0', 'open');
    await said('Atlas 1.0.0 está instalado');
    expect(existsSync(onDisk('atlas'))).toBe(true);

    await card('atlas').getByRole('button', { name: 'Abrir Atlas' }).click();
    await until('it ticks', async () => /^\d\d:/.test((await frameOf(page, 'Relógio').locator('time').textContent()) ?? ''));

    await world.publish(atlas('1.1.0'));
    await page.reload();
    await bringStore();
    await tab(/Instalados, 1 atualização/).click();
    await row('atlas').getByText('1.0.0 → 1.1.0').waitFor();
    await row('atlas').getByText('Novidades').click();
    await row('atlas').getByText('O mapa de 1.1.0.').waitFor();
    await row('atlas').getByRole('button', { name: 'Atualizar Atlas para 1.1.0' }).click();
    await said('Atlas 1.1.0 está instalado');

    await row('atlas').locator('.name').click();
    await appPage().getByRole('button', { name: 'Remover Atlas' }).click();
    const question = dialogOf(page, 'Remover Atlas?', 'alertdialog');
    await question.getByText(/Seus dados dele ficam guardados/).waitFor();
    await page.keyboard.press('Escape');
    await question.waitFor({ state: 'detached' });
    expect(existsSync(onDisk('atlas'))).toBe(true);
    await appPage().getByRole('button', { name: 'Remover Atlas' }).click();
    // A warning for what was asked for would be one too many, however short.
    await page.locator('svc-shop').evaluate((store) => {
      const root = store.shadowRoot;
      const look = (): void => void (root?.querySelector('.failure') != null && store.setAttribute('data-warned', ''));
      if (root !== null) new MutationObserver(look).observe(root, { childList: true, subtree: true });
    });
    await question.getByRole('button', { name: 'Remover' }).click();
    await said('Atlas foi removido');
    await appPage().getByRole('button', { name: 'Instalar Atlas' }).waitFor();
    expect(await page.locator('svc-shop').getAttribute('data-warned')).toBeNull();
    expect(existsSync(onDisk('atlas'))).toBe(false);
    expect(existsSync(path.join(world.portal.state, 'home/ana/.svc-apps/atlas/data'))).toBe(true);
    await appPage().getByRole('button', { name: 'Instalar Atlas' }).waitFor();
    // While its code was replaced the app's page asked for its backend, which the browser writes down.
    expect(problems.filter((line) => !line.startsWith("WebSocket connection to 'ws://atlas."))).toEqual([]);
  });

  test('given up while it runs, tried again after a failure', async () => {
    world.valve('agenda/1.0.0', 'held');
    await openStore();
    await openPage('agenda');
    await appPage().getByRole('button', { name: 'Instalar Agenda' }).focus();
    await page.keyboard.press('Enter');
    const cancel = appPage().getByRole('button', { name: 'Cancelar a instalação de Agenda' });
    await appPage().getByRole('progressbar').waitFor();
    // The button changed under the finger; the keyboard is still there.
    await until('the keyboard is at Cancel', () => cancel.evaluate((button) => button.matches(':focus')));
    await page.keyboard.press('Enter');
    await said('A instalação de Agenda foi cancelada');
    await appPage().getByRole('button', { name: 'Instalar Agenda' }).waitFor();
    expect(existsSync(onDisk('agenda'))).toBe(false);

    world.valve('agenda/1.0.0', 'other');
    await appPage().getByRole('button', { name: 'Instalar Agenda' }).click();
    await loja()
      .getByText(/A instalação não deu certo/)
      .waitFor();
    // It is tried again by itself after a while, and what was unfolded then goes with its failure.
    await until('the technical detail', async () => {
      const detail = loja()
        .locator('.failure')
        .getByText(/sha256/);
      if (!(await detail.isVisible()))
        await loja()
          .getByText('Detalhe técnico')
          .click({ timeout: 1_000 })
          .catch(() => undefined);
      return await detail.isVisible();
    });
    const again = appPage().getByRole('button', { name: 'Tentar de novo: Agenda' });
    await again.waitFor();
    world.valve('agenda/1.0.0', 'open');
    await Promise.race([again.click().catch(() => undefined), said('Agenda 1.0.0 está instalado')]);
    await said('Agenda 1.0.0 está instalado');
    expect(existsSync(onDisk('agenda'))).toBe(true);
  });

  test('everything at once: the badge on the desk, update all, an older version again', async () => {
    world.valve('atlas/1.0.0', 'open');
    await openStore();
    await card('atlas').getByRole('button', { name: 'Instalar Atlas' }).click();
    await said(/Atlas .* está instalado/);
    await world.publish(atlas('1.2.0'));
    await world.publish(agenda('1.1.0', '- Lembretes por som\n- A semana começa na segunda'));
    await page.reload();
    await loja().getByRole('button', { name: 'Minimizar' }).click();
    const tile = page.locator('svc-home').getByRole('button', { name: /^Loja.*2 atualizações/ });
    await tile.waitFor();
    await tile.click();
    await tab(/Instalados, 2 atualizações/).click();
    await loja().getByRole('button', { name: 'Atualizar tudo' }).click();
    await loja().getByText('Tudo está na versão mais nova.').waitFor();
    await until(
      'both are there',
      async () => (await row('agenda').getByText('1.1.0').count()) === 1 && (await row('atlas').getByText('1.2.0').count()) === 1,
    );
    expect(await tab(/Instalados/).textContent()).not.toContain('2');

    await row('agenda').locator('.name').click();
    await loja().getByRole('button', { name: 'Instalar a versão 1.0.0' }).click();
    await said('Agenda 1.0.0 está instalado');
    expect(problems).toEqual([]);
  });
});

describe('the panel of the administrator', () => {
  test('shows what is missing with its line, packages, who runs what; goes back and undoes it', async () => {
    await world.desired(
      'notas.yaml',
      'apiVersion: svc/v1\nkind: Package\nmetadata: { name: notas-casa }\nspec: { app: notas, versao: 1.0.0, server: casa }\n',
    );
    await openStore();
    await tab(/Administração/).click();
    const server = loja().getByRole('region', { name: 'Servidor casa' });
    const missing = server.locator('[data-part=missing] li');
    await missing.getByText('nao-existe-9').first().waitFor();
    await missing.getByText(/^apt-get install .*nao-existe-9$/).waitFor();
    const notas = server.locator('[data-package="Package/notas-casa"]');
    await notas.getByText('Instalado', { exact: true }).waitFor();
    await world.publish({ id: 'notas', version: '1.1.0' });
    await world.desired(
      'notas.yaml',
      'apiVersion: svc/v1\nkind: Package\nmetadata: { name: notas-casa }\nspec: { app: notas, versao: 1.1.0, server: casa }\n',
    );
    await notas.getByRole('button', { name: 'Voltar para 1.0.0: notas' }).click();
    await notas.getByText(/1\.0\.0 · pedida 1\.1\.0/).waitFor();
    await notas.getByRole('button', { name: 'Desfazer a volta de notas' }).click();
    await until('1.1.0 again', async () => (await notas.getByText('1.1.0', { exact: true }).count()) === 1);
    const object = async (): Promise<unknown> => (await world.portal.admin('GET', '/api/admin/objects?prefix=Package/notas-casa')).body;
    await expect.poll(object, { timeout: 20_000 }).toMatchObject([{ state: 'installed', details: { installed: '1.1.0' } }]);
  });

  test('is for administrators only', async () => {
    ({ page } = await signedInAnew(made, browser, world.portal, { button: /^Loja/, admin: false }));
    await openStore();
    expect(await tab(/Administração/).count()).toBe(0);
    expect(await page.evaluate(async () => (await fetch('/api/admin/pacotes')).status)).toBe(403);
  });
});
