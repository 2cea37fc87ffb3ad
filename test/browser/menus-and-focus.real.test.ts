/**
 * Menus, what scrolls and where the keyboard is, with the mouse, a finger and the keyboard: every menu closes by a press beside it and by Escape,
 * nothing of the desktop is scrolled away, and after each act the keyboard is in the window in front.
 */
import { mkdtempSync, mkdirSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { everyNth } from '../support/share.ts';
import { boxOf, drag, drawn, frameOf, openApp, useDesk, windowOf, type Box } from './support/browser.ts';
import { openFileOn } from './support/open-file.ts';
import { middleOf, touchScreen, type Point } from './support/touch.ts';

let page: Page;
let problems: readonly string[];
useDesk((made) => ({ page, problems } = made), ['notas', 'vitrine']);
beforeEach(async () => {
  // A test turns the screen.
  await page.setViewportSize({ width: 1_280, height: 800 });
});

let folder: string;
beforeAll(() => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'svc-menus-')));
  mkdirSync(path.join(folder, 'outra'));
  for (const name of ['carta.txt', 'outra/carta.txt']) writeFileSync(path.join(folder, name), 'x');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const openMenus = (): Locator => page.locator('ui-menu[open]');
const bar = (): Locator => page.getByRole('toolbar').first();
const files = (): Locator => windowOf(page, path.basename(folder));
const entry = (name: string): Locator => files().locator(`[data-name="${name}"]`);
const vitrine = () => frameOf(page, 'Vitrine');
const isIn = ({ x, y }: Point, box: Box): boolean => x >= box.x && x <= box.x + box.width && y >= box.y && y <= box.y + box.height;

async function openFiles(): Promise<void> {
  await openFileOn(page, { caminho: folder, nome: path.basename(folder), isFolder: true });
  await entry('carta.txt').waitFor();
}

const rightClick = async (locator: Locator, force = false): Promise<void> => await locator.click({ button: 'right', force });
async function touch(from: Point, to?: Point): Promise<void> {
  const finger = await touchScreen(page);
  await finger.down(from);
  if (to !== undefined) await finger.move(to);
  await finger.up();
  await finger.end();
}

const presses = ['mouse', 'finger', 'right'] as const;
/** Every menu of the shell that Notas and the window of a folder bring, the latter in front. */
const menus: readonly (readonly [string, () => Promise<void>])[] = [
  ['of the person', async () => await bar().locator('.person').click()],
  ['of the window, by its button', async () => await files().locator('button.menu').click()],
  ['of the window, at its title', async () => await rightClick(files().locator('h2'))],
  ['of a window, at the taskbar', async () => await rightClick(bar().getByRole('button', { name: 'Notas' }))],
  ['of the desktop', async () => await page.mouse.click(640, 30, { button: 'right' })],
  ['of a file', async () => await rightClick(entry('carta.txt'))],
  [
    'of the folder',
    async () =>
      await files()
        .locator('svc-file-view .scroll')
        .click({ button: 'right', position: { x: 300, y: 300 } }),
  ],
  ['of the folder, by its button', async () => await files().getByRole('button', { name: 'Mais ações' }).click()],
];

const state = async (): Promise<unknown> =>
  await page.evaluate(() => {
    const desktop = document.querySelector('svc-shell')!.shadowRoot!.querySelector('svc-desktop')!;
    const windows = [...desktop.shadowRoot!.querySelectorAll<HTMLElement>('svc-window')].map((each) => [
      each.ariaLabel,
      each.style.transform,
      each.hasAttribute('top'),
      each.hasAttribute('minimised'),
    ]);
    return [windows, desktop.shadowRoot!.querySelectorAll('svc-launcher, svc-bell').length];
  });
/** Points beside a menu where a press has a visible effect: the window closes, another comes to the front, a note is made, the launcher opens. */
const beside = async (): Promise<readonly Point[]> => [
  await middleOf(files().locator('button.close')),
  await middleOf(frameOf(page, 'Notas').getByRole('button', { name: 'Nova nota' })),
  await middleOf(bar().locator('.launch')),
];

