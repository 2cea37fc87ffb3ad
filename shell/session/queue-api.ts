/**
 * The queue of the portal's HTTP API, always for the app of a window. Passing failures are retried, and no retry acts twice. Source:
 * schema/wire/jobs.ts.
 */
import type { JobBody, JobView, OutputsAnswer, QueueAnswer, UploadAnswer } from '../../schema/wire/jobs.ts';
import { ApiError, arriving, isPassing, json, request } from './api.ts';

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

interface Asked {
  readonly method?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly msMax?: number;
}

export function appQueue(app: string, signal: AbortSignal): AppQueue {
  const call = async (parts: readonly string[], { method = 'GET', query = {}, body, headers, msMax = 30_000 }: Asked = {}) => {
    const path = ['/api/fila', ...parts.map(encodeURIComponent)].join('/');
    const ends = AbortSignal.any([signal, AbortSignal.timeout(msMax)]);
    return await request(method, `${path}?${new URLSearchParams({ app, ...query }).toString()}`, body, ends, headers);
  };
  const patient = async (...asked: Parameters<typeof call>): Promise<Response> => await insist(() => call(...asked), signal);
  return {
    list: async (before) => json(await call([], before === undefined ? {} : { query: { antes: before } })),
    submit: async (body) => json(await patient(['trabalhos'], { method: 'POST', body })),
    read: async (job, version, seconds) => {
      const asked = version === null ? {} : { query: { espera: String(seconds) }, headers: { 'if-none-match': version } };
      try {
        const answer = await call(['trabalhos', job], asked);
        return { job: await json(answer), version: answer.headers.get('etag') };
      } catch (error) {
        if (error instanceof ApiError && error.status === 304) return null;
        throw error;
      }
    },
    log: async (job, from) => await arriving((await call(['trabalhos', job, 'registo'], { query: { desde: String(from) } })).arrayBuffer()),
    outputs: async (job) => (await json<OutputsAnswer>(await call(['trabalhos', job, 'saida']))).saidas,
    output: async (job, path, from, to) =>
      await insist(async () => {
        const headers = { range: `bytes=${from}-${to}` };
        const answer = await call(['trabalhos', job, 'saida', ...path.split('/')], { headers, msMax: transferMsMax });
        return await arriving(answer.arrayBuffer());
      }, signal),
    cancel: async (job) => json(await call(['trabalhos', job], { method: 'DELETE' })),
    arrived: async (sha) => json(await patient(['entradas', sha])),
    upload: async (sha, from, bytes, piece) => {
      const query = { desde: String(from), tamanho: String(bytes) };
      return json(await patient(['entradas', sha], { method: 'PUT', query, body: piece, msMax: transferMsMax }));
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
