/** The sign-in page with everything it can offer: a real sshd, a real provider, a real Chromium. And where one is signed in. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startIdentityProvider, type IdentityProvider } from '../../api/testing/identity-provider.ts';
import { startPortal, until, type RunningPortal } from '../support/portal.ts';
import { startSshd, type TestSshd } from '../support/sshd.ts';
import { axeFindings, axeInBothThemes, dialogOf, newPage } from './support/browser.ts';
import { closePages, openBrowser } from '../support/chromium.ts';

const right = 'a right password, äöü';
/** The page asks who is signed in: nobody. The console calls that an error. */
const askedWho = /401 \(Unauthorized\)/;
let dir: string;
let portal: RunningPortal;
let sshd: TestSshd;
let provider: IdentityProvider;
let browser: Browser;

const origin = (): string => `http://svc.localhost:${portal.port}`;

/** The folder of documents; the portal follows it. */
async function write(signIn: string): Promise<void> {
  const account = sshd.accounts[0]?.name ?? '';
  const document = (kind: string, name: string, spec: string): string =>
    `apiVersion: svc/v1\nkind: ${kind}\nmetadata: { name: ${name} }\nspec: ${spec}\n---\n`;
  await writeFile(
    join(dir, 'casa.yaml'),
    document('Portal', 'casa', `{ signIn: ${signIn} }`) +
      document('Server', 'sirius', `{ ssh: { host: 127.0.0.1, port: ${sshd.port}, hostKey: "${sshd.hostKey}" } }`) +
      document('Person', 'ana', `{ nome: Ana Souza, login: ana.souza, server: sirius, account: ${account} }`),
  );
}

async function offer(signIn: string, expected: unknown): Promise<void> {
  await write(signIn);
  await until(`the portal to offer ${signIn}`, async () => {
    const { body } = await portal.admin('GET', '/api/sessao/metodos');
    return JSON.stringify(body) === JSON.stringify(expected);
  });
}

const both = (): string =>
  `{ ssh: {}, oidc: { issuer: "${provider.issuer}", clientId: svc, clientSecret: { file: oidc-secret }, label: "Universidade de Lá" } }`;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'svcd-'));
  [sshd, browser] = await Promise.all([
    startSshd({ password: right, config: ['UsePAM yes', 'KbdInteractiveAuthentication yes'] }),
    openBrowser(),
  ]);
  await write('{}');
  portal = await startPortal({ desired: dir });
  provider = await startIdentityProvider(`${origin()}/api/sessao/oidc/retorno`);
  provider.claims.set('subject-of-ana', { preferred_username: 'ana.souza' });
  await writeFile(join(portal.state, 'oidc-secret'), `${provider.clientSecret}\n`, { mode: 0o600 });
  await offer(both(), { link: true, ssh: true, oidc: { label: 'Universidade de Lá' }, passkey: false });
});
afterAll(async () => {
  await closePages(browser);
  await portal?.stop();
  await provider?.close();
  await sshd?.stop();
  await rm(dir, { recursive: true, force: true });
});

async function signInPage(options: Parameters<typeof newPage>[1] = {}): Promise<{ page: Page; problems: readonly string[] }> {
  const made = await newPage(browser, options);
  await made.page.goto(`${origin()}/`);
  await made.page.getByLabel('Usuário').waitFor();
  return made;
}

/** Waits until the message about the link, and the field for another, are in view. */
const seenWhole = (page: Page): Promise<unknown> =>
  until('the alert and the field to be in view', async () => {
    const boxes = await Promise.all([page.getByRole('alert').boundingBox(), page.getByLabel('Ou cole o link aqui').boundingBox()]);
    return boxes.every((box) => box !== null && box.y >= 0 && box.y + box.height <= (page.viewportSize()?.height ?? 0));
  });

const desktop = (page: Page): Promise<void> => page.getByRole('heading', { name: /Ana/ }).waitFor();

