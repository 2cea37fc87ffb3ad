/** `/api/admin/fila/trabalhos/:id…`: one job of anybody, its log and its outputs, for admins. */
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../schema/clock.ts';
import { SvcError } from '../../schema/errors.ts';
import type { JobView, OutputsAnswer } from '../../schema/wire/jobs.ts';
import * as schemas from '../../schema/wire/jobs.ts';
import type { StoredJob } from '../../store/jobs.ts';
import { goneSignal } from '../gone.ts';
import { noSuchJob } from '../queue/callers.ts';
import { jobLog, type JobLogDeps } from '../queue/job-log.ts';
import type { Queue } from '../queue/queue.ts';
import type { Transfers } from '../queue/transfers.ts';
import { errorAnswers } from '../shell.ts';
import { sendArchive } from './queue-archive.ts';
import { sendOutputOf } from './queue-files.ts';

export interface QueueAdminRouteDeps extends JobLogDeps {
  readonly queue: Pick<Queue, 'viewOf'>;
  readonly transfers: Transfers;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
}

const config = { access: 'admin' as const };

export function addQueueAdminRoutes(app: FastifyInstance, deps: QueueAdminRouteDeps): void {
  const { jobs, queue, onError } = deps;
  const found = async (id: string): Promise<StoredJob> => {
    const job = await jobs.job(id);
    if (job === null) throw noSuchJob();
    return job;
  };
  addOutputs(app, deps, found);
  app.get<{ Params: { id: string } }>(
    '/api/admin/fila/trabalhos/:id',
    {
      config,
      schema: { summary: 'A job of anybody', params: schemas.jobParams, response: { 200: schemas.jobView, ...errorAnswers } },
    },
    async ({ params: { id } }): Promise<JobView> => await queue.viewOf(await found(id)),
  );
  app.get<{ Params: { id: string }; Querystring: { desde?: string; follow?: '1' } }>(
    '/api/admin/fila/trabalhos/:id/registo',
    {
      config,
      exposeHeadRoute: false,
      schema: {
        summary: 'The log of a job of anybody from that byte on; over the control socket it is followed to the end of the job',
        params: schemas.jobParams,
        querystring: schemas.adminLogQuery,
        produces: ['text/plain'],
        response: errorAnswers,
      },
    },
    async ({ params: { id }, query, control }, reply) => {
      await found(id);
      // A session may end while it is followed.
      if (query.follow === '1' && !control) throw new SvcError('BAD_REQUEST', 'follow: over the control socket only; ask with desde');
      const gone = goneSignal(reply.raw);
      const asked = { from: Number(query.desde ?? 0), follow: query.follow === '1', signal: gone };
      const stream = Readable.from(jobLog(deps, id, asked), { objectMode: false });
      stream.on('error', (error) => {
        if (!gone.aborted) onError(error);
      });
      reply.headers({ 'content-type': 'text/plain; charset=utf-8', 'x-accel-buffering': 'no' });
      return await reply.send(stream);
    },
  );
}

function addOutputs(app: FastifyInstance, deps: QueueAdminRouteDeps, found: (id: string) => Promise<StoredJob>): void {
  app.get<{ Params: { id: string } }>(
    '/api/admin/fila/trabalhos/:id/saida',
    {
      config,
      schema: {
        summary: 'Outputs of a job of anybody',
        params: schemas.jobParams,
        response: { 200: schemas.outputsAnswer, ...errorAnswers },
      },
    },
    async ({ params: { id } }): Promise<OutputsAnswer> => await deps.transfers.outputs(await found(id)),
  );
  const file = {
    summary: 'Bytes of an output of a job of anybody',
    params: schemas.outputParams,
    produces: ['*/*'],
    response: errorAnswers,
  };
  type OfOutput = { Params: { id: string; '*': string } };
  const send = async (request: FastifyRequest<OfOutput>, reply: FastifyReply): Promise<FastifyReply> =>
    await sendOutputOf(deps, await found(request.params.id), request, reply);
  app.get<OfOutput>('/api/admin/fila/trabalhos/:id/saida/*', { config, exposeHeadRoute: false, schema: file }, send);
  app.get<{ Params: { id: string } }>(
    '/api/admin/fila/trabalhos/:id/saidas.tar',
    {
      config,
      exposeHeadRoute: false,
      schema: {
        summary: 'All outputs of a job of anybody that are there whole, as a tar',
        params: schemas.jobParams,
        produces: ['application/x-tar'],
        response: errorAnswers,
      },
    },
    async ({ params: { id } }, reply) => await sendArchive(deps, await found(id), reply),
  );
}
