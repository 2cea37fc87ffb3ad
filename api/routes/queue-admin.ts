/** `/api/admin/fila/trabalhos/:id…`: one job of anybody, its log and its outputs, for admins. */
import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import type { Clock } from '../../schema/clock.ts';
import { SvcError } from '../../schema/errors.ts';
import type { StoredJob } from '../../store/jobs.ts';
import { goneSignal } from '../http/gone.ts';
import { noSuchJob } from '../queue/callers.ts';
import { jobLog, type JobLogDeps } from '../queue/job-log.ts';
import type { Queue } from '../queue/queue.ts';
import type { Transfers } from '../queue/transfers.ts';
import { serve } from '../http/serve.ts';
import { sendArchive } from './queue-archive.ts';
import { sendOutputOf } from './queue-files.ts';

export interface QueueAdminRouteDeps extends JobLogDeps {
  readonly queue: Pick<Queue, 'viewOf'>;
  readonly transfers: Transfers;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
}

export function addQueueAdminRoutes(app: FastifyInstance, deps: QueueAdminRouteDeps): void {
  const { jobs, queue, onError } = deps;
  const found = async (id: string): Promise<StoredJob> => {
    const job = await jobs.job(id);
    if (job === null) throw noSuchJob();
    return job;
  };
  addOutputs(app, deps, found);
  serve(app, 'GET /api/admin/fila/trabalhos/:id', async ({ params: { id } }) => await queue.viewOf(await found(id)));
  serve(app, 'GET /api/admin/fila/trabalhos/:id/registo', async ({ params: { id }, query, control }, reply) => {
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
  });
}

function addOutputs(app: FastifyInstance, deps: QueueAdminRouteDeps, found: (id: string) => Promise<StoredJob>): void {
  serve(app, 'GET /api/admin/fila/trabalhos/:id/saida', async ({ params: { id } }) => await deps.transfers.outputs(await found(id)));
  serve(
    app,
    'GET /api/admin/fila/trabalhos/:id/saida/*',
    async (request, reply) => await sendOutputOf(deps, await found(request.params.id), request, reply),
  );
  serve(
    app,
    'GET /api/admin/fila/trabalhos/:id/saidas.tar',
    async ({ params: { id } }, reply) => await sendArchive(deps, await found(id), reply),
  );
}
