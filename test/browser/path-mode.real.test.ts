/** `origins: path`: apps below the shell's own address, for sites without wildcard names. The same apps, unchanged. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, expect, test } from 'vitest';
import { exampleDesired } from '../support/example-desired.ts';
import { until, type RunningPortal } from '../support/portal.ts';
import { consentOf, frameOf, openApp, useDesk, windowOf } from './support/browser.ts';
import { allowIn } from './support/consent.ts';
import { openFileOn } from './support/open-file.ts';

let portal: RunningPortal;
let page: Page;
let problems: readonly string[];
let desk: string;

afterAll(async () => await rm(desk, { recursive: true, force: true }));
useDesk(
  (made) => ({ portal, page, problems } = made),
  async () => {
    desk = await mkdtemp(path.join(tmpdir(), 'svcd-'));
    const desired = await exampleDesired(desk, ['notas', 'relogio', 'caderno', 'leitor', 'dicionario']);
    await writeFile(
      path.join(desired, 'portal.yaml'),
      'apiVersion: svc/v1\nkind: Portal\nmetadata: { name: casa }\nspec: { origins: path, repository: ../apps }\n',
    );
    return { desired };
  },
);

test('a page with an API and one with a WebSocket work below the address of the shell', async () => {
  await openApp(page, 'Notas');
  const notas = frameOf(page, 'Notas');
  await notas.getByRole('button', { name: 'Nova nota' }).click();
  await notas.getByLabel('Título').fill('Compras');
  await notas.getByText('Salva', { exact: true }).waitFor();
  expect(await notas.locator('body').evaluate('location.href')).toMatch(/^http:\/\/svc\.localhost:\d+\/proxy\/app\/notas\/nota\/\w+$/);
  expect(await notas.locator('body').evaluate('svc.app.capacidades().then(({ host }) => host)')).toBe('svc');

  await openApp(page, 'Relógio');
  const clock = frameOf(page, 'Relógio').locator('time');
  await until('the clock shows an hour', async () => /^\d\d:\d\d:\d\d$/.test((await clock.textContent()) ?? ''));
  const before = await clock.textContent();
  await until('the clock ticks', async () => (await clock.textContent()) !== before);
  expect(problems).toEqual([]);
});

test('a room is made, written in and exported below the address of the shell', async () => {
  await openApp(page, 'Caderno');
  const caderno = frameOf(page, 'Caderno');
  await caderno.getByRole('button', { name: 'Novo caderno' }).click();
  await caderno.getByRole('textbox', { name: 'Nome do caderno' }).fill('Ata');
  await page.keyboard.press('Enter');
  await caderno.getByText('Em dia · Seu caderno').waitFor();
  await caderno.locator('.cm-content').click();
  await page.keyboard.insertText('abaixo do portal');
  const exported = async (): Promise<unknown> =>
    caderno.locator('body').evaluate(`fetch(document.getElementById('exportar').href).then((answer) => answer.text())`);
  await until('the export has the text', async () => (await exported()) === 'abaixo do portal');
  expect(problems).toEqual([]);
});

test('an app asks another one below the address of the shell, once the person said yes', async () => {
  await openApp(page, 'Leitor');
  const leitor = frameOf(page, 'Leitor');
  await leitor.getByRole('button', { name: 'aurora' }).click();
  const question = consentOf(page);
  await question.getByRole('heading', { name: 'Leitor quer usar Dicionário' }).waitFor();
  await allowIn(question);
  await leitor.getByText('aurora: Claridade que antecede').waitFor();
  const answers = await leitor.locator('body').evaluate(`(async () => {
    const dicionario = (caminho, opcoes) => svc.apps.pedir('dicionario/v1', caminho, opcoes);
    const { bytes } = await (await dicionario('/contar', { method: 'POST', body: new Uint8Array(300000) })).json();
    const body = (await dicionario('/todas')).body.getReader();
    const first = new TextDecoder().decode((await body.read()).value);
    await body.cancel();
    return [bytes, JSON.parse(first.split('\\n')[0]).palavra, await dicionario('/%2e%2e/x').catch(({ code }) => code)];
  })()`);
  expect(answers).toEqual([300_000, 'aurora', 'argumentos-invalidos']);
  expect(await question.count()).toBe(0);
});

test('a stop is told, a start from the strip brings the page back, and a direct address opens the app', async () => {
  await openApp(page, 'Notas');
  await frameOf(page, 'Notas').getByRole('button', { name: 'Nova nota' }).waitFor();
  await openApp(page, 'Gerenciador de tarefas');
  await page.locator('tr[data-app="notas"]').getByRole('button', { name: 'Parar Notas' }).click();
  await page.locator('tr[data-app="notas"]').getByText('Parado', { exact: true }).waitFor();
  await page
    .getByRole('toolbar')
    .getByRole('button', { name: /^Notas/ })
    .click();
  await windowOf(page, 'Notas').getByRole('button', { name: 'Iniciar' }).click();
  await frameOf(page, 'Notas').getByRole('button', { name: 'Nova nota' }).click();
  await page.goto(`http://svc.localhost:${portal.port}/proxy/app/relogio/`);
  await until('the clock in a tab of its own', async () => /^\d\d:/.test((await page.locator('time').textContent()) ?? ''));
  expect(await page.evaluate('svc.noAmbiente')).toBe(false);
});

test('files have no origin of their own there: the viewer holds a copy of a picture, and shows text', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'svc-vista-'));
  // A grey point. For an .svg an app of the examples is elected.
  const point = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==';
  await writeFile(path.join(folder, 'a.png'), Buffer.from(point, 'base64'));
  await writeFile(path.join(folder, 'b.html'), '<p>linha</p>');
  await openFileOn(page, { caminho: path.join(folder, 'a.png'), nome: 'a.png' });
  const picture = windowOf(page, 'a.png').getByRole('img', { name: 'a.png' });
  await expect.poll(() => picture.evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBe(1);
  expect(await picture.getAttribute('src')).toMatch(/^blob:/);
  await openFileOn(page, { caminho: path.join(folder, 'b.html'), nome: 'b.html' });
  await windowOf(page, 'b.html').getByText('<p>linha</p>').waitFor();
  await rm(folder, { recursive: true });
  // That there is no such origin is an answer, which the browser tells in its console.
  expect(problems.filter((line) => !line.includes('/api/arquivos/previa'))).toEqual([]);
});
