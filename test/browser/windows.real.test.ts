/** Windows of real apps on the desktop: used, moved, resized, switched, closed, with the keyboard and with permissions; by mouse and by keyboard. */
import type { Frame, Locator, Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { until, type RunningPortal } from '../support/portal.ts';
import { boxOf, drag, drawn, frameAt, frameOf, openApp, useDesk, windowOf, type Box } from './support/browser.ts';
import { middleOf } from './support/touch.ts';

let portal: RunningPortal;
let page: Page;
let problems: readonly string[];

useDesk((made) => ({ portal, page, problems } = made), ['notas', 'relogio', 'motor-eco']);

const zOf = async (title: string): Promise<number> =>
  Number(await windowOf(page, title).evaluate((element) => getComputedStyle(element).zIndex));

describe('apps', () => {
  test('notas keeps a note, relogio ticks, and nothing is refused by a policy', async () => {
    await openApp(page, 'Notas');
    const notas = frameOf(page, 'Notas');
    await notas.getByRole('button', { name: 'Nova nota' }).click();
    await notas.getByLabel('Título').fill('Compras');
    await notas.getByLabel('Texto').fill('pão e café');
    await notas.getByText('Salva', { exact: true }).waitFor();

    await openApp(page, 'Relógio');
    const clock = frameOf(page, 'Relógio').locator('time');
    await until('the clock shows an hour', async () => /^\d\d:\d\d:\d\d$/.test((await clock.textContent()) ?? ''));
    const before = await clock.textContent();
    await until('the clock ticks', async () => (await clock.textContent()) !== before);

    const inTaskbar = (): Promise<readonly string[]> => page.getByRole('toolbar').getByRole('button').allInnerTexts();
    const order = await inTaskbar();
    await page.getByRole('toolbar').getByRole('button', { name: 'Notas' }).click();
    await page.reload();
    await expect.poll(inTaskbar).toEqual(order);
    await until('Notas on top', async () => (await zOf('Notas')) > (await zOf('Relógio')));
    await frameOf(page, 'Notas')
      .getByRole('button', { name: /Compras/ })
      .waitFor();
    expect(problems).toEqual([]);
  });

  test('an engine has no place in the launcher', async () => {
    const types = await page.evaluate(async () => {
      const { apps } = (await (await fetch('/api/apps')).json()) as { apps: { id: string; type: string }[] };
      return Object.fromEntries(apps.map(({ id, type }) => [id, type]));
    });
    expect(types).toMatchObject({ 'motor-eco': 'engine' });
    await page.keyboard.press('Control+k');
    await page.getByRole('option', { name: /^Notas/ }).waitFor();
    expect(await page.getByRole('option', { name: /^Eco/ }).count()).toBe(0);
  });
});

describe('by mouse', () => {
  beforeEach(async () => {
    await openApp(page, 'Notas');
    await frameOf(page, 'Notas').getByRole('button', { name: 'Nova nota' }).waitFor();
  });

  test('the title moves, a corner resizes across the page inside, and both are remembered', async () => {
    const born = await boxOf(windowOf(page, 'Notas'));
    await drag(page, { x: born.x + 300, y: born.y + 20 }, 80, 40);
    const moved = await boxOf(windowOf(page, 'Notas'));
    expect([moved.x - born.x, moved.y - born.y]).toEqual([80, 40]);

    await drag(page, { x: moved.x + moved.width - 1, y: moved.y + moved.height - 1 }, -200, -150);
    const resized = await boxOf(windowOf(page, 'Notas'));
    expect(Math.round(resized.width - moved.width)).toBe(-200);
    expect(Math.round(resized.height - moved.height)).toBe(-150);

    await windowOf(page, 'Notas').getByRole('button', { name: 'Fechar' }).click();
    await windowOf(page, 'Notas').waitFor({ state: 'detached' });
    await openApp(page, 'Notas');
    await expect.poll(() => boxOf(windowOf(page, 'Notas'))).toEqual(resized);
  });

  test('it never gets smaller than the floor; Escape takes a drag back; double-click maximises and restores; the left edge takes half', async () => {
    const place = async (): Promise<Box> => await boxOf(windowOf(page, 'Notas'));
    const born = await place();
    await drag(page, { x: born.x + born.width - 1, y: born.y + born.height - 1 }, -1_000, -1_000);
    const box = await place();
    expect([box.width, box.height]).toEqual([400, 300]);

    await page.mouse.move(box.x + 200, box.y + 20);
    await page.mouse.down();
    await drawn(page);
    await page.mouse.move(box.x + 280, box.y + 60, { steps: 4 });
    await page.keyboard.press('Escape');
    await page.mouse.up();
    await expect.poll(place).toEqual(box);

    const area = await boxOf(page.getByRole('main'));
    await page.mouse.dblclick(box.x + 200, box.y + 20);
    await expect.poll(place).toEqual(area);
    await page.mouse.dblclick(300, 20);
    await expect.poll(place).toEqual(box);
    await drag(page, { x: box.x + 200, y: box.y + 20 }, -(box.x + 198), 100);
    await expect.poll(place).toEqual({ ...area, width: area.width / 2 });
  });

  test('a click inside a page raises its window and leaves the page as it was; F6 goes through the windows, also from inside a page', async () => {
    await frameOf(page, 'Notas').getByRole('button', { name: 'Nova nota' }).click();
    await frameOf(page, 'Notas').getByLabel('Título').fill('meio');
    await openApp(page, 'Relógio');
    await frameOf(page, 'Relógio').locator('time').waitFor();
    await until('Relógio on top', async () => (await zOf('Relógio')) > (await zOf('Notas')));
    await frameOf(page, 'Notas')
      .getByLabel('Buscar')
      .click({ position: { x: 20, y: 12 } });
    await until('Notas on top', async () => (await zOf('Notas')) > (await zOf('Relógio')));
    // The iframe was not made again: what was typed is there, and the keyboard is where the click was.
    await page.keyboard.type('dia');
    expect(await frameOf(page, 'Notas').getByLabel('Buscar').inputValue()).toBe('dia');
    expect(await frameOf(page, 'Notas').getByLabel('Título').inputValue()).toBe('meio');

    await page.keyboard.press('F6');
    await until('Relógio on top', async () => (await zOf('Relógio')) > (await zOf('Notas')));
    await page.keyboard.press('F6');
    await until('Notas on top', async () => (await zOf('Notas')) > (await zOf('Relógio')));
    await frameOf(page, 'Notas').getByRole('button', { name: 'Nova nota' }).focus();
    await page.keyboard.press('Shift+F6');
    await until('Relógio on top', async () => (await zOf('Relógio')) > (await zOf('Notas')));
    expect(await windowOf(page, 'Notas').isVisible()).toBe(true);
  });
});

describe('by keyboard', () => {
  beforeEach(async () => {
    await openApp(page, 'Notas');
    await frameOf(page, 'Notas').getByRole('button', { name: 'Nova nota' }).waitFor();
  });

  test('the window menu is gone through by arrows and letters, moves and resizes with the arrows, and Escape takes back', async () => {
    const born = await boxOf(windowOf(page, 'Notas'));
    const menu = page.getByRole('button', { name: 'Menu da janela Notas' });
    await menu.focus();
    await page.keyboard.press('Enter');
    const isAt = async (name: string): Promise<unknown> =>
      await until(`the entry ${name}`, async () => page.getByRole('menuitem', { name }).evaluate((element) => element.matches(':focus')));
    await isAt('Mover');
    await page.keyboard.press('End');
    await isAt('Fechar');
    // Round to the first.
    await page.keyboard.press('ArrowDown');
    await isAt('Mover');
    await page.keyboard.press('Escape');
    expect(await page.getByRole('menu').count()).toBe(0);
    await menu.focus();
    await page.keyboard.press('Enter');
    await isAt('Mover');
    await page.keyboard.press('Enter');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Shift+ArrowLeft');
    await page.keyboard.press('Enter');
    const moved = await boxOf(windowOf(page, 'Notas'));
    expect([moved.x - born.x, moved.y - born.y]).toEqual([20, 24]);

    await menu.focus();
    await page.keyboard.press('Enter');
    await isAt('Mover');
    await page.keyboard.press('r');
    await page.keyboard.press('Enter');
    await page.keyboard.press('ArrowLeft');
    expect((await boxOf(windowOf(page, 'Notas'))).width).toBe(moved.width - 24);
    await page.keyboard.press('Escape');
    await expect.poll(() => boxOf(windowOf(page, 'Notas'))).toEqual(moved);
  });

  test('Tab goes through the buttons and the page of the window in front, and of no other, from the home to the taskbar and back', async () => {
    await openApp(page, 'Relógio');
    await frameOf(page, 'Relógio').locator('time').waitFor();
    /** The name of what has the focus, or the title of the page it is in. */
    const focused = (): Promise<string> =>
      page.evaluate(() => {
        let at = document.activeElement;
        while (at?.shadowRoot?.activeElement != null) at = at.shadowRoot.activeElement;
        return at instanceof HTMLIFrameElement ? `page ${at.title}` : (at?.getAttribute('aria-label') ?? at?.textContent?.trim() ?? '');
      });
    const buttons = async (title: string): Promise<readonly string[]> => [
      ...(await windowOf(page, title)
        .locator('.title button')
        .evaluateAll((all) => all.map((each) => each.getAttribute('aria-label') ?? ''))),
      `page ${title}`,
    ];
    const start = page.getByRole('toolbar').getByRole('button').first();
    const walk = async (key: string, steps: number): Promise<readonly string[]> => {
      const seen: string[] = [];
      for (let step = 0; step < steps; step += 1) {
        const before = seen.at(-1) ?? (await focused());
        await page.keyboard.press(key);
        await expect.poll(focused).not.toBe(before);
        seen.push(await focused());
      }
      return seen;
    };
    const clock = [...(await buttons('Relógio'))];
    // Raised by F6, a window keeps the focus that it was given.
    await expect.poll(focused).toBe('page Relógio');
    await page.keyboard.press('F6');
    await expect.poll(focused).toBe('page Notas');
    await page.keyboard.press('F6');
    await expect.poll(focused).toBe('page Relógio');
    // The clock's page has nothing that takes the focus: Tab goes past it.
    expect(clock.pop()).toBe('page Relógio');
    expect(clock).toHaveLength(4);
    await start.focus();
    const back = await walk('Shift+Tab', clock.length);
    expect(back).toEqual(clock.toReversed());
    await page.keyboard.press('Shift+Tab');
    const tile = await focused();
    expect(clock).not.toContain(tile);
    expect(await walk('Tab', clock.length)).toEqual(clock);
    // The other way round with the other window in front; minimised, the clock is no stop either.
    await windowOf(page, 'Relógio').getByRole('button', { name: 'Minimizar' }).click();
    await windowOf(page, 'Relógio').waitFor({ state: 'hidden' });
    const menu = page.getByRole('button', { name: 'Menu da janela Notas' });
    await menu.focus();
    const notas = await buttons('Notas');
    expect(await walk('Tab', notas.length - 1)).toEqual(notas.slice(1));
    await menu.focus();
    expect(await walk('Shift+Tab', 1)).toEqual([tile]);
  });

  test('the list of commands minimises and closes the window on top; the launcher gives the focus back on Escape', async () => {
    const menu = page.getByRole('button', { name: 'Menu da janela Notas' });
    await menu.focus();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('combobox').waitFor({ state: 'detached' });
    await until('the focus back', async () => await menu.evaluate((element) => element.matches(':focus')));

    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('minimizar');
    await page.keyboard.press('Enter');
    await windowOf(page, 'Notas').waitFor({ state: 'hidden' });
    await openApp(page, 'Notas');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('fechar notas');
    await page.keyboard.press('Enter');
    await windowOf(page, 'Notas').waitFor({ state: 'detached' });
    expect(
      await page
        .getByRole('button', { name: /^Notas/ })
        .first()
        .isVisible(),
    ).toBe(true);
  });
});

test('a second opening brings back the window that is there; the portal is told how many are open, and the last one lets the app stop', async () => {
  const counts: string[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/api/apps/notas/janelas')) counts.push(String((request.postDataJSON() as { abertas: number }).abertas));
  });
  const closing = page.waitForRequest((request) => request.url().endsWith('/close-tabs'));
  await openApp(page, 'Notas');
  await frameOf(page, 'Notas').getByRole('button', { name: 'Nova nota' }).waitFor();
  await page.getByRole('toolbar').getByRole('button', { name: 'Notas' }).click();
  await windowOf(page, 'Notas').waitFor({ state: 'hidden' });
  await openApp(page, 'Notas');
  expect(await windowOf(page, 'Notas').count()).toBe(1);
  await windowOf(page, 'Notas').getByRole('button', { name: 'Fechar' }).click();
  expect((await closing).url()).toBe(`http://notas.svc.localhost:${portal.port}/close-tabs`);
  await until('both counts', () => counts.length === 2);
  expect(counts).toEqual(['1', '0']);
});

