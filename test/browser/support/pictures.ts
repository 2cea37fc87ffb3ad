/** Pictures for the pages: docs/screenshots holds those that a page shows, and no others; a test holds it. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';

const folder = path.resolve(import.meta.dirname, '../../../docs/screenshots');

/** Takes a picture of the tree anew, with SVC_SCREENSHOTS=1 only: the clock in it differs from run to run. A new one begins as an empty file of its name. */
export async function takePicture(page: Page, name: string): Promise<void> {
  const file = path.join(folder, `${name}.png`);
  if (process.env['SVC_SCREENSHOTS'] === '1' && existsSync(file)) await page.screenshot({ path: file, animations: 'disabled' });
}
