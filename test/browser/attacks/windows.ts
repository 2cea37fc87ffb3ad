/** Windows of the browser: frames, popups, openers, documents. */
import type { Frame, Page } from 'playwright-core';
import { secretOfVictim } from '../support/hostile-apps.ts';
import { inPathMode, type Aim, type Attack, type Cell } from './attack.ts';

/** Whether a frame with that address shows what stands there, and not the error page of the browser. */
const framed =
  (of: (aim: Aim) => string, words: string) =>
  async (cell: Cell): Promise<boolean> => {
    const address = of(cell.aim);
    await cell.hostile.evaluate(async (url) => {
      const inner = document.createElement('iframe');
      inner.src = url;
      const loaded = new Promise((resolve) => inner.addEventListener('load', resolve));
      document.body.append(inner);
      await loaded;
    }, address);
    const texts = await Promise.all(cell.hostile.childFrames().map((one) => one.content().catch(() => '')));
    await cell.hostile.evaluate(() => {
      for (const inner of document.querySelectorAll('iframe')) inner.remove();
    });
    return texts.some((text) => text.includes(words));
  };

/** With the click of a person, as popups need one; the tab that opened, once its page is there. `aberta` in the page that opened it. */
async function opened(from: Frame | Page, { page }: Cell, address: string): Promise<Page> {
  await from.evaluate((url) => {
    document.querySelector('#agir')?.addEventListener('click', () => Reflect.set(globalThis, 'aberta', window.open(url)), { once: true });
  }, address);
  const opening = page.context().waitForEvent('page');
  await from.locator('#agir').click();
  const tab = await opening;
  await tab.waitForURL((url) => url.href.startsWith(address));
  await tab.waitForLoadState();
  return tab;
}
const readsOpened = async (from: Frame | Page): Promise<boolean> =>
  await from
    .evaluate(() => (Reflect.get(globalThis, 'aberta') as Window).document.documentElement.outerHTML.length > 200)
    .catch(() => false);
const popup =
  (of: (aim: Aim) => string) =>
  async (cell: Cell): Promise<boolean> => {
    const tab = await opened(cell.hostile, cell, of(cell.aim));
    const read = await readsOpened(cell.hostile);
    await tab.close();
    return read;
  };
/** The page of the attacker in a tab of its own, where no window of the desktop holds it. */
const fromTab =
  (of: (aim: Aim) => string, succeeds: (tab: Page, opened: Page, cell: Cell) => Promise<boolean>) =>
  async (cell: Cell): Promise<boolean> => {
    const own = await cell.page.context().newPage();
    await own.goto(cell.aim.own);
    const tab = await opened(own, cell, of(cell.aim));
    const got = await succeeds(own, tab, cell);
    await tab.close();
    await own.close();
    return got;
  };
/** What a script of the tab that the attacker's window opened gets of the window that opened it. */
const throughOpener =
  (act: (aim: Aim) => boolean) =>
  async (cell: Cell): Promise<boolean> => {
    const tab = await opened(cell.hostile, cell, cell.aim.own);
    const got = await tab.evaluate(act, cell.aim).catch(() => false);
    await tab.close();
    return got;
  };
const ledAway = async (from: Page, tab: Page, { aim }: Cell): Promise<boolean> => {
  await from
    .evaluate((url) => void ((Reflect.get(globalThis, 'aberta') as Window).location.href = url), `${aim.own}?levada`)
    .catch(() => undefined);
  return await tab.waitForURL(/levada/, { timeout: 4_000 }).then(
    () => true,
    () => false,
  );
};

export const windows: readonly Attack[] = [
  { what: 'frames the shell', by: '`frame-ancestors`', seen: framed(({ shell }) => shell, 'svc-') },
  { what: 'frames another app', by: '`frame-ancestors`', open: inPathMode, seen: framed(({ victim }) => victim, secretOfVictim) },
  {
    what: 'reads the document of the shell',
    by: 'another origin',
    open: inPathMode,
    inPage: () => parent.document.body.innerHTML !== '',
  },
  {
    what: 'reads it after widening its domain',
    by: 'the shell never widens its own',
    open: inPathMode,
    inPage: () => {
      try {
        document.domain = 'svc.localhost';
      } catch {
        // Chromium keeps origins apart by default.
      }
      return parent.document.body.innerHTML !== '';
    },
  },
  {
    what: 'reads the document of another window',
    by: 'another origin',
    open: inPathMode,
    inPage: ({ secret }) => {
      // The frames of the desktop stand in shadow trees, which `parent[n]` does not count.
      const roots = (root: ParentNode): readonly ParentNode[] =>
        [root].concat([...root.querySelectorAll('*')].flatMap((one) => (one.shadowRoot === null ? [] : roots(one.shadowRoot))));
      return roots(parent.document).some((root) =>
        [...root.querySelectorAll('iframe')].some(({ contentDocument }) => (contentDocument?.body.innerHTML ?? '').includes(secret)),
      );
    },
  },
  {
    what: 'navigates the desktop away',
    by: 'the sandbox of its frame',
    seen: async ({ page, hostile, aim }) => {
      await hostile.evaluate(({ own }) => void (top!.location.href = own), aim).catch(() => undefined);
      return page.url() !== aim.shell;
    },
  },
  { what: 'reads a popup of the shell', by: 'another origin', open: inPathMode, seen: popup(({ shell }) => shell) },
  // Also where both have one origin.
  { what: 'reads a popup of another app', by: 'the Cross-Origin-Opener-Policy of the shell', seen: popup(({ victim }) => victim) },
  {
    what: 'reads the desktop through the opener of a tab',
    by: 'the Cross-Origin-Opener-Policy of the shell',
    seen: throughOpener(() => (opener as Window).top!.document.body.innerHTML !== ''),
  },
  {
    what: 'navigates the desktop away from a tab that it opened',
    by: 'the Cross-Origin-Opener-Policy of the shell',
    seen: async (cell) => {
      const tried = await throughOpener(({ own }) => {
        (opener as Window).top!.location.href = own;
        return true;
      })(cell);
      return tried && cell.page.url() !== cell.aim.shell;
    },
  },
  {
    what: 'in a tab reads a tab of another app that it opened',
    by: 'another origin',
    open: inPathMode,
    seen: fromTab(({ victim }) => victim, readsOpened),
  },
  {
    what: 'in a tab leads a tab of another app away that it opened',
    by: 'the Cross-Origin-Opener-Policy that the proxy adds',
    open: inPathMode,
    seen: fromTab(({ victim }) => victim, ledAway),
  },
  {
    what: 'in a tab leads a tab of the shell away that it opened',
    by: 'the Cross-Origin-Opener-Policy of the shell',
    seen: fromTab(({ shell }) => shell, ledAway),
  },
];
