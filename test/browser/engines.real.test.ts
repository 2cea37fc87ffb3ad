/** Engines in the environment, and the browser extensions that apps suggest: what the shell runs and when, what it says, and how it looks. */
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../support/portal.ts';
import { someWidths } from '../support/share.ts';
import { axeInBothThemes, newLink, newPage, windowOf, type TestPage } from './support/browser.ts';
import { closePages, openBrowser } from '../support/chromium.ts';
import { createSettingsWorld, type SettingsApp, type SettingsWorld } from './support/settings-world.ts';
import { takePicture } from './support/pictures.ts';

/** Writes its questions and answers into the page. */
const loader = `registerEngine({
  ligar({ app, idioma, tema, sinal, pedir }) {
    globalThis.voz = { app, idioma, tema, ligada: true, vezes: (globalThis.voz?.vezes ?? 0) + 1, pedir };
    sinal.addEventListener('abort', () => (globalThis.voz.sinal = true));
    return () => (globalThis.voz.ligada = false);
  },
});`;
const engine = (id: string, name: string, script: string, more: object = {}): SettingsApp => ({
  id,
  name,
  manifest: {
    type: 'engine',
    engine: { loader: 'motor/carregar.js' },
    backend: { runtime: 'node', entrypoint: 'main.mjs', aoFechar: 'manter' },
    ...more,
  },
  files: { 'frontend/motor/carregar.js': script },
});
const offered = { provides: ['voz/v1'], capacidades: { 'voz/v1': { rota: '/voz' } } };
const apps: readonly SettingsApp[] = [
  engine('voz', 'Voz', loader, offered),
  engine('torto', 'Torto', `throw new Error('sem\\nsorte');`),
  engine('lento', 'Lento', `setTimeout(() => registerEngine({ app: 'lento', ligar() {} }), 60000);`),
  { id: 'avulso', name: 'Avulso', manifest: { type: 'engine', kind: 'service', provides: ['avulso/v1'] } },
  {
    id: 'leitor',
    name: 'Leitor',
    manifest: {
      contributes: { browserExtension: { id: 'leitor-na-pagina', razao: 'Explica as palavras das páginas que você lê fora daqui.' } },
    },
  },
  { id: 'mudo', name: 'Mudo', manifest: { contributes: { browserExtension: { id: 'fora-do-catalogo' } } } },
];
const catalogue = {
  formato: 1,
  extensoes: [
    {
      id: 'leitor-na-pagina',
      nome: 'Leitor na página',
      navegadores: [
        { navegador: 'chrome', endereco: 'https://loja.example/chrome/leitor' },
        { navegador: 'firefox', endereco: 'https://loja.example/firefox/leitor' },
      ],
    },
  ],
};

let world: SettingsWorld;
/** A desktop that is there from the beginning: what takes ten seconds is over when it is looked at. */
let early: TestPage;
let browser: Browser;
beforeAll(async () => {
  [world, browser] = await Promise.all([createSettingsWorld(apps, { 'extensoes.json': JSON.stringify(catalogue) }), openBrowser()]);
  early = await desktop();
});
afterAll(async () => {
  await closePages(browser);
  await world?.stop();
});

interface Voice {
  readonly app: string;
  readonly idioma: string;
  readonly tema: string;
  readonly ligada: boolean;
  readonly vezes: number;
  readonly sinal?: boolean;
  pedir(capacidade: string, caminho: string, pedido?: object): Promise<Response>;
}

async function desktop(options: Parameters<typeof newPage>[1] = {}): Promise<TestPage> {
  const made = await newPage(browser, options);
  await made.page.goto(await newLink(world.portal));
  await made.page
    .getByRole('button', { name: /^Leitor/ })
    .first()
    .waitFor();
  return made;
}

const voiceIn = (page: Page): Promise<Omit<Voice, 'pedir'> | null> =>
  page.evaluate(() => {
    const voice = (globalThis as unknown as { readonly voz?: Voice }).voz;
    if (voice === undefined) return null;
    const { pedir: _, ...rest } = voice;
    return rest;
  });

async function openWindow(page: Page, title: string): Promise<Locator> {
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill(title);
  await page.getByRole('option', { name: title }).first().waitFor();
  await page.keyboard.press('Enter');
  await windowOf(page, title).waitFor();
  return windowOf(page, title);
}

async function goTo(window: Locator, section: string): Promise<void> {
  const list = window.getByRole('navigation').getByRole('combobox');
  if (await list.isVisible()) await list.selectOption({ label: section });
  else await window.getByRole('button', { name: section, exact: true }).click();
  await window.getByRole('heading', { name: section, exact: true }).waitFor();
}

const post = (page: Page, where: string): Promise<number> =>
  page.evaluate(async (where) => {
    const headers = { 'content-type': 'application/json' };
    return (await fetch(where, { method: 'POST', headers, body: '{}' })).status;
  }, where);
const statusOf = (page: Page, app: string): Promise<string> =>
  page.evaluate(async (app) => ((await (await fetch(`/api/apps/${app}`)).json()) as { readonly status: string }).status, app);
const logOf = (page: Page, app: string): Promise<string> => page.evaluate(async (app) => (await fetch(`/api/apps/${app}/log`)).text(), app);

