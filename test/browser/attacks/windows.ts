/** Windows of the browser: frames, popups, openers, documents. */
import type { Frame, Page } from 'playwright-core';
import { until } from '../../support/portal.ts';
import { secretOfVictim } from '../support/hostile-apps.ts';
import { frameOfVictim, inPathMode, type Aim, type Attack, type Cell } from './attack.ts';

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
/** Tries an act on the window that opened the tab, by a script of the tab that the attacker's window opened. */
const throughOpener =
  (act: (aim: Aim) => boolean) =>
  async (cell: Cell): Promise<boolean> => {
    const tab = await opened(cell.hostile, cell, cell.aim.own);
    const got = await tab.evaluate(act, cell.aim).catch(() => false);
    await tab.close();
    return got;
  };
const ledAway = async (from: Page, tab: Page, { aim }: Cell): Promise<boolean> => {
  // A tab that was cut off is closed to whoever opened it, and nothing leads it.
  const isCut = await from
    .evaluate((url) => {
      const other = Reflect.get(globalThis, 'aberta') as Window;
      other.location.href = url;
      return other.closed;
    }, `${aim.own}?levada`)
    .catch(() => false);
  return await tab.waitForURL(/levada/, { timeout: isCut ? 300 : 5_000 }).then(
    () => true,
    () => false,
  );
};

/** The same of a tab that the window of the attacker opened. */
const fromWindow =
  (of: (aim: Aim) => string) =>
  async (cell: Cell): Promise<boolean> => {
    const tab = await opened(cell.hostile, cell, of(cell.aim));
    const got = await ledAway(cell.hostile as unknown as Page, tab, cell);
    await tab.close();
    return got;
  };

const busyMsMax = 8_000;
/** Whether what is asked of `other` waits while the page of the attacker never returns. A cookie says that it stands still, and one that it may go on. */
const standsStill =
  (other: (cell: Cell) => Frame) =>
  async (cell: Cell): Promise<boolean> => {
    const context = cell.page.context();
    await cell.hostile.evaluate((ms) => {
      setTimeout(() => {
        document.cookie = 'parada=1; Path=/';
        for (const endMs = performance.now() + ms; performance.now() < endMs && !document.cookie.includes('adiante=1'););
        for (const name of ['parada', 'adiante']) document.cookie = `${name}=; Path=/; Max-Age=0`;
        document.body.dataset['voltou'] = '';
      });
    }, busyMsMax);
    await until('it stands still', async () => (await context.cookies(cell.aim.own)).some(({ name }) => name === 'parada'));
    await other(cell).evaluate(() => new Promise((resolve) => void requestAnimationFrame(resolve)));
    const isThrough = (await context.cookies(cell.aim.own)).every(({ name }) => name !== 'parada');
    await context.addCookies([{ name: 'adiante', value: '1', url: cell.aim.own }]);
    await cell.hostile.locator('body[data-voltou]').waitFor();
    await cell.hostile.evaluate(() => delete document.body.dataset['voltou']);
    await context.clearCookies({ name: 'adiante' });
    return isThrough;
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
  {
    what: 'leads the window of another app to a page of its own, which the shell would give the port',
    by: 'the sandbox of its frame; frames in shadow trees are in no list',
    seen: async (cell) => {
      await cell.hostile.evaluate(({ own }) => {
        const others = Array.from({ length: parent.frames.length }, (_, at) => parent.frames[at]).filter((each) => each !== window);
        for (const other of others) {
          try {
            other?.location.replace(own);
          } catch {
            // Another origin, and no leave to lead it.
          }
        }
      }, cell.aim);
      await cell.page.waitForTimeout(500);
      return !cell.page.frames().some((each) => each.url().startsWith(cell.aim.victim));
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
    what: 'leads a tab of another app away that it opened',
    by: 'the Cross-Origin-Opener-Policy that the proxy adds',
    seen: fromWindow(({ victim }) => victim),
  },
  {
    what: 'leads a tab of the shell away that it opened',
    by: 'the Cross-Origin-Opener-Policy of the shell',
    open: inPathMode,
    seen: fromWindow(({ shell }) => shell),
  },
  {
    what: 'leads a tab away that another app opened, by its name',
    by: 'a browser asks who opened it',
    seen: async (cell) => {
      const opening = cell.page.context().waitForEvent('page');
      await frameOfVictim(cell).evaluate(() => void window.open('?dela', 'dela'));
      const tab = await opening;
      await tab.waitForURL(/dela/);
      // It leads to the tab of that name, or to a new one.
      const another = cell.page.context().waitForEvent('page', { timeout: 10_000 });
      const led = tab.waitForURL(/levada/, { timeout: 10_000 });
      const got = Promise.any([another, led.then(() => null)]).catch(() => null);
      await cell.hostile.evaluate((url) => void window.open(`${url}?levada`, 'dela'), cell.aim.own);
      await (await got)?.close();
      const isLed = tab.url().includes('levada');
      await tab.close();
      return isLed;
    },
  },
  {
    what: 'stands still, and the desktop with it',
    by: 'a process of its own (`Origin-Agent-Cluster`)',
    open: inPathMode,
    seen: standsStill(({ page }) => page.mainFrame()),
  },
  {
    what: 'stands still, and another app with it',
    by: 'a process of its own (`Origin-Agent-Cluster`)',
    open: inPathMode,
    seen: standsStill(frameOfVictim),
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