describe('login and password', () => {
  test('with the keyboard alone: typed, refused, typed again, in', async () => {
    const { page } = await signInPage();
    // The first field has the focus.
    await page.keyboard.type('ana.souza');
    await page.keyboard.press('Tab');
    await page.keyboard.type('wrong');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('alert').textContent()).toContain('não conferem');
    expect(await page.getByLabel('Senha', { exact: true }).inputValue()).toBe('');
    expect(await page.getByLabel('Usuário').inputValue()).toBe('ana.souza');
    await page.keyboard.type(right);
    await page.keyboard.press('Enter');
    await desktop(page);
    const cookies = await page.context().cookies();
    expect(cookies.map(({ name, httpOnly, secure, sameSite }) => [name, httpOnly, secure, sameSite])).toEqual(
      expect.arrayContaining([
        ['__Host-svc', true, true, 'Lax'],
        ['__Host-svc-conhecido', true, true, 'Lax'],
      ]),
    );
  });

  test('the fields are what password managers look for, and the password is shown only on demand', async () => {
    const { page } = await signInPage();
    const field = page.getByLabel('Senha', { exact: true });
    expect(await page.getByLabel('Usuário').getAttribute('autocomplete')).toBe('username');
    expect([await field.getAttribute('autocomplete'), await field.getAttribute('type')]).toEqual(['current-password', 'password']);
    // In the document and in one form, without a look into any shadow tree: some look no further.
    const seen = `[...document.querySelectorAll('input[autocomplete]')].map((input) => [input.form?.className, input.name, input.autocomplete, input.type].join())`;
    expect(await page.evaluate(seen)).toEqual(['account,username,username,text', 'account,password,current-password,password']);
    await page.getByRole('button', { name: 'Mostrar a senha' }).click();
    expect(await field.getAttribute('type')).toBe('text');
    await page.getByRole('button', { name: 'Ocultar a senha' }).click();
    expect(await field.getAttribute('type')).toBe('password');
  });

  test('guessing ends with the time to wait; a browser that is known gets in', async () => {
    const known = await signInPage();
    const enter = async (page: Page, password: string): Promise<void> => {
      await page.getByLabel('Usuário').fill('ana.souza');
      await page.getByLabel('Senha', { exact: true }).fill(password);
      await page.keyboard.press('Enter');
    };
    await enter(known.page, right);
    await desktop(known.page);
    // The password leads back: signing out asks nothing.
    await known.page.getByRole('button', { name: /Sessão e preferências/ }).click();
    await known.page.getByRole('menuitem', { name: 'Sair' }).click();
    await known.page.getByText('Você saiu deste navegador.').waitFor();
    const attacker = await signInPage();
    await until('the attacker to be held back', async () => {
      await enter(attacker.page, 'guess');
      await attacker.page.getByRole('alert').waitFor();
      return (await attacker.page.getByRole('alert').textContent())?.includes('Tentativas demais');
    });
    await enter(known.page, right);
    await desktop(known.page);
    expect(await attacker.page.getByLabel('Usuário').isVisible()).toBe(true);
  });
});

describe('the provider', () => {
  test('its button leads there and back, in', async () => {
    const { page, problems } = await signInPage();
    await page.getByRole('link', { name: 'Entrar com Universidade de Lá' }).click();
    await desktop(page);
    expect(page.url()).toBe(`${origin()}/`);
    expect(problems.filter((line) => !askedWho.test(line))).toEqual([]);
  });

  test.for([
    ['a stranger', 'subject-of-zoe', 'ninguém aqui tem esse usuário'],
    ['who says no', null, 'não confirmou quem você é'],
  ] as const)('%s comes back to the page, which says what to do', async ([, account, said]) => {
    provider.account = account;
    try {
      const { page } = await signInPage();
      await page.getByRole('link', { name: 'Entrar com Universidade de Lá' }).click();
      await page.getByRole('alert').waitFor();
      expect(await page.getByRole('alert').textContent()).toContain(said);
      expect(page.url()).toBe(`${origin()}/`);
    } finally {
      provider.account = 'subject-of-ana';
    }
  });
});

