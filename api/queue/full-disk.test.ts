/**
 * The disk of the portal is full while inputs and outputs travel: both sides get an error, no received byte is lost, and the transfer continues
 * where it was.
 */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createBus } from '../../store/bus.ts';
import { newJobId, type JobStore } from '../../store/jobs.ts';
import { createMemoryJobs } from '../../store/testing/memory-jobs.ts';
import { createManualClock } from '../testing/manual-clock.ts';
import { createExecutor, type Executor } from './executor.ts';
import { createFolderBytes } from '../../store/folder-bytes.ts';
import { createQueueFiles } from './files.ts';
import { createTransfers, type Transfers } from './transfers.ts';

let dir: string;
let room: number;
let jobs: JobStore;
let executor: Executor;
let transfers: Transfers;
beforeEach(() => {
  dir = mkdtempSync(path.join(os.tmpdir(), 'svc-fila-'));
  room = 2 ** 40;
  jobs = createMemoryJobs();
  const files = createQueueFiles(createFolderBytes(path.join(dir, 'fila'), async () => await Promise.resolve(room)));
  const common = { jobs, files, bus: createBus(), clock: createManualClock(), beginUpload: () => () => undefined, spaceMax: () => 10_000 };
  executor = createExecutor(common);
  transfers = createTransfers(common);
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const whole = '0123456789';
const sha = createHash('sha256').update(whole).digest('hex');
async function* body(text: string): AsyncIterable<Uint8Array> {
  yield await Promise.resolve(Buffer.from(text));
}
const full = { code: 'DISK_FULL', status: 507 };
const ana = { usuario: 'ana', app: 'notas', por: 'pagina' } as const;

async function job(inputs: readonly { readonly caminho: string; readonly sha: string }[] = []) {
  const id = newJobId();
  const request = { imagem: null, comando: ['true'], ambiente: {}, limites: { cpus: 1, memoriaMb: 1, segundos: 1, gpus: 0 } };
  const made = { id, usuario: 'ana', app: 'notas', chave: id, nome: '', cluster: 'local', createdAtMs: 0, request, inputs };
  return { id, submitted: await jobs.submitJob(made, { ofPerson: 9 }) };
}

test('an input is refused and announced nowhere as whole, what came of it stays, and it goes on', async () => {
  const put = async (from: number, text: string) => await transfers.putInput(ana, { sha, from, bytes: whole.length }, body(text));
  expect(await put(0, '0123')).toEqual({ ate: 4, completo: false });
  room = 0;
  await expect(put(4, '456789')).rejects.toMatchObject(full);
  expect(await transfers.seeInput(ana, sha)).toEqual({ ate: 4, completo: false });
  expect((await job([{ caminho: 'a', sha }])).submitted).toEqual({ kind: 'missing', shas: [sha] });
  room = 2 ** 40;
  expect(await put(4, '456789')).toEqual({ ate: 10, completo: true });
  expect((await job([{ caminho: 'a', sha }])).submitted).toMatchObject({ kind: 'new' });
});

test('an output waits at its wrapper: it is wanted still, from where it was, and the job has no outcome meanwhile', async () => {
  const { id } = await job();
  const list = `${sha}\t${whole.length}\tsaida/n\n`;
  expect(await executor.announce(id, list)).toBe(`${sha}\t0\n`);
  expect(await executor.output(id, sha, 0, body('0123'))).toEqual({ ate: 4, complete: false });
  room = 0;
  await expect(executor.output(id, sha, 4, body('456789'))).rejects.toMatchObject(full);
  expect(await executor.announce(id, list)).toBe(`${sha}\t4\n`);
  expect(await executor.report(id, 'estado=a-enviar\n')).toEqual({ inputs: null });
  expect((await jobs.job(id))?.outcome).toBeNull();
  expect((await jobs.outputs(id)).map(({ complete, refused }) => [complete, refused])).toEqual([[false, false]]);
  room = 2 ** 40;
  expect(await executor.output(id, sha, 4, body('456789'))).toEqual({ ate: 10, complete: true });
  expect(await executor.announce(id, list)).toBe('');
});
