/** `aplicar: ao-parar` as the person meets it: a message over the windows and in the task manager, and a button that lets the update come. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Browser, Locator, Page } from 'playwright-core';
import { closePages, openBrowser } from '../support/chromium.ts';
import { exampleDesired } from '../support/example-desired.ts';
import { processesBelow, startPortal, until, type RunningPortal } from '../support/portal.ts';
import { openApp, signedIn, windowOf } from './support/browser.ts';
import { middleOf, touchScreen } from './support/touch.ts';

let dir: string;
let desired: string;
let portal: RunningPortal;
let browser: Browser;

const packages = (versao: string): string =>
  `apiVersion: svc/v1\nkind: Package\nmetadata: { name: notas }\nspec: { app: notas, versao: ${versao}, servers: all, aplicar: ao-parar }\n`;
const state = async (): Promise<string> => {
  const { body } = await portal.admin('GET', '/api/admin/objects?prefix=Package/notas');
  const [found] = body as readonly { readonly reason: string; readonly details: { readonly installed: string | null } }[];
  return `${found?.reason} ${found?.details.installed}`;
};

beforeAll(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'svcu-'));
  desired = await exampleDesired(dir, ['notas']);
  await writeFile(path.join(desired, 'packages.yaml'), packages('1.0.0'));
  [portal, browser] = await Promise.all([startPortal({ desired }), openBrowser()]);
  await until('notas is there', async () => (await state()) === 'Installed 1.0.0');
});
afterAll(async () => {
  await closePages(browser);
  await portal?.stop();
  await rm(dir, { recursive: true, force: true });
});

/** The version that is asked for from now on. */
async function publish(version: string): Promise<void> {
  const manifest = path.join(dir, 'apps/notas/svc-app.json');
  await writeFile(manifest, (await readFile(manifest, 'utf8')).replace(/"version": "[\d.]+"/, `"version": "${version}"`));
  await writeFile(path.join(desired, 'packages.yaml'), packages(version));
}
/** The page of the app asks its backend, which is stopped, and the desktop a portal that is gone. */
const others = (problems: readonly string[]): readonly string[] =>
  problems.filter((problem) => !/50[23]|ERR_CONNECTION_|application\/problem\+json/.test(problem));
const pids = (): readonly number[] => processesBelow(portal.state).flatMap(({ pid, app }) => (app === 'notas' ? [pid] : []));

const stopButton = (page: Page): Locator => page.getByRole('button', { name: 'Parar agora' });
/** The message is there for ten seconds, which a busy machine may spend on something else; a page that loads says it again. */
async function toldAgain(page: Page): Promise<void> {
  await page.reload();
  await stopButton(page).waitFor();
}

test('an update waits for whoever runs the app, who is told, and comes once they stop it', async () => {
  const { page, problems } = await signedIn(browser, portal);
  await openApp(page, 'Notas');
  await publish('1.1.0');
  await page.getByText('Notas 1.1.0 está pronto').first().waitFor();
  expect(await state()).toBe('UpdateWaits 1.0.0');
  await openApp(page, 'Gerenciador de tarefas');
  await windowOf(page, 'Gerenciador de tarefas').locator('[data-update="1.1.0"]').waitFor();
  if (!(await stopButton(page).isVisible())) await toldAgain(page);
  await stopButton(page).click();
  await until('the update', async () => (await state()) === 'Installed 1.1.0');
  await until('nothing waits', async () => (await page.locator('[data-update]').count()) === 0);
  expect(others(problems)).toEqual([]);
});

test('the keyboard alone reaches the button and lets the update come', async () => {
  const { page, problems } = await signedIn(browser, portal);
  await openApp(page, 'Notas');
  await publish('1.2.0');
  const button = stopButton(page);
  await button.waitFor();
  await until('Tab comes to the button', async () => {
    if (!(await button.isVisible())) await toldAgain(page);
    await page.keyboard.press('Shift+Tab');
    return await page.evaluate(() => {
      let at = document.activeElement;
      while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
      return at?.textContent?.trim() === 'Parar agora';
    });
  });
  await page.keyboard.press('Enter');
  await until('the update', async () => (await state()) === 'Installed 1.2.0');
  expect(others(problems)).toEqual([]);
});

test('it waits over a restart of the portal; a page that loads is told again, and a finger lets the update come', async () => {
  const { page, problems } = await signedIn(browser, portal);
  await page.setViewportSize({ width: 320, height: 640 });
  await openApp(page, 'Notas');
  await until('notas runs', () => pids().length > 0);
  await publish('1.3.0');
  await until('it waits', async () => (await state()) === 'UpdateWaits 1.2.0');
  const before = pids();
  await portal.kill();
  await portal.again();
  await until('it still waits', async () => (await state()) === 'UpdateWaits 1.2.0');
  expect(pids()).toEqual(before);
  const finger = await touchScreen(page);
  await until('a finger on the button', async () => {
    await toldAgain(page);
    const at = await middleOf(stopButton(page)).catch(() => null);
    if (at === null) return false;
    await finger.down(at);
    await finger.up();
    return true;
  });
  await until('the update', async () => (await state()) === 'Installed 1.3.0');
  await finger.end();
  expect(others(problems)).toEqual([]);
});
