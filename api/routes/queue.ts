/** `/api/fila…`: jobs of a person, for pages and for backends with the scope `fila` (rules 4.1, 5). */
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { QueueView } from '../../schema/gateway.ts';
import type { JobStore } from '../../store/jobs.ts';
import { isKnown } from '../../schema/wire/etag.ts';
import { goneSignal } from '../http/gone.ts';
import { noSuchJob, queueCaller } from '../queue/callers.ts';
import { limits } from '../limits.ts';
import type { JobNews } from '../queue/news.ts';
import type { Rate } from '../http/rate.ts';
import type { Queue } from '../queue/queue.ts';
import { type Asked, serve } from '../http/serve.ts';

export interface QueueRouteDeps {
  readonly queue: Queue;
  readonly news: JobNews;
  readonly jobs: JobStore;
  readonly view: QueueView;
  readonly count: Rate;
}

export function addQueueRoutes(app: FastifyInstance, deps: QueueRouteDeps): void {
  const { queue, count } = deps;
  serve(app, 'GET /api/fila', async (request) => await queue.list(queueCaller(request, request.query.app), request.query.antes ?? null));
  serve(
    app,
    'POST /api/fila/trabalhos',
    async (request, reply) => {
      const caller = queueCaller(request, request.query.app, request.body.app);
      count(caller.usuario);
      const { job, isNew } = await queue.submit(caller, request.body, request.id);
      reply.code(isNew ? 201 : 200);
      return job;
    },
    { bodyLimit: limits.jobBodyBytesMax },
  );
  serve(app, 'GET /api/fila/trabalhos/:id', (request, reply) => readJob(deps, request, reply));
  serve(app, 'DELETE /api/fila/trabalhos/:id', async (request) => {
    const caller = queueCaller(request, request.query.app);
    count(caller.usuario);
    return await queue.cancel(caller, request.params.id);
  });
  addAdminRoutes(app, deps);
}

async function readJob(
  { queue, news }: QueueRouteDeps,
  request: Asked<'GET /api/fila/trabalhos/:id'>,
  reply: FastifyReply,
): Promise<FastifyReply> {
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
  serve(app, 'GET /api/admin/fila', async ({ query: { cluster = null, usuario = null, antes: before = null } }) => {
    if (before !== null && (await jobs.job(before)) === null) throw noSuchJob();
    const { trabalhos, mais } = await queue.page({ usuario, app: null, cluster, before });
    return { clusters: [...view.clusters()], trabalhos: [...trabalhos], mais };
  });
  serve(app, 'DELETE /api/admin/fila/trabalhos/:id', async ({ params: { id } }) => {
    const job = await jobs.job(id);
    if (job === null) throw noSuchJob();
    return await queue.cancel({ usuario: job.usuario, app: null, por: 'pagina' }, id);
  });
}
