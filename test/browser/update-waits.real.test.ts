/**
 * Tests the ends that documents bring, as the person meets them. `aplicar: ao-parar` of a Package: a strip in the window of the app, with a
 * button that lets the update come, and a badge in the task manager. `maximo`: a strip before the end, and why it ended. A server that is
 * taken out of use: a strip, the deadline while they work, a start that is refused.
 * @module-tag carries-state
 */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Browser, Locator, Page } from 'playwright-core';
import { runSvc } from '../../bin/testing/run-svc.ts';
import { closePages, openBrowser } from '../support/chromium.ts';
import { exampleDesired } from '../support/example-desired.ts';
import { processesBelow, startPortal, until, type RunningPortal } from '../support/portal.ts';
import { frameAt, frameOf, openApp, signedIn, windowOf } from './support/browser.ts';
import { expectLooks } from './support/looks.ts';
import { middleOf, touchScreen } from './support/touch.ts';
import { someWidths } from '../support/share.ts';

let dir: string;
let desired: string;
let portal: RunningPortal;
let browser: Browser;

const packageOf = (app: string, spec: string): string =>
  `apiVersion: svc/v1\nkind: Package\nmetadata: { name: ${app} }\nspec: { app: ${app}, servers: all, ${spec} }\n`;
const packages = (versao: string, more = ''): string =>
  `${packageOf('notas', `versao: ${versao}, aplicar: ao-parar`)}---\n${packageOf('relogio', `versao: 1.0.0${more}`)}`;
const state = async (): Promise<string> => {
  const { body } = await portal.admin('GET', '/api/admin/objects?prefix=Package/notas');
  const [found] = body as readonly { readonly reason: string; readonly details: { readonly installed: string | null } }[];
  return `${found?.reason} ${found?.details.installed}`;
};

