/**
 * kill -9 of the portal at each step of a job, from its submission to the removal of its rows, and in the middle of uploads, log and download. After a
 * restart no job is lost and none ran twice: each run of a command says so to a witness beside the portal. The points are those of
 * controller/faults.ts; SVC_TEST_LONG=1 takes every point, otherwise a seed takes two (controller/kinds/job-killed.test.ts has all, without processes).
 */
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { jobFaultPoints } from '../../controller/faults.ts';
import type { JobView, QueueAnswer } from '../../schema/wire/jobs.ts';
import { tellCount } from '../support/counts.ts';
import { signInPage, type PageClient } from '../support/page-client.ts';
import { emptyServer, startPortal, until, type RunningPortal } from '../support/portal.ts';
import { whenQueueTakes, writeQueueDesired } from './queue-world.ts';
import { whenInstalled } from './world.ts';

const seed = Number(process.env['FC_SEED'] ?? process.env['SVC_TEST_RUN_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const isDrop = (point: string): boolean => point.endsWith('drop') || point.endsWith('dropped');
const chosen = jobFaultPoints.filter((_, at) => process.env['SVC_TEST_LONG'] === '1' || at % 7 === seed % 7);

let folder: string;
let portal: RunningPortal;
let page: PageClient;
let killed = 0;

beforeAll(async () => {
  await new Promise<void>((resolve) => witness.listen(0, '127.0.0.1', resolve));
  folder = await mkdtemp(join(tmpdir(), 'svcz-'));
  portal = await startPortal({ desired: await writeQueueDesired(folder), state: join(folder, 's') });
  await whenInstalled(portal, 'notas');
  await signIn();
  await whenQueueTakes(page);
});
afterAll(async () => {
  witness.close();
  await portal?.stop();
  await emptyServer(join(folder, 's'));
  await rm(folder, { recursive: true, force: true });
  tellCount(`jobs: the portal was killed ${killed} times, at ${chosen.length} of ${jobFaultPoints.length} points, seed ${seed}`);
});

async function signIn(): Promise<void> {
  page = await signInPage(portal.link, portal.port);
}

/** Starts it anew; with a point, one that kills itself there. */
async function again(point = ''): Promise<void> {
  await portal.again({ SVC_FAULT_POINT: point });
  await signIn();
}

async function dead(): Promise<void> {
  await until('the portal is dead', async () => (await portal.admin('GET', '/api/admin/fila').catch(() => null)) === null, 40_000, 50);
  await portal.kill();
  killed += 1;
}

/** The cluster has nothing of the jobs that ended any more. */
async function allForgotten(): Promise<void> {
  const database = new DatabaseSync(join(portal.state, 'svc.db'), { readOnly: true });
  try {
    const left = database.prepare('SELECT count(*) AS n FROM jobs WHERE forgotten_at_ms IS NULL');
    await until('the jobs before are forgotten', () => left.get()?.['n'] === 0);
  } finally {
    database.close();
  }
}

const list = async (): Promise<readonly JobView[]> => ((await page.call('GET', '/api/fila?app=notas')).json() as QueueAnswer).trabalhos;
const find = async (chave: string): Promise<JobView | undefined> => (await list()).find((job) => job.chave === chave);
const whenOver = (chave: string): Promise<JobView> =>
  until(`${chave} over`, async () => {
    const job = await find(chave).catch(() => undefined);
    return job === undefined || job.terminadoEm === null ? null : job;
  });
/** Each run of a command says so to a witness that outlives portals. */
const runs: string[] = [];
const witness = net.createServer((socket) => socket.on('data', (text) => runs.push(text.toString().trim())));
const witnessPort = (): number => (witness.address() as AddressInfo).port;
const submitted = (chave: string, seconds = 0) => ({
  chave,
  comando: ['bash', '-c', `echo ${chave} >/dev/tcp/127.0.0.1/${witnessPort()}; echo ran; sleep ${seconds}; echo ${chave} >saida/x`],
  limites: { segundos: 60 },
});
const logOf = async ({ id }: JobView): Promise<string> =>
  (await page.call('GET', `/api/fila/trabalhos/${id}/registo?app=notas`)).body.toString();
const outputOf = async ({ id }: JobView): Promise<string> =>
  (await page.call('GET', `/api/fila/trabalhos/${id}/saida/x?app=notas`)).body.toString();

describe(`a portal that dies in a step of a job (seed ${seed})`, () => {
  test.for(chosen.filter((point) => !isDrop(point)))('%s', { timeout: 240_000 }, async (point) => {
    const cancels = point.includes('cancel');
    const body = submitted(point, cancels ? 300 : 0);
    // A job of a test before would be at that point now, and be why it dies at each of its starts.
    await allForgotten();
    await portal.kill();
    await again(point);
    // Perhaps it dies before it answers: who submits asks again with the same key.
    await page.call('POST', '/api/fila/trabalhos?app=notas', body).catch(() => null);
    if (cancels) {
      const job = await until('it runs', async () => {
        const seen = await find(point);
        // Log lines that are not sent when it is ended may be lost.
        return seen?.estado === 'a-correr' && seen.registo > 0 ? seen : null;
      });
      await page.call('DELETE', `/api/fila/trabalhos/${job.id}?app=notas`).catch(() => null);
    }
    await dead();
    await again();
    const answer = await page.call('POST', '/api/fila/trabalhos?app=notas', body);
    expect([200, 201]).toContain(answer.status);
    const job = await whenOver(point);
    expect((await list()).filter(({ chave }) => chave === point)).toHaveLength(1);
    expect(job).toMatchObject(cancels ? { estado: 'cancelado' } : { estado: 'terminado', motivo: 'JobDone', codigo: 0 });
    expect(runs.filter((chave) => chave === point)).toEqual([point]);
    expect(await logOf(job)).toBe('ran\n');
    expect(cancels ? `${point}\n` : await outputOf(job)).toBe(`${point}\n`);
    const why = await portal.admin('GET', `/api/admin/why?key=Job/${job.id}`);
    expect(why.body).toMatchObject({ waitsFor: null, sentence: expect.stringContaining(`is ${job.estado}`) });
  });

  // A job that was kept for its week: the days are taken from its row while no portal runs.
  test.for(chosen.filter(isDrop))('%s', { timeout: 240_000 }, async (point) => {
    const body = submitted(point);
    await page.call('POST', '/api/fila/trabalhos?app=notas', body);
    const { id } = await whenOver(point);
    const bytes = join(portal.state, 'fila/trabalhos', id);
    await until('its bytes', () => existsSync(bytes));
    await portal.kill();
    const database = new DatabaseSync(join(portal.state, 'svc.db'));
    expect(database.prepare('UPDATE jobs SET expires_at_ms = 1 WHERE id = ?').run(id).changes).toBe(1);
    database.close();
    await portal.again({ SVC_FAULT_POINT: point }).catch(() => undefined);
    await dead();
    await again();
    await until('it is dropped', async () => (await find(point)) === undefined);
    expect((await page.call('GET', `/api/fila/trabalhos/${id}?app=notas`)).status).toBe(404);
    // Its key outlives it: the same submission runs nothing again.
    const answer = await page.call('POST', '/api/fila/trabalhos?app=notas', body);
    expect([answer.status, await find(point)]).toEqual([409, undefined]);
    expect(runs.filter((chave) => chave === point)).toEqual([point]);
  });
});

test('a portal that is killed under an upload, under the end of a job and under a download loses and doubles no byte', async () => {
  const bytes = randomBytes(24 * 1_024 * 1_024);
  const sha = createHash('sha256').update(bytes).digest('hex');
  const path = `/api/fila/entradas/${sha}?app=notas`;
  // Half of it, and the portal dies.
  const half = sendSlowly(`${path}&desde=0&tamanho=${bytes.length}`, bytes.subarray(0, bytes.length / 2));
  await half.sent;
  await portal.kill();
  killed += 1;
  await again();
  const { ate } = (await page.call('GET', path)).json() as { ate: number };
  expect(ate).toBeLessThanOrEqual(bytes.length / 2);
  // From too early on, as a client that did not receive the position: the overlap is skipped.
  const from = Math.max(0, ate - 1_000);
  const rest = await page.call('PUT', `${path}&desde=${from}&tamanho=${bytes.length}`, bytes.subarray(from));
  expect(rest.json()).toEqual({ ate: bytes.length, completo: true });
  const command = 'for n in 1 2 3 4; do echo "line $n"; sleep 0.4; done; cp entrada/a saida/b';
  const body = { chave: 'bytes', comando: ['bash', '-c', command], entradas: [{ caminho: 'entrada/a', sha }], limites: { segundos: 120 } };
  await page.call('POST', '/api/fila/trabalhos?app=notas', body);
  for (const state of ['a-correr', 'a-recolher']) {
    await until(
      state,
      async () => {
        const estado = (await find('bytes'))?.estado;
        return estado === state || estado === 'terminado';
      },
      60_000,
      25,
    );
    await portal.kill();
    killed += 1;
    await again();
  }
  const job = await whenOver('bytes');
  expect(job).toMatchObject({ estado: 'terminado', motivo: 'JobDone' });
  expect(await logOf(job)).toBe('line 1\nline 2\nline 3\nline 4\n');
  const output = `/api/fila/trabalhos/${job.id}/saida/b?app=notas`;
  const first = await page.call('GET', output, undefined, { range: `bytes=0-${bytes.length / 2}` });
  await portal.kill();
  killed += 1;
  await again();
  const second = await page.call('GET', output, undefined, { range: `bytes=${first.body.length}-`, 'if-range': first.headers.etag ?? '' });
  expect([first.status, second.status, Buffer.concat([first.body, second.body]).equals(bytes)]).toEqual([206, 206, true]);
}, 240_000);

/** The body ends never: `sent` once the portal has taken what there is of it. */
function sendSlowly(path: string, bytes: Buffer): { readonly sent: Promise<unknown> } {
  const headers = { ...page.headers, 'content-length': String(bytes.length * 2), 'content-type': 'application/octet-stream' };
  const request = http.request({ host: '127.0.0.1', port: portal.port, method: 'PUT', path, headers });
  request.on('error', () => undefined);
  const sent = request.write(bytes) ? Promise.resolve() : once(request, 'drain');
  return { sent };
}
