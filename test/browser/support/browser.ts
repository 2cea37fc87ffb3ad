/** Chromium for the browser tests, and what every one of them needs of a page. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { chromium, type Browser, type BrowserContextOptions, type FrameLocator, type Locator, type Page } from 'playwright-core';

const root = path.resolve(import.meta.dirname, '../../..');
const axeSource = readFileSync(path.join(root, 'node_modules/axe-core/axe.min.js'), 'utf8');

export const launchBrowser = async (): Promise<Browser> =>
  await chromium.launch({
    executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });

/** A page whose every error of the console fails the test that asks for `problems`. */
export async function newPage(
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<{ readonly page: Page; readonly problems: readonly string[] }> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    locale: 'pt-BR',
    reducedMotion: 'reduce',
    ...options,
  });
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text());
  });
  return { page, problems };
}

export const windowOf = (page: Page, title: string): Locator => page.getByRole('dialog', { name: title, exact: true });
export const frameOf = (page: Page, title: string): FrameLocator => page.frameLocator(`iframe[title="${title}"]`);

/** Opens by the launcher, as with the keyboard. */
export async function openApp(page: Page, title: string): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill(title);
  await page.getByRole('option', { name: title }).first().waitFor();
  await page.keyboard.press('Enter');
  await windowOf(page, title).waitFor();
}

interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly impact: string | null;
    readonly nodes: readonly { readonly html: string }[];
  }[];
}

/** Serious and critical findings of axe on the shell's own page, as lines. */
export async function axeFindings(page: Page): Promise<readonly string[]> {
  // Through the debugger, so that the page keeps its policy.
  await page.evaluate(axeSource);
  const result = await page.evaluate<AxeResult>(`axe.run(document, { resultTypes: ['violations'], iframes: false })`);
  return result.violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' · ')}`);
}
