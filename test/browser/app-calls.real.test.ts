/**
 * Apps that ask each other, in the desktop: `leitor` asks `dicionario`, an engine that the first question starts. The page of `leitor` may open no
 * connection of its own. Source: spec 4.3, 5.6. Decisions: docs/decisions/0200-capability-calls.md, 0201-consent.md
 */
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Frame, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { view, whenInstalled, writeDesired } from '../integration/world.ts';
import { repository, startPortal, until, type RunningPortal } from '../support/portal.ts';
import { axeInBothThemes, frameAt, frameOf, launchBrowser, openApp, signedInAnew, type TestPage } from './support/browser.ts';

let folder: string;
let packages: string;
let portal: RunningPortal;
let browser: Browser;
let made: TestPage;
let page: Page;
let leitor: Frame;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svca-'));
  packages = join(folder, 'packages');
  for (const app of ['dicionario', 'leitor']) await cp(join(repository, 'examples/apps', app), join(packages, app), { recursive: true });
  const desired = await writeDesired(join(folder, 'd'), { apps: ['dicionario', 'leitor'], packages });
  [portal, browser] = await Promise.all([startPortal({ desired }), launchBrowser()]);
});
afterAll(async () => {
  await browser?.close();
  await portal?.stop();
  await rm(folder, { recursive: true, force: true });
});

beforeEach(async () => {
  made = await signedInAnew(made, browser, portal, { button: /^Leitor/ });
  ({ page } = made);
  for (const { id } of await consents()) await call('DELETE', `/api/consentimentos/${id}`);
  await openApp(page, 'Leitor');
  await frameOf(page, 'Leitor').getByRole('button', { name: 'aurora' }).waitFor();
  leitor = await frameAt(page, 'Leitor');
});

interface Consent {
  readonly id: string;
  readonly de: string;
  readonly para: string;
  readonly resposta: string;
}

/** As the Settings window does, by the person's session. */
async function call<T = unknown>(method: string, path: string, body?: unknown): Promise<T> {
  return await page.evaluate(
    async ([how, where, what]) => {
      const headers = what === undefined ? {} : { 'content-type': 'application/json' };
      const answer = await fetch(where as string, {
        method: how as string,
        headers,
        ...(what === undefined ? {} : { body: JSON.stringify(what) }),
      });
      return (answer.status === 204 ? null : await answer.json()) as never;
    },
    [method, path, body],
  );
}
const consents = async (): Promise<readonly Consent[]> =>
  (await call<{ readonly consentimentos: readonly Consent[] }>('GET', '/api/consentimentos')).consentimentos;
const yes = { de: 'leitor', para: 'dicionario', capacidade: 'dicionario/v1', resposta: 'sim', duracao: 'sempre' };
const allow = async (): Promise<void> => void (await call('PUT', '/api/consentimentos', yes));

/** Without the refusals and answers of calls, which the browser lists as well. */
const problems = (): readonly string[] => made.problems.filter((line) => !line.includes('/api/capacidades/'));

const question = (): Locator => page.getByRole('alertdialog');
const word = async (name: string): Promise<void> => await frameOf(page, 'Leitor').getByRole('button', { name, exact: true }).click();
const says = async (words: string | RegExp): Promise<void> => await frameOf(page, 'Leitor').getByText(words).waitFor();
/** Runs a script in the page of Leitor, in which `pedir` and `erro` are at hand. */
const inLeitor = async <T>(script: string): Promise<T> =>
  (await leitor.evaluate(`(async () => {
    const pedir = (caminho, opcoes) => svc.apps.pedir('dicionario/v1', caminho, opcoes);
    const erro = ({ name, code, status }) => ({ name, code, status });
    ${script}
  })()`)) as T;

