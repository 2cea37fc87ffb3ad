/** Signing in by the printed link, and out. */
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { copyExamples } from '../support/example-desired.ts';
import { startPortal, until, type RunningPortal } from '../support/portal.ts';
import { axeFindings, newLink, newPage, dialogOf, openApp, signedInAnew, signOut, windowOf, type TestPage } from './support/browser.ts';
import { expectLooks } from './support/looks.ts';
import { closePages, openBrowser } from '../support/chromium.ts';

let portal: RunningPortal;
let browser: Browser;

let kept: TestPage | undefined;
/** Signed in, at the page of a test before. */
const enter = async (): Promise<Page> => (kept = await signedInAnew(kept, browser, portal)).page;

beforeAll(async () => {
  [portal, browser] = await Promise.all([startPortal({ apps: ['notas'] }), openBrowser()]);
});
afterAll(async () => {
  await closePages(browser);
  await portal?.stop();
});

// Not tried again: the link is used up.
test('the printed link leads to the desktop, once, and leaves no pass in the address', { retry: 0 }, async () => {
  const first = await newPage(browser);
  await first.page.goto(portal.link);
  await first.page.getByRole('heading', { name: /Ana/ }).waitFor();
  expect(first.page.url()).toBe(`http://svc.localhost:${portal.port}/`);
  expect(first.problems).toEqual([]);

  const second = await newPage(browser);
  await second.page.goto(portal.link);
  await second.page.getByRole('alert').waitFor();
  expect(await second.page.getByRole('alert').textContent()).toContain('já foi usado');
  expect(second.page.url()).toBe(`http://svc.localhost:${portal.port}/`);
});

test('without a session the page says how to get a link, takes a pasted one, and has no findings of axe', async () => {
  const { page } = await newPage(browser);
  await page.goto(`http://svc.localhost:${portal.port}/`);
  await page.getByRole('heading', { name: 'Entrar' }).waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await page.getByLabel('Ou cole o link aqui').fill('isto não é um link');
  await page.getByRole('button', { name: 'Entrar' }).click();
  await page.getByText('não parece um link').waitFor();
  await page.getByLabel('Ou cole o link aqui').fill(`open ${await newLink(portal)}`);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: /Ana/ }).waitFor();
});

test.for(['by the link', 'by pasting it'])('a link into an app, followed before signing in %s, opens in the app’s window', async (way) => {
  const { page } = await newPage(browser);
  await page.goto(`http://notas.svc.localhost:${portal.port}/nada?de=fora`);
  await page.getByRole('heading', { name: 'Entrar' }).waitFor();
  if (way === 'by the link') await page.goto(await newLink(portal));
  else {
    await page.getByLabel('Ou cole o link aqui').fill(await newLink(portal));
    await page.keyboard.press('Enter');
  }
  const frame = windowOf(page, 'Notas').locator('iframe');
  // The page is asked for once the permissions of the window are known.
  await expect.poll(async () => await frame.getAttribute('src')).toBe(`http://notas.svc.localhost:${portal.port}/nada?de=fora`);
  await windowOf(page, 'Notas').getByRole('button', { name: 'Fechar' }).click();
  await page.reload();
  await page.getByRole('heading', { name: /Ana/ }).waitFor();
  expect(await page.getByRole('dialog').count()).toBe(0);
});

test('an address where nothing is shows a page for people, in their language, without findings of axe', async () => {
  const page = await enter();
  for (const address of [
    `http://unknown.svc.localhost:${portal.port}/x`,
    `http://svc.localhost:${portal.port}/nada`,
    `http://svc.localhost:${portal.port}/api/nada`,
  ]) {
    const answer = await page.goto(address);
    expect([address, answer?.status()]).toEqual([address, 404]);
    await page.getByRole('heading', { name: 'Isto não existe aqui' }).waitFor();
    expect(await page.getByText('NOT_FOUND').isVisible()).toBe(false);
    expect(await axeFindings(page)).toEqual([]);
  }
  await page.getByRole('link', { name: 'Ir para a área de trabalho' }).click();
  await page.getByRole('heading', { name: /Ana/ }).waitFor();
});

