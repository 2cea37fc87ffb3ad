/** The pages of the examples in a real browser: used by keyboard, at 320 px, in dark, through the death of their backend. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { backendEnv, cleanUp, commandOf, start, temporaryFolder, type Backend } from '../../sdk/testing/runtimes.ts';
import { serveBackend, type PageServer } from '../../sdk/testing/page-server.ts';
import { closePages, openBrowser } from '../../test/support/chromium.ts';

const apps = fileURLToPath(new URL('.', import.meta.url));
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const token = 'ficha';

let browser: Browser;
const servers: PageServer[] = [];
const problems: string[] = [];

beforeAll(async () => {
  browser = await openBrowser();
});
afterEach(async () => {
  await kept?.unrouteAll({ behavior: 'wait' });
  await kept?.goto('about:blank');
  for (const context of browser.contexts()) if (context !== kept?.context()) await context.close();
  keptIsFree = true;
  for (const server of servers.splice(0)) server.close();
  await cleanUp();
  if (problems.length > 0) throw new Error(`errors in the page: ${problems.splice(0).join('; ')}`);
});
afterAll(() => closePages(browser));

interface Served {
  readonly url: string;
  readonly backend: () => Backend;
  readonly restart: () => Promise<void>;
}

async function serve(
  id: string,
  runtime: 'python3' | 'node',
  entrypoint: string,
  more: Readonly<Record<string, string>> = {},
): Promise<Served> {
  const home = temporaryFolder();
  const socket = join(home, '.svc-apps', id, 'app.sock');
  let backend: Backend;
  const restart = async (): Promise<void> => {
    const env = backendEnv(home, { SVC_APP_ID: id, SVC_APP_SOCKET: socket, SVC_APP_TOKEN: token, ...more });
    backend = start(commandOf(runtime, join(apps, id, entrypoint)), env);
    await backend.said('escutando em');
  };
  await restart();
  const server = await serveBackend(socket, token);
  servers.push(server);
  return { url: `http://${id}.svc.localhost:${server.port}/`, backend: () => backend, restart };
}

/** A page for most tests: its processes live already. Each test has a port, so an origin, of its own: nothing of the one before is in it. */
let kept: Page | undefined;
let keptIsFree = true;

interface Look {
  readonly viewport?: { readonly width: number; readonly height: number };
  readonly locale?: string;
}

async function newPage(locale: string): Promise<Page> {
  const context = await browser.newContext({ locale, reducedMotion: 'reduce' });
  context.setDefaultTimeout(90_000);
  const page = await context.newPage();
  page.on('pageerror', (problem) => problems.push(problem.message));
  return page;
}

async function open(url: string, { viewport = { width: 900, height: 620 }, locale = 'pt-BR' }: Look = {}): Promise<Page> {
  const isSpare = keptIsFree && locale === 'pt-BR';
  const page = isSpare ? (kept ??= await newPage(locale)) : await newPage(locale);
  if (isSpare) keptIsFree = false;
  await page.setViewportSize(viewport);
  await page.goto(url);
  return page;
}

