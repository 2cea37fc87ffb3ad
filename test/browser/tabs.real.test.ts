/**
 * Tabs that the desktop draws for Rascunhos (`window.richChrome`), by mouse and keyboard; and the request that its backend gets at
 * `close-tabs`. Source: rules 2.1, 3.3 rule 6. Decision: docs/decisions/0207-tabs-of-a-window.md
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FrameLocator, Locator, Page } from 'playwright-core';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { order, view, whenState, writeDesired } from '../integration/world.ts';
import { until, type RunningPortal } from '../support/portal.ts';
import { everyNth } from '../support/share.ts';
import { axeInBothThemes, boxOf, drag, drawn, frameOf, openApp, useDesk, windowOf } from './support/browser.ts';

const folder = await mkdtemp(join(tmpdir(), 'svcb-'));
let portal: RunningPortal;
let page: Page;
let problems: readonly string[];
let rascunhos: FrameLocator;

useDesk(
  (made) => {
    ({ portal, page, problems } = made);
    rascunhos = frameOf(page, 'Rascunhos');
  },
  async () => ({ desired: await writeDesired(folder, { apps: ['notas', 'rascunhos'] }) }),
);
afterAll(async () => await rm(folder, { recursive: true, force: true }));

const tab = (name: string): Locator => windowOf(page, 'Rascunhos').getByRole('tab', { name, exact: true });
const text = (): Locator => rascunhos.getByLabel('Texto');
/** Titles from left to right, the selected one in brackets. */
const shown = async (): Promise<string> =>
  await windowOf(page, 'Rascunhos')
    .getByRole('tab')
    .evaluateAll((tabs) =>
      tabs
        .toSorted((one, other) => one.getBoundingClientRect().x - other.getBoundingClientRect().x)
        .map((one) => (one.ariaSelected === 'true' ? `[${one.textContent.trim()}]` : one.textContent.trim()))
        .join(' '),
    );
const shows = async (tabs: string): Promise<void> => await expect.poll(shown).toBe(tabs);
const focused = async (name: string): Promise<void> =>
  await expect.poll(async () => await tab(name).evaluate((one) => one.matches(':focus'))).toBe(true);
const saved = async (): Promise<unknown> => {
  const own = await page.context().newPage();
  await own.goto(`http://rascunhos.svc.localhost:${portal.port}/api/rascunhos`);
  const { rascunhos: kept } = JSON.parse(await own.locator('body').innerText()) as { rascunhos: readonly { texto: string }[] };
  await own.close();
  return kept.map(({ texto }) => texto);
};

async function write(words: string): Promise<void> {
  await text().fill(words);
  await rascunhos.getByText('Salvo', { exact: true }).waitFor();
}

async function openNew(words: string): Promise<void> {
  await windowOf(page, 'Rascunhos').getByRole('button', { name: 'Nova aba' }).click();
  await expect.poll(async () => await text().inputValue()).toBe('');
  await write(words);
}

beforeEach(async () => {
  await openApp(page, 'Rascunhos');
  await threeDrafts();
});

/** The last one in front, whatever was there before. */
async function threeDrafts(): Promise<void> {
  await windowOf(page, 'Rascunhos').getByRole('tab').first().waitFor();
  await rascunhos.locator('body').evaluate(`(async () => {
    const close = (abas) => fetch('close-tabs', { method: 'POST', body: JSON.stringify({ abas }) });
    const put = (id, fechado) => fetch('api/rascunhos/' + id, { method: 'PUT', body: JSON.stringify({ texto: id, fechado }) });
    for (const { id } of (await (await fetch('api/rascunhos')).json()).rascunhos) await put(id, true);
    await close([]);
    for (const id of ['a', 'b', 'c']) await put(id, false);
    await close(['a', 'b', 'c'].map((id) => ({ id, ativa: id === 'c' })));
    document.documentElement.dataset.before = '';
    location.reload();
  })()`);
  // Tabs of the page before it may be the same ones.
  await rascunhos.locator('html:not([data-before])').getByLabel('Texto').waitFor();
  await until('three tabs', async () => (await shown()) === 'a b [c]' && (await text().inputValue()) === 'c');
}

