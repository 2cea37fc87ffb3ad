/**
 * A call of an app that starts another one: the desktop says so with the steps, until it is answered. Here `dicionario` takes three seconds
 * before it is on its socket. Source: rules 4.3. Decision: docs/decisions/0200-capability-calls.md
 */
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { order, whenState, writeDesired } from '../integration/world.ts';
import { msOften, repository, until, type RunningPortal } from '../support/portal.ts';
import { axeFindings, frameOf, openApp, useDesk } from './support/browser.ts';

const folder = await mkdtemp(join(tmpdir(), 'svcp-'));
let portal: RunningPortal;
let page: Page;
let problems: readonly string[];

async function packages(): Promise<string> {
  const own = join(folder, 'packages');
  for (const app of ['dicionario', 'leitor', 'notas'])
    await cp(join(repository, 'examples/apps', app), join(own, app), { recursive: true });
  const main = join(own, 'dicionario/backend/main.py');
  await writeFile(main, `import time\ntime.sleep(3)\n${await readFile(main, 'utf8')}`);
  return own;
}

useDesk(
  (made) => ({ portal, page, problems } = made),
  async () => ({ desired: await writeDesired(join(folder, 'd'), { apps: ['dicionario', 'leitor', 'notas'], packages: await packages() }) }),
);
afterAll(async () => await rm(folder, { recursive: true, force: true }));

const toast = (): Locator => page.getByRole('group', { name: 'Aviso que acabou de chegar' });
const ask = async (word: string): Promise<void> => await frameOf(page, 'Leitor').getByRole('button', { name: word, exact: true }).click();
const says = async (words: RegExp): Promise<void> => await frameOf(page, 'Leitor').getByText(words).waitFor();
const picture = async (name: string): Promise<void> => {
  const pictures = process.env['SVC_PICTURES'];
  if (pictures !== undefined) await page.screenshot({ path: join(pictures, `${name}.png`) });
};

beforeEach(async () => {
  await order(portal, 'stop', 'dicionario');
  await whenState(portal, 'dicionario', 'stopped');
  // Both are installed before the answer is kept.
  await openApp(page, 'Leitor');
  const kept = await page.evaluate(async () => {
    const body = { de: 'leitor', para: 'dicionario', capacidade: 'dicionario/v1', resposta: 'sim', duracao: 'sempre' };
    const headers = { 'content-type': 'application/json' };
    return (await fetch('/api/consentimentos', { method: 'PUT', headers, body: JSON.stringify(body) })).status;
  });
  if (kept !== 200) throw new Error(`the answer was not kept: ${kept}`);
});

test('the notice stays until the provider answers, and tells its steps', async () => {
  await ask('aurora');
  await toast().getByText('Iniciando Dicionário, a pedido de Leitor…').waitFor();
  await toast()
    .getByText(/^Etapa [1-6] de 6: \S/)
    .waitFor();
  // From now on: it goes on beside the steps that are checked meanwhile.
  const told = new Set<string>();
  const ended = until(
    'the end of the notice',
    async () => {
      const [words] = await toast().locator('small').allInnerTexts();
      if (words !== undefined) told.add(words);
      return (await toast().count()) === 0;
    },
    60_000,
    msOften,
  );
  ended.catch(() => undefined);
  expect(await axeFindings(page)).toEqual([]);
  await picture('starting');
  await page.setViewportSize({ width: 320, height: 640 });
  await picture('starting-320');
  await page.setViewportSize({ width: 1280, height: 800 });
  await ended;
  expect([...told]).toContain('Etapa 5 de 6: Conexão');
  await says(/^aurora: Claridade/);
  expect(problems).toEqual([]);
});

test('one that is put away does not come back', async () => {
  await ask('cais');
  await toast().getByRole('button', { name: 'Dispensar' }).click();
  await toast().waitFor({ state: 'detached' });
  await says(/^cais: Lugar/);
  expect(await toast().count()).toBe(0);
});
