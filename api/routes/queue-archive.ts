/** `GET /api/fila/trabalhos/:id/saidas.tar`: all outputs of a job that are there whole, as one file. */
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Clock } from '../../schema/clock.ts';
import type { StoredJob } from '../../store/jobs.ts';
import { onGone } from '../http/gone.ts';
import { queueCaller } from '../queue/callers.ts';
import { tarOf, type TarFile } from '../queue/tar.ts';
import type { Queue } from '../queue/queue.ts';
import type { Transfers } from '../queue/transfers.ts';
import { watchIdle } from '../repository/upload.ts';
import { serve } from '../http/serve.ts';

export interface QueueArchiveDeps {
  readonly queue: Queue;
  readonly transfers: Transfers;
  readonly clock: Clock;
}

export function addQueueArchiveRoute(app: FastifyInstance, { queue, transfers, clock }: QueueArchiveDeps): void {
  serve(app, 'GET /api/fila/trabalhos/:id/saidas.tar', async (request, reply) => {
    const job = await queue.row(queueCaller(request, request.query.app), request.params.id);
    return await sendArchive({ transfers, clock }, job, reply);
  });
}

export async function sendArchive(
  { transfers, clock }: Pick<QueueArchiveDeps, 'transfers' | 'clock'>,
  job: StoredJob,
  reply: FastifyReply,
): Promise<FastifyReply> {
  reply.headers({
    'content-type': 'application/x-tar',
    'x-content-type-options': 'nosniff',
    'content-disposition': 'attachment',
    'cache-control': 'private, no-store',
  });
  const watch = watchIdle(clock, () => reply.raw.destroy());
  reply.raw.on('drain', watch.moved);
  onGone(reply.raw, watch.end);
  return await reply.send(Readable.from(tarOf(outputsOf(transfers, job)), { objectMode: false }));
}

async function* outputsOf(transfers: Transfers, job: StoredJob): AsyncGenerator<TarFile> {
  for (const { caminho, completo } of (await transfers.outputs(job)).saidas) {
    if (!completo) continue;
    const file = await transfers.openOutput(job, caminho);
    try {
      yield { path: caminho, bytes: file.bytes, modifiedMs: file.modifiedMs, read: () => file.read() };
    } finally {
      await file.close();
    }
  }
}
