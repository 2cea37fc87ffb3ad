/** `/api/fila/executor…`: what the wrapper of a running job asks, with the token of that job (docs/queue.md). Lines of text: it has bash and curl. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../schema/clock.ts';
import { SvcError } from '../../schema/errors.ts';
import * as schemas from '../../schema/wire/jobs.ts';
import type { Executor } from '../queue/executor.ts';
import { limits } from '../limits.ts';
import { arriving } from '../repository/upload.ts';
import { sendFile } from '../send-file.ts';
import { errorAnswers, jobIn } from '../shell.ts';
import { refuseEncoded, takeRaw } from './queue-files.ts';

export interface ExecutorRouteDeps {
  readonly executor: Executor;
  readonly clock: Clock;
}

const config = { access: 'executor' as const };
const textAnswer = { produces: ['text/plain'], response: errorAnswers };
const raw = { consumes: ['*/*'] };
type Piece = { Params: { sha: string }; Querystring: { desde: string } };

export function addExecutorRoutes(app: FastifyInstance, { executor, clock }: ExecutorRouteDeps): void {
  app.get('/api/fila/executor/entradas', { config, schema: { summary: 'Inputs of the job', ...textAnswer } }, async (request, reply) =>
    answer(reply, await executor.inputs(jobIn(request))),
  );
  app.get<{ Params: { sha: string } }>(
    '/api/fila/executor/entradas/:sha',
    {
      config,
      exposeHeadRoute: false,
      schema: { summary: 'Bytes of an input', params: schemas.inputParams, produces: ['*/*'], response: errorAnswers },
    },
    async (request, reply) => {
      const { sha } = request.params;
      const file = await executor.input(jobIn(request), sha);
      return await sendFile(clock, request, reply, file, { etag: `"${sha}"`, headers: { 'content-type': 'application/octet-stream' } });
    },
  );
  void app.register(async (scope) => {
    takeRaw(scope);
    addReports(scope, { executor, clock });
    addPieces(scope, { executor, clock });
  });
}

function addReports(scope: FastifyInstance, { executor, clock }: ExecutorRouteDeps): void {
  scope.post(
    '/api/fila/executor/batida',
    { config, schema: { summary: 'How far the job is, answered with its inputs as it begins; 410: end it', ...raw, ...textAnswer } },
    async (request, reply) => {
      const said = await executor.report(jobIn(request), await readText(clock, request, limits.jobReportBytesMax));
      if (said !== 'gone' && said.inputs !== null) return answer(reply, said.inputs);
      return await reply.code(said === 'gone' ? 410 : 204).send();
    },
  );
  scope.post(
    '/api/fila/executor/saidas',
    { config, schema: { summary: 'Outputs that there are; answers those that are wanted', ...raw, ...textAnswer } },
    async (request, reply) =>
      answer(reply, await executor.announce(jobIn(request), await readText(clock, request, limits.jobListBytesMax))),
  );
}

function addPieces(scope: FastifyInstance, { executor, clock }: ExecutorRouteDeps): void {
  scope.put<Piece>(
    '/api/fila/executor/registo',
    {
      config,
      schema: {
        summary: 'The log from that byte on',
        querystring: schemas.offsetQuery,
        ...raw,
        response: { 200: schemas.offsetAnswer, ...errorAnswers },
      },
    },
    async (request) => {
      refuseEncoded(request);
      return { ate: await executor.log(jobIn(request), Number(request.query.desde), arriving(clock, request.raw)) };
    },
  );
  scope.put<Piece>(
    '/api/fila/executor/saidas/:sha',
    {
      config,
      schema: {
        summary: 'An output from that byte on',
        params: schemas.inputParams,
        querystring: schemas.offsetQuery,
        ...raw,
        response: { 200: schemas.uploadAnswer, ...errorAnswers },
      },
    },
    async (request) => {
      refuseEncoded(request);
      const { ate, complete } = await executor.output(
        jobIn(request),
        request.params.sha,
        Number(request.query.desde),
        arriving(clock, request.raw),
      );
      return { ate, completo: complete };
    },
  );
}

const answer = (reply: FastifyReply, lines: string): FastifyReply => reply.header('content-type', 'text/plain; charset=utf-8').send(lines);

async function readText(clock: Clock, request: FastifyRequest, bytesMax: number): Promise<string> {
  refuseEncoded(request);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of arriving(clock, request.raw)) {
    bytes += chunk.length;
    if (bytes > bytesMax) throw new SvcError('TOO_LARGE', `expected at most ${bytesMax} bytes`, { bytesMax });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
