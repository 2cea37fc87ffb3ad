/** `/api/fila…`: jobs of a person, for pages and for backends with the scope `fila` (rules 4.1, 5). */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { QueueView } from '../../schema/gateway.ts';
import type { JobStore } from '../../store/jobs.ts';
import type { AdminJobsAnswer, JobBody, JobView, QueueAnswer } from '../../schema/wire/jobs.ts';
import * as schemas from '../../schema/wire/jobs.ts';
import { isKnown } from '../../schema/wire/etag.ts';
import { goneSignal } from '../gone.ts';
import { noSuchJob, queueCaller } from '../queue/callers.ts';
import { limits } from '../limits.ts';
import type { JobNews } from '../queue/news.ts';
import type { Rate } from '../rate.ts';
import type { Queue } from '../queue/queue.ts';
import { errorAnswers } from '../shell.ts';

export interface QueueRouteDeps {
  readonly queue: Queue;
  readonly news: JobNews;
  readonly jobs: JobStore;
  readonly view: QueueView;
  readonly count: Rate;
}

const config = { access: 'queue' as const };
type One = { Params: { id: string }; Querystring: { app?: string; espera?: string } };

export function addQueueRoutes(app: FastifyInstance, deps: QueueRouteDeps): void {
  const { queue, count } = deps;
  app.get<{ Querystring: { app?: string; antes?: string } }>(
    '/api/fila',
    {
      config,
      schema: {
        summary: 'The queue, and the jobs of who asks',
        querystring: schemas.jobsQuery,
        response: { 200: schemas.queueAnswer, ...errorAnswers },
      },
    },
    async (request): Promise<QueueAnswer> => await queue.list(queueCaller(request, request.query.app), request.query.antes ?? null),
  );
  app.post<{ Body: JobBody; Querystring: { app?: string } }>(
    '/api/fila/trabalhos',
    {
      config,
      bodyLimit: limits.jobBodyBytesMax,
      schema: {
        summary: 'Submit a job; the same `chave` names the same job',
        querystring: schemas.queueQuery,
        body: schemas.jobBody,
        response: { 200: schemas.jobView, 201: schemas.jobView, ...errorAnswers },
      },
    },
    async (request, reply): Promise<JobView> => {
      const caller = queueCaller(request, request.query.app, request.body.app);
      count(caller.usuario);
      const { job, isNew } = await queue.submit(caller, request.body, request.id);
      reply.code(isNew ? 201 : 200);
      return job;
    },
  );
  app.get<One>(
    '/api/fila/trabalhos/:id',
    {
      config,
      schema: {
        summary: 'One job; with `espera` and If-None-Match the answer is held until it changed',
        params: schemas.jobParams,
        querystring: schemas.jobQuery,
        response: { 200: schemas.jobView, ...errorAnswers },
      },
    },
    (request, reply) => readJob(deps, request, reply),
  );
  app.delete<One>(
    '/api/fila/trabalhos/:id',
    {
      config,
      schema: {
        summary: 'Cancel a job; one that ended stays as it is',
        params: schemas.jobParams,
        querystring: schemas.queueQuery,
        response: { 200: schemas.jobView, ...errorAnswers },
      },
    },
    async (request): Promise<JobView> => {
      const caller = queueCaller(request, request.query.app);
      count(caller.usuario);
      return await queue.cancel(caller, request.params.id);
    },
  );
  addAdminRoutes(app, deps);
}

async function readJob({ queue, news }: QueueRouteDeps, request: FastifyRequest<One>, reply: FastifyReply): Promise<FastifyReply> {
  const caller = queueCaller(request, request.query.app);
  const { id } = request.params;
  const etagOf = (change: number): string => `"${change}"`;
  const seconds = Math.min(Number(request.query.espera ?? 0), limits.jobHoldSecondsMax);
  let { job, change } = await queue.read(caller, id);
  if (seconds > 0 && isKnown(request.headers['if-none-match'], etagOf(change))) {
    const changed = news.next(caller.usuario, id, seconds * 1_000, goneSignal(reply.raw));
    // It may have changed since it was read.
    const again = await queue.read(caller, id);
    if (again.change === change) await changed;
    ({ job, change } = await queue.read(caller, id));
  }
  reply.header('etag', etagOf(change));
  return isKnown(request.headers['if-none-match'], etagOf(change)) ? await reply.code(304).send() : await reply.send(job);
}

function addAdminRoutes(app: FastifyInstance, { jobs, queue, view }: QueueRouteDeps): void {
  app.get<{ Querystring: { cluster?: string; usuario?: string; antes?: string } }>(
    '/api/admin/fila',
    {
      config: { access: 'admin' },
      schema: {
        summary: 'Jobs of all people',
        querystring: schemas.adminJobsQuery,
        response: { 200: schemas.adminJobsAnswer, ...errorAnswers },
      },
    },
    async ({ query: { cluster = null, usuario = null, antes: before = null } }): Promise<AdminJobsAnswer> => {
      if (before !== null && (await jobs.job(before)) === null) throw noSuchJob();
      const { trabalhos, mais } = await queue.page({ usuario, app: null, cluster, before });
      return { clusters: [...view.clusters()], trabalhos: [...trabalhos], mais };
    },
  );
  app.delete<{ Params: { id: string } }>(
    '/api/admin/fila/trabalhos/:id',
    {
      config: { access: 'admin' },
      schema: { summary: 'Cancel a job of anybody', params: schemas.jobParams, response: { 200: schemas.jobView, ...errorAnswers } },
    },
    async ({ params: { id } }): Promise<JobView> => {
      const job = await jobs.job(id);
      if (job === null) throw noSuchJob();
      return await queue.cancel({ usuario: job.usuario, app: null, por: 'pagina' }, id);
    },
  );
}