test('signing out ends the session for this browser, and says so when it could not', async () => {
  const page = await enter();
  await page.route('**/api/sessao', async (route) => await (route.request().method() === 'DELETE' ? route.abort() : route.continue()));
  await signOut(page);
  await page.locator('ui-toast').getByText('Não foi possível: O portal não respondeu').waitFor();
  await page.unroute('**/api/sessao');
  // The list of commands asks, too; the keyboard is at the answer that changes nothing.
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('Sair');
  await page.getByRole('option', { name: /^Sair/ }).first().waitFor();
  await page.keyboard.press('Enter');
  const question = dialogOf(page, 'Sair deste navegador?', 'alertdialog');
  await question.getByText('svc link ana --admin').waitFor();
  await expectLooks(page, 'sair', 320);
  await expect
    .poll(async () => await question.getByRole('button', { name: 'Continuar aqui' }).evaluate((e) => e.matches(':focus')))
    .toBe(true);
  await page.keyboard.press('Enter');
  await question.waitFor({ state: 'detached' });
  await signOut(page);
  await page.getByRole('status').getByText('Você saiu deste navegador.').waitFor();
  await page.getByRole('heading', { name: 'Entrar' }).waitFor();
  expect(page.url()).toBe(`http://svc.localhost:${portal.port}/`);
  await page.getByText('peça-o a quem administra o portal').waitFor();
  await page.getByText('Para quem administra o portal').click();
  await page.getByText('svc link PESSOA').waitFor();
  await expectLooks(page, 'saiu', 320);
  await page.reload();
  await page.getByRole('heading', { name: 'Entrar' }).waitFor();
  expect(await page.evaluate(async () => (await fetch('/api/apps')).status)).toBe(401);
});

test('an administrator makes a link, examines and signs people out in Administration, by the keyboard alone; others have no such window', async () => {
  const page = await enter();
  const key = async (button: Locator, name = 'Enter'): Promise<void> => {
    await button.focus();
    await page.keyboard.press(name);
  };
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('Administração');
  await page
    .getByRole('option', { name: /^Administração/ })
    .first()
    .waitFor();
  await page.keyboard.press('Enter');
  const window = windowOf(page, 'Administração');
  const ana = window.locator('[data-person=ana]');
  await ana.getByText(/\d sess/).waitFor();
  // Nobody signs out themselves by mistake here.
  expect(await ana.getByRole('button', { name: 'Encerrar sessões de ana' }).isDisabled()).toBe(true);
  await key(ana.getByRole('button', { name: 'Criar link de entrada para ana' }));
  const link = (await ana.locator('code').textContent()) ?? '';
  await expectLooks(page, 'administracao', 320);
  const other = await newPage(browser);
  await other.page.goto(link);
  await other.page.getByRole('heading', { name: /Ana/ }).waitFor();
  await other.page.keyboard.press('Control+k');
  await other.page.getByRole('combobox').fill('Administração');
  await other.page.getByText('Nada encontrado').first().waitFor();
  expect(await other.page.evaluate(async () => (await fetch('/api/admin/objects')).status)).toBe(403);
  await key(window.getByRole('tab', { name: 'Pessoas' }), 'ArrowRight');
  await key(window.getByRole('tab', { name: 'Aplicativos' }), 'ArrowRight');
  await window.locator('[data-server]').getByText('Ao alcance').waitFor();
  await key(window.getByRole('tab', { name: 'Servidores' }), 'ArrowRight');
  await window.locator('[data-check]').first().waitFor();
  await expectLooks(page, 'administracao-verificacoes', 320);
});

/** The folder of the portal, and the file that Administration writes. */
async function desiredFolder(): Promise<{ readonly dir: string; readonly own: string }> {
  const { body } = await portal.admin('GET', '/api/admin/desired');
  const { dir, file } = body as { readonly dir: string; readonly file: string };
  return { dir, own: path.join(dir, file) };
}

async function administration(page: Page): Promise<Locator> {
  await openApp(page, 'Administração');
  return windowOf(page, 'Administração');
}

