/** A single request of the first load fails, while the page itself came: the desktop says so, and opens without anybody's hand. */
import type { Browser, Page, Route } from 'playwright-core';
import { expect, test } from 'vitest';
import type { RunningPortal } from '../support/portal.ts';
import { axeFindings, newLink, newPage, openApp, useDesk, windowOf } from './support/browser.ts';
import { keyIsKept } from './support/kept-key.ts';

let portal: RunningPortal;
let browser: Browser;
let page: Page;

useDesk((made) => ({ portal, browser, page } = made), ['notas']);

const address = (): string => `http://svc.localhost:${portal.port}/`;
const desktop = async (on: Page = page): Promise<void> => await on.getByRole('heading', { name: /Ana/ }).waitFor();

type Failure = (route: Route) => Promise<void>;
const lost: Failure = async (route) => await route.abort('connectionreset');
const answered =
  (status: number): Failure =>
  async (route) =>
    await route.fulfill({ status, contentType: 'application/problem+json', body: '{"code":"INTERNAL","detail":"x"}' });

/** Until `mend`; `asked` counts. */
async function failAlone(path: string, fail: Failure, on: Page = page): Promise<{ asked: () => number; mend: () => Promise<void> }> {
  let asked = 0;
  const handler: Failure = async (route) => {
    asked += 1;
    await fail(route);
  };
  await on.route(`**${path}`, handler);
  return { asked: () => asked, mend: async () => await on.unroute(`**${path}`, handler) };
}

test('who is signed in: the answer is lost, fails at the portal, and fails at a proxy before it', async () => {
  const failures = [lost, answered(500), answered(502)];
  let nth = 0;
  const question = await failAlone('/api/sessao', async (route) => {
    const fail = failures[nth % failures.length] ?? lost;
    nth += 1;
    await fail(route);
  });
  await page.reload();
  await page.getByText('A área de trabalho ainda não abriu').waitFor();
  await page.getByText('Nova tentativa em breve.').waitFor();
  expect(await axeFindings(page)).toEqual([]);
  // Each of them was answered by another question.
  await expect.poll(question.asked).toBeGreaterThan(failures.length);
  await page.getByText('A área de trabalho ainda não abriu').waitFor();
  await question.mend();
  await desktop();
});

/** The page, loaded again, still asks who is signed in; `answer` lets the portal say so. */
async function stillLoading(): Promise<() => Promise<void>> {
  const told = Promise.withResolvers<undefined>();
  const question = await failAlone('/api/sessao', async (route) => {
    await told.promise;
    await route.fallback();
  });
  await page.reload();
  await expect.poll(question.asked).toBeGreaterThan(0);
  return async () => {
    told.resolve(undefined);
    await question.mend();
  };
}

test('keys that come before the desktop is there open the launcher over the windows of before, or the help; Escape takes that back', async () => {
  await openApp(page, 'Fila');
  const field = page.getByRole('combobox');
  for (const [keys, launchers] of [
    [['Control+k'], 1],
    [['Meta'], 1],
    // Pressed again for want of an answer.
    [['Control+k', 'Control+k'], 1],
    [['Control+k', 'Escape'], 0],
  ] as const) {
    const answer = await stillLoading();
    for (const key of keys) await page.keyboard.press(key);
    await answer();
    await windowOf(page, 'Fila').waitFor();
    await expect.poll(() => field.count(), { message: keys.join() }).toBe(launchers);
    if (launchers > 0) await field.and(page.locator(':focus')).waitFor();
    await page.keyboard.type('fila');
    const values = await field.evaluateAll((fields) => fields.map((each) => (each as HTMLInputElement).value));
    expect([keys, values]).toEqual([keys, Array.from({ length: launchers }, () => 'fila')]);
  }
  const answer = await stillLoading();
  const opened = page.context().waitForEvent('page');
  await page.keyboard.press('F1');
  await answer();
  await expect.poll(async () => (await opened).url()).toContain('/ajuda/');
});

