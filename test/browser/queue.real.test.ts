/** The queue window on a real portal whose own machine is the cluster: a job watched, its log and outputs, cancelled, tried again; hundreds of them; and its looks. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { JobView, QueueAnswer } from '../../schema/wire/jobs.ts';
import { writeQueueDesired } from '../integration/queue-world.ts';
import { whenInstalled } from '../integration/world.ts';
import { startPortal, until, type RunningPortal } from '../support/portal.ts';
import { axeInBothThemes, signedIn, windowOf, type TestPage } from './support/browser.ts';
import { takePicture } from './support/pictures.ts';
import { closePages, openBrowser } from '../support/chromium.ts';

let folder: string;
let portal: RunningPortal;
let browser: Browser;
let desk: TestPage;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'svcf-'));
  const aqui = 'kind: Cluster\nmetadata: { name: aqui }\nspec: { scheduler: { local: {} }, emVoo: 1 }';
  const desired = await writeQueueDesired(folder, { fila: '{ clusters: [aqui] }', more: [aqui] });
  [portal, browser] = await Promise.all([startPortal({ desired }), openBrowser()]);
  await whenInstalled(portal, 'notas');
  desk = await signedIn(browser, portal);
}, 60_000);
afterAll(async () => {
  await closePages(browser);
  await portal?.stop();
  await rm(folder, { recursive: true, force: true });
});

const queue = (page: Page): Locator => windowOf(page, 'Fila');
const row = (page: Page, name: string): Locator => queue(page).getByRole('listitem').filter({ hasText: name });
const details = (page: Page, name: string): Locator => queue(page).getByRole('region', { name: `Detalhes de ${name}` });

async function openQueue(page: Page): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('Fila');
  await page.getByRole('option', { name: 'Fila', exact: true }).first().waitFor();
  await page.keyboard.press('Enter');
  await queue(page).waitFor();
}

const submit = (page: Page, count: number, job: object): Promise<readonly string[]> =>
  page.evaluate(
    async ([count, job]) => {
      const ids: string[] = [];
      const one = async (n: number): Promise<void> => {
        const body = JSON.stringify({
          chave: crypto.randomUUID(),
          ...job,
          nome: `${(job as { nome: string }).nome}${n === 0 ? '' : ` ${n}`}`,
        });
        const answer = await fetch('/api/fila/trabalhos?app=notas', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body,
        });
        if (answer.status !== 201) throw new Error(await answer.text());
        ids.push(((await answer.json()) as { id: string }).id);
      };
      for (let n = 0; n < count; n += 50) await Promise.all(Array.from({ length: Math.min(50, count - n) }, (_, at) => one(n + at)));
      return ids;
    },
    [count, job] as const,
  );
const bash = (nome: string, script: string): object => ({ nome, comando: ['bash', '-c', script], limites: { segundos: 120 } });

test('a job is watched by keyboard, its log followed, and cancelled by two presses', async () => {
  const { page, problems } = desk;
  await openQueue(page);
  await queue(page).getByText('Nenhum trabalho ainda').waitFor();
  const script = [
    'echo "svc-progresso 0.4" >"$SVC_PROGRESSO"',
    'printf "\\033[1mcomeçou\\033[0m\\a\\n"',
    'echo 42 >"$SVC_SAIDA/soma.txt"',
    'echo ação >"$SVC_SAIDA/ação.txt"',
    'while [ ! -e "$SVC_SAIDA/nunca" ]; do sleep 0.2; done',
  ].join('; ');
  await submit(page, 1, bash('soma', script));
  await submit(page, 1, bash('espera', 'true'));
  await row(page, 'soma').getByText('Em execução').waitFor();
  await row(page, 'espera').getByText('1º na fila').waitFor();
  // By keyboard: Tab reaches the list once, arrows go on.
  await row(page, 'espera').getByRole('button').focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  const soma = details(page, 'soma');
  await soma.getByRole('progressbar', { name: 'Progresso' }).waitFor();
  await soma.getByText('começou␇').waitFor();
  expect(await queue(page).getByRole('log').getAttribute('aria-live')).toBe('off');
  await soma.getByRole('button', { name: 'Cancelar' }).click();
  await soma.getByText('Cancelar soma?').waitFor();
  await page.keyboard.press('Escape');
  await soma.getByRole('button', { name: 'Cancelar' }).click();
  await soma.getByRole('button', { name: 'Cancelar o trabalho' }).click();
  await row(page, 'soma').getByText('Cancelado').waitFor();
  expect(problems).toEqual([]);
});

test('outputs are downloaded, one and all; the same is submitted again', async () => {
  const { page, problems } = desk;
  await submit(page, 1, bash('saídas', 'mkdir -p "$SVC_SAIDA/b"; echo 42 >"$SVC_SAIDA/soma.txt"; echo 7 >"$SVC_SAIDA/b/ação.txt"'));
  await row(page, 'saídas').getByText('Terminado').waitFor();
  await row(page, 'saídas').getByRole('button').click();
  const job = details(page, 'saídas');
  const [one] = await Promise.all([page.waitForEvent('download'), job.getByRole('link', { name: 'Baixar b/ação.txt' }).click()]);
  expect([one.suggestedFilename(), await readFile(await one.path(), 'utf8')]).toEqual(['ação.txt', '7\n']);
  const [all] = await Promise.all([page.waitForEvent('download'), job.getByRole('link', { name: 'Baixar todos' }).click()]);
  const bytes = await readFile(await all.path());
  expect([all.suggestedFilename(), bytes.length % 512, bytes.includes('soma.txt'), bytes.includes('b/ação.txt')]).toEqual([
    'saídas.tar',
    0,
    true,
    true,
  ]);
  await job.getByRole('button', { name: 'Tentar de novo' }).click();
  await until('two of that name', async () => (await row(page, 'saídas').count()) === 2);
  await row(page, 'saídas').first().getByText('Terminado').waitFor();
  const list = await page.evaluate(async () => (await (await fetch('/api/fila')).json()) as QueueAnswer);
  const [again, first] = list.trabalhos as readonly [JobView, JobView];
  expect([again.comando, again.limites, again.chave === first.chave]).toEqual([first.comando, first.limites, false]);
  expect(problems).toEqual([]);
});

test('an administrator sees the jobs of all, by cluster and person', async () => {
  const { page } = desk;
  await queue(page).getByRole('button', { name: 'Trabalhos de todos' }).click();
  await row(page, 'saídas').first().getByText('ana').waitFor();
  await queue(page).getByLabel('Cluster').selectOption('aqui');
  await row(page, 'saídas').first().waitFor();
  await queue(page).getByLabel('Pessoa').fill('bia');
  await page.keyboard.press('Enter');
  await queue(page).getByText('Nenhum trabalho com estes filtros.').waitFor();
  await queue(page).getByRole('button', { name: 'Meus trabalhos' }).click();
  await row(page, 'saídas').first().waitFor();
  expect(await queue(page).getByLabel('Cluster').count()).toBe(0);
});

test('hundreds of jobs come page by page, and stay quick', async () => {
  const { page } = desk;
  await submit(page, 1, bash('longo', 'sleep 100'));
  await submit(page, 250, bash('muitos', 'true'));
  const older = queue(page).getByRole('button', { name: 'Mostrar mais antigos' });
  for (const shown of [200, 250]) {
    await until(`${shown} jobs`, async () => (await queue(page).locator('li[data-state]').count()) >= shown);
    if (shown === 200) await older.click();
  }
  const ms = await queue(page)
    .locator('svc-queue')
    .evaluate(async (element) => {
      const host = element as HTMLElement & { requestUpdate(): void; readonly updateComplete: Promise<unknown> };
      const from = performance.now();
      for (let n = 0; n < 5; n++) {
        host.requestUpdate();
        await host.updateComplete;
        void host.offsetHeight;
      }
      return (performance.now() - from) / 5;
    });
  expect(ms).toBeLessThan(250);
});

/** Fakes an unreachable cluster, which this portal can't have quickly: its cluster is the machine itself. */
async function pretend(page: Page): Promise<void> {
  const answer = await page.evaluate(async () => (await (await fetch('/api/fila')).json()) as QueueAnswer);
  const clusters = answer.clusters.map((cluster) => ({ ...cluster, alcancavel: false }));
  const [one, two, ...rest] = answer.trabalhos.slice(0, 8) as [JobView, JobView, ...JobView[]];
  const unknown = { ...one, estado: 'desconhecido', motivo: 'ClusterUnreachable', lugar: null };
  const half = { ...two, nome: 'meio', estado: 'a-correr', motivo: 'JobRunning', progresso: 0.62, lugar: null, terminadoEm: null };
  const off = { disponivel: false, codigo: 'INALCANCAVEL', motivo: 'nenhum cluster responde' };
  const json = { ...answer, ...off, clusters, trabalhos: [unknown, half, ...rest], mais: false };
  await page.route(/\/api\/fila(\?|$)/, (route) => route.fulfill({ json }));
}

test.for([
  [1280, 800, 'queue'],
  [320, 640, 'queue-320'],
] as const)('at %i px nothing is cut off, and axe finds nothing in either theme', async ([width, height, name]) => {
  const { page } = await signedIn(browser, portal, { viewport: { width, height } });
  await pretend(page);
  await openQueue(page);
  await queue(page).getByText('não responde.').first().waitFor();
  await queue(page).getByText('Desconhecido').first().waitFor();
  const look = async (what: string): Promise<void> => {
    const found = await axeInBothThemes(page, {
      seen: async (suffix) => {
        const wide = await queue(page)
          .locator('.list, svc-job-details')
          .evaluateAll((all) => all.map((one) => one.scrollWidth - one.clientWidth));
        expect([what, Math.max(...wide)]).toEqual([what, 0]);
        await takePicture(page, `${name}${what}${suffix}`);
      },
    });
    expect([what, ...found]).toEqual([what]);
  };
  await look('');
  await row(page, 'meio').getByRole('button').click();
  await details(page, 'meio').getByRole('button', { name: 'Cancelar' }).click();
  await details(page, 'meio').getByText('Cancelar meio?').waitFor();
  await look('-job');
  await page.context().close();
});
