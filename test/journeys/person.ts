/** A person at a browser: a page that is signed in, hands, and what must hold after each of their acts. */
import type { Browser, BrowserContextOptions, ElementHandle, Frame, FrameLocator, Locator, Page } from 'playwright-core';
import { axeLines, lastingBreaches, type FocusRule } from './invariants.ts';
import { shareSeed } from '../support/share.ts';
import { soonMs, until } from './until.ts';
import { watchPage, type Watched } from './watched-page.ts';

export const windowOf = (page: Page, title: string): Locator =>
  page.getByRole('dialog', { name: title, exact: true }).and(page.locator('svc-window'));
export const frontWindow = (page: Page): Locator => page.locator('svc-window[top]');
export const appOf = (page: Page, title: string): FrameLocator => page.frameLocator(`iframe[title="${title}"]`);
export const menuItem = (page: Page, name: string | RegExp): Locator =>
  page
    .getByRole('menuitem', { name })
    .or(page.getByRole('menuitemradio', { name }))
    .or(page.getByRole('menuitemcheckbox', { name }))
    .first();
export const openMenus = (page: Page): Locator => page.locator('[role=menu]:visible');

export interface Person extends Watched {
  readonly page: Page;
  /** Breaches of all acts so far, each with the name of its act. */
  readonly found: string[];
  /** How many acts there were. */
  acts(): number;
  /** Does it, then checks all invariants. `axe`: as a surface of its own, whatever is open. */
  act(name: string, run: () => Promise<unknown>, how?: { readonly focus?: FocusRule; readonly axe?: boolean }): Promise<void>;
}

const seenByAxe = new Set<string>();
/** The same surface is given to axe once for all persons of a run with the same kind of screen; a third of them in each run, all in the long one. */
function isForAxe(surface: string): boolean {
  if (seenByAxe.has(surface)) return false;
  seenByAxe.add(surface);
  let sum = 0;
  for (let at = 0; at < surface.length; at += 1) sum = (sum * 31 + surface.charCodeAt(at)) % 9_973;
  return process.env['SVC_TEST_LONG'] === '1' || (sum + shareSeed) % 3 === 0;
}

/** At the address: a link that signs in, or the desktop with the cookies of the options. */
export async function arrive(browser: Browser, address: string, options: BrowserContextOptions = {}): Promise<Person> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    locale: 'pt-BR',
    reducedMotion: 'reduce',
    ...options,
  });
  context.setDefaultTimeout(90_000);
  await context.addInitScript(beginWithoutWindows);
  const page = await context.newPage();
  const watched = watchPage(page);
  const found: string[] = [];
  let acts = 0;
  const screen = `${options.hasTouch === true ? 'touch' : 'mouse'} ${options.viewport?.width ?? 1280}`;
  await page.goto(address);
  await page.locator('svc-home').getByRole('button').first().waitFor();
  return {
    page,
    found,
    ...watched,
    acts: () => acts,
    act: async (name, run, { focus, axe } = {}) => {
      acts += 1;
      await run().catch((error: unknown) => {
        throw new Error([`${name}: ${String(error)}`, ...found].join('\n'), { cause: error });
      });
      const looked = await lastingBreaches(page, focus);
      const lines = [...looked.found, ...watched.takeProblems()];
      const surface = `${screen} ${axe === true ? name : looked.surface}`;
      if (isForAxe(surface)) lines.push(...(await axeLines(page)));
      found.push(...lines.map((line) => `${name}: ${line}`));
    },
  };
}

/** A new browser would begin with the windows that the person had last, in another one. Runs in each page before its own scripts. */
export function beginWithoutWindows(): void {
  try {
    if (sessionStorage.getItem('svc.open.ana') === null) sessionStorage.setItem('svc.open.ana', '[]');
  } catch {
    // A page without an origin remembers nothing.
  }
}

/** Axe on the page of an app. */
export async function axeInApp(person: Person, title: string): Promise<void> {
  if (!isForAxe(`the page of ${title}`)) return;
  const frame = await frameAt(person.page, title);
  person.found.push(...(await axeLines(frame)).map((line) => `the page of ${title}: ${line}`));
}

async function frameAt(page: Page, title: string): Promise<Frame> {
  const element = await page.locator(`iframe[title="${title}"]`).elementHandle();
  const frame = await element?.contentFrame();
  if (frame == null) throw new Error(`no page of ${title}`);
  return frame;
}

export interface Hands {
  /** On a button, an entry or a link. */
  press(target: Locator): Promise<void>;
  /** The menu of something: the other mouse button, a finger that rests, the key for menus. */
  menu(target: Locator): Promise<void>;
  /** Opens an entry of a list. */
  open(target: Locator): Promise<void>;
}

/** True when the element has the keyboard, or holds the one that has it. */
export const hasKeyboard = async (target: Locator): Promise<boolean> =>
  (await target.count()) > 0 &&
  (await target.first().evaluate((element) => {
    const root = element.getRootNode() as Document | ShadowRoot;
    return root.activeElement === element || element.matches(':focus-within') || element.shadowRoot?.activeElement != null;
  }));

const tabsMax = 80;

/**
 * Whether the element has the keyboard (or holds what has it), and whether arrows lead to it from what has: a list or bar is a single stop for all
 * that is in it.
 */
