/** Jobs of the queue, of the portal's HTTP API as the shell uses it: it names no app, and so means those of all apps. Source: schema/wire/jobs.ts. */
import type { OutputsAnswer } from '../../schema/wire/jobs.ts';
import { addressOf } from '../../schema/routes/call.ts';
import { arriving, call, send } from './api.ts';

export interface AllJobsFilter {
  readonly cluster: string | null;
  readonly usuario: string | null;
}

/** `before`: older than that one. */
export const readJobs = (before: string | null) => call('GET /api/fila', { query: { antes: before ?? undefined } });
export const readAllJobs = ({ cluster, usuario }: AllJobsFilter, before: string | null) =>
  call('GET /api/admin/fila', { query: { cluster: cluster ?? undefined, usuario: usuario ?? undefined, antes: before ?? undefined } });
export const readJob = (id: string) => call('GET /api/fila/trabalhos/:id', { params: { id } });
export const readAnyJob = (id: string) => call('GET /api/admin/fila/trabalhos/:id', { params: { id } });
export const cancelJob = (id: string) => call('DELETE /api/fila/trabalhos/:id', { params: { id } });
export const cancelAnyJob = (id: string) => call('DELETE /api/admin/fila/trabalhos/:id', { params: { id } });
export const repeatJob = (id: string, chave: string) => call('POST /api/fila/trabalhos/:id/repetir', { params: { id }, body: { chave } });
/** A job of the person's own, or for administrators one of anybody. */
export interface JobPlace {
  readonly id: string;
  readonly mine: boolean;
}
type Place = 'fila' | 'admin/fila';
const placeOf = ({ mine }: JobPlace): Place => (mine ? 'fila' : 'admin/fila');
export const readOutputs = async (job: JobPlace): Promise<OutputsAnswer['saidas']> =>
  (await call(`GET /api/${placeOf(job)}/trabalhos/:id/saida`, { params: { id: job.id } })).saidas;

/** A piece of the log from that byte on, and where the next one begins. */
export async function readJobLog(
  job: JobPlace,
  from: number,
  signal: AbortSignal,
): Promise<{ readonly bytes: Uint8Array; readonly ate: number }> {
  const asked = { params: { id: job.id }, query: { desde: from } };
  const response = await send(`GET /api/${placeOf(job)}/trabalhos/:id/registo`, asked, { signal });
  const bytes = new Uint8Array(await arriving(response.arrayBuffer()));
  return { bytes, ate: from + bytes.length };
}

/** For links: the browser keeps what comes as a file. */
export const outputUrl = (job: JobPlace, caminho: string): string =>
  addressOf(`GET /api/${placeOf(job)}/trabalhos/:id/saida/*`, { params: { id: job.id, '*': caminho } }).path;
export const archiveUrl = (job: JobPlace): string =>
  addressOf(`GET /api/${placeOf(job)}/trabalhos/:id/saidas.tar`, { params: { id: job.id } }).path;
