/** `POST /api/fila/trabalhos/:id/repetir`: a new job from what another one was submitted with, which a page does not see whole. */
import type { FastifyInstance } from 'fastify';
import type { JobStore } from '../../store/jobs.ts';
import { noSuchJob, queueCaller } from '../queue/callers.ts';
import type { Rate } from '../http/rate.ts';
import type { Queue } from '../queue/queue.ts';
import { serve } from '../http/serve.ts';

export interface QueueAgainDeps {
  readonly queue: Queue;
  readonly jobs: Pick<JobStore, 'jobRequest' | 'jobInputs'>;
  readonly count: Rate;
}

export function addQueueAgainRoute(app: FastifyInstance, { queue, jobs, count }: QueueAgainDeps): void {
  serve(app, 'POST /api/fila/trabalhos/:id/repetir', async (request, reply) => {
    const caller = queueCaller(request, request.query.app);
    count(caller.usuario);
    const { id, app: of, nome, cluster } = await queue.row(caller, request.params.id);
    const [asked, inputs] = await Promise.all([jobs.jobRequest(id), jobs.jobInputs(id)]);
    if (asked === null) throw noSuchJob();
    const entradas = inputs.map(({ caminho, sha }) => ({ caminho, sha }));
    const { chave } = request.body;
    const { job, isNew } = await queue.submit({ ...caller, app: of }, { ...asked, chave, nome, cluster, entradas }, request.id);
    reply.code(isNew ? 201 : 200);
    return job;
  });
}
