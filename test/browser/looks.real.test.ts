/** How the desktop looks on a large screen, in the dark and on a phone; axe on each. The pictures are those of the README. */
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startPortal, until, type RunningPortal } from '../support/portal.ts';
import { someWidths } from '../support/share.ts';
import { axeFindings, axeInBothThemes, boxOf, dialogOf, drag, frameOf, openApp, signedIn, windowOf } from './support/browser.ts';
import { takePicture } from './support/pictures.ts';
import { closePages, openBrowser } from '../support/chromium.ts';

const phone: BrowserContextOptions = { viewport: { width: 320, height: 640 }, hasTouch: true, isMobile: true };

const isPictured = process.env['SVC_SCREENSHOTS'] === '1';
/** No test opens them. */
const onPictures = isPictured ? ['caderno', 'leitor', 'dicionario', 'placa'] : [];

let portal: RunningPortal;
let browser: Browser;

beforeAll(async () => {
  [portal, browser] = await Promise.all([
    startPortal({ apps: ['notas', 'relogio', 'batimento', 'cai', 'porta-errada', ...onPictures] }),
    openBrowser(),
  ]);
});
afterAll(async () => {
  await closePages(browser);
  await portal?.stop();
});
beforeEach(async () => {
  await closePages(browser);
});

async function picture(page: Page, name: string): Promise<void> {
  if (!isPictured) return;
  await until(
    'every icon',
    async () =>
      await page.locator('svc-app-icon img').evaluateAll((images) => images.every((image) => (image as HTMLImageElement).complete)),
  );
  await takePicture(page, name);
}

const looked = (page: Page, name: string): Promise<readonly string[]> =>
  axeInBothThemes(page, isPictured ? { seen: async (suffix) => await picture(page, `${name}${suffix}`) } : {});

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

describe('1280 px, light and dark', () => {
  test('home, launcher, windows and task manager have no serious findings of axe', async () => {
    const { page, problems } = await signedIn(browser, portal);
    expect(await page.locator('html').getAttribute('data-theme')).toBe('light');
    expect(await looked(page, 'home-1280')).toEqual([]);
    await page.keyboard.press('Control+k');
    await page.getByRole('option', { name: /^Notas/ }).waitFor();
    expect(await looked(page, 'launcher-1280')).toEqual([]);
    await page.keyboard.press('Escape');

    await openBoth(page);
    const clock = await boxOf(windowOf(page, 'Relógio'));
    await drag(page, { x: clock.x + 150, y: clock.y + 20 }, 480, 210);
    await page.mouse.move(640, 400);
    expect(await looked(page, 'desktop-1280')).toEqual([]);

    await openApp(page, 'Gerenciador de tarefas');
    const cai = page.locator('tr[data-app="cai"]');
    await cai.getByRole('button', { name: 'Iniciar Cai', exact: true }).click();
    await cai.getByText(/Falhas: [2-9]/).waitFor();
    expect(await looked(page, 'tasks-1280')).toEqual([]);
    await cai.getByRole('button', { name: 'Parar Cai', exact: true }).click();
    await page.locator('tr[data-app="notas"] button.name').click();
    await page.getByRole('log').waitFor();
    expect(await axeInBothThemes(page)).toEqual([]);

    await page.getByRole('button', { name: /Sessão e preferências/ }).click();
    await page.getByRole('menu').waitFor();
    expect(await axeInBothThemes(page)).toEqual([]);
    expect(problems).toEqual([]);
  });
});

test('a window whose app can’t be reached says why, without findings of axe', async () => {
  const looks: readonly (readonly [name: string, options: BrowserContextOptions])[] = [
    ['1280', {}],
    ['320', phone],
  ];
  const opened = await Promise.all(
    someWidths(looks).map(async ([name, options]) => {
      const { page } = await signedIn(browser, portal, options);
      await openApp(page, 'Porta errada');
      return { name, page };
    }),
  );
  for (const { name, page } of opened) {
    const panel = frameOf(page, 'Porta errada');
    await panel.getByText('Abriu uma porta TCP em vez do socket').waitFor();
    await panel.locator('#log').getByText('escutando em').first().waitFor();
    expect(await looked(page, `failure-${name}`)).toEqual([]);
    expect(await sidewaysScroll(page)).toBe(false);
  }
  await opened.at(-1)?.page.evaluate(async () => await fetch('/api/apps/porta-errada/stop', { method: 'POST' }));
});

test('the appearance can be chosen against the system and stays; open apps follow the system when it turns dark or light', async () => {
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

  await page.emulateMedia({ colorScheme: 'light' });
  const chosen = await page.evaluate(async () => {
    const headers = { 'content-type': 'application/json' };
    return (await fetch('/api/preferencias', { method: 'PATCH', headers, body: '{"tema":"sistema"}' })).status;
  });
  expect(chosen).toBe(200);
  await openApp(page, 'Relógio');
  const clock = frameOf(page, 'Relógio').locator('html');
  await expect.poll(() => clock.getAttribute('data-svc-tema')).toBe('claro');
  await page.emulateMedia({ colorScheme: 'dark' });
  await expect.poll(() => clock.getAttribute('data-svc-tema')).toBe('escuro');
  await page.emulateMedia({ colorScheme: 'light' });
  await expect.poll(() => clock.getAttribute('data-svc-tema')).toBe('claro');
  // And the accent that the person chose.
  for (const accent of ['rosa', 'azul']) {
    await page.evaluate(async (destaque) => {
      const headers = { 'content-type': 'application/json' };
      await fetch('/api/preferencias', { method: 'PATCH', headers, body: JSON.stringify({ destaque }) });
    }, accent);
    await expect.poll(() => clock.getAttribute('data-svc-destaque')).toBe(accent);
    const colour = await clock.evaluate((element) => getComputedStyle(element).getPropertyValue('--svc-acento'));
    expect(colour).toContain(accent === 'rosa' ? '#b8326f' : '#1f5fd0');
  }
});