function keyboardAt(element: Element): 'there' | 'by arrows' | 'elsewhere' | 'gone' {
  if (!element.isConnected) return 'gone';
  const root = element.getRootNode() as Document | ShadowRoot;
  if (root.activeElement === element || element.matches(':focus-within') || element.shadowRoot?.activeElement != null) return 'there';
  let at: Element | null = element;
  while (at !== null) {
    const role = at.getAttribute('role') ?? at.localName;
    const around: Node = at.getRootNode();
    if (/^(toolbar|tablist|listbox|menu|menubar|radiogroup|tree|grid|ui-toolbar|ui-tabs)$/.test(role) && at !== element) {
      const active = (around as Document | ShadowRoot).activeElement;
      return active !== null && at.contains(active) ? 'by arrows' : 'elsewhere';
    }
    at = at.parentElement ?? (around instanceof ShadowRoot ? around.host : null);
  }
  return 'elsewhere';
}

/** By Tab alone, and by arrows within what has one stop for many. The element is looked for once: to find it by its name takes longer than a press. */
export const keyboard = (page: Page): Hands & { reach(target: Locator): Promise<void> } => {
  const reach = async (target: Locator): Promise<void> => {
    const find = async (): Promise<ElementHandle<SVGElement | HTMLElement>> => {
      await target.first().waitFor();
      return await target.first().elementHandle();
    };
    let element = await find();
    const look = async (): Promise<'there' | 'by arrows' | 'elsewhere'> => {
      const seen = await element.evaluate(keyboardAt);
      if (seen !== 'gone') return seen;
      element = await find();
      return await look();
    };
    for (let tabs = 0; tabs < tabsMax; tabs += 1) {
      const seen = await look();
      if (seen === 'there') return;
      if (seen === 'by arrows')
        for (const key of ['ArrowRight', 'ArrowDown'])
          for (let step = 0; step < 30; step += 1) {
            await page.keyboard.press(key);
            if ((await look()) === 'there') return;
          }
      await page.keyboard.press('Tab');
    }
    throw new Error(`not to be reached by ${tabsMax} presses of Tab: ${String(target)}`);
  };
  return {
    reach,
    press: async (target) => {
      await reach(target);
      await page.keyboard.press('Enter');
    },
    menu: async (target) => {
      await reach(target);
      await page.keyboard.press('Shift+F10');
    },
    open: async (target) => {
      await reach(target);
      await page.keyboard.press('Enter');
    },
  };
};

export interface Point {
  readonly x: number;
  readonly y: number;
}

export async function middleOf(target: Locator): Promise<Point> {
  await target.first().scrollIntoViewIfNeeded();
  const box = await target.first().boundingBox();
  if (box === null) throw new Error(`not to be seen: ${String(target)}`);
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

export interface Fingers extends Hands {
  /** Where there is nothing to find by name. */
  tap(at: Point): Promise<void>;
  swipe(from: Point, to: Point): Promise<void>;
  /** Rests for long enough to mean something: until a menu opens, which it does within the time. */
  rest(at: Point, msMax?: number): Promise<void>;
}

/** Touches as the browser gets them from a screen, by its debugger. */
export async function fingers(page: Page): Promise<Fingers> {
  const debugging = await page.context().newCDPSession(page);
  const send = async (type: 'touchStart' | 'touchMove' | 'touchEnd', points: readonly Point[]): Promise<void> =>
    void (await debugging.send('Input.dispatchTouchEvent', { type, touchPoints: points.map(({ x, y }) => ({ x, y })) }));
  const tap = async (at: Point): Promise<void> => {
    await send('touchStart', [at]);
    await send('touchEnd', []);
  };
  const rest = async (at: Point, msMax = soonMs): Promise<void> => {
    await send('touchStart', [at]);
    await until('a menu', async () => (await openMenus(page).count()) > 0, msMax).then(
      async () => await send('touchEnd', []),
      async (error: unknown) => {
        await send('touchEnd', []);
        throw error;
      },
    );
  };
  return {
    tap,
    rest,
    press: async (target) => {
      await target.first().waitFor();
      await tap(await middleOf(target));
    },
    open: async (target) => await tap(await middleOf(target)),
    menu: async (target) => await rest(await middleOf(target)),
    swipe: async (from, to) => {
      await send('touchStart', [from]);
      for (let step = 1; step <= 8; step += 1)
        await send('touchMove', [{ x: from.x + ((to.x - from.x) * step) / 8, y: from.y + ((to.y - from.y) * step) / 8 }]);
      await send('touchEnd', []);
    },
  };
}

const drawn = async (page: Page): Promise<unknown> =>
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

/**
 * Presses at a point, goes by a distance in steps, and lets go. A browser asks the last frame that it drew which page is under a press: what
 * was moved just now is drawn first. No hand is as quick as that it does not know yet that the pointer is captured.
 */
export async function dragBy(page: Page, from: Point, dx: number, dy: number): Promise<void> {
  await drawn(page);
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await drawn(page);
  await page.mouse.move(from.x + dx, from.y + dy, { steps: 8 });
  await page.mouse.up();
}

/** A point of the window's title bar where there is no button. */
export async function titlePoint(page: Page): Promise<Point> {
  const box = await frontWindow(page).locator('header.title h2').boundingBox();
  if (box === null) throw new Error('no title');
  return { x: box.x + Math.min(box.width - 4, 40), y: box.y + box.height / 2 };
}
