/**
 * From an author's folder to an installed, running, upgraded and removed app, in one run and from nothing: the examples are published by
 * the command, a server with a root of its own takes them by YAML, the shop shows it all the while, `svc rollback` goes back, and documents
 * taken out of the YAML are taken off the server.
 */
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { repository as home, startPortal, until, type RunningPortal } from '../support/portal.ts';
import { dialogOf, frameOf, signedIn, windowOf } from './support/browser.ts';
import { closePages, openBrowser } from '../support/chromium.ts';

const run = promisify(execFile);

let dir: string;
let portal: RunningPortal;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  browser = await openBrowser('whole');
});
afterAll(() => closePages(browser));
beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'svcw-'));
});
afterEach(async () => {
  await closePages(browser);
  await portal?.stop();
  await rm(dir, { recursive: true, force: true });
});

const svc = async (...args: readonly string[]): Promise<string> => {
  const { stdout } = await run(path.join(home, 'bin/svc'), [...args, '--state', portal.state]);
  return stdout;
};
const publish = async (folder: string): Promise<{ readonly outcome: string; readonly id: string; readonly version: string }> => {
  const { stdout } = await run(path.join(home, 'bin/svc-app-publish'), [folder, '--repository', path.join(dir, 'repo'), '--json']);
  return JSON.parse(stdout) as { outcome: string; id: string; version: string };
};
const desired = (file: string, ...documents: readonly string[]): Promise<void> =>
  writeFile(path.join(dir, 'desired', file), documents.map((text) => `apiVersion: svc/v1\n${text}\n`).join('---\n'));
const packageOf = (app: string, version: string): string =>
  `kind: Package\nmetadata: { name: ${app}-segunda }\nspec: { app: ${app}, versao: ${version}, server: segunda }`;

/** Version installed on the second machine; null when there is none. */
function onDisk(app: string): string | null {
  const file = path.join(portal.state, 'segunda/opt/svc-apps', app, 'svc-app.json');
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version : null;
}
const loja = (): Locator => windowOf(page, 'Loja');
const card = (id: string): Locator => loja().locator(`.card[data-app="${id}"]`);
const go = async (fragment: string): Promise<void> => {
  await page.evaluate((to) => void (location.hash = to), fragment);
  await loja().waitFor();
};
async function isDrawn(): Promise<void> {
  expect((await page.screenshot({ animations: 'disabled' })).length).toBeGreaterThan(5_000);
}