test('the apps of the desktop stay in sight and in reach behind a window, until one covers everything', async () => {
  const { page } = await signedIn(browser, portal);
  const tile = page.locator('svc-home .tile').filter({ hasText: 'Notas' });
  await openApp(page, 'Relógio');
  expect(await tile.isVisible()).toBe(true);
  await picture(page, 'home-behind-1280');
  // By keyboard: what stands before them lets them be seen.
  await windowOf(page, 'Relógio').focus();
  // Back through the page, if it took the keyboard, and the buttons of the window.
  for (let presses = 0; presses < 8 && (await page.locator('svc-home[sought]').count()) === 0; presses += 1)
    await page.keyboard.press('Shift+Tab');
  expect(await page.locator('svc-home[sought]').count()).toBe(1);
  expect(await windowOf(page, 'Relógio').evaluate((element) => Number(getComputedStyle(element).opacity))).toBeLessThan(0.5);
  await page.keyboard.press('Enter');
  await until('one more window', async () => (await page.locator('svc-window').count()) === 2);
  expect(await windowOf(page, 'Relógio').evaluate((element) => Number(getComputedStyle(element).opacity))).toBe(1);
  await page.locator('svc-window[top]').getByRole('button', { name: 'Maximizar', exact: true }).click();
  await until('nothing of it behind', async () => !(await tile.isVisible()));
});

test('on a phone on its side a window fills what there is, and the list of keys can be read to its end', async () => {
  const { page } = await signedIn(browser, portal, { viewport: { width: 640, height: 320 }, hasTouch: true, isMobile: true });
  await page.getByRole('button', { name: 'Abrir aplicativos' }).tap();
  await page.getByRole('option', { name: /^Notas/ }).tap();
  await frameOf(page, 'Notas').getByRole('button', { name: 'Nova nota' }).waitFor();
  expect(await boxOf(windowOf(page, 'Notas'))).toEqual(await boxOf(page.getByRole('main')));
  await page.getByRole('button', { name: /Sessão e preferências/ }).tap();
  await page.getByRole('menuitem', { name: 'Atalhos do teclado' }).tap();
  const keys = dialogOf(page, 'Atalhos do teclado');
  await keys.getByText('Apagar de vez').waitFor();
  await keys.getByText('Ajustar à janela').scrollIntoViewIfNeeded();
  const { y, height } = await boxOf(keys.getByText('Ajustar à janela'));
  expect(y >= 0 && y + height <= 320).toBe(true);
  expect(await looked(page, 'keys-640')).toEqual([]);
  expect(await sidewaysScroll(page)).toBe(false);
});

describe('320 px, touch', () => {
  test('a window fills the usable area, nothing scrolls sideways or grows wider than the screen, and everything can be hit', async () => {
    const { page } = await signedIn(browser, portal, phone);
    const open = async (name: string): Promise<void> => {
      await page.getByRole('button', { name: 'Abrir aplicativos' }).tap();
      await page.getByRole('combobox').fill(name);
      await page.getByRole('option', { name }).first().tap();
      await windowOf(page, name).waitFor();
    };
    await picture(page, 'home-320');
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

    // The task manager shows one thing at a time.
    await open('Gerenciador de tarefas');
    await page.locator('tr[data-app="batimento"]').waitFor();
    await picture(page, 'tasks-320');
    expect(await axeFindings(page)).toEqual([]);
    await page.locator('tr[data-app="batimento"] button.name').tap();
    await page.getByRole('region', { name: 'Detalhes de Batimento' }).waitFor();
    expect(await page.locator('tr[data-app="batimento"]').isVisible()).toBe(false);
    expect(await axeFindings(page)).toEqual([]);
    expect(await sidewaysScroll(page)).toBe(false);

    // From the third window on.
    for (const name of ['Relógio', 'Batimento', 'Loja']) {
      await open(name);
      for (const part of [page.getByRole('main'), windowOf(page, name), page.getByRole('toolbar')])
        expect((await boxOf(part)).width).toBe(320);
      // The button of the window in front is in sight, and the ones after the windows are.
      for (const button of [
        page.getByRole('toolbar').getByRole('button', { name, exact: true }),
        page.getByRole('button', { name: /Sessão/ }),
      ]) {
        await until('the button is on the screen', async () => {
          const { x, width } = await boxOf(button);
          return x >= 0 && x + width <= 320;
        });
      }
    }
    await picture(page, 'windows-320');
    expect(await axeFindings(page)).toEqual([]);
  });
});
