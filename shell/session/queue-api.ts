/**
 * The queue of the portal's HTTP API, always for the app of a window. Passing failures are retried, and no retry acts twice. Source:
 * schema/wire/jobs.ts.
 */
import type { JobBody, JobView, OutputsAnswer, QueueAnswer, UploadAnswer } from '../../schema/wire/jobs.ts';
import { ApiError, arriving, call, isPassing, json, send } from './api.ts';

/** How long what passes is asked again, and the pauses between. */
const patienceMs = 120_000;
const pauseMsMax = 10_000;
const transferMsMax = 120_000;

export interface AppQueue {
  /** A page of jobs: those before that one. */
  list(before?: string): Promise<QueueAnswer>;
  submit(body: JobBody): Promise<JobView>;
  /** With the version that says how it was; null: as the version says. */
  read(job: string, version: string | null, seconds: number): Promise<{ readonly job: JobView; readonly version: string | null } | null>;
  log(job: string, from: number): Promise<ArrayBuffer>;
  outputs(job: string): Promise<OutputsAnswer['saidas']>;
  /** Bytes `from` to `to`, the last one included. */
  output(job: string, path: string, from: number, to: number): Promise<ArrayBuffer>;
  cancel(job: string): Promise<JobView>;
  arrived(sha: string): Promise<UploadAnswer>;
  upload(sha: string, from: number, bytes: number, piece: Blob): Promise<UploadAnswer>;
}

export function appQueue(app: string, signal: AbortSignal): AppQueue {
  const within = (msMax = 30_000) => ({ signal: AbortSignal.any([signal, AbortSignal.timeout(msMax)]) });
  const of = (id: string) => ({ params: { id }, query: { app } });
  const patient = async <T>(ask: () => Promise<T>): Promise<T> => await insist(ask, signal);
  return {
    list: (before) => call('GET /api/fila', { query: { app, antes: before } }, within()),
    submit: (body) => patient(() => call('POST /api/fila/trabalhos', { query: { app }, body }, within())),
    read: async (id, version, seconds) => {
      const [espera, headers] = version === null ? [undefined, {}] : [seconds, { 'if-none-match': version }];
      try {
        const answer = await send('GET /api/fila/trabalhos/:id', { params: { id }, query: { app, espera } }, { ...within(), headers });
        return { job: await json(answer), version: answer.headers.get('etag') };
      } catch (error) {
        if (error instanceof ApiError && error.status === 304) return null;
        throw error;
      }
    },
    log: async (id, from) => {
      const asked = { params: { id }, query: { app, desde: from } };
      return await arriving((await send('GET /api/fila/trabalhos/:id/registo', asked, within())).arrayBuffer());
    },
    outputs: async (job) => (await call('GET /api/fila/trabalhos/:id/saida', of(job), within())).saidas,
    output: async (id, path, from, to) =>
      await patient(async () => {
        const how = { ...within(transferMsMax), headers: { range: `bytes=${from}-${to}` } };
        const answer = await send('GET /api/fila/trabalhos/:id/saida/*', { params: { id, '*': path }, query: { app } }, how);
        return await arriving(answer.arrayBuffer());
      }),
    cancel: (job) => call('DELETE /api/fila/trabalhos/:id', of(job), within()),
    arrived: (sha) => patient(() => call('GET /api/fila/entradas/:sha', { params: { sha }, query: { app } }, within())),
    upload: async (sha, from, bytes, piece) => {
      const asked = { params: { sha }, query: { app, desde: from, tamanho: bytes }, body: piece };
      return await patient(() => call('PUT /api/fila/entradas/:sha', asked, within(transferMsMax)));
    },
  };
}

async function insist<T>(ask: () => Promise<T>, signal: AbortSignal): Promise<T> {
  const untilMs = performance.now() + patienceMs;
  for (let pauseMs = 250; ; pauseMs = Math.min(pauseMs * 2, pauseMsMax)) {
    try {
      return await ask();
    } catch (error) {
      const waitMs = Math.max(pauseMs, error instanceof ApiError ? (error.retryAfterMs ?? 0) : 0);
      const isFinal = error instanceof ApiError && ['QUEUE_OFF', 'DISK_FULL'].includes(error.code);
      if (signal.aborted || isFinal || !isPassing(error) || performance.now() + waitMs > untilMs) throw error;
      await new Promise((resolve) => setTimeout(resolve, waitMs));
    }
  }
}
