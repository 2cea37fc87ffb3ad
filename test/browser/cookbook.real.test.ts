/**
 * The recipes of docs/cookbook.md: their files are taken from the page, each app is judged and installed, and used as a person would. A
 * single portal, a single page.
 */
import { execFileSync, spawn } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Browser, FrameLocator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runSvcWith } from '../../bin/testing/run-svc.ts';
import { publishApp } from '../../kit/repository/publishing/publish.ts';
import { order, whenInstalled, writeDesired } from '../integration/world.ts';
import { repository, startPortal, until, type RunningPortal } from '../support/portal.ts';
import { closePages, openBrowser } from '../support/chromium.ts';
import { consentOf, dialogOf, frameOf, openApp, signedIn, windowOf } from './support/browser.ts';
import { allowIn, confirmIn } from './support/consent.ts';
import { openFileOn } from './support/open-file.ts';

/** By their paths: each stands above its block. */
const files = new Map(
  Array.from(
    readFileSync(path.join(repository, 'docs/cookbook.md'), 'utf8').matchAll(/^`([\w-]+\/[\w./-]+)`\n\n```\w+\n([^]*?)^```/gm),
    ([, name = '', text = '']) => [name, text] as const,
  ),
);
const apps = [...files.keys()].filter((name) => name.endsWith('/svc-app.json')).map((name) => path.dirname(name));

let folder: string;
let portal: RunningPortal;
let browser: Browser;
let page: Page;
let problems: readonly string[];

