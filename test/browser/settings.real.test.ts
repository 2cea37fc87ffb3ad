/** Settings: choices that follow the person, sections of apps, consents, failed apps, and how it looks in three widths and both themes. */
import path from 'node:path';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { tellCount } from '../support/counts.ts';
import { everyNth, shareSeed, someWidths } from '../support/share.ts';
import { until } from '../support/portal.ts';
import { axeInBothThemes, frameAt, newLink, newPage, openApp, signedInAnew, windowOf, type TestPage } from './support/browser.ts';
import { callControlSocket } from '../support/control-socket.ts';
import { closePages, openBrowser } from '../support/chromium.ts';
import { createSettingsWorld, type SettingsApp, type SettingsWorld } from './support/settings-world.ts';
import { takePicture } from './support/pictures.ts';

const dictionary = { provides: ['dicionario/v1'], capacidades: { 'dicionario/v1': { rota: '/v1', rotulo: 'Definir palavras' } } };
const section = (id: string, name: string, script: string, settingsOptIn = false): SettingsApp => ({
  id,
  name,
  manifest: { contributes: { settings: 'secao.js', ...(settingsOptIn ? { settingsOptIn } : {}) } },
  files: { 'secao.js': script },
});
const apps: readonly SettingsApp[] = [
  { id: 'aurelio', name: 'Aurélio', manifest: dictionary },
  { id: 'houaiss', name: 'Houaiss', manifest: dictionary },
  { id: 'disfarce', name: 'Aurélio', manifest: dictionary },
  { id: 'leitor', name: 'Leitor', manifest: { requires: ['dicionario/v1'], opens: { urls: ['*.livros.example'] } } },
  { id: 'concha', name: 'Concha', manifest: { handles: 'terminal' } },
  { id: 'cai', name: 'Cai', main: `process.stderr.write('sem disco\\n');\nprocess.exit(3);\n` },
  {
    id: 'ajustada',
    name: 'Ajustada',
    manifest: { contributes: { settings: 'ajustes/secao.js' } },
    files: {
      'ajustes/secao.js': `SettingsRegistry.register({ titulo: 'Minha seção', montar(elemento, { app }) {
        elemento.innerHTML = '<label>Cor preferida <input></label><p></p>';
        elemento.querySelector('p').textContent = 'de ' + app;
      } });`,
    },
  },
  section('quebrada', 'Quebrada', `throw new Error('sem sorte');`),
  section('estoura', 'Estoura', `SettingsRegistry.register({ montar() { throw new Error('nada a mostrar'.padEnd(6000, '.')); } });`),
  section('lenta', 'Lenta', `setTimeout(() => SettingsRegistry.register({ app: 'lenta', montar() {} }), 60000);`),
  section(
    'demorada',
    'Demorada',
    `SettingsRegistry.register({ montar: () => new Promise((drawn) => (globalThis.desenha = () => drawn(() => (globalThis.deixada = true)))) });`,
  ),
  section('discreta', 'Discreta', `SettingsRegistry.register({ montar(elemento) { elemento.textContent = 'Aqui estou'; } });`, true),
  { id: 'chave', name: 'Chave', manifest: { secrets: [{ name: 'CHAVE', description: 'Chave do serviço', required: true }] } },
];

let world: SettingsWorld;
let browser: Browser;
beforeAll(async () => {
  [world, browser] = await Promise.all([createSettingsWorld(apps), openBrowser()]);
});
afterAll(async () => {
  await closePages(browser);
  await world?.stop();
});

let kept: TestPage | undefined;
/** Signed in, at the page of the test before; every other page is closed. */
const enter = async (): Promise<TestPage> => (kept = await signedInAnew(kept, browser, world.portal, { button: /^Leitor/ }));

async function desktop(options: Parameters<typeof newPage>[1] = {}): Promise<TestPage> {
  const made = await newPage(browser, options);
  await made.page.goto(await newLink(world.portal));
  await made.page
    .getByRole('button', { name: /^Leitor/ })
    .first()
    .waitFor();
  return made;
}

const settings = (page: Page): Locator => windowOf(page, 'Configurações');

/** By the list of commands; at `section`. */
async function openSettings(page: Page, section?: string): Promise<Locator> {
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('Configurações');
  await page.getByRole('option', { name: 'Configurações' }).first().waitFor();
  await page.keyboard.press('Enter');
  await settings(page).waitFor();
  if (section !== undefined) await goTo(page, section);
  return settings(page);
}

