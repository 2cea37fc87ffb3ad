/** What a person sees when something dies: the task manager says it live, the windows come back by themselves. */
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { processesBelow, until, type RunningPortal } from '../support/portal.ts';
import { frameOf, openApp, useDesk, windowOf } from './support/browser.ts';

let portal: RunningPortal;
let page: Page;

useDesk((made) => ({ portal, page } = made));

const row = (app: string): Locator => page.locator(`tr[data-app="${app}"]`);
const shownPid = async (app: string): Promise<number> => Number(await row(app).locator('td').nth(1).textContent());

test('kill -9 of a backend: another pid stands in the table, and the open page goes on', async () => {
  await openApp(page, 'Relógio');
  const clock = frameOf(page, 'Relógio').locator('time');
  await until('the clock runs', async () => /^\d\d:/.test((await clock.textContent()) ?? ''));
  await openApp(page, 'Gerenciador de tarefas');
  const before = await until('a pid in the table', async () => (await shownPid('relogio')) || null);
  expect(processesBelow(portal.state).some(({ pid, app }) => pid === before && app === 'relogio')).toBe(true);

  process.kill(before, 'SIGKILL');
  const after = await until('another pid in the table', async () => {
    const now = await shownPid('relogio');
    return now > 0 && now !== before ? now : null;
  });
  expect(processesBelow(portal.state).some(({ pid }) => pid === after)).toBe(true);
  const shown = await clock.textContent();
  await until('the clock runs again', async () => (await clock.textContent()) !== shown);
});

/** What the portal says now: the table may still show what was before it went away. */
const isReady = async (id: string): Promise<boolean> => {
  const answer = await fetch('/api/apps', { cache: 'no-store' });
  const { apps } = (await answer.json()) as { apps: { id: string; ready: boolean }[] };
  return apps.some((app) => app.id === id && app.ready);
};
const press = async (app: string, name: string): Promise<void> => await row(app).getByRole('button', { name, exact: true }).click();

test('stop and start in the task manager: the open window says so and comes back', async () => {
  await openApp(page, 'Notas');
  await frameOf(page, 'Notas').getByRole('button', { name: 'Nova nota' }).waitFor();
  await openApp(page, 'Gerenciador de tarefas');
  await press('notas', 'Parar Notas');
  await row('notas').getByText('Parado', { exact: true }).waitFor();
  expect(await row('notas').getByText('Parado por você').isVisible()).toBe(true);

  await page
    .getByRole('toolbar')
    .getByRole('button', { name: /^Notas/ })
    .click();
  const strip = windowOf(page, 'Notas').getByText('Notas não está em execução');
  await strip.waitFor();
  await windowOf(page, 'Notas').getByRole('button', { name: 'Iniciar' }).click();
  await row('notas').getByText('Em execução', { exact: true }).waitFor();
  await strip.waitFor({ state: 'detached' });
  await frameOf(page, 'Notas').getByRole('button', { name: 'Nova nota' }).click();
  await frameOf(page, 'Notas').getByLabel('Título').waitFor();
});

/** The desktop hears of nothing until the returned function is called: neither the events nor the list of apps. */
async function slowDesktop(): Promise<() => void> {
  const { promise: over, resolve: release } = Promise.withResolvers<void>();
  await page.routeWebSocket(/\/ws\/events$/, (socket) => {
    const portalSide = socket.connectToServer();
    portalSide.onMessage(async (message) => {
      if (!String(message).includes('"ola"')) await over;
      socket.send(message);
    });
  });
  await page.reload();
  await page
    .getByRole('button', { name: /^Notas/ })
    .first()
    .waitFor();
  await page.route('**/api/apps', async (route) => {
    await over;
    await route.continue();
  });
  return release;
}

