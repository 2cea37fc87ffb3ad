/**
 * The queue on a real Slurm: from an app in Python, one in Node and a page to batch jobs and back; and whose turn it is when many people wait for two
 * places. The node, the controller and the answer of sbatch are lost in controller/clusters/slurm.real.test.ts.
 */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AppProjection } from '../../schema/wire/http.ts';
import type { JobView } from '../../schema/wire/jobs.ts';
import { backendEnv, cleanUp, commandOf, runtimes, start, type Backend, type Runtime } from '../../sdk/testing/runtimes.ts';
import { openApp, signedIn, frameAt } from '../browser/support/browser.ts';
import { closePages, openBrowser } from '../support/chromium.ts';
import { tellCount } from '../support/counts.ts';
import { signInPage, type PageClient } from '../support/page-client.ts';
import { emptyServer, repository, startPortal, until, type RunningPortal } from '../support/portal.ts';
import { startSlurm, type TestSlurm } from '../support/slurm.ts';
import { startSshd, type TestSshd } from '../support/sshd.ts';
import { slurmClusters } from './slurm-clusters.ts';
import { backendPids, order, whenInstalled, whenState, writeDesired } from './world.ts';
import { copyExamples } from '../support/example-desired.ts';

const isLong = process.env['SVC_TEST_LONG'] === '1';
/** Beside ana. */
const crowd = Array.from({ length: isLong ? 10 : 3 }, (_, n) => `pessoa${n}`);
const jobsEach = isLong ? 100 : 6;

let folder: string;
let slurm: TestSlurm;
let sshd: TestSshd;
let portal: RunningPortal;
let page: PageClient;
/** SVC_PORTAL_* of the backend of Moinho. */
let granted: Record<string, string>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svcq-'));
  await Promise.all([
    startSlurm().then((made) => (slurm = made)),
    startSshd({ accounts: 0 }).then((made) => (sshd = made)),
    copyExamples(['moinho', 'relogio'], join(folder, 'p')),
  ]);
  const manifest = join(folder, 'p/relogio/svc-app.json');
  await writeFile(manifest, JSON.stringify({ ...(JSON.parse(await readFile(manifest, 'utf8')) as object), recursos: { fila: true } }));
  const cluster = await slurmClusters(folder, slurm, sshd);
  const desired = await writeDesired(join(folder, 'd'), {
    apps: ['moinho'],
    packages: join(folder, 'p'),
    fila: '{ clusters: [grande, dois] }',
    more: [
      cluster('grande', 4),
      cluster('dois', 2),
      `kind: Package
metadata: { name: relogio }
spec:
  app: relogio
  versao: "1.0.0"
  server: casa
  onde: grande
  formulario: { cpus: { padrao: 1, min: 1, max: 2 }, memoriaMb: { padrao: 100, opcoes: [100, 200] }, segundos: { padrao: 1800, min: 15, max: 7200 } }`,
    ],
    people: crowd,
  });
  portal = await startPortal({ desired, state: join(folder, 's') });
  await whenInstalled(portal, 'moinho');
  page = await signInPage(portal.link, portal.port);
  await order(portal, 'start', 'moinho');
  await whenState(portal, 'moinho', 'running');
  const [pid] = backendPids(portal.state, 'moinho');
  const environ = (await readFile(`/proc/${pid}/environ`, 'utf8')).split('\0').filter((entry) => entry.startsWith('SVC_PORTAL_'));
  granted = Object.fromEntries(environ.map((entry) => [entry.split('=', 1)[0] ?? '', entry.slice(entry.indexOf('=') + 1)]));
}, 120_000);
afterAll(async () => {
  await cleanUp();
  await portal?.stop();
  await slurm?.stop();
  await sshd?.stop();
  await emptyServer(join(folder, 's'));
  await rm(folder, { recursive: true, force: true });
});

const bash = (script: string): readonly string[] => ['bash', '-c', script];
const limites = { cpus: 1, memoriaMb: 50, segundos: 300 };
const read = async (id: string): Promise<JobView> => (await page.call('GET', `/api/fila/trabalhos/${id}?app=moinho`)).json() as JobView;
const whenOver = (id: string): Promise<JobView> =>
  until(
    `${id} over`,
    async () => {
      const job = await read(id);
      return job.terminadoEm === null ? null : job;
    },
    120_000,
  );