test('what is chosen in the launcher leaves the keyboard at the window in front; a dialog of the desktop stays before it, whatever key goes to another window', async () => {
  await openApp(page, 'Gerenciador de tarefas');
  await openApp(page, 'Notas');
  const focused = async (title: string): Promise<void> =>
    await expect
      .poll(
        async () => await windowOf(page, title).evaluate((window) => window === document.activeElement || window.matches(':focus-within')),
      )
      .toBe(true);
  const choose = async (name: string): Promise<void> => {
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill(name);
    await page.getByRole('option', { name }).first().waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('combobox').waitFor({ state: 'detached' });
  };
  await choose('Maximizar · Notas');
  await focused('Notas');
  await choose('Gerenciador de tarefas');
  await focused('Gerenciador de tarefas');
  await choose('Maximizar · Gerenciador de tarefas');
  await focused('Gerenciador de tarefas');
  await choose('Minimizar · Gerenciador de tarefas');
  await focused('Notas');

  await page.getByRole('button', { name: /^Avisos/ }).click();
  const inFront = (): Promise<readonly string[]> =>
    page.evaluate(() => {
      const inside: string[] = [];
      for (let at = document.activeElement; at !== null; at = at.shadowRoot?.activeElement ?? null) inside.push(at.localName);
      return inside;
    });
  await expect.poll(inFront).toContain('svc-bell');
  for (const key of ['F6', 'Alt+q', 'Alt+Shift+q', 'Control+k']) {
    await page.keyboard.press(key);
    await drawn(page);
    await drawn(page);
    expect([key, await inFront()]).toEqual([key, expect.arrayContaining(['svc-bell', 'ui-dialog'])]);
    expect(await page.locator('svc-switcher, svc-launcher').count()).toBe(0);
  }
  await page.keyboard.press('Escape');
  await expect.poll(inFront).not.toContain('svc-bell');
});

