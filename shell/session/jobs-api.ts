/** Jobs of the queue, of the portal's HTTP API as the shell uses it: it names no app, and so means those of all apps. Source: schema/wire/jobs.ts. */
import type { AdminJobsAnswer, JobView, OutputsAnswer, QueueAnswer } from '../../schema/wire/jobs.ts';
import { arriving, json, request } from './api.ts';

export interface AllJobsFilter {
  readonly cluster: string | null;
  readonly usuario: string | null;
}

const jobPath = (id: string, rest = ''): string => `/api/fila/trabalhos/${encodeURIComponent(id)}${rest}`;
const query = (values: Readonly<Record<string, string | null>>): string => {
  const given = Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== null);
  return given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`;
};

/** `before`: older than that one. */
export const readJobs = async (before: string | null): Promise<QueueAnswer> =>
  json(await request('GET', `/api/fila${query({ antes: before })}`));
export const readAllJobs = async (filter: AllJobsFilter, before: string | null): Promise<AdminJobsAnswer> =>
  json(await request('GET', `/api/admin/fila${query({ ...filter, antes: before })}`));
export const readJob = async (id: string): Promise<JobView> => json(await request('GET', jobPath(id)));
export const readAnyJob = async (id: string): Promise<JobView> =>
  json(await request('GET', `/api/admin/fila/trabalhos/${encodeURIComponent(id)}`));
export const cancelJob = async (id: string): Promise<JobView> => json(await request('DELETE', jobPath(id)));
export const cancelAnyJob = async (id: string): Promise<JobView> =>
  json(await request('DELETE', `/api/admin/fila/trabalhos/${encodeURIComponent(id)}`));
export const repeatJob = async (id: string, chave: string): Promise<JobView> =>
  json(await request('POST', jobPath(id, '/repetir'), { chave }));
/** A job of the person's own, or for administrators one of anybody. */
export interface JobPlace {
  readonly id: string;
  readonly mine: boolean;
}
const placePath = ({ id, mine }: JobPlace, rest: string): string =>
  mine ? jobPath(id, rest) : `/api/admin/fila/trabalhos/${encodeURIComponent(id)}${rest}`;
export const readOutputs = async (job: JobPlace): Promise<OutputsAnswer['saidas']> =>
  (await json<OutputsAnswer>(await request('GET', placePath(job, '/saida')))).saidas;

/** A piece of the log from that byte on, and where the next one begins. */
export async function readJobLog(
  job: JobPlace,
  from: number,
  signal: AbortSignal,
): Promise<{ readonly bytes: Uint8Array; readonly ate: number }> {
  const response = await request('GET', placePath(job, `/registo?desde=${from}`), undefined, signal);
  const bytes = new Uint8Array(await arriving(response.arrayBuffer()));
  return { bytes, ate: from + bytes.length };
}

/** For links: the browser keeps what comes as a file. */
export const outputUrl = (job: JobPlace, caminho: string): string =>
  placePath(job, `/saida/${caminho.split('/').map(encodeURIComponent).join('/')}`);
export const archiveUrl = (job: JobPlace): string => placePath(job, '/saidas.tar');