const whenRunning = (id: string): Promise<unknown> => until(`${id} runs`, async () => (await read(id)).estado === 'a-correr');
async function submit(script: string, more: object = {}, from = page): Promise<string> {
  const body = { chave: crypto.randomUUID(), comando: bash(script), limites, ...more };
  const answer = await from.call('POST', '/api/fila/trabalhos?app=moinho', body);
  if (answer.status !== 201) throw new Error(`${answer.status} ${answer.body.toString()}`);
  return (answer.json() as JobView).id;
}
function begin(runtime: Runtime, call: readonly unknown[]): Backend {
  const main = join(repository, 'sdk/testing/queue', runtime === 'node' ? 'main.cjs' : 'main.py');
  return start([...commandOf(runtime, main), JSON.stringify(call)], backendEnv(folder, granted));
}
async function run<T>(runtime: Runtime, ...call: readonly [string, (readonly unknown[])?, object?]): Promise<T> {
  const backend = begin(runtime, [call[0], call[1] ?? [], call[2] ?? {}]);
  if ((await backend.ended) !== 0) throw new Error(backend.output());
  return JSON.parse(backend.output().trim().split('\n').at(-1) ?? '') as T;
}

describe.each(runtimes)('an app in %s', (runtime) => {
  test('submits with an input, follows, downloads; and cancels another job', async () => {
    const input = join(folder, `dados-${runtime}`);
    await writeFile(input, 'sete');
    const script = 'echo "em $SLURM_JOB_PARTITION"; tr a-z A-Z <entrada/dados >"$SVC_SAIDA/maior"';
    const campos = { comando: bash(script), entradas: { 'entrada/dados': input }, limites, cluster: 'grande' };
    const long = await run<JobView>(runtime, 'submeter', [], { comando: bash('sleep 300'), limites, cluster: 'grande' });
    const { id } = await run<JobView>(runtime, 'submeter', [], campos);
    const following = begin(runtime, ['acompanhar', [id], {}]);
    expect(await following.ended).toBe(0);
    const news = following
      .output()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as JobView & { readonly linhas: readonly string[] });
    expect(news.at(-1)).toMatchObject({ estado: 'terminado', codigo: 0, cluster: 'grande' });
    expect(news.flatMap(({ linhas }) => linhas)).toEqual(['em teste']);
    const to = join(folder, `saida-${runtime}`);
    await mkdir(to);
    await run(runtime, 'baixar', [id, to]);
    expect(await readFile(join(to, 'maior'), 'utf8')).toBe('SETE');
    await whenRunning(long.id);
    await run(runtime, 'cancelar', [long.id]);
    expect(await whenOver(long.id)).toMatchObject({ estado: 'cancelado' });
  }, 120_000);
});

test('a page submits, follows, downloads and cancels', async () => {
  const browser = await openBrowser();
  try {
    const { page: desk, problems } = await signedIn(browser, portal, {}, { button: /^Moinho/ });
    await openApp(desk, 'Moinho');
    await desk.frameLocator('iframe[title="Moinho"]').locator('body').waitFor();
    const frame = await frameAt(desk, 'Moinho');
    await frame.waitForFunction('window.svc?.fila !== undefined');
    const seen = await frame.evaluate(`(async () => {
      const limites = { cpus: 1, memoriaMb: 50, segundos: 300 };
      const bash = (script) => ['bash', '-c', script];
      const other = await svc.fila.submeter({ comando: bash('sleep 300'), limites, cluster: 'grande' });
      const script = 'echo da página; rev <entrada/a >"$SVC_SAIDA/b"';
      const { id } = await svc.fila.submeter({ comando: bash(script), entradas: { 'entrada/a': new Blob(['amor']) }, limites, cluster: 'grande' });
      const lines = [];
      let last;
      for await (const news of svc.fila.acompanhar(id)) { last = news.estado; lines.push(...news.linhas); }
      const [output] = await svc.fila.baixar(id);
      await svc.fila.cancelar(other.id);
      let end;
      for await (const news of svc.fila.acompanhar(other.id)) end = news.estado;
      return { last, lines, name: output.caminho, text: (await output.blob.text()).trim(), end };
    })()`);
    expect(seen).toEqual({ last: 'terminado', lines: ['da página'], name: 'b', text: 'roma', end: 'cancelado' });
    expect(problems).toEqual([]);
  } finally {
    await closePages(browser);
  }
}, 120_000);

