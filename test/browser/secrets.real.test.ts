/**
 * Secrets on the desktop: missing ones are named, set, replaced and removed, by mouse and by keyboard; the value goes one way only.
 * @module-tag carries-state
 */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { containmentText } from '../../schema/texts/containment.ts';
import { startPortal, until, type RunningPortal } from '../support/portal.ts';
import {
  axeFindings,
  axeInBothThemes,
  dialogOf,
  frameOf,
  openApp,
  signedIn,
  signedInAnew,
  windowOf,
  type TestPage,
} from './support/browser.ts';
import { closePages, openBrowser } from '../support/chromium.ts';

let portal: RunningPortal;
let browser: Browser;
let made: TestPage | undefined;
let page: Page;
let problems: readonly string[];
/** Every text that the browser was answered, in all tests. */
const answered: string[] = [];

const listenTo = (each: Page): void => {
  each.on('response', (response) => {
    response.text().then(
      (text) => answered.push(text),
      () => undefined,
    );
  });
};

beforeAll(async () => {
  [portal, browser] = await Promise.all([startPortal({ apps: ['notas', 'assinador'] }), openBrowser()]);
});
afterAll(async () => {
  await closePages(browser);
  await portal?.stop();
});
beforeEach(async () => {
  made = await signedInAnew(made, browser, portal);
  ({ page, problems } = made);
  listenTo(page);
});

/** The searched text: long enough that no random number of a log holds it. */
const mark = 'canary-8c2e';
const canary = `${mark}"\\ é`;
const dialog = (): Locator => dialogOf(page, 'Segredos de Assinador');
const row = (name: string): Locator => dialog().locator(`li[data-secret="${name}"]`);
const isSet = async (name: string): Promise<boolean> => {
  const { body } = await portal.admin('GET', '/api/admin/backends/ana/assinador/segredos');
  const { secrets } = body as { readonly secrets: readonly { readonly name: string; readonly set: boolean }[] };
  return secrets.find((secret) => secret.name === name)?.set === true;
};

test('the window says what is missing; it is set there, the app is restarted there, and then it works', async () => {
  await openApp(page, 'Assinador');
  await frameOf(page, 'Assinador').getByText('Falta o segredo ASSINADOR_CHAVE').waitFor();
  const strip = windowOf(page, 'Assinador').locator('.strip.secrets');
  await strip.getByText('Falta o segredo ASSINADOR_CHAVE.').waitFor();
  await strip.getByRole('button', { name: 'Definir' }).click();
  await row('ASSINADOR_CHAVE').getByText('Falta', { exact: true }).waitFor();
  expect(await axeFindings(page)).toEqual([]);

  await row('ASSINADOR_CHAVE').getByRole('button', { name: 'Definir ASSINADOR_CHAVE' }).click();
  const field = dialog().getByLabel('Valor de ASSINADOR_CHAVE');
  expect([await field.getAttribute('type'), await field.getAttribute('autocomplete')]).toEqual(['password', 'off']);
  await field.fill(canary);
  expect(await axeFindings(page)).toEqual([]);
  await dialog().getByRole('button', { name: 'Guardar' }).click();
  await row('ASSINADOR_CHAVE').getByText('Definido', { exact: true }).waitFor();
  expect(await dialog().locator('input').count()).toBe(0);
  expect(await isSet('ASSINADOR_CHAVE')).toBe(true);

  await dialog().getByText('ainda executa com os valores anteriores').waitFor();
  await dialog().getByRole('button', { name: 'Reiniciar agora' }).click();
  await until('nothing asks for a restart', async () => (await dialog().locator('[data-verb=restart]').count()) === 0);
  await dialog().getByRole('button', { name: 'Fechar' }).click();
  await strip.waitFor({ state: 'detached' });
  const app = frameOf(page, 'Assinador');
  await until('the app has its key', async () => await app.getByRole('button', { name: 'Assinar' }).isEnabled());
  await app.getByLabel('Texto').fill('olá');
  await app.getByRole('button', { name: 'Assinar' }).click();
  await app.getByText('Texto assinado.').waitFor();
  // The app's page asked while its backend was away, which the browser writes down.
  expect(problems.filter((line) => !line.startsWith('Failed to load resource'))).toEqual([]);
});

