/**
 * The reach of one app's page into the shell and another app, cell by cell, in a real browser: with an origin for each app, and in path
 * mode, where the cells that stay open are why docs/security.md says "trusted apps only". The cells: test/browser/attacks/,
 * docs/isolation.md.
 */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { whenInstalled } from '../integration/world.ts';
import { tellCount } from '../support/counts.ts';
import { repository, startPortal, until, type RunningPortal } from '../support/portal.ts';
import { everyNth } from '../support/share.ts';
import { attackGroups } from './attacks/all.ts';
import { isolationPage } from './attacks/page.ts';
import { frameBelow, visits, type Attack, type Cell, type Mode } from './attacks/attack.ts';
import { frameAt, newLink, newPage, openApp, windowOf } from './support/browser.ts';
import { closePages, openBrowser } from '../support/chromium.ts';
import { hostileApps, secretOfVictim, writeHostileApps } from './support/hostile-apps.ts';

/** Stores data of the shell, and the person's earlier consent: the victim may use the source. */
async function keep(): Promise<void> {
  localStorage.setItem('do-shell', 'guardado');
  await (await caches.open('do-shell')).put('/do-shell', new Response('guardado'));
  const consent = { de: 'vitima', para: 'fonte', capacidade: 'banco/v1', resposta: 'sim', duracao: 'sempre' };
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch('/api/consentimentos', { method: 'PUT', headers, body: JSON.stringify(consent) });
  if (!answer.ok) throw new Error(`the consent of the victim: ${answer.status} ${await answer.text()}`);
}

test('docs/isolation.md says what the table of attacks says (node test/browser/attacks/write-page.ts)', async () => {
  expect(await readFile(path.join(repository, 'docs/isolation.md'), 'utf8')).toBe(isolationPage());
});

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
      ...hostileApps.map((app) => `kind: Package\nmetadata: { name: ${app} }\nspec: { app: ${app}, versao: 1.0.0, server: casa }`),
    ];
    await writeFile(path.join(desired, 'casa.yaml'), documents.map((text) => `apiVersion: svc/v1\n${text}\n`).join('---\n'));
    [portal, browser] = await Promise.all([startPortal({ desired }), openBrowser('whole')]);
    const { page } = await newPage(browser);
    await page.goto(await newLink(portal));
    await page
      .getByRole('button', { name: /^Hostil/ })
      .first()
      .waitFor();
    await whenInstalled(portal, ...hostileApps);
    await page.evaluate(keep);
    for (const name of ['Vítima', 'Hostil']) {
      await openApp(page, name);
      await page.frameLocator(`iframe[title="${name}"]`).locator('#agir').waitFor();
      // The page of an app that does not use the SDK tells the shell of no key: the focus, which goes to the page once it is loaded, has to be the shell's.
      await windowOf(page, name).locator('.overlay').waitFor({ state: 'detached' });
      await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
    }
    const shell = `http://svc.localhost:${portal.port}/`;
    const of = (app: string): string => (mode === 'path' ? `${shell}proxy/app/${app}/` : shell.replace('//', `//${app}.`));
    const aim = { shell, own: of('hostil'), victim: of('vitima'), secret: secretOfVictim };
    cell = {
      aim,
      page,
      pass: async () => new URL(await newLink(portal)).searchParams.get('passe')!,
      get hostile() {
        return frameBelow(page, aim.own);
      },
    };
  }, 240_000);
  afterAll(async () => {
    await closePages(browser);
    await portal?.stop();
    await rm(folder, { recursive: true, force: true });
    tellCount(
      `an app against the shell and another app, origins: ${mode}: ${tried.length} attacks, ${tried.filter(Boolean).length} got through`,
    );
  });

  test('the aim stands: the secret is where the attacks look for it', async () => {
    expect(await until('the page of the victim', async () => await visits(cell).then(() => true))).toBe(true);
    expect(await (await frameAt(cell.page, 'Vítima')).content()).toContain(secretOfVictim);
    await (await frameAt(cell.page, 'Vítima')).locator('body[data-pronta]').waitFor();
    expect(cell.hostile.url()).toBe(cell.aim.own);
    const calls = `svc.apps.pedir('banco/v1', '/a').then(({ status }) => status)`;
    expect(await (await frameAt(cell.page, 'Vítima')).evaluate(calls)).toBe(200);
  });

  const all = attackGroups.flatMap((group) => group.attacks.map((attack): [string, Attack] => [attack.what, attack]));
  // Path mode is for trusted apps only: a third of its cells in `npm test`, another one each time.
  test.for(mode === 'path' ? everyNth(3, all) : all)('an app %s', async ([, { open, inPage, seen }]) => {
    const got = inPage === undefined ? await seen!(cell) : await cell.hostile.evaluate(inPage, cell.aim).catch(() => false);
    tried.push(got);
    expect(got).toBe(open?.includes(mode) ?? false);
    // Whatever it was, the person is who they were, and the windows are there.
    expect(cell.page.url()).toBe(cell.aim.shell);
    expect((await cell.page.context().cookies(cell.aim.shell)).some(({ name }) => name === '__Host-svc')).toBe(true);
  });
});
