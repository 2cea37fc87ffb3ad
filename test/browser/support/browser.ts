/** Chromium for the browser tests, and what every one of them needs of a page. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, type TestContext } from 'vitest';
import { closePages, openBrowser, type BrowserProgram } from '../../support/chromium.ts';
import { openedContexts } from '../../support/opened-contexts.ts';
import { startPortal, type PortalOptions, type RunningPortal } from '../../support/portal.ts';
import { shareSeed } from '../../support/share.ts';
import type { Browser, BrowserContextOptions, Frame, FrameLocator, Locator, Page } from 'playwright-core';

const root = path.resolve(import.meta.dirname, '../../..');
const axeSource = readFileSync(path.join(root, 'node_modules/axe-core/axe.min.js'), 'utf8');

export interface TestPage {
  readonly page: Page;
  /** Every exception and every error of the console so far; a breach of the policy is one. */
  readonly problems: readonly string[];
}
export type Box = NonNullable<Awaited<ReturnType<Locator['boundingBox']>>>;

/** Another page was faster: the change is made anew (decision 0202). */
const isLate = (words: string, url: string): boolean => words.includes('412') && url.endsWith('/api/preferencias');
const isGoneRoom = (words: string, url: string): boolean => words.includes('404') && /\/api\/salas\/\w+(\/bilhete)?\?/.test(url);

/** People of these tests: a new browser begins without the windows of the test before. */
const people = ['ana', 'bia', 'caio', 'dora'];

export async function newPage(
  browser: Browser,
  { lastWindows = false, ...options }: BrowserContextOptions & { readonly lastWindows?: boolean } = {},
): Promise<TestPage> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    locale: 'pt-BR',
    reducedMotion: 'reduce',
    ...options,
  });
  if (!lastWindows)
    await context.addInitScript((names) => {
      try {
        for (const name of names) if (sessionStorage.getItem(`svc.open.${name}`) === null) sessionStorage.setItem(`svc.open.${name}`, '[]');
      } catch {
        // A page without an origin remembers nothing anyway.
      }
    }, people);
  // The machine may do much else at the time.
  context.setDefaultTimeout(90_000);
  openedContexts.add(context);
  context.once('close', () => openedContexts.delete(context));
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (message) => {
    // Chromium reports an app that takes the focus before anybody clicked in it; that is between the two.
    // An app that is ending does not receive /close-tabs (rules 3.3, rule 6: ignored).
    // A client whose room was deleted may ask for its role before it learns that.
    const { url } = message.location();
    const ignored =
      message.text().startsWith('Blocked autofocusing') ||
      url.endsWith('/close-tabs') ||
      isGoneRoom(message.text(), url) ||
      isLate(message.text(), url);
    if (message.type() === 'error' && !ignored) problems.push(url === '' ? message.text() : `${message.text()} (${url})`);
  });
  return { page, problems };
}

export const windowOf = (page: Page, title: string): Locator => page.getByRole('dialog', { name: title, exact: true });
/** A dialog of the UI kit with all that is put into it: that is not below its own `<dialog>`, but below the element. */
export const dialogOf = (page: Page, name: string | RegExp, role: 'dialog' | 'alertdialog' = 'dialog'): Locator =>
  page.locator('ui-dialog', { has: page.getByRole(role, { name }) });
/** Whether one app may use another. */
export const consentOf = (page: Page): Locator => page.locator('svc-consent ui-dialog', { has: page.getByRole('alertdialog') });
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

/**
 * Until text that is being faded in has its colours. Each element is asked: the document does not name what a style of one shadow tree animates in another.
 * Not waited for: what turns for ever, and what stands still on a hidden page.
 */
const fadedIn = `(() => {
  const animationsOf = (root) => [...root.querySelectorAll('*')].flatMap((element) => [
    ...element.getAnimations(),
    ...(element.shadowRoot === null ? [] : animationsOf(element.shadowRoot)),
  ]);
  const ends = animationsOf(document).filter((each) => each.effect?.getComputedTiming().endTime !== Infinity).map((each) => each.finished);
  return Promise.race([Promise.allSettled(ends), new Promise((done) => setTimeout(done, 2000))]).then(() => undefined);
})()`;