beforeAll(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'svcu-'));
  desired = await exampleDesired(dir, ['notas', 'relogio']);
  await writeFile(path.join(desired, 'packages.yaml'), packages('1.0.0'));
  [portal, browser] = await Promise.all([startPortal({ desired }), openBrowser()]);
  await until('notas is there', async () => (await state()) === 'Installed 1.0.0');
});
afterAll(async () => {
  await closePages(browser);
  await portal?.stop();
  await rm(dir, { recursive: true, force: true });
});
// A desktop that nobody watches any more goes on working.
beforeEach(async () => {
  await closePages(browser);
  browser = await openBrowser();
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
const pids = (id = 'notas'): readonly number[] => processesBelow(portal.state).flatMap(({ pid, app }) => (app === id ? [pid] : []));

const now = (page: Page): Locator => page.getByRole('button', { name: 'Atualizar agora' });
const ready = (page: Page, version: string): Promise<void> =>
  page.locator('svc-update-strip').getByRole('status').getByText(`Notas ${version} está pronto`).waitFor();
/** The new version is there, and runs without a press of anybody. */
async function runsAgain(page: Page, version: string): Promise<void> {
  await until('the update', async () => (await state()) === `Installed ${version}`);
  await until('notas runs', () => pids().length > 0);
  await frameOf(page, 'Notas').getByRole('button', { name: 'Nova nota' }).waitFor();
  expect(await now(page).count()).toBe(0);
}

test(
  'the window says which version waits; later is for that one alone, and now asks about unsaved work',
  { timeout: 480_000 },
  async () => {
    const { page, problems } = await signedIn(browser, portal);
    // For the last test: an app that has run for a while.
    await openApp(page, 'Relógio');
    await openApp(page, 'Notas');
    await publish('1.1.0');
    await ready(page, '1.1.0');
    expect(await state()).toBe('UpdateWaits 1.0.0');
    await expectLooks(page, 'update', 320);
    await page.setViewportSize({ width: 1_280, height: 800 });
    await page.getByRole('button', { name: 'Depois' }).click();
    await now(page).waitFor({ state: 'detached' });
    await openApp(page, 'Gerenciador de tarefas');
    await windowOf(page, 'Gerenciador de tarefas').locator('[data-update="1.1.0"]').waitFor();
    await publish('1.1.1');
    await ready(page, '1.1.1');

    await openApp(page, 'Notas');
    await (await frameAt(page, 'Notas')).evaluate(`svc.janela.naoSalvo(true, { nome: 'Lista' })`);
    const question = page.getByRole('alertdialog');
    await now(page).click();
    await question.getByRole('button', { name: 'Continuar editando' }).click();
    expect(await state()).toBe('UpdateWaits 1.0.0');
    await now(page).click();
    await question.waitFor();
    // A press that comes too soon after the question counts for nothing.
    await until('the answer', async () => {
      if (await question.isVisible()) await question.getByRole('button', { name: 'Atualizar sem salvar' }).click({ timeout: 2_000 });
      return !(await question.isVisible());
    });
    await runsAgain(page, '1.1.1');
    await until('nothing waits', async () => (await page.locator('[data-update]').count()) === 0);
    expect(others(problems)).toEqual([]);
  },
);

test('the keyboard alone reaches the button and lets the update come', async () => {
  const { page, problems } = await signedIn(browser, portal);
  await openApp(page, 'Notas');
  await publish('1.2.0');
  await ready(page, '1.2.0');
  await until('Tab comes to the button', async () => {
    await page.keyboard.press('Shift+Tab');
    return await page.evaluate(() => {
      let at = document.activeElement;
      while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
      const { host } = (at?.getRootNode() ?? {}) as Partial<ShadowRoot>;
      return host?.textContent?.trim() === 'Atualizar agora';
    });
  });
  await page.keyboard.press('Enter');
  await runsAgain(page, '1.2.0');
  expect(others(problems)).toEqual([]);
});

test('it waits over a restart of the portal, and a finger lets it come', async () => {
  const { page, problems } = await signedIn(browser, portal);
  await page.setViewportSize({ width: 320, height: 640 });
  await openApp(page, 'Notas');
  await until('notas runs', () => pids().length > 0);
  await publish('1.3.0');
  await ready(page, '1.3.0');
  const before = pids();
  await portal.kill();
  await portal.again();
  await until('it still waits', async () => (await state()) === 'UpdateWaits 1.2.0');
  expect(pids()).toEqual(before);
  // The strip is hidden while the page has no portal. A press is tried once nothing moves it any more.
  await page.getByText('Conectado ao portal').waitFor({ state: 'attached' });
  await now(page).click({ trial: true });
  const finger = await touchScreen(page);
  await finger.down(await middleOf(now(page)));
  await finger.up();
  await runsAgain(page, '1.3.0');
  await finger.end();
  expect(others(problems)).toEqual([]);
});

test('an app that ran for the longest time is ended, which its window says before and after; a start begins anew', async () => {
  const { page, problems } = await signedIn(browser, portal);
  await page.setViewportSize({ width: 320, height: 640 });
  await openApp(page, 'Relógio');
  await until('relogio runs', () => pids('relogio').length > 0);
  const before = pids('relogio');
  const words = windowOf(page, 'Relógio').locator('.strip');
  const aloud = page.getByText(/^Relógio para às .*: salve o que está fazendo/).first();
  // They are there for ten seconds.
  const told = Promise.all([words.filter({ hasText: /Relógio para às / }).boundingBox(), aloud.waitFor().then(() => pids('relogio'))]);
  await writeFile(path.join(desired, 'packages.yaml'), packages('1.3.0', ', maximo: 1m'));
  const [box, running] = await told;
  expect([box !== null && box.x >= 0, box !== null && box.x + box.width <= 320, running]).toEqual([true, true, before]);
  await words.getByText('Rodou o tempo máximo que o administrador permite').waitFor();
  const { out } = await runSvc(dir, ['why', 'ana/relogio', '--state', portal.state]);
  expect(out.replaceAll(/\s+/g, ' ')).toContain('it ran for the longest time that its Package document allows (maximo)');
  await words.getByRole('button', { name: 'Iniciar' }).click();
  await until('another process', () => pids('relogio').some((pid) => !before.includes(pid)));
  await words.waitFor({ state: 'detached' });
  expect(others(problems)).toEqual([]);
});

const drain = async (...more: readonly string[]): Promise<void> => {
  const { code, err } = await runSvc(dir, ['server', 'drain', 'casa', ...more, '--state', portal.state]);
  expect([code, err]).toEqual([0, '']);
};
/** The document that the command wrote, with a deadline that is nearer than the command takes. */
async function drainBy(deadline: Date): Promise<void> {
  for (const name of await readdir(desired)) {
    const text = await readFile(path.join(desired, name), 'utf8');
    const near = text.replace(/drain: \{\s*\}/, `drain: { deadline: "${deadline.toISOString().replace(/\.\d+Z$/, 'Z')}" }`);
    if (near !== text) return await writeFile(path.join(desired, name), near);
  }
  throw new Error('no document says drain');
}

test('whoever works on a drained server is told, goes on until the deadline, and starts nothing there', async () => {
  await portal.admin('POST', '/api/admin/backends/ana/relogio/stop');
  await until('relogio has stopped', () => pids('relogio').length === 0);
  const { page, problems } = await signedIn(browser, portal);
  await openApp(page, 'Notas');
  const notes = windowOf(page, 'Notas');
  await frameOf(page, 'Notas').getByRole('button', { name: 'Nova nota' }).waitFor();
  await drain();
  const strip = notes.locator('.strip');
  await strip.getByText('Notas para quando você o fechar').waitFor();
  for (const width of someWidths([1_280, 768, 320])) {
    await expectLooks(page, 'drain', width);
    const { left, right } = await strip.evaluate((element) => element.getBoundingClientRect().toJSON() as DOMRect);
    expect(left >= 0 && right <= width).toBe(true);
  }
  await page.setViewportSize({ width: 1_280, height: 800 });

  await openApp(page, 'Relógio');
  const panel = frameOf(page, 'Relógio');
  await panel.getByText('O servidor está saindo de uso').first().waitFor();
  expect(await panel.getByRole('button').allTextContents()).toEqual(['Tentar de novo']);
  expect(pids('relogio')).toEqual([]);

  const toldWhen = strip.getByText(/Notas para até /).waitFor();
  await drainBy(new Date(Date.now() + 15_000));
  await toldWhen;
  expect(pids().length).toBeGreaterThan(0);
  // The end of what is in use, at the deadline.
  await strip.getByText('O servidor está saindo de uso').waitFor();
  expect([await strip.getByRole('button').count(), pids()]).toEqual([0, []]);

  await drain('--undo');
  await strip.getByRole('button', { name: 'Iniciar' }).click();
  await expect.poll(() => pids().length).toBeGreaterThan(0);
  await panel.getByRole('button', { name: 'Iniciar' }).waitFor();
  expect(others(problems)).toEqual([]);
});
