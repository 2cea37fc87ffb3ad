/** A file of a route: whole or in ranges; a reader that takes nothing for too long is let go, and the file with it. */
import { finished } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../schema/clock.ts';
import type { OpenBytes } from '../../store/bytes.ts';
import { onGone } from './gone.ts';
import { judge, partOf } from '../repository/conditions.ts';
import { watchIdle } from '../repository/upload.ts';

/** `etag` with its quotes. Closes the file. */
export async function sendFile(
  clock: Clock,
  request: FastifyRequest,
  reply: FastifyReply,
  file: OpenBytes,
  { etag, headers }: { readonly etag: string; readonly headers: Readonly<Record<string, string>> },
): Promise<FastifyReply> {
  const verdict = judge(request.method, request.raw.headers, { bytes: file.bytes, etag, modifiedMs: file.modifiedMs });
  reply.headers({ ...headers, etag, 'accept-ranges': 'bytes' }).code(verdict.status);
  const sent = partOf(verdict, file.bytes);
  reply.headers(sent.headers);
  if (sent.part === null || request.method === 'HEAD' || file.bytes === 0) {
    await file.close();
    return await reply.send();
  }
  const watch = watchIdle(clock, () => reply.raw.destroy());
  reply.raw.on('drain', watch.moved);
  onGone(reply.raw, watch.end);
  const bytes = file.read(sent.part);
  // A file of a folder emits no `close` when it was read to its end.
  finished(bytes, () => void file.close());
  return await reply.send(bytes);
}