/** Tab until the focus is there. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await until('the focus by Tab', async () => {
    if (await target.evaluate((element) => element.matches(':focus-within, :focus'))) return true;
    await page.keyboard.press('Tab');
    return false;
  });
}

test('an administrator adds a person by the mouse, seeing errors, plan and lines before; the person signs in by a link, and goes by the keyboard alone at 320 px', async () => {
  const { dir, own } = await desiredFolder();
  const page = await enter();
  const window = await administration(page);
  await window.getByRole('button', { name: 'Adicionar pessoa' }).click();
  const adding = dialogOf(page, 'Adicionar pessoa');
  await adding.getByRole('textbox', { name: /^Nome/ }).fill('Zita Prado');
  await adding.getByRole('textbox', { name: /^Login/ }).fill('zita');
  await adding.getByRole('textbox', { name: 'Grupos' }).fill('editores, autores');
  await adding.getByRole('button', { name: 'Ver o que muda' }).click();
  // Two people of one server that runs as the portal: what the folder lacks is said, and nothing can be written.
  await adding
    .getByText(/casa\.yaml:\d+.*trusted/)
    .first()
    .waitFor();
  expect(await adding.getByRole('button', { name: 'Gravar' }).isDisabled()).toBe(true);
  const casa = path.join(dir, 'casa.yaml');
  writeFileSync(casa, readFileSync(casa, 'utf8').replace('prefix: casa', 'prefix: casa, trusted: true'));
  await adding.getByRole('button', { name: 'Voltar' }).click();
  expect(await adding.getByRole('textbox', { name: /^Nome/ }).inputValue()).toBe('Zita Prado');
  await adding.getByRole('button', { name: 'Ver o que muda' }).click();
  await adding.getByText('Pessoa zita').waitFor();
  await adding.getByText('nome: Zita Prado').waitFor();
  await expectLooks(page, 'administracao-mudanca', 320);
  await page.setViewportSize({ width: 1280, height: 800 });
  // Somebody edits the file meanwhile: nothing of it is lost.
  writeFileSync(own, '# De outra pessoa\n\n');
  await adding.getByRole('button', { name: 'Gravar' }).click();
  await adding.getByText('O arquivo mudou nesse meio-tempo').waitFor();
  await adding.getByRole('button', { name: 'Gravar' }).click();
  await adding.waitFor({ state: 'detached' });
  expect(readFileSync(own, 'utf8')).toMatch(/^# De outra pessoa\n\napiVersion.*zita/s);
  await window.locator('[data-person=zita]').waitFor();

  const { body } = await portal.admin('POST', '/api/admin/links', { person: 'zita', admin: false });
  const { page: theirs } = await newPage(browser);
  await theirs.goto((body as { readonly link: string }).link);
  await theirs.getByRole('heading', { name: /Zita/ }).waitFor();

  await page.setViewportSize({ width: 320, height: 700 });
  await window.getByLabel('Procurar uma pessoa').focus();
  await page.keyboard.type('zita');
  await tabTo(page, window.getByRole('button', { name: 'Remover zita' }));
  await page.keyboard.press('Enter');
  const removing = dialogOf(page, 'Remover zita');
  await removing.getByText('A conta e os arquivos no servidor ficam').waitFor();
  await tabTo(page, removing.getByRole('button', { name: 'Remover', exact: true }));
  await page.keyboard.press('Enter');
  await removing.waitFor({ state: 'detached' });
  await window.locator('[data-person=zita]').waitFor({ state: 'detached' });
  await theirs.getByRole('heading', { name: 'Entrar' }).waitFor();
  expect(readFileSync(own, 'utf8')).toBe('# De outra pessoa\n\n');
});

test('an administrator installs an app for all servers and removes it; a document of another file, and a folder that is read-only, are left alone', async () => {
  const { dir, own } = await desiredFolder();
  await copyExamples(['relogio'], path.join(dir, '../apps'));
  const page = await enter();
  const offered = (): Promise<string> => page.evaluate(async () => (await fetch('/api/loja')).text());
  await until('the app is offered', async () => (await offered()).includes('"relogio"'));
  const window = await administration(page);
  await window.getByRole('tab', { name: 'Aplicativos' }).click();
  const install = window.getByRole('button', { name: 'Instalar um aplicativo' });
  await install.click();
  const installing = dialogOf(page, 'Instalar um aplicativo');
  const see = async (app: string): Promise<void> => {
    await installing.getByRole('combobox', { name: /^Aplicativo/ }).selectOption(app);
    await installing.getByRole('checkbox', { name: /^Em todos os servidores/ }).setChecked(true);
    await installing.getByRole('button', { name: 'Ver o que muda' }).click();
  };
  await see('notas');
  await installing.getByText('Isto está escrito em packages.yaml, linha 3').waitFor();
  await installing.getByRole('button', { name: 'Voltar' }).click();
  await see('relogio');
  await installing.getByText('é instalado').waitFor();
  await installing.getByRole('button', { name: 'Gravar' }).click();
  await window.locator('[data-app=relogio]').getByText('em todos os servidores').waitFor();
  const installed = async (): Promise<readonly { readonly state: string }[]> =>
    (await portal.admin('GET', '/api/admin/objects?prefix=Package/relogio')).body as readonly { readonly state: string }[];
  await until('the app is installed', async () => (await installed())[0]?.state === 'installed');
  await window.getByRole('button', { name: 'Remover relogio' }).click();
  const removing = dialogOf(page, 'Remover relogio');
  await removing.getByRole('button', { name: 'Remover', exact: true }).click();
  await window.locator('[data-app=relogio]').waitFor({ state: 'detached' });
  await until('the app is gone', async () => (await installed()).length === 0);

  chmodSync(dir, 0o555);
  try {
    await window.getByRole('button', { name: 'Fechar' }).click();
    await administration(page);
    await window.getByText(`O portal não pode gravar em ${dir}`).waitFor();
    expect(await window.getByRole('button', { name: 'Adicionar pessoa' }).isDisabled()).toBe(true);
  } finally {
    chmodSync(dir, 0o755);
  }
  expect(readFileSync(own, 'utf8')).not.toContain('relogio');
});

test('signing out in one tab signs out the others', async () => {
  const page = await enter();
  const other = await page.context().newPage();
  await other.goto(`http://svc.localhost:${portal.port}/`);
  await signOut(other);
  await page.getByRole('heading', { name: 'Entrar' }).waitFor();
  await page.getByText('Sua sessão neste navegador terminou.').waitFor();
  expect(await page.getByRole('toolbar').count()).toBe(0);
});

test('the person’s language is used, and can be changed for good', async () => {
  const { page } = await newPage(browser, { locale: 'en-GB' });
  await page.goto(await newLink(portal));
  await page.getByRole('heading', { name: /^Good / }).waitFor();
  expect(await page.locator('html').getAttribute('lang')).toBe('en');
  await page.getByRole('button', { name: /Session and preferences/ }).click();
  await page.getByRole('menuitemradio', { name: 'Português' }).click();
  await page.getByRole('heading', { name: /^Bo/ }).waitFor();
  await page.reload();
  await page.getByRole('heading', { name: /^Bo/ }).waitFor();
  expect(await page.locator('html').getAttribute('lang')).toBe('pt-BR');
});

test('a reload gives back the open windows', async () => {
  const page = await enter();
  await openApp(page, 'Notas');
  await openApp(page, 'Gerenciador de tarefas');
  await page.reload();
  await windowOf(page, 'Notas').waitFor();
  await windowOf(page, 'Gerenciador de tarefas').waitFor();
  expect(await page.getByRole('dialog').count()).toBe(2);
});

test.for(['/', '/api', '/api/sessao', '/ws'])(
  'cookies that the page of an app sets for the whole domain at %s until requests are too large are gone by the next load',
  async (below) => {
    const { page } = await newPage(browser);
    const notas = page.getByRole('button', { name: /^Notas/ }).first();
    await page.goto(await newLink(portal));
    await notas.waitFor();
    const tab = await page.context().newPage();
    await tab.goto(`http://notas.svc.localhost:${portal.port}/`);
    await page.goto('about:blank');
    await tab.evaluate((folder) => {
      for (let n = 0; n < 15; n += 1) document.cookie = `grande${n}=${'x'.repeat(3_000)}; Path=${folder}; Domain=svc.localhost`;
    }, below);
    const large = async (): Promise<number> => (await page.context().cookies()).filter(({ name }) => name.startsWith('grande')).length;
    // A page only hands its cookies on: they are there some time after its script has ended.
    await expect.poll(large).toBe(15);
    await tab.close();
    await page.goto(`http://svc.localhost:${portal.port}/`);
    await notas.waitFor();
    await until('no large cookie is left', async () => (await large()) === 0);
    await page.getByText('Conectado ao portal').waitFor();
    await page.context().close();
  },
);