describe('an app that runs as a job', () => {
  const at = async (): Promise<AppProjection> => (await page.call('GET', '/api/apps/relogio')).json() as AppProjection;
  const when = (what: string, is: (app: AppProjection) => boolean): Promise<AppProjection> =>
    until(what, async () => ((app) => (is(app) ? app : null))(await at()), 60_000);
  const start = async (pedido: object) => await page.call('POST', '/api/apps/relogio/start', { pedido });
  const jobs = async (...more: readonly string[]): Promise<readonly string[]> =>
    (await slurm.ask('squeue', '--noheader', '--format', '%i %j %C %m', ...more))
      .split('\n')
      .filter((line) => line.includes('svc-app-relogio'));

  test('asks for what may be had, waits, runs, and ends with its time; the portal and the controller of Slurm are killed in between', async () => {
    await whenInstalled(portal, 'relogio');
    const refused = await start({ cpus: 3 });
    expect([refused.status, refused.json()]).toMatchObject([400, { code: 'BAD_REQUEST', campo: 'pedido.cpus' }]);
    await slurm.ask('scontrol', 'update', 'PartitionName=teste', 'State=DOWN');
    const answer = await start({ cpus: 2, memoriaMb: 200, segundos: 25 });
    expect(answer.json()).toMatchObject({ ready: false, status: 'starting' });
    await when('a place in the queue', ({ reason, trabalho }) => reason === 'InQueue' && trabalho?.lugar === 1);
    await portal.kill();
    await portal.again();
    await slurm.killController();
    await slurm.startController();
    await slurm.ask('scontrol', 'update', 'PartitionName=teste', 'State=UP');
    const app = await when('ready', ({ ready }) => ready);
    expect(app).toMatchObject({ status: 'running', cluster: 'grande', trabalho: { estado: 'running' } });
    expect((app.trabalho?.fimMs ?? 0) - Date.now()).toBeLessThan(25_000);
    expect((await page.call('GET', '/api/apps/relogio/pedido')).json()).toMatchObject({
      pedido: { cpus: 2, memoriaMb: 200, segundos: 25, gpus: 0 },
    });
    expect(await jobs()).toEqual([expect.stringMatching(/ 2 200M$/)]);
    await slurm.killController();
    const over = await when('its time is over', ({ status }) => status === 'stopped');
    await slurm.startController();
    expect(over).toMatchObject({ reason: 'JobTimeOver', wanted: false, trabalho: null, failures: 0, lastExit: { reason: 'JobTimeOver' } });
    // The job ended by its own clock; a controller that was away hears of that when the node tells it once more.
    await until('Slurm knows of its end', async () => (await jobs('--states=RUNNING,PENDING')).length === 0, 60_000);
  }, 180_000);

  test('a stop cancels it, and a job that Slurm cancels is told as that', async () => {
    await start({ segundos: 1_800 });
    await when('ready', ({ ready }) => ready);
    await order(portal, 'stop', 'relogio');
    await until('no job of it', async () => (await jobs('--states=RUNNING,PENDING,COMPLETING')).length === 0);
    expect(await at()).toMatchObject({ status: 'stopped', reason: 'StoppedByAdmin' });
    await start({ segundos: 1_800 });
    await when('ready', ({ ready }) => ready);
    await slurm.ask('scancel', (await jobs())[0]?.split(' ')[0] ?? '');
    // This Slurm forgets a job after two seconds: a list that is asked for later no longer says who ended it.
    const reason = expect.stringMatching(/^(?:ClusterCancelled|JobEnded)$/) as string;
    expect(await when('stopped', ({ status }) => status === 'stopped')).toMatchObject({ reason, wanted: false });
  }, 120_000);

  test('in its window a person asks for it by keys on a narrow screen, sees its place, then its page and its time', async () => {
    const browser = await openBrowser();
    try {
      const { page: desk, problems } = await signedIn(browser, portal, {}, { button: /^Moinho/ });
      await desk.setViewportSize({ width: 320, height: 640 });
      await slurm.ask('scontrol', 'update', 'PartitionName=teste', 'State=DOWN');
      await openApp(desk, 'Relógio');
      const card = desk.locator('svc-cluster-card');
      await card.getByLabel(/^(Memória|Memory)$/).focus();
      await desk.keyboard.type('200');
      expect(await card.locator('.overlay').evaluate((overlay) => overlay.scrollWidth - overlay.clientWidth)).toBe(0);
      await card.getByRole('button', { name: /^(Iniciar|Start)$/ }).press('Enter');
      await card.getByText(/(Lugar na fila|Place in the queue): 1/).waitFor();
      await slurm.ask('scontrol', 'update', 'PartitionName=teste', 'State=UP');
      // Its page has a WebSocket.
      await desk.frameLocator('iframe[title="Relógio"]').locator('#estado[data-estado="ligado"]').waitFor({ timeout: 60_000 });
      await card.getByText(/Faltam|left/).waitFor();
      expect(await card.locator('.strip').evaluate((strip) => strip.computedStyleMap().get('display')?.toString())).toBe('flex');
      expect((await at()).trabalho?.estado).toBe('running');
      expect(problems).toEqual([]);
    } finally {
      await closePages(browser);
    }
  }, 120_000);
});

