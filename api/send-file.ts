/** A file of a route, by its handle: whole or in ranges; a reader that takes nothing for too long is let go, and the file with it. */
import type { FileHandle } from 'node:fs/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../schema/clock.ts';
import { limits } from './limits.ts';
import { judge, partOf } from './repository/conditions.ts';
import { watchIdle } from './repository/upload.ts';

export interface SentFile {
  readonly handle: FileHandle;
  readonly bytes: number;
  readonly modifiedMs: number;
}

/** `etag` with its quotes. Closes the handle. */
export async function sendFile(
  clock: Clock,
  request: FastifyRequest,
  reply: FastifyReply,
  file: SentFile,
  { etag, headers }: { readonly etag: string; readonly headers: Readonly<Record<string, string>> },
): Promise<FastifyReply> {
  const verdict = judge(request.method, request.raw.headers, { bytes: file.bytes, etag, modifiedMs: file.modifiedMs });
  reply.headers({ ...headers, etag, 'accept-ranges': 'bytes' }).code(verdict.status);
  const sent = partOf(verdict, file.bytes);
  reply.headers(sent.headers);
  if (sent.part === null || request.method === 'HEAD' || file.bytes === 0) {
    await file.handle.close();
    return await reply.send();
  }
  const watch = watchIdle(clock, () => reply.raw.destroy());
  reply.raw.on('drain', watch.moved);
  reply.raw.once('close', watch.end);
  return await reply.send(file.handle.createReadStream({ ...sent.part, highWaterMark: limits.repositoryChunkBytes }));
}
