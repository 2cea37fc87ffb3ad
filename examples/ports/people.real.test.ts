/**
 * Radicale of examples/ports, one for everybody: a portal that is root lends people their accounts, and each sees their own calendars alone. The
 * service manager's part (the account and its process) is played by the test; test/server has the real one for another app. Needs root.
 */
import { chmodSync, chownSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { spawnSync } from 'node:child_process';
import type { Browser, FrameLocator } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { serverAppPaths } from '../../schema/server-paths.ts';
import { cleanUp, start, type Backend } from '../../sdk/testing/runtimes.ts';
import { frameOf, openApp, newPage } from '../../test/browser/support/browser.ts';
import { closePages, openBrowser } from '../../test/support/chromium.ts';
import { emptyServer, repository, startPortal, type RunningPortal } from '../../test/support/portal.ts';
import { addAccount, removeAccount, sweep, type TestAccount } from '../../test/support/sshd.ts';
import { portsFolder } from '../testing/port.ts';

const app = 'radicale';
const { socket, run } = serverAppPaths(app);
const accounts: TestAccount[] = [];
let dir = '';
let portal: RunningPortal;
let browser: Browser;
let backend: Backend;

/** As the unit starts it: the app's own account, the package of the system, no token. */
async function startRadicale(own: TestAccount): Promise<void> {
  const folder = path.join(dir, 'p/opt/svc-apps', app);
  cpSync(path.join(portsFolder, app), folder, { recursive: true });
  mkdirSync(run, { recursive: true, mode: 0o755 });
  chownSync(run, own.uid, own.uid);
  const become = ['setpriv', `--reuid=${own.name}`, `--regid=${own.name}`, '--init-groups', '--'] as const;
  const env = {
    PATH: `/usr/bin:/bin:${repository}/build/kit/wrap/${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}`,
    HOME: own.home,
    SVC_APP_ID: app,
    SVC_APP_SOCKET: socket,
    SVC_APP_DATA_DIR: own.home,
  };
  backend = start([...become, path.join(folder, 'backend/app')], env, folder);
  await backend.said('o programa atende');
}

beforeAll(async () => {
  await sweep();
  dir = mkdtempSync(path.join(tmpdir(), 'svcs-'));
  for (const name of ['', 'h', 'p', 'd']) {
    mkdirSync(path.join(dir, name), { recursive: true });
    chmodSync(path.join(dir, name), 0o755);
  }
  for (let n = 0; n < 3; n += 1) accounts.push(await addAccount(dir, undefined));
  const [ana, bia, own] = accounts as [TestAccount, TestAccount, TestAccount];
  await startRadicale(own);
  const documents = [
    `kind: Portal\nmetadata: { name: casa }\nspec: { repository: ${JSON.stringify(portsFolder)} }`,
    `kind: Server\nmetadata: { name: casa }\nspec: { local: { prefix: "${path.join(dir, 'p')}" } }`,
    ...[ana, bia].map(({ name }) => `kind: Person\nmetadata: { name: ${name} }\nspec: { nome: ${name}, login: ${name}, server: casa }`),
  ];
  writeFileSync(path.join(dir, 'd/casa.yaml'), documents.map((text) => `apiVersion: svc/v1\n${text}\n`).join('---\n'));
  [portal, browser] = await Promise.all([startPortal({ desired: path.join(dir, 'd') }), openBrowser()]);
});
afterAll(async () => {
  await closePages(browser);
  await portal?.stop();
  await cleanUp();
  await emptyServer(path.join(dir, 'p'));
  for (const { name } of accounts) await removeAccount(name);
  for (const folder of [dir, run]) rmSync(folder, { recursive: true, force: true });
});

/** A calendar of this name, made in the page: the name that is typed at the door counts for nothing. */
async function opened(account: TestAccount): Promise<FrameLocator> {
  const { body } = await portal.admin('POST', '/api/admin/links', { person: account.name });
  const { page } = await newPage(browser);
  await page.goto((body as { readonly link: string }).link);
  await openApp(page, 'Radicale');
  const radicale = frameOf(page, 'Radicale');
  await radicale.locator('#loginscene [data-name=user]').fill('qualquer');
  await radicale.locator('#loginscene [data-name=password]').fill('x');
  await radicale.locator('#loginscene [type=submit]').click();
  await radicale.locator('#collectionsscene').waitFor();
  return radicale;
}

test('each person makes a calendar, and sees their own alone', async () => {
  const [ana, bia] = accounts as [TestAccount, TestAccount];
  const of = await opened(ana);
  await of.getByText('Create new addressbook or calendar').click();
  await of.locator('#createcollectionscene [data-name=displayname]').fill('Ensaios');
  await of.locator('#createcollectionscene [data-name=submit]').click();
  await of.getByText('Ensaios').waitFor();
  const others = await opened(bia);
  expect(await others.getByText('Ensaios').count()).toBe(0);
});

test('an account of the server asks as itself, whatever it writes', () => {
  const [ana, bia] = accounts as [TestAccount, TestAccount];
  const ask = (uid: number, ...more: readonly string[]): string =>
    spawnSync(
      'curl',
      ['-s', '-m', '10', '--unix-socket', socket, '-X', 'PROPFIND', '-w', '%{http_code}', ...more, `http://app/${ana.name}/`],
      {
        uid,
        gid: uid,
        encoding: 'utf8',
      },
    ).stdout;
  expect(ask(ana.uid)).toMatch(/207$/);
  for (const header of ['X-Remote-User', 'x_remote_user']) expect(ask(bia.uid, '-H', `${header}: ${ana.name}`)).toMatch(/403$/);
  expect(ask(0, '-H', `X-Remote-User: ${ana.name}`)).toMatch(/403$/);
});