async function openBoth(): Promise<void> {
  await openApp(page, 'Notas');
  await frameOf(page, 'Notas').getByRole('button', { name: 'Nova nota' }).waitFor();
  await openFiles();
  // Notas to the left edge, where its page is seen, the folder to the right, both in sight.
  for (const [title, x, y] of [
    ['Notas', 10, 60],
    [path.basename(folder), 230, 90],
  ] as const) {
    await bar().getByRole('button', { name: title }).click();
    await windowOf(page, title).locator('h2').waitFor();
    const { x: left, y: top } = await boxOf(windowOf(page, title).locator('h2'));
    await drag(page, { x: left + 30, y: top + 10 }, x + 60 - left, y + 10 - top);
  }
}

describe('menus', () => {
  test('a press beside any menu closes it and does nothing else, by mouse, by its other button and by finger; Escape gives the focus back', async () => {
    await openBoth();
    const before = await state();
    for (const [nth, [name, open]] of menus.entries()) {
      // Each menu by one of the presses in `npm test`, by another one in another run.
      for (const press of everyNth(presses.length, presses, nth)) {
        const point = (await beside())[presses.indexOf(press)] ?? { x: 0, y: 0 };
        await open();
        await expect.poll(() => openMenus().count(), { message: name }).toBe(1);
        const heights = await page.evaluate(() => [document.documentElement.scrollHeight, document.body.scrollHeight]);
        expect({ name, heights }).toEqual({ name, heights: [800, 800] });
        if (isIn(point, await boxOf(openMenus().getByRole('menu')))) await page.keyboard.press('Escape');
        else if (press === 'finger') await touch(point);
        else await page.mouse.click(point.x, point.y, { button: press === 'mouse' ? 'left' : 'right' });
        await expect.poll(() => openMenus().count(), { message: `${name}, ${press}` }).toBe(0);
        expect(await state(), `${name}, ${press}`).toEqual(before);
      }
      await open();
      await openMenus().getByRole('menuitem').or(openMenus().getByRole('menuitemradio')).first().waitFor();
      if (name === 'of the folder, by its button')
        await openMenus().getByRole('menuitemcheckbox', { name: 'Mostrar ocultos', checked: false }).waitFor();
      // A heading or the edge takes the focus from the entry: Escape counts all the same.
      const { x, y } = await boxOf(openMenus().getByRole('menu'));
      await page.mouse.click(x + 3, y + 3);
      await page.keyboard.press('Escape');
      await expect.poll(() => openMenus().count(), { message: name }).toBe(0);
    }
    expect(await frameOf(page, 'Notas').locator('.lista .svc-item').count()).toBe(0);
    expect(problems).toEqual([]);
  });

  test('a menu ends when what it was opened for is gone, and by a change of the page', async () => {
    await openBoth();
    const other = path.join(folder, 'passageiro.txt');
    writeFileSync(other, 'x');
    await entry('passageiro.txt').waitFor();
    const ends: readonly (readonly [string, () => Promise<void>, () => Promise<void>])[] = [
      [
        'the folder is another one',
        () => rightClick(entry('carta.txt')),
        async () =>
          await files().evaluate((window) => {
            window
              .shadowRoot!.querySelector('svc-files')!
              .shadowRoot!.querySelector('svc-folder')!
              .dispatchEvent(
                new CustomEvent('go', {
                  detail: (window as unknown as { state: { route: string } }).state.route + '/outra',
                  bubbles: true,
                }),
              );
          }),
      ],
      [
        'the file is gone',
        () => rightClick(entry('passageiro.txt')),
        async () => {
          renameSync(other, `${folder}/outra/passageiro.txt`);
          await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
        },
      ],
      ['another window came to the front', () => rightClick(entry('carta.txt')), async () => await page.keyboard.press('F6')],
      [
        'the screen was turned',
        () => bar().locator('.person').click(),
        async () => await page.setViewportSize({ width: 900, height: 700 }),
      ],
    ];
    for (const [name, open, act] of ends) {
      await openFiles();
      await open();
      await expect.poll(() => openMenus().count(), { message: name }).toBe(1);
      await act();
      await expect.poll(() => openMenus().count(), { message: name }).toBe(0);
      await page.keyboard.press('Escape');
    }
  });

  test("a menu of an app's page closes by a press beside it in the page, on another window and on the desktop", async () => {
    await openApp(page, 'Vitrine');
    const button = vitrine().getByRole('button', { name: 'Ações' });
    await button.waitFor();
    const menu = vitrine().locator('ui-menu#acoes[open]');
    const open = async (): Promise<void> => {
      await button.click();
      await menu.waitFor({ state: 'attached' });
    };
    const title = await middleOf(windowOf(page, 'Vitrine').locator('h2'));
    const inPage = await middleOf(vitrine().getByRole('heading', { name: 'Diálogo, menu e avisos' }));
    for (const point of [inPage, title, { x: 1_270, y: 700 }, await middleOf(bar().locator('time'))]) {
      await open();
      await page.mouse.click(point.x, point.y);
      await menu.waitFor({ state: 'detached' });
    }
    await open();
    await page.keyboard.press('Escape');
    await menu.waitFor({ state: 'detached' });
    expect(
      await button.evaluate((element) => element.getRootNode() instanceof ShadowRoot && document.activeElement !== document.body),
    ).toBe(true);
    // With the menu of an entry open both close.
    await open();
    await page.keyboard.press('End');
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => vitrine().locator('ui-menu[open]').count()).toBe(2);
    await page.mouse.click(inPage.x, inPage.y);
    await expect.poll(() => vitrine().locator('ui-menu[open]').count()).toBe(0);
  });
});