describe('by mouse', () => {
  test('a tab is selected, closed by its cross, and by the middle button; the page follows; the title is dragged beside the tabs', async () => {
    const place = await boxOf(windowOf(page, 'Rascunhos'));
    await drag(page, { x: place.x + place.width - 170, y: place.y + 20 }, 40, 30);
    const moved = await boxOf(windowOf(page, 'Rascunhos'));
    expect([moved.x - place.x, moved.y - place.y]).toEqual([40, 30]);

    await tab('a').click();
    await shows('[a] b c');
    await expect.poll(async () => await text().inputValue()).toBe('a');
    await tab('b').locator('.cross').click();
    await shows('[a] c');
    await tab('a').click({ button: 'middle' });
    await shows('[c]');
    await expect.poll(async () => await text().inputValue()).toBe('c');
    expect(problems).toEqual([]);
  });

  test('a drag reorders and selects nothing; Escape takes it back; the window stays where it is', async () => {
    const place = await boxOf(windowOf(page, 'Rascunhos'));
    const from = await boxOf(tab('c'));
    const to = await boxOf(tab('a'));
    const start = { x: from.x + 20, y: from.y + 15 };
    await tab('b').click();
    await tab('c').focus();
    await drag(page, start, to.x - from.x - 10, 0);
    await shows('c a [b]');
    await focused('c');
    const last = await boxOf(tab('b'));
    await page.mouse.move(last.x + 20, last.y + 15);
    await page.mouse.down();
    await page.mouse.move(to.x, last.y + 15, { steps: 5 });
    await shows('[b] c a');
    await page.keyboard.press('Escape');
    await page.mouse.up();
    await shows('c a [b]');
    expect(await boxOf(windowOf(page, 'Rascunhos'))).toEqual(place);
    // The page has the order, too: a new one comes at the end of it.
    await openNew('d');
    await shows('c a b [d]');

    // A drag whose first movement is over the page is one, too, and the page has the keyboard again.
    await threeDrafts();
    await text().click();
    await page.keyboard.press('End');
    const [first, third] = [await boxOf(tab('a')), await boxOf(tab('c'))];
    await page.mouse.move(first.x + 20, first.y + 15);
    await page.mouse.down();
    await drawn(page);
    await page.mouse.move(third.x + third.width, third.y + 200);
    await page.mouse.up();
    await shows('b [c] a');
    await page.keyboard.type('x');
    await shows('b [cx] a');
    expect(await text().inputValue()).toBe('cx');
  });
});

describe('by keyboard', () => {
  test('arrows go without selecting, Enter selects, Delete closes and leaves the focus in the tabs, Ctrl+Shift moves', async () => {
    await windowOf(page, 'Rascunhos').getByRole('button', { name: 'Menu da janela Rascunhos' }).focus();
    await page.keyboard.press('Tab');
    await focused('c');
    await page.keyboard.press('ArrowRight');
    await focused('a');
    await shows('a b [c]');
    await page.keyboard.press('Enter');
    await shows('[a] b c');
    await expect.poll(async () => await text().inputValue()).toBe('a');
    await page.keyboard.press('Control+Shift+ArrowRight');
    await shows('b [a] c');
    await focused('a');
    await page.getByText('Aba a: lugar 2 de 3').waitFor({ state: 'attached' });
    await page.keyboard.press('End');
    await focused('c');
    await page.keyboard.press('Home');
    await focused('b');
    await page.keyboard.press('Delete');
    await shows('[a] c');
    await focused('a');
    await page.keyboard.press('Delete');
    await shows('[c]');
    await focused('c');
    // The next stop is the button for a new one.
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await shows('c [Sem título]');

    // The menu of the window and that of a tab do the same.
    await threeDrafts();
    await windowOf(page, 'Rascunhos').getByRole('button', { name: 'Menu da janela Rascunhos' }).focus();
    await page.keyboard.press('Enter');
    await expect
      .poll(async () => await page.getByRole('menuitemradio', { name: 'c', exact: true }).getAttribute('aria-checked'))
      .toBe('true');
    await page.getByRole('menuitemradio', { name: 'a', exact: true }).click();
    await shows('[a] b c');
    await tab('b').click({ button: 'right' });
    await page.getByRole('menu', { name: 'Menu da aba b' }).waitFor();
    await page.getByRole('menuitem', { name: 'Mover a aba para a direita' }).click();
    await shows('[a] c b');
    await tab('b').focus();
    await page.keyboard.press('Shift+F10');
    await page.getByRole('menuitem', { name: 'Mover a aba para a esquerda' }).click();
    await shows('[a] b c');
    await focused('b');
    await page.keyboard.press('Shift+F10');
    await page.getByRole('menuitem', { name: 'Fechar a aba b' }).click();
    await shows('[a] c');
    await focused('a');
  });
});