test('publish, install by YAML, open, upgrade, roll back, install for oneself, remove', async () => {
  // An author publishes: every example, by the command.
  const examples = readdirSync(path.join(home, 'examples/apps'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  await mkdir(path.join(dir, 'repo'));
  for (const { name } of examples)
    expect(await publish(path.join(home, 'examples/apps', name))).toMatchObject({ id: name, outcome: 'published' });

  // A second machine's worth of folders: a server with a root of its own, empty.
  await mkdir(path.join(dir, 'desired'));
  await desired(
    'casa.yaml',
    `kind: Portal\nmetadata: { name: casa }\nspec: { repository: ../repo }`,
    'kind: Server\nmetadata: { name: segunda }\nspec: { local: { prefix: segunda } }',
    'kind: Person\nmetadata: { name: ana }\nspec: { nome: Ana Souza, login: ana, server: segunda, account: ana }',
  );
  portal = await startPortal({ desired: path.join(dir, 'desired') });
  expect(onDisk('notas')).toBeNull();
  ({ page } = await signedIn(browser, portal, {}, { button: /^Loja/ }));
  await go('#loja');
  await card('notas').getByText('Só o administrador instala').waitFor();
  await isDrawn();

  // Installed by YAML, and used.
  await desired('packages.yaml', packageOf('notas', '1.0.0'), packageOf('batimento', '1.0.0'));
  await card('notas').getByText('Instalado para todos').waitFor();
  expect(onDisk('notas')).toBe('1.0.0');
  await card('notas').getByRole('button', { name: 'Abrir Notas' }).click();
  const notas = frameOf(page, 'Notas');
  await notas.getByRole('button', { name: 'Nova nota' }).click();
  await notas.getByLabel('Título').fill('Fica');
  await notas.getByText('Salva', { exact: true }).waitFor();
  await isDrawn();

  // The author publishes a new version; the administrator wants it; people's data stays.
  const next = path.join(dir, 'notas');
  await cp(path.join(home, 'examples/apps/notas'), next, { recursive: true });
  const manifest = path.join(next, 'svc-app.json');
  await writeFile(manifest, (await readFile(manifest, 'utf8')).replace('"version": "1.0.0"', '"version": "1.1.0"'));
  await writeFile(path.join(next, 'CHANGELOG.md'), '## 1.1.0\n\nNotas com etiquetas.\n');
  expect(await publish(next)).toMatchObject({ id: 'notas', version: '1.1.0', outcome: 'published' });
  // The same version with other bytes is refused, and burns nothing.
  await writeFile(path.join(next, 'mais.txt'), 'outro');
  await expect(publish(next)).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('VERSION_TAKEN') as string });
  await go('#loja/notas');
  await loja().getByText('Notas com etiquetas.').waitFor();
  await loja().getByText('Peça ao administrador a versão 1.1.0.').waitFor();
  await isDrawn();
  await desired('packages.yaml', packageOf('notas', '1.1.0'), packageOf('batimento', '1.0.0'));
  await loja().getByText('Versão 1.1.0 · Instalado para todos').waitFor();
  expect(onDisk('notas')).toBe('1.1.0');

  // Back, by the command; held although the document still wants 1.1.0; and forward again.
  await svc('rollback', 'notas-segunda');
  await until('1.0.0 again', () => onDisk('notas') === '1.0.0');
  await loja().getByRole('tab', { name: 'Administração' }).click();
  const row = loja().locator('[data-package="Package/notas-segunda"]');
  await row.getByRole('button', { name: 'Desfazer a volta de notas' }).waitFor();
  await isDrawn();
  await svc('rollback', 'notas-segunda', '--undo');
  await until('1.1.0 again', () => onDisk('notas') === '1.1.0');

  // For oneself, from the store.
  await go('#loja/relogio');
  await loja().getByRole('button', { name: 'Instalar Relógio' }).click();
  await loja().getByRole('button', { name: 'Abrir Relógio' }).click();
  await until('the clock runs', async () => /^\d\d:/.test((await frameOf(page, 'Relógio').locator('time').textContent()) ?? ''));
  const own = path.join(portal.state, 'segunda/home/ana/.local/share/svc-apps/relogio/svc-app.json');
  expect(existsSync(own)).toBe(true);
  await isDrawn();
  await go('#loja/relogio');
  await loja().getByRole('button', { name: 'Remover Relógio' }).click();
  await dialogOf(page, 'Remover Relógio?', 'alertdialog').getByRole('button', { name: 'Remover' }).click();
  await loja().getByRole('button', { name: 'Instalar Relógio' }).waitFor();
  expect(existsSync(own)).toBe(false);

  expect(await windowOf(page, 'Notas').count()).toBe(1);
  // Taken out of the YAML: all of a kind waits for a word, then it goes, and what people wrote stays.
  await desired('packages.yaml');
  await until('the guard holds them', async () => (await svc('get', 'Portal')).includes('waiting'));
  expect(onDisk('notas')).toBe('1.1.0');
  await svc('apply', '--prune');
  await until('nothing of it', () => onDisk('notas') === null && onDisk('batimento') === null);
  await windowOf(page, 'Notas').waitFor({ state: 'detached' });
  await go('#loja/notas');
  await loja().getByText('Por que não dá para instalar').waitFor();
  await isDrawn();
  expect(existsSync(path.join(portal.state, 'segunda/home/ana/.svc-apps/notas/data'))).toBe(true);
});
