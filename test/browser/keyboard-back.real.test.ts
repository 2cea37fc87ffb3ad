/** The keyboard comes back to the field that had it after a press whose end one of the two, the desktop or the page of an app, is not told of. */
import type { Locator, Page } from 'playwright-core';
import { beforeEach, expect, test } from 'vitest';
import { drawn, frameOf, openApp, useDesk, windowOf } from './support/browser.ts';
import { middleOf } from './support/touch.ts';

let page: Page;
useDesk((made) => ({ page } = made), ['notas']);

const field = (): Locator => frameOf(page, 'Notas').getByLabel('Buscar');
beforeEach(async () => {
  await openApp(page, 'Notas');
  await field().click({ position: { x: 20, y: 12 } });
});

const hasKeyboard = async (): Promise<boolean> => await field().evaluate((input) => document.hasFocus() && input.matches(':focus'));

test.for([
  ['a key', async () => await page.keyboard.press('Shift')],
  [
    'the pointer over it',
    async () => {
      const { x, y } = await middleOf(field());
      await page.mouse.move(x, y);
    },
  ],
] as const)('a press in a page that was released elsewhere is over with %s', async ([, act]) => {
  await page.mouse.move(640, 5);
  await field().dispatchEvent('pointerdown', { button: 0, buttons: 1 });
  await act();
  await windowOf(page, 'Notas').locator('button.minimise').click();
  await page.getByRole('toolbar').first().getByRole('button', { name: 'Notas' }).click();
  await expect.poll(hasKeyboard, { timeout: 8_000 }).toBe(true);
});

test('a press beside all windows that is released over a page', async () => {
  const { x, y } = await middleOf(field());
  await drawn(page);
  await page.mouse.move(1_270, 20);
  await page.mouse.down();
  await expect.poll(hasKeyboard, { timeout: 8_000 }).toBe(false);
  await page.mouse.move(x, y, { steps: 4 });
  await page.mouse.up();
  await expect.poll(hasKeyboard, { timeout: 8_000 }).toBe(true);
});