test('a person may ask sooner, and the page asks when the network is back; apps that do not come are asked for again', async () => {
  const question = await failAlone('/api/sessao', async (route) => {
    await route.fulfill({
      status: 503,
      contentType: 'application/problem+json',
      body: '{"code":"RATE_LIMITED","detail":"x","retryAfterMs":600000}',
    });
  });
  await page.reload();
  await page.getByText('Nova tentativa em breve.').waitFor();
  const before = question.asked();
  await page.getByRole('button', { name: 'Tentar de novo' }).click();
  await expect.poll(question.asked).toBe(before + 1);
  await page.getByText('Nova tentativa em breve.').waitFor();
  await question.mend();
  await page.evaluate(() => dispatchEvent(new Event('online')));
  await desktop();

  // The apps: the desktop says that it has none yet, and shows them once they come.
  const apps = await failAlone('/api/apps', answered(500));
  await page.reload();
  await expect.poll(apps.asked).toBeGreaterThan(2);
  await apps.mend();
  await page
    .getByRole('button', { name: /^Notas/ })
    .first()
    .waitFor();
});

test('the session that lost its cookie comes back though the portal did not answer its key more often than it may come back', async () => {
  await keyIsKept(page);
  await page.context().clearCookies({ name: '__Host-svc' });
  const question = await failAlone('/api/sessao/volta', lost);
  await page.goto(address());
  await page.getByText('A área de trabalho ainda não abriu').waitFor();
  await expect.poll(question.asked).toBeGreaterThan(4);
  expect(await page.getByRole('heading', { name: 'Entrar' }).count()).toBe(0);
  await question.mend();
  await desktop();
});

test('the session that lost its cookie comes back in a browser that stores nothing more', async () => {
  const made = await newPage(browser);
  await made.page.goto(await newLink(portal));
  await keyIsKept(made.page);
  // A desktop that finds its session gone would lead itself on, and end the way of the test.
  await made.page.goto('about:blank');
  await made.page.context().clearCookies({ name: '__Host-svc' });
  await made.page.addInitScript(() => {
    IDBObjectStore.prototype.put = () => {
      throw new DOMException('full', 'QuotaExceededError');
    };
  });
  await made.page.goto(address());
  await desktop(made.page);
  expect(await made.page.evaluate(() => IDBObjectStore.prototype.put.toString())).toContain('QuotaExceededError');
  await made.page.context().close();
});

test('the ways to sign in appear, and what was typed meanwhile stays; a link is not lost while the portal can’t say whose it is', async () => {
  const made = await newPage(browser);
  const ways = await failAlone('/api/sessao/metodos', lost, made.page);
  await made.page.goto(address());
  await made.page.getByText('a pergunta é repetida').waitFor();
  expect(await axeFindings(made.page)).toEqual([]);
  await made.page.getByLabel('Ou cole o link aqui').fill('metade');
  await ways.mend();
  await made.page.getByText('Aqui se entra com um link de acesso').waitFor();
  expect(await made.page.getByLabel('Ou cole o link aqui').inputValue()).toBe('metade');

  const question = await failAlone('/api/sessao/link', lost, made.page);
  // Not typed: it is asked about. Decision: docs/decisions/0121-who-led-to-a-link.md
  await made.page.evaluate((link) => location.assign(link), await newLink(portal, false));
  await made.page.getByText('A área de trabalho ainda não abriu').waitFor();
  expect(new URL(made.page.url()).search).toBe('');
  await question.mend();
  await made.page.getByRole('heading', { name: /Ana/ }).waitFor();
  expect(await made.page.getByRole('toolbar').count()).toBe(0);
});

test('a browser that keeps nothing, or has no randomUUID, opens the desktop all the same', async () => {
  const made = await newPage(browser);
  await made.page.addInitScript(() => {
    const denied = (): never => {
      throw new DOMException('denied', 'SecurityError');
    };
    for (const name of ['localStorage', 'sessionStorage']) Object.defineProperty(globalThis, name, { get: denied });
    Object.defineProperty(crypto, 'randomUUID', { value: undefined });
  });
  const problems: string[] = [];
  made.page.on('pageerror', (error) => problems.push(String(error)));
  await made.page.goto(await newLink(portal, false));
  await desktop(made.page);
  await made.page.locator('svc-home .tile').filter({ hasText: 'Fila' }).click();
  await made.page.getByRole('dialog', { name: 'Fila' }).waitFor();
  expect(problems).toEqual([]);
});
