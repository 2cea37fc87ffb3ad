/**
 * Attacks on a person by the page of an app, from its own origin, in a real browser: sign them in as somebody else, steer the shell by
 * cookies, throw their cookies away, use the browser's permissions for the shell. Decisions: docs/decisions/0121-who-led-to-a-link.md,
 * 0122-a-session-outlives-its-cookie.md
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { exampleDesired } from '../support/example-desired.ts';
import { startPortal, until, type RunningPortal } from '../support/portal.ts';
import { axeFindings, frameAt, newPage, openApp, signOut, windowOf } from './support/browser.ts';
import { keyIsKept } from './support/kept-key.ts';
import { createBrowser } from '../../api/testing/portal-world.ts';
import { closePages, openBrowser } from '../support/chromium.ts';
import { servePages } from '../../sdk/testing/page-server.ts';

let portal: RunningPortal;
let browser: Browser | undefined;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'svcd-'));
  const desired = await exampleDesired(folder, ['notas']);
  await writeFile(
    path.join(desired, 'portal.yaml'),
    'apiVersion: svc/v1\nkind: Portal\nmetadata: { name: casa }\nspec: { repository: ../apps, signIn: { local: { person: ana } } }\n',
  );
  await writeFile(
    path.join(desired, 'mallory.yaml'),
    `apiVersion: svc/v1
kind: Server
metadata: { name: fora }
spec: { local: { prefix: fora } }
---
apiVersion: svc/v1
kind: Person
metadata: { name: mallory }
spec: { nome: Mallory Alves, login: mallory, server: fora }
`,
  );
  portal = await startPortal({ desired });
});
// A desktop that nobody watches any more goes on working. Not after each test: the report shows the pages of a failed one.
beforeEach(async () => {
  await closePages(browser);
  browser = await openBrowser('whole');
});
afterAll(async () => {
  await closePages(browser);
  await portal?.stop();
  await rm(folder, { recursive: true, force: true });
});

const origin = (): string => `http://svc.localhost:${portal.port}`;
const ofAna = (page: Page): Promise<void> => page.getByRole('heading', { name: /Ana/ }).waitFor();

async function linkOf(person: string): Promise<string> {
  const { body } = await portal.admin('POST', '/api/admin/links', { person, admin: false });
  return (body as { readonly link: string }).link;
}

async function enter(person = 'ana'): Promise<{ page: Page; context: BrowserContext }> {
  const { page } = await newPage(browser!);
  await page.goto(await linkOf(person));
  await page
    .getByRole('button', { name: /^Notas/ })
    .first()
    .waitFor();
  return { page, context: page.context() };
}

/** A tab with the page of an app, as the app's author would have it. */
async function appTab(context: BrowserContext): Promise<Page> {
  const tab = await context.newPage();
  await tab.goto(`http://notas.svc.localhost:${portal.port}/`);
  await tab.getByRole('button', { name: 'Nova nota' }).waitFor();
  return tab;
}

/**
 * As many cookies of the whole domain as it takes to push the portal's own out of the browser. A page only hands its cookies on: they push out
 * for seconds after its script has ended, also what the browser gets meanwhile. The one that is set last tells that all are through.
 */
async function evict(tab: Page): Promise<void> {
  const last = `ultimo${performance.now()}`;
  await tab.evaluate((name) => {
    for (let n = 0; n < 600; n += 1) document.cookie = `lixo${n}=1; Path=/; Domain=svc.localhost; Secure`;
    // Theirs go again, so that the head of a request is no reason for anything.
    for (let n = 0; n < 600; n += 1) document.cookie = `lixo${n}=; Path=/; Domain=svc.localhost; Secure; Max-Age=0`;
    document.cookie = `${name}=1; Path=/; Domain=svc.localhost; Secure`;
  }, last);
  await until('the cookies are through', async () => (await tab.context().cookies()).some(({ name }) => name === last));
}
const sessionCookie = async (context: BrowserContext): Promise<string | undefined> =>
  (await context.cookies(origin())).find(({ name }) => name === '__Host-svc')?.value;

/** Leaves the earlier page first: it would see that its session ended, and load itself anew at the same time. */
async function loadWithoutCookies(page: Page): Promise<void> {
  await page.goto('about:blank');
  await page.context().clearCookies();
  await page.goto(origin());
}

const whoIsIn = (page: Page): Promise<unknown> =>
  page.evaluate(async () => ((await (await fetch('/api/sessao')).json()) as { readonly usuario?: string }).usuario ?? null);

