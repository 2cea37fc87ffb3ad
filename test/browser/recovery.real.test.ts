/** Failures as a person sees them: the task manager shows them live, the windows come back by themselves. */
import type { Locator, Page } from 'playwright-core';
import { describe, test } from 'vitest';
import { processesBelow, until } from '../support/portal.ts';
import { axeFindings, boxOf, frameOf, openApp, useDesks, windowOf } from './support/browser.ts';

const desk = useDesks(['notas', 'relogio', 'placa', 'cai', 'porta-errada']);

const rowsOf =
  (page: Page) =>
  (app: string): Locator =>
    page.locator(`tr[data-app="${app}"]`);
const pressOn =
  (page: Page) =>
  async (app: string, name: string): Promise<void> =>
    await rowsOf(page)(app).getByRole('button', { name, exact: true }).click();
const shownPid = async (page: Page, app: string): Promise<number> => Number(await rowsOf(page)(app).locator('td').nth(1).textContent());

/** Tests of different apps mostly wait, side by side; those of one app go one after the other. */
const beside = { concurrent: true } as const;
const inTurn = { concurrent: false } as const;

test(
  'the task manager tells what an app uses; kill -9 of it: another pid in the table, and the open page goes on',
  beside,
  async (context) => {
    const { expect } = context;
    const { page, portal } = await desk(context);
    const row = rowsOf(page);
    await openApp(page, 'Relógio');
    const clock = frameOf(page, 'Relógio').locator('time');
    await until('the clock runs', async () => /^\d\d:/.test((await clock.textContent()) ?? ''));
    await openApp(page, 'Gerenciador de tarefas');
    await until('figures', async () => {
      const [cpu, memory] = await row('relogio').locator('[data-usage]').allTextContents();
      return /^\d+(,\d)?%$/.test(cpu ?? '') && /^\d+(,\d)?\s[kM]B$/.test(memory ?? '');
    });
    // Nobody starts that one.
    expect(await row('placa').locator('[data-usage]').allTextContents()).toEqual(['–', '–']);
    expect(await axeFindings(page)).toEqual([]);
    const before = await until('a pid in the table', async () => (await shownPid(page, 'relogio')) || null);
    expect(processesBelow(portal.state).some(({ pid, app }) => pid === before && app === 'relogio')).toBe(true);

    process.kill(before, 'SIGKILL');
    const after = await until('another pid in the table', async () => {
      const now = await shownPid(page, 'relogio');
      return now > 0 && now !== before ? now : null;
    });
    expect(processesBelow(portal.state).some(({ pid }) => pid === after)).toBe(true);
    const shown = await clock.textContent();
    await until('the clock runs again', async () => (await clock.textContent()) !== shown);
  },
);

/** The portal's present answer: the table may still show the state before it went away. */
const isReady = async (id: string): Promise<boolean> => {
  const answer = await fetch('/api/apps', { cache: 'no-store' });
  const { apps } = (await answer.json()) as { apps: { id: string; ready: boolean }[] };
  return apps.some((app) => app.id === id && app.ready);
};