test('the backend gets the tabs when the last window closes, and they are back with the next one', async () => {
  await tab('a').click();
  await shows('[a] b c');
  await windowOf(page, 'Rascunhos').getByRole('tab', { name: 'c' }).focus();
  await page.keyboard.press('Control+Shift+ArrowLeft');
  await shows('[a] c b');
  await tab('b').focus();
  await page.keyboard.press('Delete');
  await shows('[a] c');
  // It has no tab any more, and is kept until the window closes.
  expect(await saved()).toEqual(['a', 'b', 'c']);
  const closing = page.waitForRequest((request) => request.url().endsWith('/close-tabs'));
  await windowOf(page, 'Rascunhos').getByRole('button', { name: 'Fechar', exact: true }).click();
  const { abas } = (await closing).postDataJSON() as { abas: readonly object[] };
  expect(abas).toEqual([
    { id: expect.any(String), titulo: 'a', ativa: true, janela: 1 },
    { id: expect.any(String), titulo: 'c', ativa: false, janela: 1 },
  ]);
  await expect.poll(saved).toEqual(['a', 'c']);
  // A window that closes before its page was there has no tabs, and takes nothing with it.
  await page.route('**/api/rascunhos', async (route) => await route.abort(), { times: 1 });
  await openApp(page, 'Rascunhos');
  const unread = page.waitForRequest((request) => request.url().endsWith('/close-tabs'));
  await windowOf(page, 'Rascunhos').getByRole('button', { name: 'Fechar', exact: true }).click();
  expect((await unread).postDataJSON()).toEqual({ abas: [] });
  expect(await saved()).toEqual(['a', 'c']);
  // The first answer does not come: nothing can be written that would belong to no draft, and it is asked for again.
  await page.route('**/api/rascunhos', async (route) => await route.abort(), { times: 1 });
  await openApp(page, 'Rascunhos');
  await rascunhos.getByText('Sem contato com o app.').waitFor();
  expect(await text().isDisabled()).toBe(true);
  await shows('[a] c');
  expect(await text().inputValue()).toBe('a');
});

test('what is written is called saved once it is, and is stored also when the window closes at once', async () => {
  const state = await rascunhos.locator('body').evaluate(`(() => {
    const field = document.getElementById('texto');
    field.value = 'c, e mais';
    field.dispatchEvent(new Event('input'));
    void svc.window.close();
    return document.getElementById('estado').textContent;
  })()`);
  expect(state).toBe('Salvando…');
  await windowOf(page, 'Rascunhos').waitFor({ state: 'detached' });
  await expect.poll(saved).toEqual(['a', 'b', 'c, e mais']);
});

test('what is wrong is refused, and changes nothing; an app that does not declare richChrome has no tabs; a window that no page of the app is in has none', async () => {
  const refused = async (call: string): Promise<unknown> =>
    await rascunhos.locator('body').evaluate(`svc.abas.${call}.then(() => 'done', ({ code }) => code)`);
  for (const call of [
    `selecionar('nada')`,
    `fechar('nada')`,
    `ordenar([])`,
    `definir([{ id: 'x', titulo: 'X' }], { ativa: 'y' })`,
    `definir({})`,
  ])
    expect([call, await refused(call)]).toEqual([call, 'argumentos-invalidos']);
  await shows('a b [c]');

  await openApp(page, 'Notas');
  await frameOf(page, 'Notas').getByRole('button', { name: 'Nova nota' }).waitFor();
  const asked = `svc.abas.definir([{ id: 'a', titulo: 'A' }]).then(() => 'done', ({ code }) => code)`;
  expect(await frameOf(page, 'Notas').locator('body').evaluate(asked)).toBe('nao-declarado');
  expect(await windowOf(page, 'Notas').getByRole('tab').count()).toBe(0);
  await rascunhos.locator('body').evaluate(`void location.assign('api/rascunhos')`);
  await windowOf(page, 'Rascunhos').getByRole('tab').first().waitFor({ state: 'detached' });
  await windowOf(page, 'Rascunhos').getByRole('heading', { name: 'Rascunhos' }).waitFor();
});

