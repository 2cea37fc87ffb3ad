/**
 * Apps that ask each other, in the desktop: `leitor` asks `dicionario`, an engine that the first question starts. The page of `leitor` may
 * open no connection of its own. Source: rules 4.3, 5. Decisions: docs/decisions/0200-capability-calls.md, 0201-consent.md
 */
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Frame, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { view, whenInstalled, writeDesired } from '../integration/world.ts';
import { startPortal, until, type RunningPortal } from '../support/portal.ts';
import { axeInBothThemes, consentOf, frameAt, frameOf, openApp, signedInAnew, windowOf, type TestPage } from './support/browser.ts';
import { allowIn } from './support/consent.ts';
import { closePages, openBrowser } from '../support/chromium.ts';
import { copyExamples } from '../support/example-desired.ts';

let folder: string;
let packages: string;
let portal: RunningPortal;
let browser: Browser;
let made: TestPage;
let page: Page;
let leitor: Frame;

/** Memory that pages would keep stands out from chunks that wait for the collector: in the long run. */
const megabytes = 300;
const isLong = process.env['SVC_TEST_LONG'] === '1';

/** Routes of the provider that no example needs: a large answer, a question of its own to another provider, how many readings are under way. */
const more = `            case ('GET', 'abertas'):
                return self.responder_json(200, len(ABERTAS))
            case ('GET', 'todas'):
                ABERTAS.append(self)
                try:
                    return self.ler_todas()
                finally:
                    ABERTAS.remove(self)
            case ('GET', 'muito'):
                self.send_response(200)
                self.end_headers()
                for _ in range(${megabytes}):
                    self.wfile.write(bytes(1024 * 1024))
                return
            case ('GET', 'pede'):
                from svc import apps, erros
                with apps.pedir('dicionario/v1', '/contar', method='POST', body=(bytes(1000) for _ in range(1000))) as um:
                    contados = um.json()
                with apps.pedir('dicionario/v1', '/palavras/xisto') as dois:
                    pedacos = b''.join(dois)
                try:
                    codigo = apps.pedir('nada/v1', '/x').status
                except erros.ErroSvc as erro:
                    codigo = (erro.codigo, erro.status)
                return self.responder_json(200, [apps.listar('dicionario/v1'), contados, dois.status, json.loads(pedacos)['palavra'], codigo])
`;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svca-'));
  packages = join(folder, 'packages');
  await copyExamples(['dicionario', 'leitor'], packages);
  const file = join(packages, 'dicionario/backend/main.py');
  const slow = (await readFile(file, 'utf8')).replace('INTERVALO_S = 0.25', 'INTERVALO_S = 1\nABERTAS = []');
  await writeFile(file, slow.replace("            case ('GET', 'todas'):\n                return self.ler_todas()\n", more));
  const desired = await writeDesired(join(folder, 'd'), { apps: ['dicionario', 'leitor'], packages });
  [portal, browser] = await Promise.all([startPortal({ desired }), openBrowser()]);
});
afterAll(async () => {
  await closePages(browser);
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

const question = (): Locator => consentOf(page);
const word = async (name: string): Promise<void> => await frameOf(page, 'Leitor').getByRole('button', { name, exact: true }).click();
const says = async (words: string | RegExp): Promise<void> => await frameOf(page, 'Leitor').getByText(words).waitFor();
/** Runs a script in the page of Leitor, in which `pedir` and `erro` are at hand. */
const inLeitor = async <T>(script: string): Promise<T> =>
  (await leitor.evaluate(`(async () => {
    const pedir = (caminho, opcoes) => svc.apps.pedir('dicionario/v1', caminho, opcoes);
    const erro = ({ name, code, status }) => ({ name, code, status });
    ${script}
  })()`)) as T;

/** How many readings the provider has under way, as it says. */
const readings = async (): Promise<number> => await inLeitor(`return await (await pedir('/abertas')).json()`);

describe('the first use', () => {
  test('asks the person; a yes answers, starts the engine that did not run, and is kept', async () => {
    expect((await view(portal, 'Backend/ana/dicionario'))?.state).toBe('stopped');
    await word('aurora');
    await question().getByRole('heading', { name: 'Leitor quer usar Dicionário' }).waitFor();
    await question().getByText('Palavras em português').waitFor();
    await allowIn(question());
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
    await allowIn(question(), 'Só desta vez');
    await says('cais: Lugar da margem');
    expect(await consents()).toEqual([]);
    await word('farol');
    await question().waitFor();
  });

  test('ten calls at the same time are one question, and one answer is for all', async () => {
    const asked = inLeitor(
      `return (await Promise.all(Array.from({ length: 10 }, () => pedir('/palavras/ermo')))).map(({ status }) => status)`,
    );
    await allowIn(question(), 'Só desta vez');
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

  test.for(['first', 'second'] as const)('a window that closes takes its question away, at the %s step', async (step) => {
    await word('farol');
    await question().waitFor();
    const second = page.locator('svc-sure');
    if (step === 'second') {
      await question().getByRole('button', { name: 'Permitir', exact: true }).click();
      await second.getByRole('button', { name: 'Confirmar' }).waitFor();
    }
    await inLeitor('setTimeout(() => void svc.window.close())');
    await windowOf(page, 'Leitor').waitFor({ state: 'detached' });
    await question().waitFor({ state: 'detached' });
    await second.waitFor({ state: 'detached' });
    expect(await consents()).toEqual([]);
  });

  test('a click in the first half second, or one that began before, answers nothing; nor does a key meant for another window', async () => {
    await word('aurora');
    await question().waitFor();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Space');
    await question().evaluate((dialog) => (dialog.querySelector('ui-button[variant=primary]') as HTMLElement).click());
    await question().getByRole('button', { name: 'Permitir', exact: true }).and(page.locator(':enabled')).waitFor();
    // By a script there was no press.
    await question().evaluate((dialog) => (dialog.querySelector('ui-button[variant=primary]') as HTMLElement).click());
    expect(await consents()).toEqual([]);
    expect(await question().count()).toBe(1);
    for (const key of ['Tab', 'Tab', 'Enter']) await page.keyboard.press(key);
    await page.getByRole('button', { name: 'Confirmar' }).and(page.locator(':enabled')).press('Enter');
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
    const nobody = await inLeitor(`const r = await pedir('/palavras/x', { app: 'nenhum' }); return [r.status, r.ok, await r.json()];`);
    expect(nobody).toEqual([
      404,
      false,
      { status: 404, code: 'CAPABILITY_UNKNOWN', capacidade: 'dicionario/v1', error: expect.any(String) },
    ]);
    expect(await inLeitor(`return (await pedir('/nada')).status`)).toBe(404);
    expect(await inLeitor(`return await svc.apps.listar('dicionario/v1')`)).toEqual([
      { app: 'dicionario', nome: 'Dicionário', rotulo: 'Palavras em português' },
    ]);
  });

  test('that streams is cut when the person takes the consent back in Settings', async () => {
    await openApp(page, 'Configurações');
    const settings = windowOf(page, 'Configurações');
    await settings.getByRole('button', { name: 'Consentimentos', exact: true }).click();
    const row = settings.locator('li.row', { hasText: 'Leitor usa Dicionário' });
    await row.getByText('Permitido').waitFor();
    // Settings is before the window of Leitor.
    await inLeitor(`document.getElementById('todas').click()`);
    await says('aurora: Claridade');
    await row.getByRole('button', { name: 'Revogar' }).click();
    await says('O dicionário parou de responder.');
    expect(await leitor.locator('#lista li').count()).toBeLessThan(8);
    await row.waitFor({ state: 'detached' });
    expect(await consents()).toEqual([]);
  });

  test('that streams is given up by the page, and the provider sees it', async () => {
    await frameOf(page, 'Leitor').getByRole('button', { name: 'Ler o dicionário inteiro' }).click();
    await says('aurora: Claridade');
    await frameOf(page, 'Leitor').getByRole('button', { name: 'Parar' }).click();
    await says('Parado.');
    expect(await leitor.locator('#lista li').count()).toBeLessThan(8);
    await until('the provider stopped', async () => (await readings()) === 0);
  });

  test('ends with the window of its page: the provider sees it, and the next window calls as ever', async () => {
    await frameOf(page, 'Leitor').getByRole('button', { name: 'Ler o dicionário inteiro' }).click();
    await says('aurora: Claridade');
    expect(await readings()).toBe(1);
    await windowOf(page, 'Leitor').getByRole('button', { name: 'Fechar' }).click();
    await windowOf(page, 'Leitor').waitFor({ state: 'detached' });
    await openApp(page, 'Leitor');
    await frameOf(page, 'Leitor').getByRole('button', { name: 'aurora' }).waitFor();
    leitor = await frameAt(page, 'Leitor');
    await until('the provider stopped', async () => (await readings()) === 0);
    expect(problems()).toEqual([]);
  });
});

/** Pictures for a person who looks: SVC_PICTURES names their folder. */
async function looks(name: string): Promise<void> {
  const pictures = process.env['SVC_PICTURES'];
  const seen = async (suffix: string): Promise<void> =>
    void (pictures && (await page.screenshot({ path: join(pictures, `${name}${suffix}.png`) })));
  await question().getByRole('button', { name: 'Não permitir' }).and(page.locator(':enabled')).waitFor();
  await seen('');
  await page.setViewportSize({ width: 320, height: 640 });
  const box = await page.getByRole('alertdialog').boundingBox();
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
  expect(await question().locator('ui-button').allInnerTexts()).toEqual(['Allow', 'Only this time', 'Don’t allow']);
});

const mebibyte = 1024 * 1024;

describe(`${megabytes} MB`, () => {
  beforeEach(allow);

  /** Resident memory of the browser's processes of one kind; `renderer`: of pages. */
  async function residentBytes(kind: string): Promise<number> {
    const session = await browser.newBrowserCDPSession();
    const { processInfo } = await session.send('SystemInfo.getProcessInfo');
    await session.detach();
    const pages = processInfo.filter(({ type }) => type === kind).map(({ id }) => readFile(`/proc/${id}/statm`, 'utf8').catch(() => '0 0'));
    return (await Promise.all(pages)).reduce((sum, text) => sum + Number(text.split(' ')[1]) * 4_096, 0);
  }
  /** How much the pages grew at the most while it went on. */
  async function growth(script: string): Promise<{ readonly answer: unknown; readonly grownBytes: number }> {
    const [before, running] = [await residentBytes('renderer'), new AbortController()];
    let most = before;
    const done = inLeitor(script).finally(() => running.abort());
    while (!running.signal.aborted) most = Math.max(most, await residentBytes('renderer'));
    return { answer: await done, grownBytes: most - before };
  }

  test('come no faster than they are read, and leave nothing behind in the pages', async () => {
    const paused = await growth(`
      globalThis.leitor = (await pedir('/muito')).body.getReader();
      globalThis.bytes = (await leitor.read()).value.length;
      await new Promise((resolve) => setTimeout(resolve, 1500)); ${isLong ? '' : 'await leitor.cancel();'}`);
    tellFigure('a reader that pauses: the pages grew by', paused.grownBytes);
    expect(paused.grownBytes).toBeLessThan(48 * mebibyte);
    if (!isLong) return;
    const { answer, grownBytes } = await growth(`
      for (let part = await leitor.read(); !part.done; part = await leitor.read()) bytes += part.value.length;
      return bytes;`);
    tellFigure('all to a page: the pages grew by', grownBytes);
    expect(answer).toBe(megabytes * mebibyte);
    // Chunks that were read wait for the collector; none may be kept.
    expect(grownBytes).toBeLessThan((megabytes * mebibyte * 3) / 4);
  });

  test.runIf(isLong)('go out from a stream through bounded memory of the pages', async () => {
    const { answer, grownBytes } = await growth(`
      let left = ${megabytes};
      const body = new ReadableStream({ pull: (c) => void (left-- > 0 ? c.enqueue(new Uint8Array(1024 * 1024)) : c.close()) }, { highWaterMark: 0 });
      return await (await pedir('/contar', { method: 'POST', body })).json();`);
    tellFigure('all from a page: the pages grew by', grownBytes);
    expect(answer).toEqual({ bytes: megabytes * mebibyte });
    expect(grownBytes).toBeLessThan((megabytes * mebibyte * 3) / 4);
  });
});

const tellFigure = (what: string, bytes: number): void => console.log(`${what} ${(bytes / mebibyte).toFixed(1)} MiB`);

test('a backend asks with its credential, by the Node library', async () => {
  await allow();
  const own = await page.context().newPage();
  const ask = async (palavra: string): Promise<unknown> => {
    await own.goto(`http://leitor.svc.localhost:${portal.port}/api/sentido?palavra=${palavra}`);
    return JSON.parse(await own.locator('body').innerText());
  };
  expect(await ask('cais')).toMatchObject({ palavra: 'cais' });
  expect(await ask('xisto')).toMatchObject({ error: 'palavra desconhecida' });
  const [{ id } = { id: '' }] = await consents();
  await call('DELETE', `/api/consentimentos/${id}`);
  expect(await ask('cais')).toMatchObject({ codigo: 'CONSENT_NEEDED' });
  await page.bringToFront();
  await page.getByRole('button', { name: 'Avisos, 1 não lido', exact: true }).click();
  await page.locator('svc-bell li', { hasText: 'pede para usar' }).getByRole('button', { name: 'Responder' }).click();
  const settings = windowOf(page, 'Configurações');
  await settings.locator('li.row', { hasText: 'Esperando a sua resposta' }).getByRole('button', { name: 'Permitir' }).click();
  await page.getByRole('button', { name: 'Avisos', exact: true }).waitFor();
  expect(await ask('cais')).toMatchObject({ palavra: 'cais' });
  await own.close();
});

test(
  'a second provider appears, is chosen, and becomes the default; it asks the first, by the Python library',
  { timeout: 180_000 },
  async () => {
    await cp(join(packages, 'dicionario'), join(packages, 'glossario'), { recursive: true });
    const file = join(packages, 'glossario/svc-app.json');
    const manifest = (await readFile(file, 'utf8'))
      .replace('"dicionario"', '"glossario"')
      .replace('"Dicionário"', '"Glossário"')
      .replace('"provides"', '"usa": ["dicionario/v1"], "provides"');
    await writeFile(file, manifest.replace('Palavras em português', 'Palavras do mar'));
    const main = join(packages, 'glossario/backend/main.py');
    await writeFile(main, (await readFile(main, 'utf8')).replace('Claridade que antecede', 'No mar: claridade que antecede'));
    await writeDesired(join(folder, 'd'), { apps: ['dicionario', 'leitor', 'glossario'], packages });
    await whenInstalled(portal, 'glossario');
    await until(
      'two offers',
      async () => (await inLeitor<readonly unknown[]>(`return await svc.apps.listar('dicionario/v1')`)).length === 2,
    );
    await word('aurora');
    await question().getByRole('heading', { name: 'Leitor quer usar outro aplicativo' }).waitFor();
    expect(await question().getByRole('button', { name: 'Permitir', exact: true }).isDisabled()).toBe(true);
    await looks('choice');
    await question()
      .getByRole('radio', { name: /Palavras do mar/ })
      .check();
    await allowIn(question());
    await says('aurora: No mar: claridade');
    await word('cais');
    await says('cais: Lugar da margem');
    expect(await question().count()).toBe(0);
    await call('PUT', '/api/consentimentos', { ...yes, de: 'glossario' });
    expect(await inLeitor(`return await (await pedir('/pede')).json()`)).toEqual([
      [{ app: 'dicionario', nome: 'Dicionário', rotulo: 'Palavras em português' }],
      { bytes: 1_000_000 },
      404,
      'xisto',
      ['CAPABILITY_UNDECLARED', 403],
    ]);
    expect(await call('GET', '/api/preferencias')).toMatchObject({ padroes: { 'dicionario/v1': 'glossario' } });
    expect(problems()).toEqual([]);
  },
);
