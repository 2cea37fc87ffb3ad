/**
 * Metrics from end to end: the example `medidor` counts in its backend and its page, and the portal shows it at `/metrics`, in the task
 * manager and in `svc logs`; and docs/monitoring/ describes exactly those. Source: rules 2.1, 6, 8.
 */
import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, FrameLocator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runSvc } from '../../bin/testing/run-svc.ts';
import { order, whenInstalled, whenState, writeDesired } from '../integration/world.ts';
import { repository, startPortal, until, type RunningPortal } from '../support/portal.ts';
import { axeInBothThemes, frameOf, openApp, signedIn, windowOf } from './support/browser.ts';
import { closePages, openBrowser } from '../support/chromium.ts';

let folder: string;
let portal: RunningPortal;
let browser: Browser;
let page: Page;
let medidor: FrameLocator;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svcm-'));
  const desired = await writeDesired(join(folder, 'd'), { apps: ['medidor', 'notas'] });
  [portal, browser] = await Promise.all([startPortal({ desired }), openBrowser()]);
  await whenInstalled(portal, 'medidor', 'notas');
  ({ page } = await signedIn(browser, portal, {}, { button: /^Medidor/ }));
  medidor = frameOf(page, 'Medidor');
});
afterAll(async () => {
  await closePages(browser);
  await portal?.stop();
  await rm(folder, { recursive: true, force: true });
});

const picture = async (name: string): Promise<void> => {
  const pictures = process.env['SVC_PICTURES'];
  if (pictures !== undefined) await page.screenshot({ path: join(pictures, `${name}.png`) });
};
const scrape = async (): Promise<string> => String((await portal.admin('GET', '/metrics')).body);
const valueOf = async (series: string): Promise<number> =>
  Number(
    (await scrape())
      .split('\n')
      .find((line) => line.startsWith(`${series} `))
      ?.slice(series.length) ?? 0,
  );
const whenValue = (series: string, value: number): Promise<unknown> =>
  until(`${series} is ${value}`, async () => (await valueOf(series)) === value);
const roll = async (dice: string, times: number): Promise<void> => {
  for (let n = 0; n < times; n += 1) {
    const answered = page.waitForResponse((response) => response.url().endsWith('/api/sorteio'));
    await medidor.getByRole('button', { name: dice, exact: true }).click();
    await answered;
  }
};

test('backend and page count towards the app, and the page says that it is counted', async () => {
  await openApp(page, 'Medidor');
  await medidor.getByText('O que você faz aqui é contado, sem dizer quem.').waitFor();
  await roll('d6', 3);
  await roll('d13', 2);
  await whenValue('svc_app_events_total{app="medidor",event="clique",dado="d6"}', 3);
  await whenValue('svc_app_events_total{app="medidor",event="sorteio",resultado="ok",lados="6"}', 3);
  await whenValue('svc_app_events_total{app="medidor",event="sorteio",resultado="erro"}', 2);
  await whenValue('svc_app_event_duration_seconds_count{app="medidor",event="sortear"}', 3);
  await whenValue('svc_app_event_duration_seconds_count{app="medidor",event="resposta"}', 3);
  expect((await scrape()).split('\n').filter((line) => /^svc_.*\bana\b/.test(line))).toEqual([]);
});

test('the errors of both are shown to the person and to the operator, each stack once', async () => {
  await until('two groups', async () => {
    const { body } = await portal.admin('GET', '/api/admin/backends/ana/medidor/errors');
    return (body as { readonly erros: readonly unknown[] }).erros.length === 2;
  });
  const { out, code } = await runSvc(folder, ['logs', 'ana/medidor', '--errors', '--state', portal.state]);
  expect(code).toBe(0);
  expect(out).toMatch(
    /ValueError: ninguém joga um dado de 13 lados\n {2}2 times, .* version 1\.0\.0, in the backend\n {4}at sortear \(.*main\.py:\d+\)/,
  );
  expect(out).toMatch(/Error: o sorteio respondeu 500\n {2}2 times, .* version 1\.0\.0, in the page\n {4}at sortear/);
  expect((await runSvc(folder, ['logs', 'ana/notas', '--errors', '--state', portal.state])).out).toBe('the app reported no error\n');
  expect(portal.output()).toContain('"msg":"error of an app"');

  await openApp(page, 'Gerenciador de tarefas');
  const tasks = windowOf(page, 'Gerenciador de tarefas');
  await tasks.locator('tr[data-app="medidor"] button.name').click();
  await tasks.getByText('2 tipos de erro relatados pelo aplicativo').click();
  await tasks.getByText('ninguém joga um dado de 13 lados').waitFor();
  await tasks.getByText(/2 vezes · no programa · versão 1\.0\.0 · por último há \d+ segundos?/).waitFor();
  await tasks.getByText('Pilha de chamadas').first().click();
  expect(await axeInBothThemes(page, { seen: async (suffix) => await picture(`app-errors${suffix}`) })).toEqual([]);
  await page.setViewportSize({ width: 320, height: 640 });
  await tasks.getByText('ninguém joga um dado de 13 lados').scrollIntoViewIfNeeded();
  const box = await tasks.locator('svc-app-errors').boundingBox();
  expect(box!.x >= 0 && box!.x + box!.width <= 320).toBe(true);
  await picture('app-errors-320');
  await page.setViewportSize({ width: 1280, height: 800 });
});