describe('permissions', () => {
  /** Features that the browser gives a page, of those that somebody could want. */
  const allowedIn = (frame: Frame): Promise<readonly string[]> =>
    frame.evaluate(() => {
      const { featurePolicy } = document as unknown as { readonly featurePolicy: { allowedFeatures(): string[] } };
      const asked = ['clipboard-read', 'clipboard-write', 'fullscreen', 'camera', 'microphone', 'geolocation', 'display-capture'];
      return asked.filter((name) => featurePolicy.allowedFeatures().includes(name));
    });

  test('a frame may write the clipboard; the rest is allowed app by app, remembered, and taken back; in a tab of its own an app may ask for all', async () => {
    await openApp(page, 'Relógio');
    await openApp(page, 'Notas');
    const allowed = async (app: string): Promise<readonly string[]> => {
      const frame = await frameAt(page, app);
      await frame.waitForLoadState();
      // A page that is being loaded again has none yet.
      return await allowedIn(frame).catch(() => []);
    };
    await frameOf(page, 'Notas').getByRole('button', { name: 'Nova nota' }).waitFor();
    expect(await allowed('Notas')).toEqual(['clipboard-write']);
    const toPermissions = async (): Promise<void> => {
      await windowOf(page, 'Notas').getByRole('button', { name: 'Menu da janela Notas' }).press('Enter');
      await page.getByRole('menuitem', { name: 'Permissões…' }).press('Enter');
    };
    await toPermissions();
    const settings = windowOf(page, 'Configurações');
    const flip = async (name: string): Promise<void> => {
      const kept = page.waitForResponse(
        (response) => response.url().endsWith('/api/preferencias') && response.request().method() === 'PATCH',
      );
      await settings.getByRole('switch', { name }).press('Space');
      expect((await kept).status()).toBe(200);
    };
    for (const name of ['Usar a tela inteira', 'Usar o microfone', 'Ler a área de transferência']) await flip(name);
    await settings.getByRole('button', { name: 'Recarregar Notas' }).click();
    const all = ['clipboard-read', 'clipboard-write', 'fullscreen', 'microphone'];
    await until('Notas has them', async () => (await allowed('Notas')).join() === all.join());
    expect(await allowed('Relógio')).toEqual(['clipboard-write']);
    await page.reload();
    await until('Notas still has them', async () => (await allowed('Notas')).join() === all.join());
    await toPermissions();
    for (const name of ['Usar a tela inteira', 'Usar o microfone', 'Ler a área de transferência', 'Abrir outras janelas']) await flip(name);
    await settings.getByRole('button', { name: 'Recarregar Notas' }).click();
    await until('they are taken back', async () => (await allowed('Notas')).length === 1);
    expect(await (await frameAt(page, 'Notas')).evaluate(() => window.open('about:blank'))).toBe(null);
    // In a tab, without a hold on the desktop.
    await windowOf(page, 'Notas').getByRole('button', { name: 'Menu da janela Notas' }).press('Enter');
    const [tab] = await Promise.all([
      page.context().waitForEvent('page'),
      page.getByRole('menuitem', { name: 'Abrir em uma aba' }).press('Enter'),
    ]);
    await tab.getByRole('button', { name: 'Nova nota' }).waitFor();
    expect(new URL(tab.url()).host).toBe(`notas.svc.localhost:${portal.port}`);
    expect(await tab.evaluate(() => opener)).toBe(null);
    expect(await allowedIn(tab.mainFrame())).toContain('fullscreen');
  });
});