/** The same on the page of an app. With `colours` only the rules that a theme can break: enough where the same elements passed all in another. */
export async function axeFindingsIn(page: Pick<Frame, 'evaluate'>, rules: 'all' | 'colours' = 'all'): Promise<readonly string[]> {
  // Through the debugger, so that the page keeps its policy. Once for a page: it is half a megabyte.
  if (!(await page.evaluate<boolean>(`'axe' in window`))) await page.evaluate(axeSource);
  await page.evaluate(fadedIn);
  const runOnly = rules === 'all' ? '' : `runOnly: ['color-contrast', 'link-in-text-block'],`;
  const result = await page.evaluate<AxeResult>(`axe.run(document, { ${runOnly} resultTypes: ['violations'], iframes: false })`);
  return result.violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' · ')}`);
}

interface Looks {
  /** Pages of apps on the desktop, checked as well. */
  readonly inside?: readonly Frame[];
  /** For the pictures: called in each theme. */
  readonly seen?: (suffix: '' | '-dark') => Promise<void>;
}

/** In the long run both; else one, by a bit of the seed that chooses no width: what differs is the colours, of which shell/preferences/look.test.ts has the pairs. */
const themesForAxe: readonly string[] =
  process.env['SVC_TEST_LONG'] === '1' ? ['light', 'dark'] : [(shareSeed >> 8) % 2 === 0 ? 'light' : 'dark'];

/** A page that follows the system, in the light theme and in the dark one, in which its elements are the same; axe as above. Leaves it light. */
export async function axeInBothThemes(page: Page, { inside = [], seen }: Looks = {}): Promise<readonly string[]> {
  const found: string[] = [];
  for (const [colorScheme, suffix, told] of [
    ['light', '', 'claro'],
    ['dark', '-dark', 'escuro'],
  ] as const) {
    if (seen === undefined && !themesForAxe.includes(colorScheme)) continue;
    await page.emulateMedia({ colorScheme });
    await page.locator(`html[data-theme="${colorScheme}"]`).waitFor({ state: 'attached' });
    for (const frame of inside) await frame.locator(`html[data-svc-tema="${told}"]`).waitFor({ state: 'attached' });
    await seen?.(suffix);
    if (!themesForAxe.includes(colorScheme)) continue;
    for (const each of [page, ...inside]) {
      const lines = await axeFindingsIn(each, colorScheme === themesForAxe[0] ? 'all' : 'colours');
      found.push(...lines.map((line) => `${colorScheme}: ${line}`));
    }
  }
  await page.emulateMedia({ colorScheme: 'light' });
  return found;
}

/** By the menu of a portal that takes links alone: it asks first. */
export async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: /Sessão e preferências|Session and preferences/ }).click();
  await page.getByRole('menuitem', { name: /^(?:Sair|Sign out)$/ }).click();
  await page
    .locator('svc-leave')
    .getByRole('button', { name: /^(?:Sair|Sign out)$/ })
    .click();
}

/** A fresh one-time link: the printed one works once. */
export async function newLink(portal: RunningPortal, admin = true): Promise<string> {
  const { status, body } = await portal.admin('POST', '/api/admin/links', { person: 'ana', admin });
  if (status !== 200) throw new Error(`no link: ${status} ${JSON.stringify(body)}`);
  return (body as { readonly link: string }).link;
}

type DeskOptions = [options?: BrowserContextOptions, how?: { readonly button?: RegExp; readonly admin?: boolean }];

/** A signed-in page on the desktop, once the button is there. */
export async function signedIn(browser: Browser, portal: RunningPortal, ...[options, how]: DeskOptions): Promise<TestPage> {
  const made = await newPage(browser, options);
  await signIn(made.page, portal, how);
  return made;
}

async function signIn(page: Page, portal: RunningPortal, { button = /^Notas/, admin = true }: DeskOptions[1] = {}): Promise<void> {
  await page.goto(await newLink(portal, admin));
  await page.getByRole('button', { name: button }).first().waitFor();
}

interface MadeDesk extends TestPage {
  readonly portal: RunningPortal;
  readonly browser: Browser;
}

/**
 * Makes the page of the test before as one of a new profile: with its processes there already it costs half as much as a new one. False
 * when that can't be. A script or a WebSocket route that a test left on a page stays: such a test opens a page of its own.
 */
export async function cleared(made: TestPage): Promise<boolean> {
  // A page that hangs answers nothing.
  return await Promise.race([clear(made).catch(() => false), sleep(20_000, false, { ref: false })]);
}

async function clear({ page, problems }: TestPage): Promise<boolean> {
  const context = page.context();
  for (const other of context.pages()) if (other !== page) await other.close();
  for (const event of ['request', 'response'] as const) page.removeAllListeners(event);
  await page.unrouteAll({ behavior: 'wait' });
  await context.setOffline(false);
  // The page lives on for a moment, and a window that changes then would be written down again: the next test would find it over its desktop.
  await page.evaluate(() => {
    sessionStorage.clear();
    Storage.prototype.setItem = () => undefined;
  });
  // An address of the desktop's origin that runs no script: its process goes on, and a new one would cost a third of the sign-in.
  const { hostname, origin } = new URL(page.url());
  await page.goto(hostname === 'svc.localhost' ? `${origin}/shell.css` : 'about:blank');
  const debugging = await context.newCDPSession(page);
  await debugging.send('Storage.clearDataForOrigin', { origin: '*', storageTypes: 'all' });
  await debugging.detach();
  await context.clearCookies();
  (problems as string[]).length = 0;
  return true;
}

/** As `signedIn`, with the page of the test before where that can be; every other page of the browser is closed. */
export async function signedInAnew(
  kept: TestPage | undefined,
  browser: Browser,
  portal: RunningPortal,
  how?: DeskOptions[1],
): Promise<TestPage> {
  const made = kept !== undefined && (await cleared(kept)) ? kept : undefined;
  for (const context of browser.contexts()) if (context !== made?.page.context()) await context.close();
  if (made === undefined) return await signedIn(browser, portal, {}, how);
  await signIn(made.page, portal, how);
  return made;
}

/**
 * For the tests of a file: one portal and one browser, and before each test `give` gets them with a page that was signed in anew.
 * A second try of a test gets a portal and a page of its own. `how`: options of the portal; a list names the example apps that it has.
 */
export function useDesk(
  give: (made: MadeDesk) => void,
  how: readonly string[] | (() => Promise<PortalOptions>),
  program?: BrowserProgram,
): void {
  const options = typeof how === 'function' ? how : async () => Promise.resolve({ apps: how });
  let portal: RunningPortal | undefined;
  let browser: Browser | undefined;
  let last: TestPage | undefined;
  beforeAll(async () => {
    [portal, browser] = await Promise.all([options().then(startPortal), openBrowser(program)]);
  });
  afterAll(async () => {
    await closePages(browser);
    await portal?.stop();
  });
  beforeEach(async ({ task }) => {
    if (portal === undefined || browser === undefined) throw new Error('no portal or no browser');
    const again = (task.result?.retryCount ?? 0) > 0;
    if (again) {
      await portal.stop();
      portal = await startPortal(await options());
    }
    last = await signedInAnew(again ? undefined : last, browser, portal);
    give({ portal, browser, ...last });
  });
}

/** For tests that go on side by side: one portal and one browser for the file, and each test asks for a desktop of its own, which ends with it. */
export function useDesks(apps: readonly string[]): (test: TestContext, ...how: DeskOptions) => Promise<MadeDesk> {
  let portal: RunningPortal | undefined;
  let browser: Browser | undefined;
  beforeAll(async () => {
    [portal, browser] = await Promise.all([startPortal({ apps }), openBrowser()]);
  });
  afterAll(async () => {
    await closePages(browser);
    await portal?.stop();
  });
  return async ({ task, onTestFinished }, ...how) => {
    if (portal === undefined || browser === undefined) throw new Error('no portal or no browser');
    // A second try gets a portal of its own: the others go on with theirs.
    const isAgain = (task.result?.retryCount ?? 0) > 0;
    const at = isAgain ? await startPortal({ apps }) : portal;
    if (isAgain) onTestFinished(async () => await at.stop());
    const made = await signedIn(browser, at, ...how);
    onTestFinished(async () => await made.page.context().close());
    return { portal: at, browser, ...made };
  };
}

export async function boxOf(locator: Locator): Promise<Box> {
  const box = await locator.boundingBox();
  if (box === null) throw new Error('not to be seen');
  return box;
}

/** No hand is as quick as that the browser does not know yet, after a press, that the pointer is captured or the pages are covered. */
export const drawn = async (page: Page): Promise<unknown> =>
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');

/**
 * Presses at a point, goes by a distance in steps as a hand does, and lets go. Elements laid out just now are drawn first: a browser asks
 * the last frame that it drew which page is under a press.
 */
export async function drag(page: Page, from: { readonly x: number; readonly y: number }, dx: number, dy: number): Promise<void> {
  await drawn(page);
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await drawn(page);
  await page.mouse.move(from.x + dx, from.y + dy, { steps: 8 });
  await page.mouse.up();
}