test('a page that is there before the desktop knows of its app is the app: it stays, and a stop stands', async () => {
  await openApp(page, 'Gerenciador de tarefas');
  await press('notas', 'Parar Notas');
  await row('notas').getByText('Parado', { exact: true }).waitFor();
  const release = await slowDesktop();
  await openApp(page, 'Notas');
  const notas = frameOf(page, 'Notas');
  await notas.getByRole('button', { name: 'Nova nota' }).click();
  await notas.getByLabel('Título').fill('ainda aqui');
  await windowOf(page, 'Notas').locator('.overlay').waitFor({ state: 'detached' });
  release();

  await openApp(page, 'Gerenciador de tarefas');
  await press('notas', 'Parar Notas');
  await row('notas').getByText('Parado', { exact: true }).waitFor();
  await page
    .getByRole('toolbar')
    .getByRole('button', { name: /^Notas/ })
    .click();
  await windowOf(page, 'Notas').getByText('Notas não está em execução').waitFor();
  await windowOf(page, 'Notas').getByRole('button', { name: 'Iniciar' }).click();
  await row('notas').getByText('Em execução', { exact: true }).waitFor();
  expect(await notas.getByLabel('Título').inputValue()).toBe('ainda aqui');
});

test('an app that binds TCP by mistake: the reason is in the table, the cause and the log in the details', async () => {
  await openApp(page, 'Gerenciador de tarefas');
  await press('porta-errada', 'Iniciar Porta errada');
  await row('porta-errada').getByText('Abriu uma porta TCP em vez do socket').waitFor({ timeout: 60_000 });
  await row('porta-errada').locator('button.name').click();
  const details = page.getByRole('region', { name: 'Detalhes de Porta errada' });
  await until('log lines', async () => ((await details.getByRole('log').textContent()) ?? '').length > 20);
  expect(await details.locator('.cause').textContent()).toContain('Abriu uma porta TCP em vez do socket');
  await press('porta-errada', 'Parar Porta errada');
  await row('porta-errada').getByText('Parado', { exact: true }).waitFor();
});

test('an app that crashes: its failures are counted, and the log follows from run to run', async () => {
  await openApp(page, 'Gerenciador de tarefas');
  await row('cai').locator('button.name').click();
  await press('cai', 'Iniciar Cai');
  const log = page.getByRole('region', { name: 'Detalhes de Cai' }).getByRole('log');
  await until('a line of the second run', async () => (await log.textContent())?.includes('(vez 2)'));
  await row('cai')
    .getByText(/Falhas: [1-9]/)
    .waitFor();
  await press('cai', 'Parar Cai');
  await row('cai').getByText('Parado', { exact: true }).waitFor();
  await page.getByRole('radio', { name: 'Execução anterior' }).check();
  await until('the run before', async () => /\(vez [1-9]\)/.test((await log.textContent()) ?? ''));
  expect(await page.getByRole('checkbox', { name: 'Acompanhar' }).count()).toBe(0);
});

test('kill -9 of the portal: the page says that it is away, and is whole again after the restart', async () => {
  await openApp(page, 'Notas');
  await frameOf(page, 'Notas').getByRole('button', { name: 'Nova nota' }).waitFor();
  await openApp(page, 'Gerenciador de tarefas');
  const before = await until('a pid in the table', async () => (await shownPid('notas')) || null);
  await portal.kill();
  await page.getByText('Sem conexão com o portal').waitFor();
  const counted = page.waitForRequest((request) => request.url().endsWith('/api/apps/notas/janelas'), { timeout: 60_000 });
  await portal.again();
  await page.getByText('Conectado ao portal').waitFor({ state: 'attached', timeout: 60_000 });
  expect(((await counted).postDataJSON() as { abertas: number }).abertas).toBe(1);
  await until(
    'the very same process in the table',
    async () => (await page.evaluate(isReady, 'notas')) && (await shownPid('notas')) === before,
    60_000,
  );
  await page
    .getByRole('toolbar')
    .getByRole('button', { name: /^Notas/ })
    .click();
  await frameOf(page, 'Notas').getByRole('button', { name: 'Nova nota' }).click();
  await frameOf(page, 'Notas').getByLabel('Título').fill('depois');
  await frameOf(page, 'Notas').getByText('Salva', { exact: true }).waitFor();
});