function writeApps(packages: string): void {
  const all = new Map(files);
  for (const app of apps)
    if (![...files.keys()].some((name) => name.startsWith(`${app}/backend/`)))
      all.set(`${app}/backend/main.py`, files.get('any/backend/main.py')!);
  for (const [name, text] of all) {
    mkdirSync(path.dirname(path.join(packages, name)), { recursive: true });
    writeFileSync(path.join(packages, name), text);
  }
  const [, program = '', ...words] = files.get('together/build.sh')!.trim().split(' ');
  const env = { ...process.env, NODE_PATH: path.join(repository, 'node_modules') };
  execFileSync(path.join(repository, 'node_modules/.bin', program), words, { cwd: path.join(packages, 'together'), env });
}

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'svck-'));
  const packages = path.join(folder, 'p');
  writeApps(packages);
  const aqui = 'kind: Cluster\nmetadata: { name: aqui }\nspec: { scheduler: { local: {} }, emVoo: 1 }';
  const desired = await writeDesired(path.join(folder, 'd'), { apps, packages, fila: '{ clusters: [aqui] }', more: [aqui] });
  [portal, browser] = await Promise.all([startPortal({ desired }), openBrowser()]);
  await whenInstalled(portal, ...apps);
  ({ page, problems } = await signedIn(browser, portal, { locale: 'en-US' }, { button: /^One note/ }));
});
afterAll(async () => {
  await closePages(browser);
  await portal?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** By its title, opened on the desktop; its script has run: a press before that would be lost. */
async function open(title: string): Promise<FrameLocator> {
  await openApp(page, title);
  const app = frameOf(page, title);
  await expect.poll(async () => await app.locator('html').evaluate(() => document.readyState)).toBe('complete');
  return app;
}
const press = async (app: FrameLocator, name: string): Promise<void> => await app.getByRole('button', { name }).click();
const status = (app: FrameLocator) => async (): Promise<string> => await app.getByRole('status').innerText();

test('the page has ten recipes, whose apps are as they should be: judged without an error or a warning', async () => {
  const headings = Array.from(readFileSync(path.join(repository, 'docs/cookbook.md'), 'utf8').matchAll(/^## (\d+)\. /gm), ([, n]) =>
    Number(n),
  );
  expect(headings).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  expect(apps).toHaveLength(10);
  for (const app of apps) {
    const { outcome, report } = await publishApp(path.join(folder, 'p', app), { destination: null, nowMs: Date.now() });
    expect([app, outcome, report.errors, report.warnings]).toEqual([app, 'checked', [], []]);
  }
});

// First, since counts go to the portal every five seconds.
test('9: what happens is counted (told below) and logged', async () => {
  const app = await open('Dice');
  await press(app, 'Roll');
  await expect.poll(status(app)).toMatch(/^You have [1-6]$/);
  const [log = ''] = globSync(`${portal.state}/**/.svc-apps/dice/**/app.log`);
  expect(readFileSync(log, 'utf8')).toMatch(/"rolled".*"number": ?[1-6]/);
  expect(String((await portal.admin('GET', '/api/admin/backends/ana/dice/log')).body)).toContain('the dice are ready');
});

test('1: a note is on disk, and there again', async () => {
  const app = await open('One note');
  await app.getByLabel('Note').fill('milk');
  await app.getByLabel('Note').blur();
  await expect.poll(status(app)).toMatch('Saved');
  expect((await order(portal, 'restart', 'one-note')).ready).toBe(true);
  await windowOf(page, 'One note').getByRole('button', { name: 'Close' }).click();
  await open('One note');
  await expect.poll(async () => await app.getByLabel('Note').inputValue()).toBe('milk');
});

test.each([
  ['python3', 'main.py'],
  ['node', 'main.mjs'],
])('2: JSON is answered, and what is wrong refused, in %s', async (runtime, entrypoint) => {
  const env = {
    ...process.env,
    HOME: folder,
    PYTHONPATH: path.join(repository, 'sdk/python'),
    NODE_PATH: path.join(repository, 'sdk/node'),
  };
  const backend = spawn(runtime, [path.join(folder, 'p/sum/backend', entrypoint), '--tcp', '127.0.0.1:0'], { env });
  try {
    let said = '';
    for (const stream of [backend.stdout, backend.stderr]) stream.on('data', (chunk: Buffer) => (said += chunk.toString()));
    const [, port] = await until('it listens', () => /127\.0\.0\.1:(\d+)/.exec(said));
    const ask = async (body: string): Promise<unknown> => {
      const answer = await fetch(`http://127.0.0.1:${port}/api/sum`, { method: 'POST', body });
      return [answer.status, await answer.json()];
    };
    expect(await ask('{"numbers":[1,2,3.5]}')).toEqual([200, { sum: 6.5 }]);
    for (const wrong of ['{"numbers":["1"]}', '{"numbers":[true]}', '{"numbers":1}', '[]', '3', 'null', '{}'])
      expect([wrong, await ask(wrong)]).toEqual([wrong, [400, { error: 'numbers: expected a list of at most 1000 numbers' }]]);
    expect(await ask('{')).toEqual([400, { error: expect.any(String) }]);
  } finally {
    backend.kill('SIGKILL');
  }
});

test('3: what changes is told to the page as it happens', async () => {
  const app = await open('Live');
  await expect.poll(status(app)).toMatch('Count: 0');
  await press(app, 'Add one');
  await expect.poll(status(app)).toMatch('Count: 1');
  // A change by somebody who does not use this page.
  await app.locator('body').evaluate(async () => void (await fetch('api/live', { method: 'POST' })));
  await expect.poll(status(app)).toMatch('Count: 2');
});

test('4: a file that the person picks is read and written', async () => {
  const [folderOfApp = ''] = globSync(`${portal.state}/**/.svc-apps/one-note`);
  const home = path.dirname(path.dirname(folderOfApp));
  writeFileSync(path.join(home, 'quiet.txt'), 'hello');
  const app = await open('Shout');
  await press(app, 'Make a file loud…');
  const picker = dialogOf(page, /^Shout: /);
  await picker.locator('[data-name="quiet.txt"]').click();
  await picker.getByRole('button', { name: 'Open', exact: true }).click();
  await confirmIn(page);
  await expect.poll(status(app)).toMatch('quiet.txt is loud now');
  expect(readFileSync(path.join(home, 'quiet.txt'), 'utf8')).toBe('HELLO');
});

test('5: two windows write into one room and see who is there', async () => {
  await open('Together');
  const windows = page.locator('iframe[title="Together"]');
  const first = windows.nth(0).contentFrame();
  await expect.poll(status(first)).toMatch('Here: Ana Souza');
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('Together');
  await page.getByRole('option', { name: 'Together' }).first().waitFor();
  await page.keyboard.press('Enter');
  await expect.poll(async () => await windows.count()).toBe(2);
  const second = windows.nth(1).contentFrame();
  await expect.poll(status(second)).toMatch('Here: Ana Souza, Ana Souza');
  await second.getByLabel('Say').fill('good morning');
  await second.getByLabel('Say').press('Enter');
  await first.getByRole('listitem').getByText('good morning').waitFor();
});

test('6: one app asks another, once the person allowed it', async () => {
  const app = await open('Asker');
  await app.getByLabel('Text').fill('one two three');
  await press(app, 'How many words?');
  await allowIn(consentOf(page), 'Allow');
  await expect.poll(status(app)).toMatch('3 words');
});

test('7: a job is submitted, followed, and its output read', async () => {
  const app = await open('Heavy');
  await press(app, 'Sum a million numbers');
  await expect.poll(status(app)).toMatch('The sum is 500000500000');
});

test('8: a secret is missing, and then used', async () => {
  const app = await open('Signer');
  await press(app, 'Sign “hello”');
  await expect.poll(status(app)).toMatch('Store SIGNING_KEY in Settings first');
  const set = await runSvcWith('very secret', folder, ['secret', 'set', 'ana/signer', 'SIGNING_KEY', '--state', portal.state]);
  expect(set.code).toBe(0);
  await order(portal, 'restart', 'signer');
  await press(app, 'Sign “hello”');
  // printf hello | openssl dgst -sha256 -hmac 'very secret'
  await expect.poll(status(app)).toMatch('4ff49fc07661ece23e024712f19cfb747eba0686848302d5f589cdfd362a479a');
});

test('10: a file of the own type is opened by its icon, and by the entry in its menu', async () => {
  const place = path.join(folder, 'grades');
  mkdirSync(place);
  writeFileSync(path.join(place, 'class.marks'), 'A\nB\nA\n');
  await openFileOn(page, { caminho: place, nome: 'grades', isFolder: true });
  const entry = page.locator('svc-window[top] svc-folder svc-file-view [data-name="class.marks"]');
  await entry.getByText('MARKS', { exact: true }).waitFor();
  await entry.dblclick();
  const app = frameOf(page, 'Marks');
  await expect.poll(status(app)).toMatch('class.marks');
  expect(await app.getByRole('listitem').allInnerTexts()).toEqual(['A', 'B', 'A']);
  await windowOf(page, 'Marks').getByRole('button', { name: 'Close' }).click();
  await entry.click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Count the marks' }).click();
  await expect.poll(status(app)).toMatch('class.marks has 3 marks');
});

test('9: what was counted is on /metrics of the portal', async () => {
  const counted = async (): Promise<string> => String((await portal.admin('GET', '/metrics')).body);
  await expect.poll(counted).toContain('svc_app_events_total{app="dice",event="roll",sides="6"} 1\n');
});

test('no page of a recipe had an error', () => {
  // Answers that the person sees: a secret is missing, another app may not be asked yet.
  expect(problems.filter((line) => !/409 .*api\/sign|403 .*api\/capacidades/.test(line))).toEqual([]);
});
