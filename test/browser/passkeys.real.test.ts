/**
 * A passkey from the first visit to its removal, in a real browser with an authenticator of its own making; and the page of an app, which gets none.
 * Decision: docs/decisions/0384-passkeys.md
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { exampleDesired } from '../support/example-desired.ts';
import { startPortal, type RunningPortal } from '../support/portal.ts';
import { axeFindings, dialogOf, newLink, newPage, openApp, windowOf } from './support/browser.ts';
import { closePages, openBrowser } from '../support/chromium.ts';

let portal: RunningPortal;
let browser: Browser | undefined;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'svcd-'));
  const desired = await exampleDesired(folder, ['notas']);
  await writeFile(
    path.join(desired, 'portal.yaml'),
    'apiVersion: svc/v1\nkind: Portal\nmetadata: { name: casa }\nspec: { repository: ../apps, signIn: { local: { person: ana }, passkey: {} } }\n',
  );
  [portal, browser] = await Promise.all([startPortal({ desired }), openBrowser('whole')]);
});
afterAll(async () => {
  await closePages(browser);
  await portal?.stop();
  await rm(folder, { recursive: true, force: true });
});

const origin = (): string => `http://svc.localhost:${portal.port}`;
const ofAna = (page: Page): Promise<void> => page.getByRole('heading', { name: /Ana/ }).waitFor();

test('a person who came by a link makes one, comes back by it, and removes it; an app can ask for none of the portal', async () => {
  const { page } = await newPage(browser!, { viewport: { width: 1280, height: 800 } });
  const device = await page.context().newCDPSession(page);
  await device.send('WebAuthn.enable');
  const options = { protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true } as const;
  await device.send('WebAuthn.addVirtualAuthenticator', {
    options: { ...options, isUserVerified: true, automaticPresenceSimulation: true },
  });
  await page.goto(await newLink(portal, false));
  const offer = dialogOf(page, 'Entrar da próxima vez sem ajuda');
  await offer.waitFor();
  expect(await axeFindings(page)).toEqual([]);
  // The button has the focus.
  await page.keyboard.press('Enter');
  await dialogOf(page, 'Chave de acesso criada').getByRole('button', { name: 'Pronto' }).click();

  // The app's own page at the top, as its author would have it.
  await page.goto(`http://notas.svc.localhost:${portal.port}/`);
  await page.getByRole('button', { name: 'Nova nota' }).waitFor();
  const asked = await page.evaluate(async () => {
    const challenge = new Uint8Array(32);
    const user = { id: challenge, name: 'a', displayName: 'a' };
    const said = (error: unknown): string => (error as DOMException).name;
    return await Promise.all([
      navigator.credentials.get({ publicKey: { challenge, rpId: 'svc.localhost' } }).then(() => 'given', said),
      navigator.credentials
        .create({
          publicKey: { challenge, user, rp: { id: 'svc.localhost', name: 'a' }, pubKeyCredParams: [{ type: 'public-key', alg: -7 }] },
        })
        .then(() => 'made', said),
    ]);
  });
  expect(asked).toEqual(['NotAllowedError', 'NotAllowedError']);

  const leave = async (): Promise<void> => {
    await page.getByRole('button', { name: /Sessão e preferências/ }).click();
    await page.getByRole('menuitem', { name: 'Sair' }).click();
  };
  const byPasskey = page.getByRole('button', { name: 'Entrar com chave de acesso' });
  await page.goto(origin());
  await ofAna(page);
  // Nothing is asked: the passkey leads back.
  await leave();
  await byPasskey.waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await byPasskey.click();
  await ofAna(page);
  expect(await offer.count()).toBe(0);

  await openApp(page, 'Configurações');
  const sections = windowOf(page, 'Configurações').getByRole('navigation');
  const list = sections.getByRole('combobox');
  if (await list.isVisible()) await list.selectOption({ label: 'Chaves de acesso' });
  else await sections.getByRole('button', { name: 'Chaves de acesso', exact: true }).click();
  const row = page.getByRole('list', { name: 'Chaves de acesso' }).getByRole('listitem');
  await row.getByRole('button', { name: /^Renomear/ }).click();
  await dialogOf(page, /^Renomear/)
    .getByRole('textbox', { name: 'Nome' })
    .fill('Meu celular');
  await page.keyboard.press('Enter');
  await row.getByText('Meu celular').waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await page.setViewportSize({ width: 320, height: 640 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
  await page.setViewportSize({ width: 1280, height: 800 });
  await row.getByRole('button', { name: 'Remover Meu celular' }).click();
  await dialogOf(page, 'Remover Meu celular', 'alertdialog').getByRole('button', { name: 'Remover' }).click();
  await page.getByText('Você ainda não tem nenhuma.').waitFor();

  // Now signing out would lock them out, which is said.
  await leave();
  await page.getByText('Ou crie antes uma chave de acesso').waitFor();
  await page.locator('svc-leave').getByRole('button', { name: 'Sair' }).click();
  await byPasskey.click();
  await page.getByRole('alert').waitFor();
  expect(await page.getByRole('alert').textContent()).toContain('Esta chave de acesso não entra aqui');
});
