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

test.for([
  ['is lost', lost],
  ['fails at the portal', answered(500)],
  ['fails at a proxy before it', answered(502)],
] as const)('who is signed in: the answer %s', async ([, fail]) => {
  const question = await failAlone('/api/sessao', fail);
  await page.reload();
  await page.getByText('A área de trabalho ainda não abriu').waitFor();
  await page.getByText('Nova tentativa em breve.').waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await expect.poll(question.asked).toBeGreaterThan(2);
  await question.mend();
  await desktop();
});

/** The page, loaded again, still asks who is signed in; `answer` lets the portal say so. */
async function stillLoading(): Promise<() => void> {
  const told = Promise.withResolvers<undefined>();
  const question = await failAlone('/api/sessao', async (route) => {
    await told.promise;
    await route.fallback();
  });
  await page.reload();
  await expect.poll(question.asked).toBeGreaterThan(0);
  return () => told.resolve(undefined);
}

test.for([
  ['Control+k', 'opens the launcher', ['Control+k'], 1],
  ['Meta', 'opens the launcher', ['Meta'], 1],
  ['Control+k, pressed again for want of an answer,', 'opens the launcher', ['Control+k', 'Control+k'], 1],
  ['Control+k and Escape', 'open nothing', ['Control+k', 'Escape'], 0],
] as const)('%s before the desktop is there %s over the windows of before', async ([, , keys, launchers]) => {
  await openApp(page, 'Fila');
  const answer = await stillLoading();
  for (const key of keys) await page.keyboard.press(key);
  answer();
  await windowOf(page, 'Fila').waitFor();
  const field = page.getByRole('combobox');
  expect(await field.count()).toBe(launchers);
  await page.keyboard.type('fila');
  expect(await field.evaluateAll((fields) => fields.map((each) => (each as HTMLInputElement).value))).toEqual(
    Array.from({ length: launchers }, () => 'fila'),
  );
});

test('F1 before the desktop is there opens the help', async () => {
  const answer = await stillLoading();
  const opened = page.context().waitForEvent('page');
  await page.keyboard.press('F1');
  answer();
  await expect.poll(async () => (await opened).url()).toContain('/ajuda/');
});

test('a person may ask sooner, and the page asks when the network is back', async () => {
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
});

test('a link that is asked about is not lost while the portal can’t say whose it is', async () => {
  const made = await newPage(browser);
  const question = await failAlone('/api/sessao/link', lost, made.page);
  await made.page.goto(address());
  await made.page.getByRole('heading', { name: 'Entrar' }).waitFor();
  // Not typed: it is asked about. Decision: docs/decisions/0121-who-led-to-a-link.md
  await made.page.evaluate((link) => location.assign(link), await newLink(portal, false));
  await made.page.getByText('A área de trabalho ainda não abriu').waitFor();
  expect(new URL(made.page.url()).search).toBe('');
  await question.mend();
  await made.page.getByRole('heading', { name: /Ana/ }).waitFor();
  expect(await made.page.getByRole('toolbar').count()).toBe(0);
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

test('the ways to sign in: a link is taken meanwhile, what is typed stays, and the ways appear', async () => {
  const made = await newPage(browser);
  const question = await failAlone('/api/sessao/metodos', lost, made.page);
  await made.page.goto(address());
  await made.page.getByText('a pergunta é repetida').waitFor();
  expect(await axeFindings(made.page)).toEqual([]);
  await made.page.getByLabel('Ou cole o link aqui').fill('metade');
  await question.mend();
  await made.page.getByText('Aqui se entra com um link de acesso').waitFor();
  expect(await made.page.getByLabel('Ou cole o link aqui').inputValue()).toBe('metade');
});

test('the apps: the desktop says that it has none yet, and shows them once they come', async () => {
  const question = await failAlone('/api/apps', answered(500));
  await page.reload();
  await expect.poll(question.asked).toBeGreaterThan(2);
  await question.mend();
  await page
    .getByRole('button', { name: /^Notas/ })
    .first()
    .waitFor();
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
