/** The queue on a real Slurm: from a page to a batch job and back. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { JobView } from '../../schema/wire/jobs.ts';
import { signInPage, type PageClient } from '../support/page-client.ts';
import { emptyServer, startPortal, until, type RunningPortal } from '../support/portal.ts';
import { startSlurm, type TestSlurm } from '../support/slurm.ts';
import { writeQueueDesired } from './queue-world.ts';
import { whenInstalled } from './world.ts';

let folder: string;
let slurm: TestSlurm;
let portal: RunningPortal;
let page: PageClient;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svcq-'));
  slurm = await startSlurm();
  const grande = `kind: Cluster\nmetadata: { name: grande }\nspec: { scheduler: { slurm: { server: casa, partition: teste, conf: ${slurm.conf} } }, emVoo: 4 }`;
  portal = await startPortal({ desired: await writeQueueDesired(folder, { more: [grande] }), state: join(folder, 's') });
  page = await signInPage(portal.link, portal.port);
  await whenInstalled(portal, 'notas');
}, 90_000);
afterAll(async () => {
  await portal?.stop();
  await slurm?.stop();
  await emptyServer(join(folder, 's'));
  await rm(folder, { recursive: true, force: true });
});

const read = async (id: string): Promise<JobView> => (await page.call('GET', `/api/fila/trabalhos/${id}?app=notas`)).json() as JobView;
const whenOver = (id: string): Promise<JobView> =>
  until(`${id} over`, async () => {
    const job = await read(id);
    return job.terminadoEm === null ? null : job;
  });

test('a job goes to Slurm by its name, its log and outputs come back, and it is one', async () => {
  const script = 'echo "$SLURM_JOB_NAME"; echo pronto >"$SVC_SAIDA/r"; exit 3';
  const body = { chave: 'a', comando: ['bash', '-c', script], limites: { cpus: 1, memoriaMb: 100, segundos: 60 } };
  const { id } = (await page.call('POST', '/api/fila/trabalhos?app=notas', body)).json() as JobView;
  const job = await whenOver(id);
  expect(job).toMatchObject({ estado: 'falhou', codigo: 3, cluster: 'grande' });
  const log = (await page.call('GET', `/api/fila/trabalhos/${id}/registo?app=notas&desde=0`)).body.toString();
  expect(log).toMatch(new RegExp(`^svc-[0-9a-f]{12}-${id}\n$`));
  expect((await page.call('GET', `/api/fila/trabalhos/${id}/saida/r?app=notas`)).body.toString()).toBe('pronto\n');
});
