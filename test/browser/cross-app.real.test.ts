/**
 * What the page of one app can do to the shell and to another app, cell by cell, in a real browser: with an origin for each app, and in path mode,
 * where the cells that stay open are why docs/operators.md says "trusted apps only". Source: anchors I 10, H 3.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Browser, Frame, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { tellCount } from '../support/counts.ts';
import { startPortal, until, type RunningPortal } from '../support/portal.ts';
import { frameAt, launchBrowser, newLink, newPage, openApp } from './support/browser.ts';
import { secretOfVictim, writeHostileApps } from './support/hostile-apps.ts';

type Mode = 'subdomain' | 'path';

/** Handed to the scripts of the page. Addresses end with a slash. */
interface Aim {
  readonly shell: string;
  readonly own: string;
  readonly victim: string;
  readonly secret: string;
}

interface Attack {
  readonly what: string;
  /** The modes in which it is known to get through. */
  readonly open?: readonly Mode[];
  /** Runs in the page of the attacker; true is a success. An error is none. */
  readonly inPage?: (aim: Aim) => Promise<boolean> | boolean;
  /** What the page alone can't see: whether it had an effect. */
  readonly seen?: (cell: Cell) => Promise<boolean>;
}

interface Cell {
  readonly aim: Aim;
  readonly page: Page;
  readonly hostile: Frame;
}

const both: readonly Mode[] = ['subdomain', 'path'];
const inPathMode: readonly Mode[] = ['path'];

const visits = async ({ page, aim }: Cell): Promise<number> => {
  const frame = page.frames().find((one) => one.parentFrame() === page.mainFrame() && one.url().startsWith(aim.victim));
  if (frame === undefined) throw new Error('the victim has no frame');
  return Number(await frame.evaluate(async (url) => await (await fetch(`${url}visitas`)).text(), aim.victim));
};
/** Whether what the page did reached the backend of the victim. */
const reaches =
  (act: (aim: Aim) => unknown) =>
  async (cell: Cell): Promise<boolean> => {
    const before = await visits(cell);
    const answered = cell.page.waitForEvent('requestfinished', { predicate: (one) => one.url().includes('/alvo'), timeout: 5_000 });
    const failed = cell.page.waitForEvent('requestfailed', { predicate: (one) => one.url().includes('/alvo'), timeout: 5_000 });
    await cell.hostile.evaluate(act, cell.aim).catch(() => undefined);
    await Promise.any([answered, failed]).catch(() => undefined);
    return (await visits(cell)) > before;
  };
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
/** Whether the portal took the wish; the browser may keep the answer from everybody, this program included. */
const starts =
  (act: (aim: Aim) => unknown) =>
  async ({ page, hostile, aim }: Cell): Promise<boolean> => {
    const isIt = (url: string): boolean => url.includes('apps/vitima/start');
    const answered = page
      .waitForEvent('response', { predicate: (one) => isIt(one.url()), timeout: 20_000 })
      .then((one) => one.status() < 400);
    const failed = page.waitForEvent('requestfailed', { predicate: (one) => isIt(one.url()), timeout: 20_000 }).then(() => false);
    await hostile.evaluate(act, aim);
    return await Promise.any([answered, failed]);
  };
const portalCookies = async ({ page, aim }: Cell): Promise<string> =>
  JSON.stringify((await page.context().cookies(aim.shell)).map(({ name, value }) => [name, value]));
/** Whether the cookies that the portal gets are others afterwards. */
const changesCookies =
  (act: (aim: Aim) => unknown) =>
  async (cell: Cell): Promise<boolean> => {
    const before = await portalCookies(cell);
    await cell.hostile.evaluate(act, cell.aim).catch(() => undefined);
    return (await portalCookies(cell)) !== before;
  };
/** With the click of a person, as popups need one. */
const popup =
  (of: (aim: Aim) => string) =>
  async (cell: Cell): Promise<boolean> => {
    const address = of(cell.aim);
    await cell.hostile.evaluate((url) => {
      document.querySelector('#agir')?.addEventListener('click', () => Reflect.set(globalThis, 'aberta', window.open(url)), { once: true });
    }, address);
    const opened = cell.page.context().waitForEvent('page');
    await cell.hostile.locator('#agir').click();
    const tab = await opened;
    await tab.waitForURL((url) => url.href.startsWith(address));
    await tab.waitForLoadState();
    const read = await cell.hostile
      .evaluate(() => (Reflect.get(globalThis, 'aberta') as Window).document.documentElement.outerHTML.length > 200)
      .catch(() => false);
    await tab.close();
    return read;
  };