/** After a press whose end one of the two, the desktop or the page of an app, is not told of. */
test('the keyboard comes back to the field that had it after a press that was released elsewhere, from a page and from the desktop', async () => {
  await openApp(page, 'Notas');
  const field = (): Locator => frameOf(page, 'Notas').getByLabel('Buscar');
  await field().click({ position: { x: 20, y: 12 } });
  const { x, y } = await middleOf(field());
  const isBack = async (message: string): Promise<void> =>
    await expect
      .poll(async () => await field().evaluate((input) => document.hasFocus() && input.matches(':focus')), { message })
      .toBe(true);
  const acts = {
    'a key': async () => await page.keyboard.press('Shift'),
    'the pointer over it': async () => await page.mouse.move(x, y),
  };
  for (const [name, act] of Object.entries(acts)) {
    await page.mouse.move(640, 5);
    await field().dispatchEvent('pointerdown', { button: 0, buttons: 1 });
    await act();
    await windowOf(page, 'Notas').locator('button.minimise').click();
    await windowOf(page, 'Notas').waitFor({ state: 'hidden' });
    await page.getByRole('toolbar').first().getByRole('button', { name: 'Notas' }).click();
    await isBack(name);
  }
  // Beside all windows, and released over the page, which may have the keyboard again by then.
  await field().evaluate((input) => addEventListener('blur', () => (input.dataset['left'] = ''), { once: true }));
  await drawn(page);
  await page.mouse.move(1_270, 20);
  await page.mouse.down();
  await frameOf(page, 'Notas').locator('[data-left]').waitFor({ state: 'attached' });
  await page.mouse.move(x, y, { steps: 4 });
  await page.mouse.up();
  await isBack('beside all windows');
});