describe('the first use', () => {
  test('asks the person; a yes answers, starts the engine that did not run, and is kept', async () => {
    expect((await view(portal, 'Backend/ana/dicionario'))?.state).toBe('stopped');
    await word('aurora');
    await question().getByRole('heading', { name: 'Leitor quer usar Dicionário' }).waitFor();
    await question().getByText('Palavras em português').waitFor();
    await question().getByRole('button', { name: 'Permitir', exact: true }).click();
    await says('aurora: Claridade que antecede');
    expect(await consents()).toMatchObject([{ de: 'leitor', para: 'dicionario', resposta: 'sim' }]);
    await word('cais');
    await says('cais: Lugar da margem');
    await word('xisto');
    await says('Este dicionário não tem a palavra.');
    expect(await question().count()).toBe(0);
    expect(problems()).toEqual([]);
  });

  test('a no is kept and asks nothing again', async () => {
    await word('aurora');
    await question().getByRole('button', { name: 'Não permitir' }).click();
    await says('Você não permite que este aplicativo use o dicionário.');
    expect(await consents()).toMatchObject([{ resposta: 'nao' }]);
    expect(await inLeitor(`return await pedir('/palavras/cais').catch(erro)`)).toEqual({
      name: 'Error',
      code: 'CONSENT_REFUSED',
      status: 403,
    });
    expect(await question().count()).toBe(0);
  });

  test('Esc is no, this time: nothing is kept, and the next use asks', async () => {
    await word('aurora');
    await question().waitFor();
    await page.keyboard.press('Escape');
    await says('Sem a sua permissão não há resposta.');
    expect(await consents()).toEqual([]);
    await word('cais');
    await question().getByRole('button', { name: 'Só desta vez' }).click();
    await says('cais: Lugar da margem');
    expect(await consents()).toEqual([]);
    await word('farol');
    await question().waitFor();
  });

  test('ten calls at the same time are one question, and one answer is for all', async () => {
    const asked = inLeitor(
      `return (await Promise.all(Array.from({ length: 10 }, () => pedir('/palavras/ermo')))).map(({ status }) => status)`,
    );
    await question().getByRole('button', { name: 'Só desta vez' }).click();
    expect(await asked).toEqual(Array.from({ length: 10 }, () => 200));
    expect(await question().count()).toBe(0);
  });

  test('a call that the page gives up takes its question away', async () => {
    const asked = inLeitor(`
      globalThis.desiste = new AbortController();
      return await pedir('/palavras/ermo', { signal: desiste.signal }).catch(erro)`);
    await question().waitFor();
    await inLeitor('desiste.abort()');
    expect(await asked).toMatchObject({ name: 'AbortError' });
    await question().waitFor({ state: 'detached' });
  });

  test('a click in the first half second, or one that began before, answers nothing; nor does a key meant for another window', async () => {
    await word('aurora');
    await question().waitFor();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Space');
    await question().evaluate((dialog) => (dialog.querySelector('.primary') as HTMLElement).click());
    await question().getByRole('button', { name: 'Permitir', exact: true }).and(page.locator(':enabled')).waitFor();
    // By a script there was no press.
    await question().evaluate((dialog) => (dialog.querySelector('.primary') as HTMLElement).click());
    expect(await consents()).toEqual([]);
    expect(await question().count()).toBe(1);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await says('aurora: Claridade que antecede');
  });
});

describe('a call', () => {
  beforeEach(allow);

  test('goes out with method, headers and every kind of body, and answers like fetch', async () => {
    const answers = await inLeitor<readonly unknown[]>(`
      const fluxo = new ReadableStream({ start(c) { c.enqueue(new Uint8Array(700000)); c.enqueue(new Uint8Array(3)); c.close(); } });
      const corpos = ['ação', new Blob(['12345']), new ArrayBuffer(9), new Uint8Array(4), new URLSearchParams({ a: 'b' }), fluxo];
      const bytes = [];
      for (const body of corpos) bytes.push((await (await pedir('/contar', { method: 'post', body })).json()).bytes);
      const resposta = await pedir('/palavras/mar%C3%A9', { headers: { accept: 'application/json' } });
      return [bytes, resposta instanceof Response, resposta.status, resposta.headers.get('content-type'), (await resposta.json()).palavra];`);
    expect(answers).toEqual([[6, 5, 9, 4, 3, 700_003], true, 200, 'application/json; charset=utf-8', 'maré']);
  });

  test('never leaves the capability, and says no header of the portal', async () => {
    const codes = await inLeitor(`
      const caminhos = ['/../../../sessao', '/%2e%2e/x', '/a/../b', 'http://fora/', '/..\\\\x'];
      return await Promise.all(caminhos.map((caminho) => pedir(caminho).then(({ status }) => status, ({ code }) => code)));`);
    expect(codes).toEqual([
      'argumentos-invalidos',
      'argumentos-invalidos',
      'argumentos-invalidos',
      'argumentos-invalidos',
      'argumentos-invalidos',
    ]);
    expect(
      await inLeitor(
        `return (await pedir('/palavras/cais', { headers: { 'x-svc-app': 'outro', 'x-svc-chamador': 'outro', authorization: 'x' } })).status`,
      ),
    ).toBe(200);
  });

  test('to what nobody offers, or what is not declared, is refused by code', async () => {
    expect(await inLeitor(`return await svc.apps.pedir('nada/v1', '/x').catch(erro)`)).toMatchObject({
      code: 'CAPABILITY_UNDECLARED',
      status: 403,
    });
    expect(await inLeitor(`return await pedir('/palavras/x', { app: 'nenhum' }).catch(erro)`)).toMatchObject({
      code: 'CAPABILITY_UNKNOWN',
      status: 404,
    });
    expect(await inLeitor(`return (await pedir('/nada')).status`)).toBe(404);
    expect(await inLeitor(`return await svc.apps.listar('dicionario/v1')`)).toEqual([
      { app: 'dicionario', nome: 'Dicionário', rotulo: 'Palavras em português' },
    ]);
  });

  test('that streams is cut when the person takes the consent back', async () => {
    await frameOf(page, 'Leitor').getByRole('button', { name: 'Ler o dicionário inteiro' }).click();
    await says('aurora: Claridade');
    const [{ id } = { id: '' }] = await consents();
    await call('DELETE', `/api/consentimentos/${id}`);
    await says('O dicionário parou de responder.');
    expect(await leitor.locator('#lista li').count()).toBeLessThan(8);
  });

  test('that streams is given up by the page, and the provider sees it', async () => {
    await frameOf(page, 'Leitor').getByRole('button', { name: 'Ler o dicionário inteiro' }).click();
    await says('aurora: Claridade');
    await frameOf(page, 'Leitor').getByRole('button', { name: 'Parar' }).click();
    await says('Parado.');
    expect(await leitor.locator('#lista li').count()).toBeLessThan(8);
  });
});