const attacks: readonly Attack[] = [
  {
    what: 'reads the API of the shell',
    open: inPathMode,
    inPage: async ({ shell }) => (await (await fetch(`${shell}api/sessao`, { credentials: 'include' })).text()).includes('ana'),
  },
  {
    what: 'reads it through a redirect of its own',
    inPage: async ({ own, shell }) =>
      (await (await fetch(`${own}salto?para=${encodeURIComponent(`${shell}api/sessao`)}`, { credentials: 'include' })).text()).includes(
        'usuario',
      ),
  },
  {
    what: 'loads the API as a script',
    inPage: async ({ shell }) =>
      await new Promise<boolean>((resolve) => {
        const script = document.createElement('script');
        script.addEventListener('load', () => resolve(true));
        script.addEventListener('error', () => resolve(false));
        script.src = `${shell}api/apps`;
        document.body.append(script);
      }),
  },
  {
    what: 'starts an app by a request that needs no leave',
    open: inPathMode,
    seen: starts(({ shell }) => void fetch(`${shell}api/apps/vitima/start`, { method: 'POST', mode: 'no-cors', credentials: 'include' })),
  },
  {
    what: 'starts an app by a form',
    seen: starts(({ shell }) => {
      const inner = document.createElement('iframe');
      inner.name = 'formulario';
      const form = document.createElement('form');
      form.method = 'post';
      form.target = 'formulario';
      form.action = `${shell}api/apps/vitima/start`;
      document.body.append(inner, form);
      form.submit();
    }),
  },
  {
    what: 'opens the events of the shell',
    open: inPathMode,
    inPage: async ({ shell }) =>
      await new Promise<boolean>((resolve) => {
        const socket = new WebSocket(`${shell.replace('http', 'ws')}ws/events`);
        socket.addEventListener('open', () => resolve(true));
        socket.addEventListener('error', () => resolve(false));
      }),
  },
  { what: 'frames the shell', seen: framed(({ shell }) => shell, 'svc-') },
  { what: 'reads the document of the shell', open: inPathMode, inPage: () => parent.document.body.innerHTML !== '' },
  {
    what: 'reads it after widening its domain',
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
    what: 'navigates the desktop away',
    seen: async ({ page, hostile, aim }) => {
      await hostile.evaluate(({ own }) => void (top!.location.href = own), aim).catch(() => undefined);
      return page.url() !== aim.shell;
    },
  },
  { what: 'reads a popup of the shell', open: inPathMode, seen: popup(({ shell }) => shell) },
  { what: 'reads the session cookie', inPage: () => /svc/.test(document.cookie) },
  {
    what: 'plants a session cookie by script',
    seen: changesCookies(() => {
      for (const rest of ['', '; Domain=svc.localhost']) document.cookie = `__Host-svc=plantada; Path=/; Secure${rest}`;
    }),
  },
  { what: 'plants cookies of the portal by an answer', seen: changesCookies(async ({ own }) => await fetch(`${own}jarro`)) },
  { what: 'clears the cookies of the portal by an answer', seen: changesCookies(async ({ own }) => await fetch(`${own}limpa`)) },
  {
    what: 'sets a cookie without our prefix for all',
    open: both,
    seen: changesCookies(() => {
      document.cookie = 'atirada=1; Path=/; Domain=svc.localhost';
    }),
  },
  {
    what: 'reads what the shell stores',
    open: inPathMode,
    inPage: () => localStorage.getItem('do-shell') === 'guardado',
  },
  {
    what: 'finds the session key of the shell',
    open: inPathMode,
    inPage: async ({ own }) => (await indexedDB.databases()).some(({ name }) => name?.startsWith('svc') && own !== ''),
  },
  {
    what: 'puts a service worker over the shell',
    inPage: async ({ own, shell }) => {
      const scopes: string[] = [];
      for (const scope of [shell, '/', undefined]) {
        const made = await navigator.serviceWorker.register(`${own}sw.js`, scope === undefined ? {} : { scope }).catch(() => null);
        if (made !== null) scopes.push(made.scope);
        await made?.unregister();
      }
      return scopes.some((scope) => shell.startsWith(scope));
    },
  },
  {
    what: 'puts a service worker over another app',
    inPage: async ({ own, victim }) => {
      const scopes: string[] = [];
      for (const scope of [victim, '/', undefined]) {
        const made = await navigator.serviceWorker.register(`${own}sw.js`, scope === undefined ? {} : { scope }).catch(() => null);
        if (made !== null) scopes.push(made.scope);
        await made?.unregister();
      }
      return scopes.some((scope) => victim.startsWith(scope));
    },
  },
  {
    what: 'reads a page of another app',
    open: inPathMode,
    inPage: async ({ victim, secret }) => (await (await fetch(`${victim}alvo`, { credentials: 'include' })).text()).includes(secret),
  },
  {
    what: 'posts to another app',
    open: inPathMode,
    seen: reaches(({ victim }) => fetch(`${victim}alvo`, { method: 'POST', mode: 'no-cors', credentials: 'include' })),
  },
  {
    what: 'loads an image from another app',
    open: inPathMode,
    seen: reaches(({ victim }) => {
      new Image().src = `${victim}alvo?imagem`;
    }),
  },
  {
    what: 'opens a WebSocket of another app',
    open: inPathMode,
    inPage: async ({ victim }) =>
      await new Promise<boolean>((resolve) => {
        const socket = new WebSocket(`${victim.replace('http', 'ws')}ws`);
        socket.addEventListener('open', () => resolve(true));
        socket.addEventListener('error', () => resolve(false));
      }),
  },
  { what: 'frames another app', open: inPathMode, seen: framed(({ victim }) => victim, secretOfVictim) },
  {
    what: 'reads the document of another window',
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
  // The shell's Cross-Origin-Opener-Policy cuts it off, also where both have one origin.
  { what: 'reads a popup of another app', seen: popup(({ victim }) => victim) },
  { what: 'reads what another app stores', open: inPathMode, inPage: ({ secret }) => localStorage.getItem('vitima') === secret },
  {
    what: 'hears the channel of another app',
    open: inPathMode,
    inPage: async ({ secret }) =>
      await new Promise<boolean>((resolve) => {
        const channel = new BroadcastChannel('canal');
        channel.addEventListener('message', ({ data }) => resolve(data === secret));
        // The victim says it twenty times a second.
        setTimeout(() => resolve(false), 2_000);
      }),
  },
  {
    what: 'takes the port of another window',
    inPage: async () => {
      let ports = 0;
      addEventListener('message', ({ data }) => (ports += Number(data?.svc === 'porta')));
      const inner = document.createElement('iframe');
      inner.srcdoc =
        '<script>addEventListener("message", ({ ports }) => parent.postMessage(ports.length, "*")); top.postMessage({ svc: "ola", v: 1 }, "*")</script>';
      document.body.append(inner);
      // Its own hello is answered, with one port; the frame inside it gets none, nor does another hello in the name of somebody.
      parent.postMessage({ svc: 'ola', v: 1, app: 'vitima', window: 'vitima' }, '*');
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      inner.remove();
      return ports > 1;
    },
  },
];

describe.for<Mode>(['subdomain', 'path'])('origins: %s', (mode) => {
  let portal: RunningPortal;
  let browser: Browser;
  let folder: string;
  let cell: Cell;
  const tried: boolean[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'svcx-'));
    const [packages, desired] = [path.join(folder, 'p'), path.join(folder, 'd')];
    await writeHostileApps(packages);
    await mkdir(desired);
    const documents = [
      `kind: Portal\nmetadata: { name: casa }\nspec: { repository: ${JSON.stringify(packages)}, origins: ${mode} }`,
      'kind: Server\nmetadata: { name: casa }\nspec: { local: { prefix: ".", trusted: true } }',
      'kind: Person\nmetadata: { name: ana }\nspec: { nome: Ana Souza, login: ana, server: casa }',
      ...['hostil', 'vitima'].map((app) => `kind: Package\nmetadata: { name: ${app} }\nspec: { app: ${app}, versao: 1.0.0, server: casa }`),
    ];
    await writeFile(path.join(desired, 'casa.yaml'), documents.map((text) => `apiVersion: svc/v1\n${text}\n`).join('---\n'));
    [portal, browser] = await Promise.all([startPortal({ desired }), launchBrowser()]);
    const { page } = await newPage(browser);
    await page.goto(await newLink(portal));
    await page
      .getByRole('button', { name: /^Hostil/ })
      .first()
      .waitFor();
    await page.evaluate(() => localStorage.setItem('do-shell', 'guardado'));
    for (const name of ['Vítima', 'Hostil']) {
      // The page of an app that does not use the SDK tells the shell of no key: the focus has to be the shell's.
      await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
      await openApp(page, name);
      await page.frameLocator(`iframe[title="${name}"]`).locator('#agir').waitFor();
    }
    const shell = `http://svc.localhost:${portal.port}/`;
    const of = (app: string): string => (mode === 'path' ? `${shell}proxy/app/${app}/` : shell.replace('//', `//${app}.`));
    const aim = { shell, own: of('hostil'), victim: of('vitima'), secret: secretOfVictim };
    cell = { aim, page, hostile: await frameAt(page, 'Hostil') };
  }, 240_000);
  afterAll(async () => {
    await browser?.close();
    await portal?.stop();
    await rm(folder, { recursive: true, force: true });
    tellCount(
      `an app against the shell and another app, origins: ${mode}: ${tried.length} attacks, ${tried.filter(Boolean).length} got through`,
    );
  });

  test('the aim stands: the secret is where the attacks look for it', async () => {
    expect(await until('the page of the victim', async () => await visits(cell).then(() => true))).toBe(true);
    expect(await (await frameAt(cell.page, 'Vítima')).content()).toContain(secretOfVictim);
    expect(cell.hostile.url()).toBe(cell.aim.own);
  });

  test.for(attacks.map((attack) => [attack.what, attack] as const))('an app %s', async ([, { open, inPage, seen }]) => {
    const got = inPage === undefined ? await seen!(cell) : await cell.hostile.evaluate(inPage, cell.aim).catch(() => false);
    tried.push(got);
    expect(got).toBe(open?.includes(mode) ?? false);
    // Whatever it was, the person is who they were, and the windows are there.
    expect(cell.page.url()).toBe(cell.aim.shell);
    expect((await cell.page.context().cookies(cell.aim.shell)).some(({ name }) => name === '__Host-svc')).toBe(true);
  });
});