test('many tabs scroll and are listed; 1280 and 320 px, light and dark, pass axe', { timeout: 120_000 }, async () => {
  const pictures = process.env['SVC_PICTURES'];
  const names = ['tabs', 'tabs-many', 'tabs-320', 'tabs-320-all'];
  // Two of them in `npm test`, the others in another run.
  const seenByAxe = pictures === undefined ? everyNth(2, names) : names;
  const look = async (name: string): Promise<void> => {
    const seen = async (suffix: string): Promise<void> =>
      void (pictures && (await page.screenshot({ path: join(pictures, `${name}${suffix}.png`) })));
    expect(seenByAxe.includes(name) ? await axeInBothThemes(page, { seen }) : []).toEqual([]);
  };
  await look('tabs');
  await rascunhos.locator('body').evaluate(`(async () => {
    const ids = Array.from({ length: 20 }, (_, n) => 't' + n);
    for (const id of ids) {
      const body = JSON.stringify({ texto: 'Um texto com um nome comprido ' + id });
      await fetch('api/rascunhos/' + id, { method: 'PUT', body });
    }
    for (const id of ['a', 'b', 'c']) await fetch('api/rascunhos/' + id, { method: 'PUT', body: JSON.stringify({ texto: id, fechado: true }) });
    await fetch('close-tabs', { method: 'POST', body: JSON.stringify({ abas: ids.map((id) => ({ id, ativa: id === 't12' })) }) });
    location.reload();
  })()`);
  const active = tab('Um texto com um nome comprido t12');
  await active.waitFor();
  const all = windowOf(page, 'Rascunhos').getByRole('button', { name: 'Todas as abas' });
  await all.waitFor();
  await look('tabs-many');
  await page.setViewportSize({ width: 320, height: 640 });
  await look('tabs-320');
  const [bar, box] = [await boxOf(windowOf(page, 'Rascunhos').getByRole('tablist')), await boxOf(active)];
  expect(box.x >= bar.x - 1 && box.x + box.width <= bar.x + bar.width + 33).toBe(true);
  await all.click();
  expect(await page.getByRole('menuitemradio').count()).toBe(20);
  await look('tabs-320-all');
  await page.keyboard.press('Escape');
  await page.setViewportSize({ width: 1280, height: 800 });
});

test('the icon of its windows comes from the portal, also while the backend is stopped', async () => {
  const icon = windowOf(page, 'Rascunhos').getByRole('button', { name: 'Menu da janela Rascunhos' }).locator('img');
  await expect.poll(async () => await icon.evaluate((image: HTMLImageElement) => image.naturalWidth > 0)).toBe(true);
  const address = await icon.getAttribute('src');
  expect(address).toBe('/api/apps/rascunhos/icone-da-janela?v=1.0.0');
  await windowOf(page, 'Rascunhos').getByRole('button', { name: 'Fechar', exact: true }).click();
  await order(portal, 'stop', 'rascunhos');
  await whenState(portal, 'rascunhos', 'stopped');
  // Another version in the address: it is not in the cache of the browser.
  const loaded = `(async () => {
    const image = new Image();
    image.src = '/api/apps/rascunhos/icone-da-janela?v=0.9.0';
    await image.decode();
    return image.naturalWidth;
  })()`;
  expect(await page.evaluate<number>(loaded)).toBeGreaterThan(0);
  expect((await view(portal, 'Backend/ana/rascunhos'))?.state).toBe('stopped');
});
