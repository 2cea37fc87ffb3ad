/** `POST /api/fila/trabalhos/:id/repetir`: a new job from what another one was submitted with, which a page does not see whole. */
import type { FastifyInstance } from 'fastify';
import type { JobStore } from '../../store/jobs.ts';
import type { JobAgainBody, JobView } from '../../schema/wire/jobs.ts';
import * as schemas from '../../schema/wire/jobs.ts';
import { noSuchJob, queueCaller } from '../queue/callers.ts';
import type { Rate } from '../rate.ts';
import type { Queue } from '../queue/queue.ts';
import { errorAnswers } from '../shell.ts';

export interface QueueAgainDeps {
  readonly queue: Queue;
  readonly jobs: Pick<JobStore, 'jobRequest' | 'jobInputs'>;
  readonly count: Rate;
}

export function addQueueAgainRoute(app: FastifyInstance, { queue, jobs, count }: QueueAgainDeps): void {
  app.post<{ Params: { id: string }; Querystring: { app?: string }; Body: JobAgainBody }>(
    '/api/fila/trabalhos/:id/repetir',
    {
      config: { access: 'queue' },
      schema: {
        summary: 'Submit again what a job was submitted with; the same `chave` names the same job',
        params: schemas.jobParams,
        querystring: schemas.queueQuery,
        body: schemas.jobAgainBody,
        response: { 200: schemas.jobView, 201: schemas.jobView, ...errorAnswers },
      },
    },
    async (request, reply): Promise<JobView> => {
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
    },
  );
}
