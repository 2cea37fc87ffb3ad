/** Chromium for the browser tests, and what every one of them needs of a page. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { startPortal, type PortalOptions, type RunningPortal } from '../../support/portal.ts';
import {
  chromium,
  type Browser,
  type BrowserContextOptions,
  type Frame,
  type FrameLocator,
  type Locator,
  type Page,
} from 'playwright-core';

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

export interface TestPage {
  readonly page: Page;
  /** Every exception and every error of the console so far; a breach of the policy is one. */
  readonly problems: readonly string[];
}
export type Box = NonNullable<Awaited<ReturnType<Locator['boundingBox']>>>;

const isGoneRoom = (words: string, url: string): boolean => words.includes('404') && /\/api\/salas\/\w+(\/bilhete)?\?/.test(url);

export async function newPage(browser: Browser, options: BrowserContextOptions = {}): Promise<TestPage> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    locale: 'pt-BR',
    reducedMotion: 'reduce',
    ...options,
  });
  // Of a machine that does much else at the time.
  context.setDefaultTimeout(90_000);
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (message) => {
    // An app that takes the focus before anybody clicked in it is told so by Chromium; that is between the two.
    // Whoever is ending does not hear that its last window closed (spec 3.3 rule 6: ignored).
    // Whose room was deleted may ask for its role before hearing so.
    const { url } = message.location();
    const ignored = message.text().startsWith('Blocked autofocusing') || url.endsWith('/close-tabs') || isGoneRoom(message.text(), url);
    if (message.type() === 'error' && !ignored) problems.push(url === '' ? message.text() : `${message.text()} (${url})`);
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

/** The frame of an app's window, once its page is there. */
export async function frameAt(page: Page, title: string): Promise<Frame> {
  const frame = await (await page.locator(`iframe[title="${title}"]`).elementHandle())?.contentFrame();
  if (frame == null) throw new Error(`no frame of ${title}`);
  return frame;
}

/** Serious and critical findings of axe on the shell's own page, as lines. */
export const axeFindings = async (page: Page): Promise<readonly string[]> => axeFindingsIn(page);

/** The same on the page of an app. */
export async function axeFindingsIn(page: Pick<Frame, 'evaluate'>): Promise<readonly string[]> {
  // Through the debugger, so that the page keeps its policy.
  await page.evaluate(axeSource);
  const result = await page.evaluate<AxeResult>(`axe.run(document, { resultTypes: ['violations'], iframes: false })`);
  return result.violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' · ')}`);
}

/** A fresh one-time link: the printed one works once. */
export async function newLink(portal: RunningPortal, admin = true): Promise<string> {
  const { body } = await portal.admin('POST', '/api/admin/links', { person: 'ana', admin });
  return (body as { readonly link: string }).link;
}

/** A signed-in page on the desktop, once the button is there. */
export async function signedIn(
  browser: Browser,
  portal: RunningPortal,
  options: BrowserContextOptions = {},
  { button = /^Notas/, admin = true }: { readonly button?: RegExp; readonly admin?: boolean } = {},
): Promise<TestPage> {
  const made = await newPage(browser, options);
  await made.page.goto(await newLink(portal, admin));
  await made.page.getByRole('button', { name: button }).first().waitFor();
  return made;
}

interface MadeDesk extends TestPage {
  readonly portal: RunningPortal;
  readonly browser: Browser;
}

/**
 * For the tests of a file: one portal and one browser, and before each test `give` gets them with a page that was signed in anew.
 * A second try of a test gets a portal of its own.
 */
export function useDesk(give: (made: MadeDesk) => void, options: () => Promise<PortalOptions> = async () => Promise.resolve({})): void {
  let portal: RunningPortal | undefined;
  let browser: Browser | undefined;
  beforeAll(async () => {
    [portal, browser] = await Promise.all([options().then(startPortal), launchBrowser()]);
  });
  afterAll(async () => {
    await browser?.close();
    await portal?.stop();
  });
  beforeEach(async ({ task }) => {
    if (portal === undefined || browser === undefined) throw new Error('no portal or no browser');
    if ((task.result?.retryCount ?? 0) > 0) {
      await portal.stop();
      portal = await startPortal(await options());
    }
    for (const context of browser.contexts()) await context.close();
    give({ portal, browser, ...(await signedIn(browser, portal)) });
  });
}

export async function boxOf(locator: Locator): Promise<Box> {
  const box = await locator.boundingBox();
  if (box === null) throw new Error('not to be seen');
  return box;
}

/** Presses at a point, goes by a distance in steps as a hand does, and lets go. */
export async function drag(page: Page, from: { readonly x: number; readonly y: number }, dx: number, dy: number): Promise<void> {
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(from.x + dx, from.y + dy, { steps: 8 });
  await page.mouse.up();
}