describe('what scrolls', () => {
  /** Elements that are scrolled and that no person could scroll back, and the page itself. */
  const scrolledAway = async (): Promise<readonly string[]> =>
    await page.evaluate(() => {
      const scrolled: string[] = [];
      const look = (root: Document | ShadowRoot): void => {
        for (const element of root.querySelectorAll('*')) {
          const { scrollLeft, scrollTop } = element;
          const { overflowX, overflowY } = getComputedStyle(element);
          const isScroller = (overflow: string): boolean => overflow === 'auto' || overflow === 'scroll';
          const isField = element.matches('input, textarea, .xterm *');
          if (!isField && ((scrollLeft !== 0 && !isScroller(overflowX)) || (scrollTop !== 0 && !isScroller(overflowY))))
            scrolled.push(`${element.localName}.${element.className} ${scrollLeft} ${scrollTop}`);
          if (element.shadowRoot !== null) look(element.shadowRoot);
        }
      };
      look(document);
      const { scrollWidth, scrollHeight } = document.documentElement;
      return scrollWidth > innerWidth || scrollHeight > innerHeight ? [...scrolled, `page ${scrollWidth} ${scrollHeight}`] : scrolled;
    });

  test('nothing of the desktop is scrolled by Tab and by what is typed, in any window that sticks out on either side', async () => {
    const titles = ['Notas', 'Vitrine', 'Terminal', 'Configurações', 'Loja', 'Fila', 'Gerenciador de tarefas'];
    const opened: (readonly [string, () => Promise<void>])[] = titles.map((title) => [title, () => openApp(page, title)]);
    opened.push([path.basename(folder), openFiles]);
    opened.push(['carta.txt', async () => await openFileOn(page, { caminho: path.join(folder, 'carta.txt'), nome: 'carta.txt' })]);
    for (const [at, [title, open]] of opened.entries()) {
      await open();
      // The editor adds to its title that something is not saved.
      const window = page.getByRole('dialog', { name: new RegExp(`\\b${title}`) }).first();
      await window.waitFor();
      // A side each in `npm test`, the other one in another run.
      for (const side of everyNth(2, ['right', 'left'] as const, at)) {
        const box = await boxOf(window.locator('header.title'));
        const controls = await boxOf(window.locator('.controls'));
        const grip = side === 'right' ? { x: Math.max(box.x, 0) + 120, y: box.y + 4 } : { x: controls.x - 20, y: box.y + 4 };
        await drag(page, grip, (side === 'right' ? 1_240 : 60) - grip.x, 700 - grip.y);
        // From the first button of the window through what is in it, further than the last one.
        await window.locator('button.menu').focus();
        for (let tab = 0; tab < 10; tab += 1) await page.keyboard.press('Tab');
        expect(await scrolledAway(), `${title}, ${side}, Tab`).toEqual([]);
        const field = window.locator('input:visible, textarea, .cm-content').last();
        if ((await field.count()) > 0) {
          await field.focus();
          await page.keyboard.insertText('muito mais do que cabe '.repeat(8));
        }
        expect(await scrolledAway(), `${title}, ${side}, typed`).toEqual([]);
      }
      await window.locator('button.minimise').evaluate((button) => (button as HTMLElement).click());
    }
    expect(problems).toEqual([]);
  });
});

