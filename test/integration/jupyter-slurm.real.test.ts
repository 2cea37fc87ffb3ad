/**
 * Jupyter as a job on a real Slurm: a person asks for time, waits, computes in a notebook, and is told when the time is over; the portal and the
 * controller of Slurm are killed while the kernel holds a value. `sh setup/ready.sh long` installs Jupyter.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AppProjection } from '../../schema/wire/http.ts';
import { largePortUses } from '../../examples/testing/large-port-uses.ts';
import { builtPorts } from '../../examples/testing/port.ts';
import { frameOf, openApp, signedIn, windowOf } from '../browser/support/browser.ts';
import { closePages, openBrowser } from '../support/chromium.ts';
import { tellCount } from '../support/counts.ts';
import { signInPage, type PageClient } from '../support/page-client.ts';
import { emptyServer, startPortal, until, type RunningPortal } from '../support/portal.ts';
import { startSlurm, type TestSlurm } from '../support/slurm.ts';
import { startSshd, type TestSshd } from '../support/sshd.ts';
import { slurmClusters } from './slurm-clusters.ts';
import { whenInstalled, writeDesired } from './world.ts';

const walltimeS = 90;
const form = `{ cpus: { padrao: 1, max: 2 }, memoriaMb: { padrao: 500, max: 1000 }, segundos: { padrao: ${walltimeS}, min: 15, max: 7200 } }`;

describe.runIf(process.env['SVC_TEST_LONG'] === '1')('Jupyter on a cluster', () => {
  let folder: string;
  let slurm: TestSlurm;
  let sshd: TestSshd;
  let portal: RunningPortal;
  let person: PageClient;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svcq-'));
    [slurm, sshd] = await Promise.all([startSlurm(), startSshd({ accounts: 0 })]);
    builtPorts(['jupyter'], join(folder, 'p'));
    const manifest = join(folder, 'p/jupyter/svc-app.json');
    await writeFile(manifest, JSON.stringify({ ...(JSON.parse(await readFile(manifest, 'utf8')) as object), recursos: { fila: true } }));
    const cluster = await slurmClusters(folder, slurm, sshd);
    const desired = await writeDesired(join(folder, 'd'), {
      apps: [],
      packages: join(folder, 'p'),
      fila: '{ clusters: [grande] }',
      more: [
        cluster('grande', 4),
        `kind: Package\nmetadata: { name: jupyter }\nspec: { app: jupyter, versao: "1.0.0", server: casa, onde: grande, formulario: ${form} }`,
      ],
    });
    portal = await startPortal({ desired, state: join(folder, 's') });
    await whenInstalled(portal, 'jupyter');
    person = await signInPage(portal.link, portal.port);
  }, 180_000);
  afterAll(async () => {
    await portal?.stop();
    await slurm?.stop();
    await sshd?.stop();
    await emptyServer(join(folder, 's'));
    await rm(folder, { recursive: true, force: true });
  });

  const at = async (): Promise<AppProjection> => (await person.call('GET', '/api/apps/jupyter')).json() as AppProjection;
  const when = (what: string, is: (app: AppProjection) => boolean, msMax = 60_000): Promise<AppProjection> =>
    until(what, async () => ((app) => (is(app) ? app : null))(await at()), msMax);

  test('it is asked for in its window, waits, computes through the deaths of portal and slurmctld, and ends with its time', async () => {
    const browser = await openBrowser();
    try {
      const { page } = await signedIn(browser, portal, {}, { button: /^Jupyter/ });
      await slurm.ask('scontrol', 'update', 'PartitionName=teste', 'State=DOWN');
      await openApp(page, 'Jupyter');
      const card = page.locator('svc-cluster-card');
      await card.getByRole('button', { name: /^(Iniciar|Start)$/ }).click();
      await card.getByText(/(Lugar na fila|Place in the queue): 1/).waitFor();
      await slurm.ask('scontrol', 'update', 'PartitionName=teste', 'State=UP');
      const startMs = performance.now();
      const running = await when('ready', ({ ready }) => ready);
      const readyMs = Math.round(performance.now() - startMs);
      expect(running).toMatchObject({ status: 'running', cluster: 'grande', trabalho: { estado: 'running' } });
      const app = frameOf(page, 'Jupyter');
      await largePortUses['jupyter']!.use(app, page, folder);
      const [job] = (await slurm.ask('squeue', '--noheader', '--states=RUNNING', '--format', '%i %j')).trim().split('\n');
      expect(job).toContain('svc-app-jupyter');

      await portal.kill();
      await slurm.killController();
      await slurm.startController();
      await portal.again();
      await when('ready again', ({ ready }) => ready);
      expect((await slurm.ask('squeue', '--noheader', '--states=RUNNING', '--format', '%i %j')).trim()).toBe(job);
      // The kernel of before, with the value of before.
      await app.locator('body').evaluate('location.reload()');
      await app.locator('#kernel_indicator').getByText('Python 3').waitFor();
      await app.locator('.cell.selected .CodeMirror').click();
      await page.keyboard.press('Control+a');
      await page.keyboard.insertText('x * 100');
      await page.keyboard.press('Shift+Enter');
      await app.locator('.output_result').getByText('4200').waitFor();

      const over = await when('its time is over', ({ status }) => status === 'stopped', walltimeS * 2_000);
      expect(over).toMatchObject({ reason: 'JobTimeOver', wanted: false, trabalho: null, failures: 0 });
      await windowOf(page, 'Jupyter')
        .getByText(/tempo|time/i)
        .first()
        .waitFor();
      await until(
        'Slurm has no job of it',
        async () => !(await slurm.ask('squeue', '--noheader', '--states=RUNNING,PENDING', '--format', '%j')).includes('jupyter'),
      );
      tellCount(
        `jupyter as a job of Slurm: ready ${readyMs} ms after the partition was open, ${walltimeS} s of time, both killed in between`,
      );
    } finally {
      await closePages(browser);
    }
  }, 400_000);
});
