/** How a page looks at a width: what every browser test of looks asks, and pictures of it for a person. */
import path from 'node:path';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { someWidths } from '../../support/share.ts';
import { axeInBothThemes } from './browser.ts';

/** With SVC_TEST_PICTURES=DIR: a picture of each theme is kept there. */
export const pictured =
  (page: Page, name: string) =>
  async (suffix: string): Promise<void> => {
    const folder = process.env['SVC_TEST_PICTURES'];
    if (folder !== undefined) await page.screenshot({ path: path.join(folder, `${name}${suffix}.png`) });
  };

/** Nothing is wider than the screen, and axe finds nothing in either theme: at one of the widths in `npm test`, another one each time. */
export async function expectLooks(page: Page, name: string, ...widths: readonly number[]): Promise<void> {
  const lookedAt = someWidths(widths);
  for (const width of widths) {
    await page.setViewportSize({ width, height: 700 });
    if (lookedAt.includes(width)) expect(await axeInBothThemes(page, { seen: pictured(page, `${name}-${width}`) })).toEqual([]);
    await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
  }
}