describe('a link of somebody else', () => {
  test('that the page of an app opens signs nobody in, with and without a session', async () => {
    const { page, context } = await enter();
    const tab = await appTab(context);
    for (const signedIn of [true, false]) {
      if (!signedIn) await context.clearCookies();
      const link = await linkOf('mallory');
      const [opened] = await Promise.all([context.waitForEvent('page'), tab.evaluate((to) => void window.open(to), link)]);
      // Without its cookie the session of before comes back by its key.
      await ofAna(opened);
      expect(await whoIsIn(opened)).toBe('ana');
      expect(opened.url()).toBe(`${origin()}/`);
      await opened.close();
      // It was not used up either.
      const { body } = await portal.admin('GET', '/api/admin/sessions');
      expect(JSON.stringify(body)).not.toContain('mallory');
    }
    await page.close();
  });

  test('where nobody is signed in the page says that an app opened it', async () => {
    const { page } = await newPage(browser!);
    await page.goto(`http://notas.svc.localhost:${portal.port}/_sdk/svc.js`);
    await page.evaluate((to) => void (location.href = to), await linkOf('mallory'));
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('alert').textContent()).toContain('página de um aplicativo');
    expect([page.url(), await whoIsIn(page)]).toEqual([`${origin()}/`, null]);
  });

  test('on a page elsewhere asks first and says whose it is; a click takes it, and no address holds the pass', async () => {
    const { page, context } = await enter();
    await page.goto(`data:text/html,<a href="${await linkOf('mallory')}">Ganhe</a>`);
    await page.getByRole('link').click();
    await page.getByRole('heading', { name: 'Entrar como Mallory Alves?' }).waitFor();
    expect(page.url()).toBe(`${origin()}/`);
    expect(await page.getByText('Aqui você está como Ana').count()).toBe(1);
    expect(await axeFindings(page)).toEqual([]);
    expect(await whoIsIn(page)).toBe('ana');
    await page.getByRole('button', { name: 'Não entrar' }).click();
    await ofAna(page);
    await context.clearCookies();
    const alone = await newPage(browser!);
    await alone.page.goto(`data:text/html,<a href="${await linkOf('mallory')}">Link</a>`);
    await alone.page.getByRole('link').click();
    await alone.page.getByRole('button', { name: 'Entrar como Mallory Alves' }).click();
    await alone.page.getByRole('heading', { name: /Mallory/ }).waitFor();
  });

  test('is taken by no click before its page was in front for a while, nor by one that was pressed before', async () => {
    const { page } = await enter();
    // Pages of the test's browser always have the focus: here they have it when the test says so.
    await page.addInitScript(() => {
      let front = false;
      document.hasFocus = () => front;
      Object.assign(globalThis, {
        bring: (to: boolean) => {
          front = to;
          dispatchEvent(new Event(to ? 'focus' : 'blur'));
        },
      });
    });
    const bring = (to: boolean): Promise<void> =>
      page.evaluate((front) => (globalThis as unknown as { bring(f: boolean): void }).bring(front), to);
    await page.clock.install();
    await page.goto(await linkOf('mallory'));
    const button = page.getByRole('button', { name: 'Entrar como Mallory Alves' });
    await button.waitFor();
    // On a busy machine the clock of the page would go on between two lines of this test.
    await page.clock.pauseAt(Date.now() + 3_600_000);
    const afterMs = async (ms: number): Promise<boolean> => {
      await page.clock.runFor(ms);
      return await button.isEnabled();
    };
    // Loaded long ago under another window, which goes now.
    expect(await afterMs(10_000)).toBe(false);
    await bring(true);
    expect(await afterMs(700)).toBe(false);
    await bring(false);
    expect(await afterMs(10_000)).toBe(false);
    await bring(true);
    expect(await afterMs(700)).toBe(false);
    await button.hover({ force: true });
    // A series of clicks that goes on: each counts for nothing, and puts the time off.
    for (let press = 0; press < 5; press += 1) {
      await page.mouse.down();
      expect(await afterMs(200)).toBe(false);
      await page.mouse.up();
      expect(await afterMs(200)).toBe(false);
    }
    await page.mouse.down();
    expect(await afterMs(800)).toBe(true);
    await page.mouse.up();
    expect(await whoIsIn(page)).toBe('ana');
    expect(await button.isEnabled()).toBe(true);
    await page.clock.resume();
    await button.click();
    await page.getByRole('heading', { name: /Mallory/ }).waitFor();
  });

  test('typed where another person is signed in asks too; one of the same person does not; it is as good as before when the portal was away', async () => {
    const { page } = await enter();
    // Not over the page of before: it may see that its session ended, and load itself anew, which gives the address up.
    await page.goto('about:blank');
    await page.goto(await linkOf('ana'));
    await ofAna(page);
    await page.goto(await linkOf('mallory'));
    await page.getByRole('heading', { name: 'Entrar como Mallory Alves?' }).waitFor();
    expect(await whoIsIn(page)).toBe('ana');
    await page.route('**/api/sessao', (route) => route.abort(), { times: 1 });
    const button = page.getByRole('button', { name: 'Entrar como Mallory Alves' });
    await button.click();
    await page.getByRole('alert').getByText('O portal não respondeu').waitFor();
    await button.click();
    await page.getByRole('button', { name: /Sessão e preferências/ }).waitFor();
    expect(await whoIsIn(page)).toBe('mallory');
  });
});

