/** How a page looks at a width: what every browser test of looks asks, and pictures of it for a person. */
import path from 'node:path';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { axeInBothThemes } from './browser.ts';

/** With SVC_TEST_PICTURES=DIR: a picture of each theme is kept there. */
export const pictured =
  (page: Page, name: string) =>
  async (suffix: string): Promise<void> => {
    const folder = process.env['SVC_TEST_PICTURES'];
    if (folder !== undefined) await page.screenshot({ path: path.join(folder, `${name}${suffix}.png`) });
  };

/** Axe finds nothing in either theme, and nothing is wider than the screen. */
export async function expectLooks(page: Page, name: string, width: number): Promise<void> {
  await page.setViewportSize({ width, height: 700 });
  expect(await axeInBothThemes(page, { seen: pictured(page, `${name}-${width}`) })).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
}
