/** A file of a route, by its handle: whole or in ranges; a reader that takes nothing for too long is let go, and the file with it. */
import type { FileHandle } from 'node:fs/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../schema/clock.ts';
import { limits } from './limits.ts';
import { judge } from './repository/conditions.ts';
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
  const [start, end] = verdict.status === 206 ? [verdict.start, verdict.end] : [0, file.bytes - 1];
  if (verdict.status === 416) reply.header('content-range', `bytes */${file.bytes}`);
  if (verdict.status === 206) reply.header('content-range', `bytes ${start}-${end}/${file.bytes}`);
  const whole = verdict.status === 200 || verdict.status === 206;
  if (whole) reply.header('content-length', end - start + 1);
  if (!whole || request.method === 'HEAD' || file.bytes === 0) {
    await file.handle.close();
    return await reply.send();
  }
  const watch = watchIdle(clock, () => reply.raw.destroy());
  reply.raw.on('drain', watch.moved);
  reply.raw.once('close', watch.end);
  return await reply.send(file.handle.createReadStream({ start, end, highWaterMark: limits.repositoryChunkBytes }));
}