/** Pictures for a person who looks: SVC_PICTURES names their folder. */
async function looks(name: string): Promise<void> {
  const pictures = process.env['SVC_PICTURES'];
  const seen = async (suffix: string): Promise<void> =>
    void (pictures && (await page.screenshot({ path: join(pictures, `${name}${suffix}.png`) })));
  await question().getByRole('button', { name: 'Não permitir' }).and(page.locator(':enabled')).waitFor();
  expect(await axeInBothThemes(page, { seen })).toEqual([]);
  await page.setViewportSize({ width: 320, height: 640 });
  const box = await question().boundingBox();
  expect(box!.x >= 0 && box!.x + box!.width <= 320 && box!.y + box!.height <= 640).toBe(true);
  expect(await axeInBothThemes(page, { seen: async (suffix) => await seen(`-320${suffix}`) })).toEqual([]);
  await page.setViewportSize({ width: 1280, height: 800 });
}

test('the question fits a small screen, passes axe in both themes, and speaks English', async () => {
  await word('aurora');
  await looks('consent');
  await page.keyboard.press('Escape');
  await page.evaluate(() => localStorage.setItem('svc.language', 'en'));
  await page.reload();
  await frameOf(page, 'Leitor').getByRole('button', { name: 'aurora' }).click();
  await question().getByRole('heading', { name: 'Leitor wants to use Dicionário' }).waitFor();
  expect(await question().getByRole('button').allInnerTexts()).toEqual(['', 'Allow', 'Only this time', 'Don’t allow']);
});

test('a second provider appears, is chosen, and becomes the default', { timeout: 180_000 }, async () => {
  await cp(join(packages, 'dicionario'), join(packages, 'glossario'), { recursive: true });
  const file = join(packages, 'glossario/svc-app.json');
  const manifest = (await readFile(file, 'utf8')).replace('"dicionario"', '"glossario"').replace('"Dicionário"', '"Glossário"');
  await writeFile(file, manifest.replace('Palavras em português', 'Palavras do mar'));
  const main = join(packages, 'glossario/backend/main.py');
  await writeFile(main, (await readFile(main, 'utf8')).replace('Claridade que antecede', 'No mar: claridade que antecede'));
  await writeDesired(join(folder, 'd'), { apps: ['dicionario', 'leitor', 'glossario'], packages });
  await whenInstalled(portal, 'glossario');
  await until('two offers', async () => (await inLeitor<readonly unknown[]>(`return await svc.apps.listar('dicionario/v1')`)).length === 2);
  await word('aurora');
  await question().getByRole('heading', { name: 'Leitor quer usar outro aplicativo' }).waitFor();
  expect(await question().getByRole('button', { name: 'Permitir', exact: true }).isDisabled()).toBe(true);
  await looks('choice');
  await question()
    .getByRole('radio', { name: /Palavras do mar/ })
    .check();
  await question().getByRole('button', { name: 'Permitir', exact: true }).click();
  await says('aurora: No mar: claridade');
  await word('cais');
  await says('cais: Lugar da margem');
  expect(await question().count()).toBe(0);
  expect(await call('GET', '/api/preferencias')).toMatchObject({ padroes: { 'dicionario/v1': 'glossario' } });
  expect(problems()).toEqual([]);
});