/** The desktop receives nothing until the returned function is called: neither the events nor the list of apps. */
async function slowDesktop(page: Page): Promise<() => void> {
  const { promise: over, resolve: release } = Promise.withResolvers<void>();
  await page.routeWebSocket(/\/ws\/events\?/, (socket) => {
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

describe('stopped and started', beside, () => {
  test('stop and start in the task manager: the open window says so and comes back', inTurn, async (context) => {
    const { expect } = context;
    const { page } = await desk(context);
    const row = rowsOf(page);
    const press = pressOn(page);
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

  test('a page that is there before the desktop knows of its app is the app: it stays, and a stop stands', inTurn, async (context) => {
    const { expect } = context;
    const { page } = await desk(context);
    const row = rowsOf(page);
    const press = pressOn(page);
    await page.evaluate(async () => await fetch('/api/apps/notas/stop', { method: 'POST' }));
    await until('it has stopped', async () => !(await page.evaluate(isReady, 'notas')));
    const release = await slowDesktop(page);
    await openApp(page, 'Notas');
    const notas = frameOf(page, 'Notas');
    await notas.getByRole('button', { name: 'Nova nota' }).click();
    await notas.getByLabel('Título').fill('ainda aqui');
    // An unsaved note is named in the title when its app stops.
    await notas.getByText('Salva', { exact: true }).waitFor();
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
});

describe('no page', beside, () => {
  test('an app that binds TCP by mistake: the reason is in the table, the cause and the log in the details', inTurn, async (context) => {
    const { expect } = context;
    const { page } = await desk(context);
    const row = rowsOf(page);
    const press = pressOn(page);
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

  test(
    'the panel of an app that does not run has the looks, the language and the keys of the desktop around it',
    inTurn,
    async (context) => {
      const { expect } = context;
      const { page } = await desk(context);
      await page.evaluate(() => {
        localStorage.setItem('svc.language', 'en');
        localStorage.setItem('svc.theme', 'dark');
      });
      await page.reload();
      await page.getByRole('toolbar').waitFor();
      // Its page never comes: after 20 s the portal answers for it.
      await openApp(page, 'Porta errada');
      const panel = frameOf(page, 'Porta errada');
      await panel.getByRole('heading', { name: /^Porta errada (is starting|did not start|could not start)/ }).waitFor();
      expect(await panel.locator('html').getAttribute('lang')).toBe('en');
      expect(await panel.locator('body').evaluate((body) => getComputedStyle(body).backgroundColor)).toBe('rgb(24, 29, 40)');
      expect(await panel.locator('body').innerText()).not.toMatch(/Iniciar|Parar|registro|Código|aplicativo/);
      await panel.locator('summary').focus();
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox').waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: /Session and preferences/ }).click();
      await page.getByRole('menuitemradio', { name: 'Light' }).click();
      await expect.poll(() => panel.locator('body').evaluate((body) => getComputedStyle(body).backgroundColor)).toBe('rgb(255, 255, 255)');
    },
  );
});

test('an app that crashes: its failures are counted, and the log follows from run to run', beside, async (context) => {
  const { expect } = context;
  const { page } = await desk(context);
  const row = rowsOf(page);
  const press = pressOn(page);
  await openApp(page, 'Gerenciador de tarefas');
  await row('cai').locator('button.name').click();
  await press('cai', 'Iniciar Cai');
  const log = page.getByRole('region', { name: 'Detalhes de Cai' }).getByRole('log');
  // Twelve lines of 18 px in the window as it opens.
  expect(await log.evaluate((box) => box.clientHeight)).toBeGreaterThanOrEqual(12 * 18);
  const [box, window] = [await boxOf(log), await boxOf(windowOf(page, 'Gerenciador de tarefas'))];
  expect(box.y + 10 * 18).toBeLessThanOrEqual(window.y + window.height);
  await until('a line of the second run', async () => /\(vez [2-9]/.test((await log.textContent()) ?? ''));
  await row('cai')
    .getByText(/Falhas: [1-9]/)
    .waitFor();
  await press('cai', 'Parar Cai');
  await row('cai').getByText('Parado', { exact: true }).waitFor();
  await page.getByRole('radio', { name: 'Execução anterior' }).check();
  await until('the run before', async () => /\(vez [1-9]\)/.test((await log.textContent()) ?? ''));
  expect(await page.getByRole('checkbox', { name: 'Acompanhar' }).count()).toBe(0);
});

test('a portal that stands still, then kill -9 of it: the page says that it is away, and is whole again soon after its restart', async (context) => {
  const { expect } = context;
  const { page, portal } = await desk(context);
  await openApp(page, 'Notas');
  await frameOf(page, 'Notas').getByRole('button', { name: 'Nova nota' }).waitFor();
  await openApp(page, 'Gerenciador de tarefas');
  const before = await until('a pid in the table', async () => (await shownPid(page, 'notas')) || null);
  await openApp(page, 'Relógio');
  await windowOf(page, 'Relógio').locator('.overlay').waitFor({ state: 'detached' });
  const good = await page.locator('svc-taskbar .light').evaluate((light) => getComputedStyle(light).backgroundColor);
  process.kill(portal.pid, 'SIGSTOP');
  const stoppedMs = performance.now();
  await page.getByText('Sem conexão com o portal').waitFor();
  const strip = windowOf(page, 'Relógio').getByText('O portal não responde');
  await strip.waitFor();
  expect(performance.now() - stoppedMs).toBeLessThan(30_000);
  expect(await page.locator('svc-taskbar .light').evaluate((light) => getComputedStyle(light).backgroundColor)).not.toBe(good);
  expect(await axeFindings(page)).toEqual([]);
  await openApp(page, 'Placa');
  await windowOf(page, 'Placa').getByText('O portal não respondeu').waitFor();
  await portal.kill();
  const counted = page.waitForRequest((request) => request.url().endsWith('/api/apps/notas/janelas'), { timeout: 60_000 });
  await portal.again();
  const againMs = performance.now();
  // Two seconds at most between two tries, and a new connection.
  await page.getByText('Conectado ao portal').waitFor({ state: 'attached' });
  expect(performance.now() - againMs).toBeLessThan(10_000);
  await strip.waitFor({ state: 'detached' });
  await frameOf(page, 'Placa').getByRole('heading').first().waitFor();
  expect(((await counted).postDataJSON() as { abertas: number }).abertas).toBe(1);
  await until(
    'the very same process in the table',
    async () => (await page.evaluate(isReady, 'notas')) && (await shownPid(page, 'notas')) === before,
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
