/** The queue over its real routes: a portal, its own machine as the cluster, and the wrapper as it ships. */
import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { JobView, QueueAnswer } from '../../schema/wire/jobs.ts';
import { signInPage, type PageClient } from '../support/page-client.ts';
import { emptyServer, startPortal, until, type RunningPortal } from '../support/portal.ts';
import { whenQueueTakes, writeQueueDesired } from './queue-world.ts';
import { whenInstalled } from './world.ts';

let folder: string;
let portal: RunningPortal;
let page: PageClient;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svcq-'));
  portal = await startPortal({ desired: await writeQueueDesired(folder), state: join(folder, 's') });
  page = await signInPage(portal.link, portal.port);
  await whenInstalled(portal, 'notas');
  await whenQueueTakes(page);
}, 60_000);
afterAll(async () => {
  await portal?.stop();
  await emptyServer(join(folder, 's'));
  await rm(folder, { recursive: true, force: true });
});

const sha = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

async function upload(bytes: Buffer): Promise<string> {
  const name = sha(bytes);
  const answer = await page.call('PUT', `/api/fila/entradas/${name}?app=notas&desde=0&tamanho=${bytes.length}`, bytes);
  expect(answer.json()).toEqual({ ate: bytes.length, completo: true });
  return name;
}

async function submit(body: object): Promise<JobView> {
  const answer = await page.call('POST', '/api/fila/trabalhos?app=notas', body);
  expect([answer.status, answer.body.toString()]).toEqual([201, expect.any(String)]);
  return answer.json() as JobView;
}

const read = async (id: string): Promise<JobView> => (await page.call('GET', `/api/fila/trabalhos/${id}?app=notas`)).json() as JobView;
const whenOver = (id: string): Promise<JobView> =>
  until(`${id} over`, async () => {
    const job = await read(id);
    return job.terminadoEm === null ? null : job;
  });

test.concurrent('a job runs with its inputs, tells its progress and its log, and leaves its outputs', async ({ expect }) => {
  expect((await page.call('GET', '/api/fila?app=notas')).json()).toMatchObject({ disponivel: true, clusters: [{ nome: 'local' }] });
  const input = Buffer.from('41\n');
  const name = await upload(input);
  const command =
    'read n <entrada/a/n.txt; echo "svc-progresso 0.5" >"$SVC_PROGRESSO"; echo "got $n $SOMA"; mkdir -p saida/b; echo $((n + SOMA)) >saida/b/soma.txt';
  const body = {
    chave: 'primeira',
    nome: 'soma',
    comando: ['bash', '-c', command],
    entradas: [{ caminho: 'entrada/a/n.txt', sha: name }],
    ambiente: { SOMA: '1' },
    limites: { segundos: 60 },
  };
  const { id } = await submit(body);
  // The answer was lost: the same key names the same job.
  const again = await page.call('POST', '/api/fila/trabalhos?app=notas', body);
  expect([again.status, (again.json() as JobView).id]).toEqual([200, id]);
  const job = await whenOver(id);
  expect(job).toMatchObject({ estado: 'terminado', motivo: 'JobDone', codigo: 0, progresso: 0.5 });
  expect((await page.call('GET', `/api/fila/trabalhos/${id}/registo?app=notas`)).body.toString()).toBe('got 41 1\n');
  expect((await page.call('GET', `/api/fila/trabalhos/${id}/saida?app=notas`)).json()).toMatchObject({
    saidas: [{ caminho: 'b/soma.txt', completo: true }],
  });
  expect((await page.call('GET', `/api/fila/trabalhos/${id}/saida/b/soma.txt?app=notas`)).body.toString()).toBe('42\n');
  const part = await page.call('GET', `/api/fila/trabalhos/${id}/saida/b/soma.txt?app=notas`, undefined, { range: 'bytes=1-' });
  expect([part.status, part.body.toString()]).toEqual([206, '2\n']);
});

// Outputs are sent every twenty seconds: the others go on meanwhile.
test.concurrent('what is complete is downloaded while the job runs', { timeout: 120_000 }, async ({ expect }) => {
  const { id } = await submit({
    chave: 'enquanto',
    comando: ['bash', '-c', 'echo um >"$SVC_SAIDA/parte"; sleep 200'],
    limites: { segundos: 240 },
  });
  const now = async (): Promise<string> => (await page.call('GET', `/api/fila/trabalhos/${id}/saida/parte?app=notas`)).body.toString();
  await until('its output', async () => (await now()) === 'um\n');
  expect((await read(id)).estado).toBe('a-correr');
  await page.call('DELETE', `/api/fila/trabalhos/${id}?app=notas`);
  expect(await whenOver(id)).toMatchObject({ estado: 'cancelado' });
});

test.concurrent('a command that fails, one that is cancelled, and who waits for news', async ({ expect }) => {
  const failing = await submit({ chave: 'falha', comando: ['bash', '-c', 'echo no >&2; exit 3'] });
  expect(await whenOver(failing.id)).toMatchObject({ estado: 'falhou', motivo: 'CommandFailed', codigo: 3 });
  const { id } = await submit({ chave: 'longa', comando: ['sleep', '600'] });
  await until('it runs', async () => (await read(id)).estado === 'a-correr');
  const { etag = '' } = (await page.call('GET', `/api/fila/trabalhos/${id}?app=notas`)).headers;
  const held = page.call('GET', `/api/fila/trabalhos/${id}?app=notas&espera=30`, undefined, { 'if-none-match': etag });
  await page.call('DELETE', `/api/fila/trabalhos/${id}?app=notas`);
  expect((await held).status).toBe(200);
  expect(await whenOver(id)).toMatchObject({ estado: 'cancelado', motivo: 'JobCancelled' });
});

test('the admin sees and explains it', async () => {
  const { trabalhos } = (await portal.admin('GET', '/api/admin/fila')).body as QueueAnswer;
  expect(trabalhos.map(({ chave }) => chave).toSorted()).toEqual(['enquanto', 'falha', 'longa', 'primeira']);
  const job = trabalhos.find(({ chave }) => chave === 'primeira');
  expect(job).toMatchObject({ usuario: 'ana', estado: 'terminado' });
  expect((await portal.admin('GET', `/api/admin/why?key=Job/${job?.id}`)).body).toMatchObject({
    sentence: expect.stringContaining('ended with code 0'),
  });
  expect((await portal.admin('GET', '/api/admin/why?key=Cluster/local')).body).toMatchObject({
    sentence: expect.stringContaining('reachable'),
  });
});