test('engines start with the session; a loader runs while its backend answers, reaches it, ends with it, and comes back', async () => {
  const { page } = await desktop();
  await until('the engine runs in the page', async () => (await voiceIn(page))?.ligada === true);
  expect(await voiceIn(page)).toMatchObject({ app: 'voz', idioma: 'pt', tema: 'claro', vezes: 1 });
  expect(await statusOf(page, 'avulso')).toBe('stopped');
  const answer = await page.evaluate(async () => {
    const { voz } = globalThis as unknown as { readonly voz: Voice };
    const [own, other] = [await voz.pedir('voz/v1', '/ouvir', { method: 'POST', body: 'oi' }), voz.pedir('outra/v1', '/x')];
    return [
      own.status,
      (await own.text()).includes('Página'),
      await other.then(
        () => 'answered',
        (error: { readonly code: string }) => error.code,
      ),
    ];
  });
  expect(answer).toEqual([200, true, 'CAPABILITY_UNKNOWN']);
  expect(await post(page, '/api/apps/voz/stop')).toBe(200);
  await until('it ended', async () => (await voiceIn(page))?.ligada === false);
  expect(await voiceIn(page)).toMatchObject({ sinal: true, vezes: 1 });
  expect(await post(page, '/api/apps/voz/start')).toBe(200);
  await until('it is back', async () => (await voiceIn(page))?.ligada === true);
  expect(await page.evaluate(() => [...document.scripts].filter(({ src }) => src.includes('/voz/loader')).length)).toBe(0);
  await page.context().close();
});

test('a loader that throws and one that never registers are said in Settings and in the log of their app; the desktop goes on', async ({
  task,
}) => {
  const { page } = (task.result?.retryCount ?? 0) > 0 ? await desktop() : early;
  const window = await openWindow(page, 'Configurações');
  await goTo(window, 'Aplicativos com falha');
  for (const [id, why] of [
    ['torto', 'sem'],
    ['lento', 'O script não se registrou em 10 s.'],
  ] as const) {
    const row = window.locator(`li.row[data-key="${id}"]`);
    await row.getByText('O motor está em execução, mas o script dele na área de trabalho falhou.').waitFor();
    await row.getByText(why).waitFor();
    await until('it is in the log', async () => (await logOf(page, id)).includes('svc: the loader failed in the shell: '));
  }
  expect(await logOf(page, 'torto')).toMatch(/^svc: the loader failed in the shell: .*sem sorte$/m);
  const tried = page.waitForRequest((request) => request.url().includes('/api/apps/torto/loader.js'));
  await window.getByRole('button', { name: 'Tentar de novo Torto' }).click();
  await tried;
  await window.locator('li.row[data-key="torto"]').waitFor();
  expect((await voiceIn(page))?.ligada).toBe(true);
  expect(await axeInBothThemes(page)).toEqual([]);
  await page.context().close();
});

test('an extension is offered in the shop with why, in both languages, leads to its https page, and one that the catalogue lacks is not', async () => {
  const { page, problems } = await desktop();
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  const shop = await openWindow(page, 'Loja');
  await shop.getByRole('button', { name: 'Leitor', exact: true }).first().click();
  const offer = shop.locator('section[data-extension="leitor-na-pagina"]');
  await offer.getByText('Leitor: Explica as palavras das páginas que você lê fora daqui.').waitFor();
  const links = await offer
    .locator('ui-button')
    .evaluateAll((found) =>
      found.map((each) => [each.textContent, each.shadowRoot?.querySelector('a')?.href, each.shadowRoot?.querySelector('a')?.rel]),
    );
  expect(links).toEqual([
    ['Chrome', 'https://loja.example/chrome/leitor', 'noopener noreferrer'],
    ['Firefox', 'https://loja.example/firefox/leitor', 'noopener noreferrer'],
  ]);
  await offer.getByRole('link', { name: 'Instalar Leitor na página no Firefox, em outra página' }).waitFor();
  const window = await openWindow(page, 'Configurações');
  await goTo(window, 'Extensões do navegador');
  expect(await window.locator('li.row').count()).toBe(1);
  await goTo(window, 'Idioma');
  await window.getByLabel('English').check();
  const english = windowOf(page, 'Settings');
  await goTo(english, 'Browser extensions');
  await english.getByText('Nothing is installed without you').waitFor();
  await goTo(english, 'Language');
  await english.getByLabel('Same as the browser').check();
  await window.waitFor();
  expect(requests.filter((url) => url.includes('loja.example'))).toEqual([]);
  expect(problems.filter((line) => !line.includes('sorte'))).toEqual([]);
  await page.context().close();
});

const widths = [
  [1280, 800, 'extensions'],
  [320, 640, 'extensions-320'],
] as const;
test.for(someWidths(widths))('at %i px nothing is cut off, and axe finds nothing in either theme', async ([width, height, name]) => {
  const { page } = await desktop({ viewport: { width, height } });
  const shop = await openWindow(page, 'Loja');
  await shop.getByRole('button', { name: 'Leitor', exact: true }).first().click();
  const section = shop.locator('section[data-extension]');
  await section.scrollIntoViewIfNeeded();
  const shopFound = await axeInBothThemes(page, {
    seen: async (suffix) => {
      expect(await shop.locator('.content').evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
      await takePicture(page, `${name}-shop${suffix}`);
    },
  });
  const window = await openWindow(page, 'Configurações');
  await goTo(window, 'Extensões do navegador');
  const found = await axeInBothThemes(page, {
    seen: async (suffix) => {
      expect(await window.locator('.content').evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
      await takePicture(page, `${name}${suffix}`);
    },
  });
  expect([...shopFound, ...found]).toEqual([]);
  await page.context().close();
});