describe('the page', () => {
  test.for([1280, 320])('at %i px, light and dark: no findings of axe, nothing cut off', async (width) => {
    const { page, problems } = await signInPage({ viewport: { width, height: width === 320 ? 640 : 800 } });
    expect(await axeInBothThemes(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    await page.getByText('Entrar com um link de acesso').click();
    // By the wheel or a finger, as far as the last button.
    await page.mouse.move(width / 2, 300);
    await page.mouse.wheel(0, 5_000);
    const last = page.getByRole('button', { name: 'Entrar' }).last();
    await until('the last button to be seen', async () => {
      const box = await last.boundingBox();
      return box !== null && box.y >= 0 && box.y + box.height <= (page.viewportSize()?.height ?? 0);
    });
    await page.getByLabel('Ou cole o link aqui').fill('isto não é um link');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    await seenWhole(page);
    const shots = process.env['SVC_SCREENSHOTS'];
    const seen = async (suffix: string): Promise<void> => {
      if (shots !== undefined) await page.screenshot({ path: join(shots, `sign-in-${width}-${suffix === '' ? 'light' : 'dark'}.png`) });
    };
    expect(await axeInBothThemes(page, { seen })).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    expect(problems.filter((line) => !askedWho.test(line))).toEqual([]);
  });

  test('speaks English to who does, and still takes a link', async () => {
    const { page } = await newPage(browser, { locale: 'en-GB' });
    await page.goto(`${origin()}/?entrada=OIDC_STATE`);
    await page.getByText('Begin again here').waitFor();
    expect(page.url()).toBe(`${origin()}/`);
    await page.getByText('Sign in with an access link').click();
    const { body } = await portal.admin('POST', '/api/admin/links', { person: 'ana' });
    await page.getByLabel('Or paste the link here').fill((body as { link: string }).link);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: /Ana/ }).waitFor();
  });

  test('shows what the documents say now: a provider alone, or links alone', async () => {
    try {
      await offer('{}', { link: true, ssh: false, oidc: null, passkey: false });
      const { page } = await newPage(browser, { viewport: { width: 320, height: 560 } });
      await page.goto(`${origin()}/`);
      await page.getByLabel('Ou cole o link aqui').waitFor();
      expect(await page.getByLabel('Senha', { exact: true }).count()).toBe(0);
      await page.getByLabel('Ou cole o link aqui').fill('isto não é um link');
      await page.keyboard.press('Enter');
      await seenWhole(page);
    } finally {
      await offer(both(), { link: true, ssh: true, oidc: { label: 'Universidade de Lá' }, passkey: false });
    }
  });
});

test('where one is signed in: seen, ended there at once, and signed out everywhere', async () => {
  const enter = async (): Promise<Page> => {
    const { page } = await newPage(browser, { viewport: { width: 1280, height: 800 } });
    const { body } = await portal.admin('POST', '/api/admin/links', { person: 'ana' });
    await page.goto((body as { link: string }).link);
    await desktop(page);
    return page;
  };
  await portal.admin('DELETE', '/api/admin/sessions/ana');
  const [here, there] = [await enter(), await enter()];
  await here.getByRole('button', { name: /Sessão e preferências/ }).click();
  await here.getByRole('menuitem', { name: 'Onde entrei' }).click();
  const dialog = dialogOf(here, 'Onde você entrou');
  await dialog.getByRole('listitem').nth(1).waitFor();
  expect(await dialog.getByRole('listitem').count()).toBe(2);
  expect(await dialog.getByText('este navegador').count()).toBe(1);
  expect(await dialog.getByText(/Chrome · Linux/).count()).toBe(2);
  expect(await axeFindings(here)).toEqual([]);
  const shots = process.env['SVC_SCREENSHOTS'];
  if (shots !== undefined) {
    await here.screenshot({ path: join(shots, 'sessions-1280.png') });
    await here.setViewportSize({ width: 320, height: 640 });
    await here.screenshot({ path: join(shots, 'sessions-320.png') });
  }
  const other = dialog.getByRole('listitem').filter({ hasNotText: 'este navegador' });
  await other.getByRole('button', { name: /Encerrar a sessão/ }).click();
  await there.getByLabel('Usuário').waitFor();
  await until('the list to be one shorter', async () => (await dialog.getByRole('listitem').count()) === 1);
  await dialog.getByRole('button', { name: 'Sair em todos os lugares' }).click();
  await here.getByLabel('Usuário').waitFor();
  expect((await portal.admin('GET', '/api/admin/sessions')).body).toEqual({ sessions: [] });
});