test('an open desktop stops at the next answer when somebody else is signed in, and does nothing in their name', async () => {
  const { page, context } = await enter();
  const other = await context.newPage();
  await other.goto(await linkOf('mallory'));
  await other.getByRole('button', { name: 'Entrar como Mallory Alves' }).click();
  await other.getByRole('heading', { name: /Mallory/ }).waitFor();
  await page.getByRole('heading', { name: 'Neste navegador agora está Mallory Alves' }).waitFor();
  expect(await page.getByRole('toolbar').count()).toBe(0);
  expect(page.url()).toBe(`${origin()}/`);
  expect(await axeFindings(page)).toEqual([]);
  // Signing out that comes to nothing is said.
  await page.route('**/api/sessao', (route) => route.abort());
  await page.getByRole('button', { name: 'Sair' }).click();
  await page.getByRole('alert').getByText('O portal não respondeu').waitFor();
  await page.unroute('**/api/sessao');
  await page.getByRole('button', { name: 'Continuar como Mallory Alves' }).click();
  await page.getByRole('heading', { name: /Mallory/ }).waitFor();
});

test('a cookie of the whole domain opens nothing in the shell, whatever its name', async () => {
  const { page, context } = await enter();
  const tab = await appTab(context);
  await tab.evaluate(() => {
    for (const name of ['svc-sessao-destino', 'svc-sessao', 'svc-sessao-ida', '\u00a0__Host-svc-destino', '__host-svc-destino'])
      document.cookie = `${name}=notas%2F; Path=/; Domain=svc.localhost; Secure`;
  });
  for (let load = 0; load < 2; load += 1) {
    await page.reload();
    await page
      .getByRole('button', { name: /^Notas/ })
      .first()
      .waitFor();
    // Windows are opened in the same turn in which the apps are listed.
    expect(await page.getByRole('dialog').count()).toBe(0);
  }
  // Nor does an address that a page leads to, where somebody is signed in.
  await page.goto(`${origin()}/?destino=notas%2F`);
  await page
    .getByRole('button', { name: /^Notas/ })
    .first()
    .waitFor();
  expect([page.url(), await page.getByRole('dialog').count()]).toEqual([`${origin()}/`, 0]);
});