/** Rules of WCAG 2.1 A and AA broken on the page as it stands, in the light; in the dark, where its elements are the same, those of colours. */
async function broken(page: Page): Promise<readonly string[]> {
  if (!(await page.evaluate(`'axe' in window`))) await page.evaluate(axe);
  const lines: string[] = [];
  for (const [colorScheme, rules] of [
    ['light', ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa']],
    ['dark', ['color-contrast', 'link-in-text-block']],
  ] as const) {
    await page.emulateMedia({ colorScheme });
    const found: string[] = await page.evaluate(`axe.run(document, { runOnly: ${JSON.stringify(rules)} })
      .then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' ')))`);
    lines.push(...found.map((line) => `${colorScheme}: ${line}`));
  }
  await page.emulateMedia({ colorScheme: 'light' });
  return lines;
}
const overflow = (page: Page): Promise<number> => page.evaluate('document.documentElement.scrollWidth - innerWidth');

describe('notas', () => {
  const notas = (): Promise<Served> => serve('notas', 'python3', 'backend/main.py');
  const saved = (page: Page) => page.getByText('Salva', { exact: true }).waitFor();
  /** Types the text; returns the shown state, and whether the page would ask before it goes. */
  const typed = (page: Page, text: string): Promise<unknown> =>
    page.evaluate(`(() => {
      const field = document.getElementById('campo-texto');
      field.value = ${JSON.stringify(text)};
      field.dispatchEvent(new Event('input', { bubbles: true }));
      const going = new Event('beforeunload', { cancelable: true });
      dispatchEvent(going);
      return { state: document.getElementById('estado').textContent, asks: going.defaultPrevented };
    })()`);

  test('writes a note by keyboard alone, finds it again after a reload on its own route, deletes it', async () => {
    const page = await open((await notas()).url);
    await page.getByText('Nenhuma nota ainda').waitFor();
    await page.keyboard.press('Alt+n');
    await page.getByLabel('Título').waitFor();
    await page.keyboard.type('Compras');
    await page.keyboard.press('Tab');
    await page.keyboard.type('pão\ncafé');
    await saved(page);
    expect(page.url()).toMatch(/\/nota\/[0-9a-f]{16}$/);
    await page.reload();
    expect(await page.getByLabel('Texto').inputValue()).toBe('pão\ncafé');
    expect(await broken(page)).toEqual([]);
    await page.getByRole('button', { name: 'Apagar', exact: true }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Apagar esta nota?' }).waitFor();
    expect(await broken(page)).toEqual([]);
    await page.keyboard.press('Escape');
    expect(await page.getByLabel('Texto').inputValue()).toBe('pão\ncafé');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Apagar esta nota?' }).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByText('Nenhuma nota ainda').waitFor();
  });

  test.each([320, 900])(
    'at %i px, light and dark: nothing overflows, no accessibility rule is broken, list and editor are reached',
    async (width) => {
      const page = await open((await notas()).url, { viewport: { width, height: 568 } });
      await page.getByRole('button', { name: 'Nova nota' }).click();
      await page.getByLabel('Texto').fill(`linha ${'muitolonga'.repeat(40)}`);
      await saved(page);
      expect([await overflow(page), await broken(page)]).toEqual([0, []]);
      const back = page.getByRole('button', { name: 'Voltar' });
      expect(await back.isVisible()).toBe(width === 320);
      await (width === 320 ? back.click() : page.getByLabel('Buscar').fill('LINHA'));
      await page.getByRole('button', { name: /Sem título/ }).click();
      expect(await page.getByLabel('Texto').inputValue()).toMatch(/^linha muitolonga/);
      expect([await overflow(page), await broken(page)]).toEqual([0, []]);
    },
  );

  test('kill -9 of the backend: what is written meanwhile is kept and saved once it is back, without a reload', async () => {
    const served = await notas();
    const page = await open(served.url);
    await page.getByRole('button', { name: 'Nova nota' }).click();
    await page.getByLabel('Texto').fill('antes');
    await saved(page);
    served.backend().process.kill('SIGKILL');
    await served.backend().ended;
    expect(await typed(page, 'antes e')).toEqual({ state: 'Salvando…', asks: false });
    await page.getByText('Sem contato com o app').waitFor();
    // It can't be stored as the page goes, so the browser is notified at once.
    expect(await typed(page, 'antes e durante')).toEqual({ state: 'Salvando…', asks: true });
    await served.restart();
    await saved(page);
    await page.getByText('Sem contato com o app').waitFor({ state: 'hidden' });
    await page.reload();
    await page.waitForFunction(`document.getElementById('campo-texto').value === 'antes e durante'`);
    expect(await page.getByLabel('Texto').inputValue()).toBe('antes e durante');
  });

  test('two windows on one note: neither text is lost', async () => {
    const { url } = await notas();
    const first = await open(url);
    await first.getByRole('button', { name: 'Nova nota' }).click();
    await first.getByLabel('Texto').fill('comum');
    await saved(first);
    const second = await open(first.url());
    await second.waitForFunction(`document.getElementById('campo-texto').value === 'comum'`);
    await second.getByLabel('Texto').fill('da segunda');
    await first.getByLabel('Texto').fill('da primeira');
    await Promise.race([first.getByText('mudou em outra janela').waitFor(), second.getByText('mudou em outra janela').waitFor()]);
    const texts: string[] = await first.evaluate(
      `fetch('api/notas').then((a) => a.json()).then(({ notas }) => notas.map(({ texto }) => texto).sort())`,
    );
    expect(texts).toEqual(['da primeira', 'da segunda']);
  });

  test('a note that is made before the list of notes came stays open when it comes', async () => {
    const page = await open((await notas()).url);
    const { promise: over, resolve: release } = Promise.withResolvers<void>();
    let asked = 0;
    await page.route('**/api/notas', async (route) => {
      if (route.request().method() !== 'GET' || (asked += 1) > 1) return route.continue();
      await over;
      await route.fulfill({ json: { revisao: 0, notas: [] } });
    });
    await page.reload();
    await page.getByRole('button', { name: 'Nova nota' }).click();
    await page.getByLabel('Título').waitFor();
    release();
    // It asks again once it has made of that list what it makes of it.
    await expect.poll(() => asked).toBeGreaterThan(1);
    await page.getByLabel('Título').fill('mais rápida', { timeout: 10_000 });
    await page.getByRole('button', { name: /^mais rápida/ }).waitFor();
    expect(await page.getByLabel('Título').inputValue()).toBe('mais rápida');
  });

  test('in English for whoever reads English', async () => {
    const page = await open((await notas()).url, { locale: 'en-GB' });
    await page.getByRole('button', { name: 'New note' }).waitFor();
    expect(await page.evaluate('document.documentElement.lang')).toBe('en');
  });
});

describe('relogio', () => {
  const relogio = (): Promise<Served> => serve('relogio', 'node', 'backend/main.js');

  test('shows the server’s time going on at 320 px without a broken accessibility rule, and connects again by itself after kill -9', async () => {
    const served = await relogio();
    const page = await open(served.url, { viewport: { width: 320, height: 300 } });
    await page.getByText('Ao vivo do servidor').waitFor();
    expect([await overflow(page), await broken(page)]).toEqual([0, []]);
    const now = (): Promise<string> => page.locator('#hora').innerText();
    const before = await now();
    await page.waitForFunction(`document.getElementById('hora').textContent !== ${JSON.stringify(before)}`);
    expect(await now()).toMatch(/^\d\d:\d\d:\d\d$/);
    served.backend().process.kill('SIGKILL');
    await page.getByText('Sem contato').waitFor();
    await served.restart();
    await page.getByText('Ao vivo do servidor').waitFor();
  });
});

test('batimento shows the beats going on, through a kill -9, and fits 320 px', async () => {
  const served = await serve('batimento', 'python3', 'backend/main.py');
  const page = await open(served.url, { viewport: { width: 320, height: 300 } });
  await page.getByText('O serviço está vivo').waitFor();
  expect([await overflow(page), await broken(page)]).toEqual([0, []]);
  served.backend().process.kill('SIGKILL');
  await page.getByText('Sem contato').waitFor();
  await served.restart();
  await page.getByText('O serviço está vivo').waitFor();
});

describe('assinador', () => {
  test('says which secret is missing', async () => {
    const page = await open((await serve('assinador', 'python3', 'backend/main.py')).url, { viewport: { width: 320, height: 480 } });
    await page.getByText('Falta o segredo ASSINADOR_CHAVE').waitFor();
    expect(await page.getByRole('button', { name: 'Assinar' }).isDisabled()).toBe(true);
    expect([await overflow(page), await broken(page)]).toEqual([0, []]);
  });

  test('signs and checks by keyboard at 320 px', async () => {
    const served = await serve('assinador', 'python3', 'backend/main.py', { ASSINADOR_CHAVE: 'chave' });
    const page = await open(served.url, { viewport: { width: 320, height: 480 } });
    await page.getByLabel('Texto').fill('olá');
    await page.getByLabel('Assinatura').focus();
    await page.keyboard.press('Enter');
    await page.getByText('Texto assinado.').waitFor();
    await page.getByRole('button', { name: 'Conferir' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('A assinatura vale.').waitFor();
    await page.getByLabel('Texto').fill('outro');
    await page.getByRole('button', { name: 'Conferir' }).click();
    await page.getByText('A assinatura não é deste texto.').waitFor();
    expect([await overflow(page), await broken(page)]).toEqual([0, []]);
  });
});

test('caderno says where it works when it is opened outside the desktop', async () => {
  const page = await open((await serve('caderno', 'node', 'backend/main.js')).url, { viewport: { width: 320, height: 480 } });
  await page.getByText('Abra-o por lá').waitFor();
  expect([await overflow(page), await broken(page)]).toEqual([0, []]);
});

test('placa tells the verdict and fits 320 px', async () => {
  const page = await open((await serve('placa', 'node', 'backend/main.js')).url, { viewport: { width: 320, height: 300 } });
  await page.getByText('Este aplicativo usa o processador').waitFor();
  await page.getByText('não há limits.json').waitFor();
  expect([await overflow(page), await broken(page)]).toEqual([0, []]);
});
