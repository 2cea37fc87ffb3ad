/** `/api/fila/executor…`: what the wrapper of a running job asks, with the token of that job (docs/queue.md). Lines of text: it has bash and curl. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../schema/clock.ts';
import { SvcError } from '../../schema/errors.ts';
import type { Executor } from '../queue/executor.ts';
import { limits } from '../limits.ts';
import { arriving } from '../repository/upload.ts';
import { sendFile } from '../http/send-file.ts';
import { jobIn } from '../portal/shell.ts';
import { serve } from '../http/serve.ts';
import { refuseEncoded, takeRaw } from './queue-files.ts';

export interface ExecutorRouteDeps {
  readonly executor: Executor;
  readonly clock: Clock;
}

export function addExecutorRoutes(app: FastifyInstance, { executor, clock }: ExecutorRouteDeps): void {
  serve(app, 'GET /api/fila/executor/entradas', async (request, reply) => answer(reply, await executor.inputs(jobIn(request))));
  serve(app, 'GET /api/fila/executor/entradas/:sha', async (request, reply) => {
    const { sha } = request.params;
    const file = await executor.input(jobIn(request), sha);
    return await sendFile(clock, request, reply, file, { etag: `"${sha}"`, headers: { 'content-type': 'application/octet-stream' } });
  });
  void app.register(async (scope) => {
    takeRaw(scope);
    addReports(scope, { executor, clock });
    addPieces(scope, { executor, clock });
  });
}

function addReports(scope: FastifyInstance, { executor, clock }: ExecutorRouteDeps): void {
  serve(scope, 'POST /api/fila/executor/batida', async (request, reply) => {
    const said = await executor.report(jobIn(request), await readText(clock, request, limits.jobReportBytesMax));
    if (said !== 'gone' && said.inputs !== null) return answer(reply, said.inputs);
    return await reply.code(said === 'gone' ? 410 : 204).send();
  });
  serve(scope, 'POST /api/fila/executor/saidas', async (request, reply) =>
    answer(reply, await executor.announce(jobIn(request), await readText(clock, request, limits.jobListBytesMax))),
  );
}

function addPieces(scope: FastifyInstance, { executor, clock }: ExecutorRouteDeps): void {
  serve(scope, 'PUT /api/fila/executor/registo', async (request) => {
    refuseEncoded(request);
    return { ate: await executor.log(jobIn(request), Number(request.query.desde), arriving(clock, request.raw)) };
  });
  serve(scope, 'PUT /api/fila/executor/saidas/:sha', async (request) => {
    refuseEncoded(request);
    const { ate, complete } = await executor.output(
      jobIn(request),
      request.params.sha,
      Number(request.query.desde),
      arriving(clock, request.raw),
    );
    return { ate, completo: complete };
  });
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
