/** How the desktop looks on a large screen, in the dark and on a phone; axe on each. The pictures are those of the README. */
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startPortal, until, type RunningPortal } from '../support/portal.ts';
import { axeFindings, boxOf, drag, frameOf, launchBrowser, openApp, signedIn, windowOf } from './support/browser.ts';

const folder = path.resolve(import.meta.dirname, '../../docs/screenshots');
const phone: BrowserContextOptions = { viewport: { width: 320, height: 640 }, hasTouch: true, isMobile: true };

let portal: RunningPortal;
let browser: Browser;

beforeAll(async () => {
  [portal, browser] = await Promise.all([startPortal(), launchBrowser()]);
  await mkdir(folder, { recursive: true });
});
afterAll(async () => {
  await browser?.close();
  await portal?.stop();
});
beforeEach(async () => {
  for (const context of browser.contexts()) await context.close();
});

/** Only with SVC_SCREENSHOTS=1 the pictures of the repository change: the clock in them differs from run to run. */
async function picture(page: Page, name: string): Promise<void> {
  await until(
    'every icon',
    async () =>
      await page.locator('svc-app-icon img').evaluateAll((images) => images.every((image) => (image as HTMLImageElement).complete)),
  );
  const keep = process.env['SVC_SCREENSHOTS'] === '1' ? { path: path.join(folder, `${name}.png`) } : {};
  const bytes = await page.screenshot({ ...keep, animations: 'disabled' });
  expect(bytes.length).toBeGreaterThan(5_000);
}

async function openBoth(page: Page): Promise<void> {
  await openApp(page, 'Notas');
  const notas = frameOf(page, 'Notas');
  await notas.getByRole('button', { name: 'Nova nota' }).waitFor();
  if ((await notas.getByRole('button', { name: /Ata da reunião/ }).count()) === 0) {
    await notas.getByRole('button', { name: 'Nova nota' }).click();
    await notas.getByLabel('Título').fill('Ata da reunião');
    await notas.getByLabel('Texto').fill('Decisões:\n- a janela volta sozinha\n- o motivo aparece sempre');
    await notas.getByText('Salva', { exact: true }).waitFor();
  }
  await openApp(page, 'Relógio');
  await until('the clock runs', async () => /^\d\d:/.test((await frameOf(page, 'Relógio').locator('time').textContent()) ?? ''));
}

const sidewaysScroll = async (page: Page): Promise<boolean> => await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);

describe.each([
  ['light', '', {}],
  ['dark', '-dark', { colorScheme: 'dark' }],
] as const)('1280 px, %s', (name, suffix, options) => {
  test('home, launcher, windows and task manager have no serious findings of axe', async () => {
    const { page, problems } = await signedIn(browser, portal, options);
    expect(await page.locator('html').getAttribute('data-theme')).toBe(name);
    expect(await axeFindings(page)).toEqual([]);
    await page.keyboard.press('Control+k');
    await page.getByRole('option', { name: /^Notas/ }).waitFor();
    await picture(page, `launcher-1280${suffix}`);
    expect(await axeFindings(page)).toEqual([]);
    await page.keyboard.press('Escape');

    await openBoth(page);
    const clock = await boxOf(windowOf(page, 'Relógio'));
    await drag(page, { x: clock.x + 150, y: clock.y + 20 }, 480, 210);
    await page.mouse.move(640, 400);
    await picture(page, `desktop-1280${suffix}`);
    expect(await axeFindings(page)).toEqual([]);

    await openApp(page, 'Gerenciador de tarefas');
    const cai = page.locator('tr[data-app="cai"]');
    await cai.getByRole('button', { name: 'Iniciar Cai', exact: true }).click();
    await cai.getByText(/Falhas: [2-9]/).waitFor();
    await picture(page, `tasks-1280${suffix}`);
    expect(await axeFindings(page)).toEqual([]);
    await cai.getByRole('button', { name: 'Parar Cai', exact: true }).click();
    await page.locator('tr[data-app="notas"] button.name').click();
    await page.getByRole('log').waitFor();
    expect(await axeFindings(page)).toEqual([]);

    await page.getByRole('button', { name: /Sessão e preferências/ }).click();
    await page.getByRole('menu').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    expect(problems).toEqual([]);
  });
});

test('the appearance can be chosen against the system and stays', async () => {
  const { page } = await signedIn(browser, portal, { colorScheme: 'dark' });
  await page.getByRole('button', { name: /Sessão e preferências/ }).click();
  await page.getByRole('menuitemradio', { name: 'Clara' }).click();
  expect(await page.locator('html').getAttribute('data-theme')).toBe('light');
  await page.reload();
  await page
    .getByRole('button', { name: /^Notas/ })
    .first()
    .waitFor();
  expect(await page.locator('html').getAttribute('data-theme')).toBe('light');
});

describe('320 px, touch', () => {
  test('a window fills the usable area, nothing scrolls sideways, and everything can be hit', async () => {
    const { page } = await signedIn(browser, portal, phone);
    expect(await axeFindings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Abrir aplicativos' }).tap();
    await page.getByRole('option', { name: /^Notas/ }).waitFor();
    await picture(page, 'launcher-320');
    expect(await axeFindings(page)).toEqual([]);
    await page.getByRole('option', { name: /^Notas/ }).tap();
    await frameOf(page, 'Notas').getByRole('button', { name: 'Nova nota' }).waitFor();
    const area = await boxOf(page.getByRole('main'));
    expect(area.width).toBe(320);
    expect(await boxOf(windowOf(page, 'Notas'))).toEqual(area);
    await picture(page, 'desktop-320');
    expect(await sidewaysScroll(page)).toBe(false);
    expect(
      await frameOf(page, 'Notas')
        .locator('html')
        .evaluate((html) => html.scrollWidth > innerWidth),
    ).toBe(false);

    const buttons = await page.locator('svc-taskbar button, svc-window button').all();
    const sizes = await Promise.all(buttons.map(async (button) => await button.boundingBox()));
    expect(sizes.filter((box) => box !== null && (box.width < 44 || box.height < 44))).toEqual([]);
  });

  test('the task manager shows one thing at a time', async () => {
    const { page } = await signedIn(browser, portal, phone);
    await page.getByRole('button', { name: 'Abrir aplicativos' }).tap();
    await page.getByRole('option', { name: /^Gerenciador/ }).tap();
    await page.locator('tr[data-app="batimento"]').waitFor();
    await picture(page, 'tasks-320');
    expect(await axeFindings(page)).toEqual([]);
    await page.locator('tr[data-app="batimento"] button.name').tap();
    await page.getByRole('region', { name: 'Detalhes de Batimento' }).waitFor();
    expect(await page.locator('tr[data-app="batimento"]').isVisible()).toBe(false);
    expect(await axeFindings(page)).toEqual([]);
    expect(await sidewaysScroll(page)).toBe(false);
  });
});