test('what was counted right before a stop is there after it', async () => {
  // In front of the task manager.
  await openApp(page, 'Medidor');
  const before = await valueOf('svc_app_events_total{app="medidor",event="sorteio",resultado="ok",lados="20"}');
  await roll('d20', 5);
  await order(portal, 'stop', 'medidor');
  await whenState(portal, 'medidor', 'stopped');
  expect(await valueOf('svc_app_events_total{app="medidor",event="sorteio",resultado="ok",lados="20"}')).toBe(before + 5);
});

test('an app that does not declare it is told so, and a page that is closed loses nothing', async () => {
  await openApp(page, 'Notas');
  const notas = frameOf(page, 'Notas');
  await notas.getByRole('button', { name: 'Nova nota' }).waitFor();
  expect(await notas.locator('body').evaluate<unknown, unknown>('svc.metricas.disponivel()')).toEqual({
    disponivel: false,
    motivo: 'o manifesto de notas não declara recursos.metricas',
    codigo: 'SEM_ESCOPO',
  });
  await openApp(page, 'Medidor');
  await medidor.getByText('O que você faz aqui é contado').waitFor();
  // Counted in the turn in which the page asks for its window to be closed.
  void medidor
    .locator('body')
    .evaluate<unknown, unknown>(`svc.metricas.contar('adeus'), void svc.window.close()`)
    .catch(() => undefined);
  await windowOf(page, 'Medidor').waitFor({ state: 'detached' });
  await whenValue('svc_app_events_total{app="medidor",event="adeus"}', 1);
});

const names = (text: string): readonly string[] => [...new Set(text.match(/\bsvc_[a-z_]+/g))];

test('promtool takes the rules and what the portal shows; every metric that docs/monitoring names is there', async () => {
  const promtool = (args: readonly string[], input = ''): string => {
    const { status, stdout, stderr, error } = spawnSync('promtool', args, { encoding: 'utf8', input });
    return `${status} ${error?.message ?? ''}${stdout}${stderr}`;
  };
  const rules = join(repository, 'docs/monitoring/svc.rules.yaml');
  expect(promtool(['check', 'rules', rules])).toMatch(/^0 .*\n {2}SUCCESS: 22 rules found/s);
  const shown = await scrape();
  expect(shown).toMatch(/^svc_app_start_duration_seconds_count\{app="medidor",step="answer"\} [1-9]/m);
  expect(shown).toMatch(/^svc_reconcile_duration_seconds_count\{kind="Backend"\} [1-9]/m);
  expect(shown).toMatch(/^svc_probe_total\{verdict="Healthy"\} [1-9]/m);
  // Names of Node's own figures are those of prom-client.
  const own = shown.split('\n\n').filter((part) => !/^# HELP svc_(?:nodejs|process)_/.test(part));
  expect(promtool(['check', 'metrics'], `${own.join('\n').trim()}\n`)).toBe('0 ');
  const there = new Set<string>();
  for (const [, name = '', type] of shown.matchAll(/^# TYPE (\S+) (\w+)$/gm)) {
    there.add(name);
    if (type === 'histogram') for (const end of ['_bucket', '_sum', '_count']) there.add(name + end);
  }
  const dashboard = await readFile(join(repository, 'docs/monitoring/svc-dashboard.json'), 'utf8');
  const { panels } = JSON.parse(dashboard) as { readonly panels: readonly { readonly targets: readonly { readonly expr: string }[] }[] };
  const named = names((await readFile(rules, 'utf8')) + panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)).join('\n'));
  expect(named.length).toBeGreaterThan(15);
  expect(named.filter((name) => !there.has(name))).toEqual([]);
  // Prometheus' own parser on each query of the dashboard, as a recording rule.
  const queries = panels.flatMap(({ targets }) => targets).map(({ expr }) => expr.replaceAll('$app', '.*'));
  const asRules = { groups: [{ name: 'dashboard', rules: queries.map((expr, at) => ({ record: `q:${at}`, expr })) }] };
  const file = join(folder, 'dashboard.rules.yaml');
  await writeFile(file, JSON.stringify(asRules));
  expect(promtool(['check', 'rules', file])).toMatch(new RegExp(`^0 .*SUCCESS: ${queries.length} rules found`, 's'));
  const page = await readFile(join(repository, 'docs/monitoring.md'), 'utf8');
  expect(names(page).filter((name) => !there.has(name) && !page.includes(`${name}…`))).toEqual([]);
});