describe('where the keyboard is', () => {
  /** The focused element, in the page of an app too: `window > element`. */
  const focus = async (): Promise<string> => {
    const [title, element, isFrame] = await page.evaluate(() => {
      let at = document.activeElement;
      let title = '';
      while (at !== null) {
        if (at.shadowRoot?.activeElement == null) break;
        if (at.localName === 'svc-window') title = at.ariaLabel ?? '';
        at = at.shadowRoot.activeElement;
      }
      return [title, `${at?.localName}.${at?.className}`, at?.localName === 'iframe'] as const;
    });
    if (!isFrame) return `${title} > ${element}`;
    const inside = await frameOf(page, title)
      .locator('body')
      .evaluate(() => `${document.activeElement?.id}, ${document.hasFocus()}`);
    return `${title} > ${inside}`;
  };

  test('after each act with the mouse, a finger or the keyboard what had the focus in the window in front has it again', async () => {
    await openBoth();
    const front = path.basename(folder);
    const held = {
      [front]: async () => await files().locator('.search input').click(),
      Notas: async () =>
        await frameOf(page, 'Notas')
          .getByLabel('Buscar')
          .click({ position: { x: 20, y: 12 } }),
    };
    for (const [title, hold] of Object.entries(held)) {
      const window = (): Locator => windowOf(page, title);
      const button = (name: string): Locator => window().locator(`button.${name}`);
      const inTaskbar = (): Locator => bar().getByRole('button', { name: title });
      const pressTitle = async (dx: number): Promise<void> => {
        const { x, y } = await boxOf(window().locator('h2'));
        await page.mouse.move(x + 20, y + 10);
        await page.mouse.down();
        await drawn(page);
        if (dx !== 0) await page.mouse.move(x + 20 + dx, y + 10 + dx, { steps: 3 });
        await page.mouse.up();
      };
      const touchTitle = async (dx: number): Promise<void> => {
        const { x, y } = await boxOf(window().locator('h2'));
        await touch({ x: x + 20, y: y + 10 }, dx === 0 ? undefined : { x: x + 20 + dx, y: y + 10 + dx });
      };
      const resize = async (): Promise<void> => {
        const { x, y, height } = await boxOf(window());
        await page.mouse.move(x + 60, y + height + 1);
        await page.mouse.down();
        await drawn(page);
        await page.mouse.move(x + 60, y + height - 20, { steps: 3 });
        await page.mouse.up();
      };
      /** Decision 0320 has this table for people. */
      const acts: readonly (readonly [string, () => Promise<void>])[] = [
        ['a press on the title', () => pressTitle(0)],
        ['a move', () => pressTitle(12)],
        ['a touch of the title', () => touchTitle(0)],
        ['a move by finger', () => touchTitle(-12)],
        ['a resize', resize],
        ['maximise and restore', async () => (await button('maximise').click(), await button('restore').click())],
        [
          'a double click on the title, twice',
          async () => (await window().locator('h2').dblclick(), await window().locator('h2').dblclick()),
        ],
        ['a menu and Escape', async () => (await button('menu').click(), await page.keyboard.press('Escape'))],
        ['a menu and a press beside it', async () => (await button('menu').click(), await page.mouse.click(640, 30))],
        ['a menu, other button', async () => (await menus.at(4)?.[1](), await openMenus().waitFor(), await rightClick(window(), true))],
        ['a press on the desktop', async () => await page.mouse.click(640, 30)],
        ['a press on the clock', async () => await bar().locator('time').click()],
        ['minimise, and back by the taskbar', async () => (await button('minimise').click(), await inTaskbar().click())],
        [
          'the launcher and Escape',
          async () => (
            await page.keyboard.press('Control+k'),
            await page.getByRole('combobox').waitFor(),
            await page.keyboard.press('Escape')
          ),
        ],
        ['to another window and back by F6', async () => (await page.keyboard.press('F6'), await page.keyboard.press('F6'))],
      ];
      // A press on the button of the window in front would minimise it.
      if (title === 'Notas') await inTaskbar().click();
      await hold();
      await expect.poll(focus).toContain(`${title} > `);
      const before = await focus();
      // Each act in one of the two windows in `npm test`, in the other one in another run.
      for (const [name, act] of everyNth(2, acts, title === 'Notas' ? 1 : 0)) {
        await act();
        await expect.poll(focus, { message: `${title}: ${name}` }).toBe(before);
      }
    }
    await windowOf(page, 'Notas').locator('button.close').click();
    await expect.poll(focus).toContain(`${front} > input`);
    expect(problems).toEqual([]);
  });

  test('a page that takes the keyboard unasked gives it back; one that is pressed has it', async () => {
    await openBoth();
    /** Until the page has lost it again; where the desktop asks something the page never has it. */
    const takes = async (app: string): Promise<void> =>
      await frameOf(page, app)
        .locator('input')
        .first()
        .evaluate(async (field: HTMLElement) => {
          field.focus();
          await new Promise((done) => setTimeout(done, 400));
          if (document.hasFocus()) await new Promise((done) => addEventListener('blur', done, { once: true }));
        });
    const search = files().locator('.search input');
    await search.click();
    await takes('Notas');
    await page.keyboard.type('um');
    expect(await search.inputValue()).toBe('um');
    await search.fill('');
    // A name that is being typed goes on.
    await entry('carta.txt').click();
    await page.keyboard.press('F2');
    await page.keyboard.type('ca');
    await takes('Notas');
    await page.keyboard.type('rtao\n');
    await entry('cartao.txt').waitFor();

    await page.keyboard.press('Control+k');
    const launcher = page.getByRole('combobox');
    await launcher.waitFor();
    await takes('Notas');
    await page.keyboard.type('dois');
    expect(await launcher.inputValue()).toBe('dois');
    await page.keyboard.press('Escape');

    await openApp(page, 'Vitrine');
    const own = vitrine().getByRole('textbox').first();
    await own.click();
    const before = await own.inputValue();
    await takes('Notas');
    await page.keyboard.type('tres');
    expect((await own.inputValue()).length).toBe(before.length + 4);

    await windowOf(page, 'Vitrine').locator('button.close').click();
    await search.click();
    const notes = frameOf(page, 'Notas').getByLabel('Buscar');
    await notes.click({ position: { x: 20, y: 12 } });
    // Longer than a page has to say that it was pressed.
    await page.waitForTimeout(400);
    await page.keyboard.type('quatro');
    expect(await notes.inputValue()).toBe('quatro');
    expect(await windowOf(page, 'Notas').getAttribute('top')).toBe('');

    // A finger that scrolls a window brings it to the front, with the keyboard.
    const finger = await touchScreen(page);
    const scrolls = async (at: Point): Promise<void> => {
      await finger.down(at);
      for (const step of [20, 60, 100]) await finger.move({ x: at.x, y: at.y - step });
      await finger.up();
    };
    const { x, y, width, height } = await boxOf(files());
    await scrolls({ x: x + width - 30, y: y + height / 2 });
    await expect.poll(focus).toContain(`${path.basename(folder)} > `);
    await scrolls(await middleOf(notes));
    await expect.poll(focus).toMatch(/^Notas > .*, true$/);
    await finger.end();
    expect(problems).toEqual([]);
  });
});