async function goTo(page: Page, section: string): Promise<void> {
  const list = settings(page).getByLabel('Seção', { exact: true });
  if (await list.isVisible()) await list.selectOption({ label: section });
  else await settings(page).getByRole('button', { name: section, exact: true }).click();
  await settings(page).getByRole('heading', { name: section, exact: true }).waitFor();
}

const api = <T>(page: Page, method: string, where: string, body?: unknown): Promise<T> =>
  page.evaluate(
    async ([method, where, body]) => {
      const headers = { 'content-type': 'application/json' };
      const answer = await fetch(where, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
      return (answer.status === 204 ? null : await answer.json()) as T;
    },
    [method, where, body] as const,
  );

test('what is chosen is in the other browser at once, and in a new one', async () => {
  const [one, other] = [await enter(), await desktop()];
  const mine = await openSettings(one.page, 'Abrir com');
  const theirs = await openSettings(other.page, 'Abrir com');
  await mine.getByLabel('Terminal').selectOption({ label: 'Concha' });
  await until('the other browser', async () => (await theirs.getByLabel('Terminal').inputValue()) === 'concha');
  expect(await mine.getByLabel('*.livros.example').locator('option').first().innerText()).toBe('Automático: Leitor');
  await mine.getByLabel('*.livros.example').selectOption({ label: 'O navegador' });
  await goTo(one.page, 'Entre aplicativos');
  expect(await mine.getByLabel('Quem atende dicionario/v1').locator('option').allInnerTexts()).toEqual(
    expect.arrayContaining(['Aurélio (aurelio)', 'Aurélio (disfarce)', 'Houaiss']),
  );
  await mine.getByLabel('Quem atende dicionario/v1').selectOption({ label: 'Houaiss' });
  await goTo(other.page, 'Entre aplicativos');
  await until('the other browser', async () => (await theirs.getByLabel('Quem atende dicionario/v1').inputValue()) === 'houaiss');
  await goTo(one.page, 'Notificações');
  await mine.getByLabel('Só menções a mim').check();
  await goTo(one.page, 'Aparência');
  await mine.getByLabel('Escura', { exact: true }).check();
  await until('the other is dark', async () => await other.page.evaluate(() => document.documentElement.dataset['theme'] === 'dark'));
  const third = await desktop();
  expect(await api(third.page, 'GET', '/api/preferencias')).toMatchObject({
    padroes: { terminal: 'concha', 'dicionario/v1': 'houaiss' },
    links: { '*.livros.example': 'navegador' },
    notificacoes: 'mencoes',
    tema: 'escuro',
  });
  await mine.getByLabel('Como no sistema').check();
  await goTo(one.page, 'Idioma');
  await mine.getByLabel('English').check();
  await windowOf(other.page, 'Settings').getByRole('heading', { name: 'Between apps' }).waitFor();
  await windowOf(one.page, 'Settings').getByLabel('Same as the browser').check();
  await settings(other.page).waitFor();
  await goTo(other.page, 'Abrir com');
  await theirs.getByLabel('Terminal').selectOption({ label: 'O da área de trabalho' });
  await until('taken back', async () => !('terminal' in (await api<{ padroes: object }>(third.page, 'GET', '/api/preferencias')).padroes));
  for (const { problems } of [one, other, third]) expect(problems.filter((line) => !line.includes('sem sorte'))).toEqual([]);
});

test('a consent is listed, refused and revoked; what a backend asked is answered', async () => {
  const { page, problems } = await enter();
  const window = await openSettings(page, 'Consentimentos');
  await window.getByText('Nenhum aplicativo pediu para usar outro.').waitFor();
  const said = { de: 'leitor', para: 'aurelio', capacidade: 'dicionario/v1', resposta: 'sim', duracao: 'sempre' };
  await api(page, 'PUT', '/api/consentimentos', said);
  const row = window.locator('li.row', { hasText: 'Leitor usa Aurélio (aurelio)' });
  await row.getByText('Permitido').waitFor();
  await row.getByText('Para: Definir palavras').waitFor();
  await row.getByRole('button', { name: 'Recusar' }).click();
  await row.getByText('Recusado').waitFor();
  await row.getByRole('button', { name: 'Esquecer' }).click();
  await row.waitFor({ state: 'detached' });
  expect(await api(page, 'GET', '/api/consentimentos')).toEqual({ consentimentos: [] });
  expect(problems.filter((line) => !line.includes('sem sorte'))).toEqual([]);
});

test('an app that failed says why, and is tried again from there', async () => {
  const { page } = await enter();
  await api(page, 'POST', '/api/apps/cai/start', {});
  const window = await openSettings(page, 'Aplicativos com falha');
  const row = window.locator('li.row[data-key="cai"]');
  await row.getByText('Cai', { exact: true }).waitFor();
  // The portal's own words are not in the person's language.
  const told = row.locator('details [lang=en]');
  await told.waitFor({ state: 'attached' });
  expect(await told.isVisible()).toBe(false);
  await row.getByText('Detalhe técnico').click();
  expect(await told.innerText()).not.toBe('');
  const tried = page.waitForRequest((request) => request.url().endsWith('/api/apps/cai/start'));
  await row.getByRole('button', { name: 'Tentar de novo Cai' }).click();
  expect((await tried).method()).toBe('POST');
  await goTo(page, 'Meu servidor e limites');
  await window.getByText('casa', { exact: true }).waitFor();
  expect(
    await window
      .getByText(/enable-linger|systemd/i)
      .filter({ visible: true })
      .count(),
  ).toBe(0);
});

test('an app that does not run has its section; one that is broken, one that throws and a slow one say so, and the rest goes on', async () => {
  const { page } = await enter();
  expect(await page.evaluate(() => 'SettingsRegistry' in globalThis)).toBe(false);
  const window = await openSettings(page);
  await window.getByRole('button', { name: 'Minha seção' }).waitFor();
  expect(await api(page, 'GET', '/api/apps/ajustada')).toMatchObject({ status: 'stopped' });
  await goTo(page, 'Minha seção');
  await window.getByLabel('Cor preferida').fill('verde');
  await window.getByText('de ajustada').waitFor();
  for (const [name, why] of [
    ['Quebrada', 'sem sorte'],
    ['Estoura', 'nada a mostrar'],
    ['Lenta', 'O script não se registrou em 10 s.'],
  ] as const) {
    // Its script has no longer than the page says, which is shorter here.
    if (name === 'Lenta') await page.evaluate(shortenWait);
    await goTo(page, name);
    await window.getByText(`A seção de ${name} não funciona. As outras continuam.`).waitFor();
    await window.getByText(why).waitFor();
    expect((await window.getByText(why).innerText()).length).toBeLessThanOrEqual(500);
    await window.getByRole('button', { name: 'Tentar de novo' }).waitFor();
  }
  expect(await axeInBothThemes(page)).toEqual([]);
  // A section that was left before it was drawn is ended when it is.
  await goTo(page, 'Demorada');
  await page.waitForFunction(() => 'desenha' in globalThis);
  await goTo(page, 'Aparência');
  await window.getByLabel('Clara', { exact: true }).waitFor();
  await page.evaluate('desenha()');
  await page.waitForFunction(() => 'deixada' in globalThis);
});

/** Runs in the page: the next wait of ten seconds is one of a second. */
function shortenWait(): void {
  const wait = window.setTimeout;
  window.setTimeout = ((run: () => void, ms?: number) => {
    if (ms !== 10_000) return wait(run, ms);
    window.setTimeout = wait;
    return wait(run, 1_000);
  }) as typeof window.setTimeout;
}

interface InApp {
  readonly svc: {
    readonly configuracoes: { ligar(ligada: boolean): Promise<null>; ligada(): Promise<boolean>; abrir(): Promise<null> };
  };
}

test('a section that the person turns on in the app is there in every browser, and opened from the app', async () => {
  const [one, other] = [await enter(), await desktop()];
  const theirs = await openSettings(other.page);
  await openApp(one.page, 'Discreta');
  await one.page.frameLocator('iframe[title="Discreta"]').getByText('Página').waitFor();
  const frame = await frameAt(one.page, 'Discreta');
  const isOn = (): Promise<boolean> => frame.evaluate(() => (globalThis as unknown as InApp).svc.configuracoes.ligada());
  const turn = (on: boolean): Promise<null> => frame.evaluate((on) => (globalThis as unknown as InApp).svc.configuracoes.ligar(on), on);
  const open = (): Promise<string> =>
    frame.evaluate(() =>
      (globalThis as unknown as InApp).svc.configuracoes.abrir().then(
        () => 'aberta',
        (error: { readonly code: string }) => error.code,
      ),
    );
  expect([await isOn(), await open()]).toEqual([false, 'falhou']);
  await turn(true);
  expect(await isOn()).toBe(true);
  await theirs.getByRole('button', { name: 'Discreta' }).waitFor();
  expect(await open()).toBe('aberta');
  await settings(one.page).getByText('Aqui estou').waitFor();
  expect(await api(one.page, 'GET', '/api/preferencias')).toMatchObject({ secoesDeApps: ['discreta'] });
  await turn(false);
  await theirs.getByRole('button', { name: 'Discreta' }).waitFor({ state: 'detached' });
  for (const { problems } of [one, other]) expect(problems.filter((line) => !line.includes('sem sorte'))).toEqual([]);
});

test('by keyboard: found by a word, chosen with arrows, a secret opened and left', async () => {
  const { page, problems } = await enter();
  const window = await openSettings(page);
  const search = window.getByRole('searchbox');
  await search.focus();
  await page.keyboard.type('credenciais');
  const shown = await window.getByRole('navigation').getByRole('button').allTextContents();
  expect(shown.map((title) => title.trim())).toEqual(['Segredos']);
  await page.keyboard.press('Enter');
  await window.getByRole('button', { name: 'Segredos de Chave' }).press('Enter');
  await page.getByRole('dialog', { name: 'Segredos de Chave' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog', { name: 'Segredos de Chave' }).waitFor({ state: 'detached' });
  await search.fill('');
  await goTo(page, 'Notificações');
  await window.getByLabel('Só menções a mim').focus();
  await page.keyboard.press('ArrowDown');
  await until('kept', async () => (await api<{ notificacoes: string }>(page, 'GET', '/api/preferencias')).notificacoes === 'nenhuma');
  expect(problems.filter((line) => !line.includes('sem sorte'))).toEqual([]);
});

test('activity: own sign-ins, what an administrator did, and further pages by keyboard', async () => {
  const { page, problems } = await enter();
  const said = { de: 'leitor', para: 'houaiss', capacidade: 'dicionario/v1', duracao: 'sempre' };
  for (let at = 0; at < 55; at += 1) await api(page, 'PUT', '/api/consentimentos', { ...said, resposta: at % 2 === 0 ? 'sim' : 'nao' });
  await callControlSocket(path.join(world.portal.state, 'svc.sock'), 'POST', '/api/admin/backends/ana/aurelio/stop', {});
  const window = await openSettings(page, 'Atividade');
  const lines = window.getByRole('list', { name: 'Atividade' }).getByRole('listitem');
  await until('a page', async () => (await lines.count()) === 50);
  expect(await lines.first().textContent()).toMatch(/Aplicativo parado\s*aurelio[^]*administrador/);
  expect(await lines.nth(1).textContent()).toMatch(/Consentimento dado\s*leitor\/houaiss[^]*você · 127\.0\.0\.1 · Chrome \d+, Linux/);
  await window.getByRole('button', { name: 'Mostrar mais' }).press('Enter');
  await until('the rest', async () => (await lines.count()) > 56);
  expect(await lines.nth(50).evaluate((line) => line === (line.getRootNode() as ShadowRoot).activeElement)).toBe(true);
  expect(await lines.allTextContents().then((all) => all.filter((line) => line.includes('Entrada no portal')).length)).toBeGreaterThan(0);
  expect(problems.filter((line) => !line.includes('sem sorte'))).toEqual([]);
});

const widths = [
  [1280, 800, 'settings'],
  [768, 800, 'settings-768'],
  [320, 640, 'settings-320'],
] as const;
const lookedAt = someWidths<(typeof widths)[number]>(widths);
afterAll(() =>
  tellCount(`looks of the settings: ${lookedAt.map(([width]) => width).join(', ')} px of ${widths.length} widths, seed ${shareSeed}`),
);

test.for(lookedAt)('at %i px nothing is cut off, and axe finds nothing in either theme', async ([width, height, name]) => {
  const { page } = await desktop({ viewport: { width, height } });
  const window = await openSettings(page);
  await api(page, 'PATCH', '/api/preferencias', { tema: 'sistema' });
  const said = { de: 'leitor', para: 'aurelio', capacidade: 'dicionario/v1', resposta: 'sim', duracao: 'sempre' };
  await api(page, 'PUT', '/api/consentimentos', said);
  const sections = (await window.getByLabel('Seção', { exact: true }).locator('option').allTextContents()).map((title) => title.trim());
  expect(sections.length).toBeGreaterThanOrEqual(13);
  const own = sections.slice(0, 13);
  // Axe sees a part of them in `npm test`, another one each time.
  const seen = process.env['SVC_SCREENSHOTS'] === '1' ? own : everyNth(3, own);
  for (const section of own) {
    await goTo(page, section);
    const wide = await window.locator('.content').evaluate((element) => element.scrollWidth - element.clientWidth);
    expect([section, wide]).toEqual([section, 0]);
    if (!seen.includes(section)) continue;
    const isPictured = section === 'Consentimentos';
    const found = await axeInBothThemes(page, isPictured ? { seen: async (suffix) => await takePicture(page, `${name}${suffix}`) } : {});
    expect([section, ...found]).toEqual([section]);
  }
});