test('on two places each of those who wait gets as many as the others', async () => {
  const pages = await Promise.all(
    crowd.map(async (person) => {
      const { link } = (await portal.admin('POST', '/api/admin/links', { person })).body as { link: string };
      return await signInPage(link, portal.port);
    }),
  );
  // Both places are taken until all have submitted, so that nobody is ahead for having been first.
  const gate = join(folder, 'portao');
  const held = await Promise.all([1, 2].map(async () => await submit(`until [ -e ${gate} ]; do sleep 0.2; done`, { cluster: 'dois' })));
  await Promise.all(held.map(whenRunning));
  await Promise.all(
    pages.map(async (from) => {
      for (let n = 0; n < jobsEach; n += 1) await submit('true', { cluster: 'dois' }, from);
    }),
  );
  const startedMs = performance.now();
  await writeFile(gate, '');
  const all = await until(
    'all of them over',
    async () => {
      const lists = await Promise.all(pages.map(allJobs));
      return lists.every((jobs) => jobs.length === jobsEach && jobs.every(({ terminadoEm }) => terminadoEm !== null)) ? lists.flat() : null;
    },
    isLong ? 3_000_000 : 225_000,
    1_000,
  );
  const tookS = (performance.now() - startedMs) / 1_000;
  // Only what began while everybody still waited says something about shares.
  const lastWait = Math.min(
    ...crowd.map((person) => Math.max(...all.filter(({ usuario }) => usuario === person).map(({ iniciadoEm }) => iniciadoEm ?? 0))),
  );
  const shares = crowd.map((person) => all.filter(({ usuario, iniciadoEm }) => usuario === person && (iniciadoEm ?? 0) <= lastWait).length);
  const ratio = Math.max(...shares) / Math.min(...shares);
  tellCount(
    `${all.length} jobs of ${crowd.length} people on two places in ${tookS.toFixed(0)} s: ${shares.join(', ')}, max/min ${ratio.toFixed(2)}`,
  );
  // A node that a loaded machine keeps from answering is down for Slurm; its job failed for that and nothing else.
  const unended = all.filter(({ estado }) => estado !== 'terminado');
  expect(unended.filter(({ mensagem }) => !mensagem.includes('NODE_FAIL'))).toEqual([]);
  expect(unended.length).toBeLessThanOrEqual(all.length / 100);
  expect(ratio).toBeLessThanOrEqual(isLong ? 1.2 : 2);
}, 3_600_000);

/** A person's jobs, page by page. */
async function allJobs(from: PageClient): Promise<readonly JobView[]> {
  const jobs: JobView[] = [];
  for (;;) {
    const before = jobs.at(-1);
    const { trabalhos } = (await from.call('GET', `/api/fila?app=moinho${before === undefined ? '' : `&antes=${before.id}`}`)).json() as {
      trabalhos: readonly JobView[];
    };
    jobs.push(...trabalhos);
    if (trabalhos.length < 200) return jobs;
  }
}