test('by keyboard: opened from the task manager, replaced, left by Escape one step at a time, removed after a question', async () => {
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('Gerenciador');
  await page.keyboard.press('Enter');
  await page.locator('tr[data-app="assinador"] button.name').press('Enter');
  // Source: rules 3.3 supervisor rule 5.
  const { contained, containedReason } = await page.evaluate(async () => {
    const { apps } = (await (await fetch('/api/apps')).json()) as { apps: { id: string; contained: boolean; containedReason: string }[] };
    return apps.find(({ id }) => id === 'assinador')!;
  });
  const details = page.getByRole('region', { name: 'Detalhes de Assinador' });
  await details.getByText(contained ? 'Aplicados' : 'Sem limites', { exact: true }).waitFor();
  if (!contained) await details.getByText(containmentText(containedReason, 'pt')).waitFor();
  await page.locator('[data-verb=secrets]').press('Enter');
  const replace = row('ASSINADOR_CHAVE').getByRole('button', { name: 'Substituir ASSINADOR_CHAVE' });
  await replace.press('Enter');
  const field = dialog().getByLabel('Valor de ASSINADOR_CHAVE');
  await until('the field has the focus', async () => await field.evaluate((element) => element.matches(':focus')));
  await page.keyboard.press('Enter');
  await dialog().getByText('Escreva o valor, ou remova o segredo.').waitFor();
  await page.keyboard.press('Escape');
  await field.waitFor({ state: 'detached' });
  expect(await dialog().isVisible()).toBe(true);
  expect(await replace.evaluate((element) => element.matches(':focus'))).toBe(true);
  await page.keyboard.press('Enter');
  await page.keyboard.type(`${canary}2`);
  await page.keyboard.press('Enter');
  await field.waitFor({ state: 'detached' });
  await dialog().getByText('ASSINADOR_CHAVE foi guardado').waitFor({ state: 'attached' });

  await row('ASSINADOR_CHAVE').getByRole('button', { name: 'Remover ASSINADOR_CHAVE' }).press('Enter');
  await until('the question has the focus', async () =>
    row('ASSINADOR_CHAVE')
      .getByRole('button', { name: 'Remover mesmo' })
      .evaluate((element) => element.matches(':focus')),
  );
  await page.keyboard.press('Enter');
  await row('ASSINADOR_CHAVE').getByText('Falta', { exact: true }).waitFor();
  expect(await isSet('ASSINADOR_CHAVE')).toBe(false);
  await page.keyboard.press('Escape');
  await dialog().waitFor({ state: 'detached' });
  expect(problems).toEqual([]);
});

test('what is pasted with line breaks, as a PEM key, is stored as it is', async () => {
  await openApp(page, 'Assinador');
  await windowOf(page, 'Assinador').locator('.strip.secrets').getByRole('button', { name: 'Definir' }).click();
  await row('ASSINADOR_CHAVE_ANTERIOR')
    .getByRole('button', { name: /^Definir/ })
    .click();
  const field = dialog().getByLabel('Valor de ASSINADOR_CHAVE_ANTERIOR');
  await field.evaluate((element) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text', '-----BEGIN-----\nabc\n-----END-----\n');
    element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, composed: true, cancelable: true }));
  });
  await dialog().getByText('O valor tem várias linhas').waitFor();
  expect(await field.inputValue()).toBe('-----BEGIN-----\nabc\n-----END-----\n');
  await dialog().getByRole('button', { name: 'Guardar' }).click();
  await row('ASSINADOR_CHAVE_ANTERIOR').getByText('Definido', { exact: true }).waitFor();
  expect(await isSet('ASSINADOR_CHAVE_ANTERIOR')).toBe(true);
});

test('in English, at 320 px, by touch, in the light and in the dark', async () => {
  ({ page } = await signedIn(browser, portal, { viewport: { width: 320, height: 560 }, hasTouch: true, locale: 'en-GB' }));
  listenTo(page);
  await page
    .getByRole('button', { name: /^Assinador/ })
    .first()
    .tap();
  await page.getByText('The secret ASSINADOR_CHAVE is missing.').waitFor();
  await page.locator('.strip.secrets').getByRole('button', { name: 'Set', exact: true }).tap();
  const english = dialogOf(page, 'Secrets of Assinador');
  await english.getByRole('button', { name: 'Set ASSINADOR_CHAVE', exact: true }).tap();
  await english.getByLabel('Value of ASSINADOR_CHAVE', { exact: true }).waitFor();
  const wide = await english.locator('[part=body]').evaluate((element) => element.scrollWidth - element.clientWidth);
  expect([wide, await page.evaluate('document.documentElement.scrollWidth - innerWidth'), await axeInBothThemes(page)]).toEqual([0, 0, []]);
  const small = await english
    .locator('button')
    .evaluateAll((buttons) => buttons.filter((each) => each.getBoundingClientRect().height < 44).length);
  expect(small).toBe(0);
});

test('the value stands in no answer, no line of the portal and no file but the vault', async () => {
  const names = await portal.admin('PUT', '/api/admin/backends/ana/assinador/segredos/ASSINADOR_CHAVE', { value: canary });
  expect(names.status).toBe(200);
  for (const path of ['objects', 'why?key=Backend/ana/assinador', 'events', 'backends/ana/assinador/log', 'doctor']) {
    answered.push(JSON.stringify((await portal.admin('GET', `/api/admin/${path}`)).body));
  }
  expect(answered.length).toBeGreaterThan(20);
  expect(answered.join('\n')).not.toContain(mark);
  expect(portal.output()).not.toContain(mark);
  const holders = readdirSync(portal.state, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && readFileSync(join(entry.parentPath, entry.name)).includes(mark))
    .map(({ name }) => name);
  expect(holders).toEqual(['secrets.json']);
});