describe('a session whose cookie was thrown away', () => {
  test('by the page of an app comes back: the desktop and its windows are there after a reload, signed in as before', async () => {
    const { page, context } = await enter();
    await openApp(page, 'Notas');
    await (await frameAt(page, 'Notas')).getByRole('button', { name: 'Nova nota' }).waitFor();
    await keyIsKept(page);
    const before = await sessionCookie(context);
    const tab = await appTab(context);
    await until('the cookie is pushed out', async () => {
      await evict(tab);
      return (await sessionCookie(context)) === undefined;
    });
    await page.reload();
    await windowOf(page, 'Notas').waitFor();
    await (await frameAt(page, 'Notas')).getByRole('button', { name: 'Nova nota' }).waitFor();
    const after = await sessionCookie(context);
    expect(after).toMatch(/^[\w-]{43}$/);
    expect(after).not.toBe(before);
    const { body } = await portal.admin('GET', '/api/admin/sessions');
    expect((body as { sessions: { usuario?: string }[] }).sessions.length).toBeGreaterThan(0);
  });

  test('and again before the page could ask for anything else comes back once more', async () => {
    const { page } = await enter();
    await keyIsKept(page);
    await page.route('**/api/sessao/chave', (route) => route.abort());
    for (let time = 1; time <= 2; time += 1) {
      await loadWithoutCookies(page);
      await ofAna(page);
      expect(await whoIsIn(page)).toBe('ana');
    }
  });

  test('comes back though the answer that brings it back is lost on the way', async () => {
    const { page } = await enter();
    await keyIsKept(page);
    const { host } = new URL(origin());
    const line = createBrowser({ host, port: portal.port, url: origin(), received: [] });
    const statuses: number[] = [];
    await page.route('**/api/sessao/volta', async (route) => {
      if (route.request().method() !== 'POST' || statuses.length > 0) return await route.continue();
      // The portal gets it, the page never receives the answer.
      statuses.push((await line.call('POST', '/api/sessao/volta', route.request().postDataJSON() as object)).status);
      await route.abort();
    });
    await loadWithoutCookies(page);
    await ofAna(page);
    expect([statuses, await whoIsIn(page)]).toEqual([[200], 'ana']);
  });

  test('comes back though the browser takes longer than it may to say what it keeps', async () => {
    const { page } = await enter();
    await keyIsKept(page);
    await page.addInitScript(() => {
      const own = IDBFactory.prototype.databases;
      IDBFactory.prototype.databases = async function databases() {
        while (!document.documentElement.hasAttribute('data-told')) await new Promise((resolve) => setTimeout(resolve, 50));
        return await own.call(this);
      };
    });
    await loadWithoutCookies(page);
    await page.getByText('O navegador demora a dizer se você já entrou').waitFor();
    await page.evaluate(() => document.documentElement.setAttribute('data-told', ''));
    await ofAna(page);
    expect(await whoIsIn(page)).toBe('ana');
  });

  test('does not come back after signing out', async () => {
    const { page, context } = await enter();
    await signOut(page);
    await page.getByRole('heading', { name: 'Entrar' }).waitFor();
    await context.clearCookies();
    await page.reload();
    await page.getByRole('heading', { name: 'Entrar' }).waitFor();
    expect(await sessionCookie(context)).toBeUndefined();
  });

  test('ends with signing out, though the cookie does not go with it', async () => {
    const { page, context } = await enter();
    await keyIsKept(page);
    const tab = await appTab(context);
    const kept = await context.cookies();
    // The page of an app throws cookies away all the time: no request goes with one.
    await until('the cookie is pushed out', async () => {
      await evict(tab);
      return (await sessionCookie(context)) === undefined;
    });
    await signOut(page);
    await page.getByRole('heading', { name: 'Entrar' }).waitFor();
    await context.clearCookies();
    await context.addCookies(kept);
    const statusOf = (at: Page, path: string): Promise<number> => at.evaluate(async (from) => (await fetch(from)).status, path);
    expect(kept.map(({ name }) => name)).toContain('__Host-svc');
    expect(await statusOf(page, '/api/sessao')).toBe(401);
    expect(await statusOf(tab, '/')).toBe(401);
  });

  test('the page of an app finds neither key nor ticket', async () => {
    const { page, context } = await enter();
    await keyIsKept(page);
    const tab = await appTab(context);
    expect(await tab.evaluate(async () => (await indexedDB.databases()).map(({ name }) => name))).not.toContain('svc.sessao');
    // The shell's own script can't read the key out either.
    const told = await page.evaluate(async () => {
      const db = await new Promise<IDBDatabase>((resolve, reject) => {
        const asked = indexedDB.open('svc.sessao');
        asked.onsuccess = () => resolve(asked.result);
        asked.onerror = () => reject(asked.error ?? new Error('no database'));
      });
      const kept = await new Promise<{ secreta: CryptoKey }>((resolve) => {
        const asked = db.transaction('chave').objectStore('chave').get('chave');
        asked.onsuccess = () => resolve(asked.result as { secreta: CryptoKey });
      });
      db.close();
      return await crypto.subtle.exportKey('pkcs8', kept.secreta).then(
        () => 'read',
        () => 'refused',
      );
    });
    expect(told).toBe('refused');
  });
});

test('a window of an app keeps the tabs that it opens: of its own, of another site, and they keep it', async () => {
  // Another site, as the page of a sign-in would be.
  const other = await servePages({ '/': '<!doctype html><script>opener.postMessage("de fora", "*")</script>' });
  try {
    const { page } = await enter();
    await openApp(page, 'Notas');
    const frame = await frameAt(page, 'Notas');
    await frame.getByRole('button', { name: 'Nova nota' }).waitFor();
    await frame.evaluate(() => {
      Reflect.set(globalThis, 'ditas', []);
      addEventListener('message', ({ data }) => data === 'de fora' && (Reflect.get(globalThis, 'ditas') as unknown[]).push(data));
    });
    const opened = async (address: string): Promise<Page> => {
      const [tab] = await Promise.all([
        page.context().waitForEvent('page'),
        frame.evaluate((url) => void Reflect.set(globalThis, 'aberta', window.open(url)), address),
      ]);
      await tab.waitForLoadState();
      return tab;
    };
    const own = await opened('?impressa');
    expect(await frame.evaluate(() => (Reflect.get(globalThis, 'aberta') as Window).document.title)).toBe('Notas');
    expect(await own.evaluate(() => (opener as Window).location.origin)).toBe(`http://notas.svc.localhost:${portal.port}`);
    const closed = own.waitForEvent('close');
    await frame.evaluate(() => (Reflect.get(globalThis, 'aberta') as Window).close());
    await closed;
    await opened(`http://127.0.0.1:${other.port}/`);
    await frame.waitForFunction(`ditas.length === 1`);
    expect(page.url()).toBe(`${origin()}/`);
  } finally {
    other.close();
  }
});
