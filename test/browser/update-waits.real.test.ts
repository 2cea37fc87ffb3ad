/** `aplicar: ao-parar` as the person meets it: a message over the windows and in the task manager, and a button that lets the update come. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Browser } from 'playwright-core';
import { launchBrowser } from '../support/chromium.ts';
import { exampleDesired } from '../support/example-desired.ts';
import { startPortal, until, type RunningPortal } from '../support/portal.ts';
import { openApp, signedIn, windowOf } from './support/browser.ts';

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
  [portal, browser] = await Promise.all([startPortal({ desired }), launchBrowser()]);
  await until('notas is there', async () => (await state()) === 'Installed 1.0.0');
});
afterAll(async () => {
  await browser?.close();
  await portal?.stop();
  await rm(dir, { recursive: true, force: true });
});

test('an update waits for whoever runs the app, who is told, and comes once they stop it', async () => {
  const { page, problems } = await signedIn(browser, portal);
  await openApp(page, 'Notas');
  const manifest = path.join(dir, 'apps/notas/svc-app.json');
  await writeFile(manifest, (await readFile(manifest, 'utf8')).replace('"version": "1.0.0"', '"version": "1.1.0"'));
  await writeFile(path.join(desired, 'packages.yaml'), packages('1.1.0'));
  await page.getByText('Notas 1.1.0 está pronto').first().waitFor();
  expect(await state()).toBe('UpdateWaits 1.0.0');
  await openApp(page, 'Gerenciador de tarefas');
  await windowOf(page, 'Gerenciador de tarefas').locator('[data-update="1.1.0"]').waitFor();
  await page.getByRole('button', { name: 'Parar agora' }).click();
  await until('the update', async () => (await state()) === 'Installed 1.1.0');
  await until('nothing waits', async () => (await page.locator('[data-update]').count()) === 0);
  // The page of the app asks its backend, which is stopped.
  expect(problems.filter((problem) => !problem.includes('503'))).toEqual([]);
});
