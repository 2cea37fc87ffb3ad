/** `/api/fila/entradas…`, and log and outputs of jobs: bytes that come in piece by piece and go out in ranges, also while the job runs. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../schema/clock.ts';
import { SvcError } from '../../schema/errors.ts';
import type { StoredJob } from '../../store/jobs.ts';
import type { UploadAnswer } from '../../schema/wire/jobs.ts';
import { queueCaller } from '../queue/callers.ts';
import { readPiece } from '../queue/job-log.ts';
import type { Rate } from '../http/rate.ts';
import type { Queue } from '../queue/queue.ts';
import type { Transfers } from '../queue/transfers.ts';
import { arriving } from '../repository/upload.ts';
import { sendFile } from '../http/send-file.ts';
import { type Asked, serve } from '../http/serve.ts';

export interface QueueFileRouteDeps {
  readonly queue: Queue;
  readonly transfers: Transfers;
  readonly clock: Clock;
  readonly count: Rate;
}

export function addQueueFileRoutes(app: FastifyInstance, deps: QueueFileRouteDeps): void {
  const { queue, transfers } = deps;
  void app.register(async (scope) => {
    takeRaw(scope);
    serve(scope, 'PUT /api/fila/entradas/:sha', (request) => putInput(deps, request));
  });
  serve(
    app,
    'GET /api/fila/entradas/:sha',
    async (request) => await transfers.seeInput(queueCaller(request, request.query.app), request.params.sha),
  );
  serve(
    app,
    'GET /api/fila/trabalhos/:id/saida',
    async (request) => await transfers.outputs(await queue.row(queueCaller(request, request.query.app), request.params.id)),
  );
  addStreams(app, deps);
}

function addStreams(app: FastifyInstance, deps: QueueFileRouteDeps): void {
  serve(app, 'GET /api/fila/trabalhos/:id/saida/*', (request, reply) => sendOutput(deps, request, reply));
  serve(app, 'GET /api/fila/trabalhos/:id/registo', (request, reply) => sendLog(deps, request, reply));
}

/** The body as it is, for the handler to read. */
export function takeRaw(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', (_request, _payload, done) => done(null, null));
}

async function putInput(
  { transfers, clock, count }: QueueFileRouteDeps,
  request: Asked<'PUT /api/fila/entradas/:sha'>,
): Promise<UploadAnswer> {
  const { query, params } = request;
  const caller = queueCaller(request, query.app);
  count(caller.usuario);
  refuseEncoded(request);
  const input = { sha: params.sha, from: Number(query.desde), bytes: Number(query.tamanho) };
  return await transfers.putInput(caller, input, arriving(clock, request.raw));
}

export function refuseEncoded({ raw: { headers } }: FastifyRequest): void {
  if (headers['content-encoding'] !== undefined || headers['content-range'] !== undefined)
    throw new SvcError('BAD_REQUEST', 'expected the bytes as they are, without Content-Encoding or Content-Range');
}

/** A job makes files of any kind: never a page of the portal. */
const dataHeaders = {
  'content-type': 'application/octet-stream',
  'x-content-type-options': 'nosniff',
  'content-disposition': 'attachment',
  'cache-control': 'private, no-cache',
  vary: 'Cookie, Authorization',
} as const;

async function sendOutput(
  { queue, transfers, clock }: QueueFileRouteDeps,
  request: Asked<'GET /api/fila/trabalhos/:id/saida/*'>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const job = await queue.row(queueCaller(request, request.query.app), request.params.id);
  return await sendOutputOf({ transfers, clock }, job, request, reply);
}

export async function sendOutputOf(
  { transfers, clock }: Pick<QueueFileRouteDeps, 'transfers' | 'clock'>,
  job: StoredJob,
  request: FastifyRequest<{ Params: { '*': string } }>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const file = await transfers.openOutput(job, request.params['*']);
  return await sendFile(clock, request, reply, file, { etag: `"${file.sha}"`, headers: dataHeaders });
}

async function sendLog(
  { queue, transfers }: QueueFileRouteDeps,
  request: Asked<'GET /api/fila/trabalhos/:id/registo'>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const job = await queue.row(queueCaller(request, request.query.app), request.params.id);
  const from = Number(request.query.desde ?? 0);
  const piece = await readPiece(transfers, job, from);
  reply.headers({ ...dataHeaders, 'content-type': 'text/plain; charset=utf-8', 'svc-registo-ate': String(from + piece.length) });
  return await reply.send(piece);
}
