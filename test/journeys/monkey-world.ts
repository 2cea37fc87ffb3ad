/** The world of the monkey's acts: the person's page, the portal, and the text that was typed so far and must never be lost. */
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import type { FocusRule } from './invariants.ts';
import type { Box } from './look-at-shell.ts';
import { beginWithoutWindows, fingers, frontWindow, openMenus, type Fingers, type Point } from './person.ts';
import type { ShippedPortal } from './shipped-portal.ts';
import { until } from './until.ts';
import { watchPage, type Watched } from './watched-page.ts';

export interface Monkey extends Watched {
  readonly seed: number;
  readonly page: Page;
  readonly portal: ShippedPortal;
  readonly fingers: Fingers;
  readonly ledger: Ledger;
  /** Expectation that the last act that moved the focus leaves. */
  focus: FocusRule;
  isUp: boolean;
  isOnline: boolean;
  /** Names of what was pressed last, from the inside to the outside. */
  pressed: string;
  /** Counts what was typed, so that each line is found again. */
  lines: number;
}

/** Each line is added once the product said that it has it. */
export interface Ledger {
  /** Lines that the app Notas said were saved. */
  readonly notes: string[];
  /** Lines of the text file of this seed that the editor saved. */
  readonly saved: string[];
  /** Lines that the editor said are kept in this browser. */
  readonly drafts: string[];
  /** Lines in the notebook of this seed. */
  readonly room: string[];
  /** Lines that the app Rascunhos said were saved. */
  readonly sketches: string[];
  /** Paths that are on the server, below the person's home. */
  readonly paths: string[];
}

export const fileOf = (seed: number): string => `diario-${seed}.txt`;
export const notebookOf = (seed: number): string => `Caderno ${seed}`;

export interface MonkeyWorld {
  readonly portal: ShippedPortal;
  readonly browser: Browser;
  /** Cookies of the person: the printed link works once. */
  readonly signedIn: Awaited<ReturnType<BrowserContext['storageState']>>;
}

/** A new browser profile of the same person. */
export async function monkeyAt({ portal, browser, signedIn }: MonkeyWorld, seed: number): Promise<Monkey> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    locale: 'pt-BR',
    reducedMotion: 'reduce',
    hasTouch: true,
    storageState: signedIn,
  });
  context.setDefaultTimeout(90_000);
  await context.addInitScript(beginWithoutWindows);
  const page = await context.newPage();
  const watched = watchPage(page);
  await page.goto(portal.address);
  await page.locator('svc-home .tile').first().waitFor();
  return {
    seed,
    page,
    portal,
    ...watched,
    fingers: await fingers(page),
    ledger: { notes: [], saved: [], drafts: [], room: [], sketches: [], paths: [] },
    focus: 'anywhere',
    pressed: '',
    isUp: true,
    isOnline: true,
    lines: 0,
  };
}

export const isConnected = ({ isUp, isOnline }: Monkey): boolean => isUp && isOnline;

export const nextLine = (monkey: Monkey): string => `linha-${monkey.seed}-${(monkey.lines += 1)}`;

/** Nothing asks any more: menus, dialogs and questions are closed as a person would, by Escape. */
export async function leaveOverlays({ page }: Monkey): Promise<void> {
  const asks = page.locator('dialog[open], [role=menu]:visible, svc-switcher');
  for (let press = 0; press < 6; press += 1) {
    if ((await asks.count()) === 0 && (await page.locator('svc-window[top] svc-question').count()) === 0) return;
    const before = await asks.count();
    await page.keyboard.press('Escape');
    // Each closes one; a press while the page is busy with the one before would be meant for something else.
    await until('', async () => (await asks.count()) < before, before === 0 ? 0 : 3_000).catch(() => undefined);
  }
  if ((await openMenus(page).count()) > 0) throw new Error('menus: Escape does not close it');
  if ((await asks.count()) > 0) throw new Error(`a dialog stays after Escape: ${await asks.first().innerText()}`);
}

/** By the launcher, as with the keyboard. */
export async function openByName(monkey: Monkey, name: string): Promise<void> {
  const { page } = monkey;
  const combobox = page.locator('svc-launcher').getByRole('combobox');
  // An app may ask for something just before the press.
  await until(
    'launcher: it does not open',
    async () => {
      if (await combobox.isVisible()) return true;
      await leaveOverlays(monkey);
      await page
        .locator('svc-taskbar .launch')
        .click({ timeout: 2_000 })
        .catch(() => undefined);
      return await combobox.isVisible();
    },
    90_000,
  );
  await combobox.fill(name);
  await page.locator('svc-launcher').getByRole('option', { name, exact: false }).first().waitFor();
  await page.keyboard.press('Enter');
  await combobox.waitFor({ state: 'detached' });
  // The window of Files is called by its folder.
  if (name !== 'Arquivos')
    await frontWindow(page)
      .filter({ has: page.locator('h2', { hasText: name }) })
      .waitFor();
}

/** Where the title bar of the window in front can be held now; null: nowhere. */
export async function graspOfFront(page: Page): Promise<Point | null> {
  const boxOf = async (what: Locator): Promise<Box | null> => await what.boundingBox({ timeout: 500 }).catch(() => null);
  const [box, main] = [await boxOf(frontWindow(page).locator('header.title')), await boxOf(page.locator('svc-desktop main'))];
  if (box === null || main === null) return null;
  const [left, right] = [Math.max(box.x + 44, main.x), Math.min(box.x + box.width - 120, main.x + main.width)];
  if (right - left < 10 || (await openMenus(page).count()) > 0) return null;
  return { x: (left + right) / 2, y: box.y + box.height / 2 };
}

/** A window in front that was pushed over an edge is made to fill the screen, as a person does to work in it. */
export async function bringIntoReach({ page }: Monkey): Promise<void> {
  const [box, area] = [await frontWindow(page).boundingBox(), await page.locator('svc-desktop main').boundingBox()];
  if (box === null || area === null) return;
  if (box.x > area.x - 2 && box.x + box.width < area.x + area.width + 2 && box.y + box.height < area.y + area.height + 2) return;
  const at = await graspOfFront(page);
  if (at !== null) await page.mouse.dblclick(at.x, at.y);
}
