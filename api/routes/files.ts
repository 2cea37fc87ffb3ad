/** `/api/arquivos…`: what a person's pages read of the files of the person's account. See docs/files.md. */
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../schema/clock.ts';
import type { FileContent, FilesCommands, PersonFiles } from '../../schema/files.ts';
import { errorKinds, SvcError } from '../../schema/errors.ts';
import type { DeskFolderAnswer, ListAnswer } from '../../schema/wire/files.ts';
import { limits } from '../limits.ts';
import { attachmentOf, pathIn, pathsIn } from '../files/paths.ts';
import type { Previews } from '../files/previews.ts';
import { judge, partOf } from '../repository/conditions.ts';
import { watchIdle } from '../repository/upload.ts';
import { bytesMoved, moving } from '../connections/young-memory.ts';
import { dataPolicy } from '../http/security-headers.ts';
import { onGone } from '../http/gone.ts';
import { sessionOf } from '../portal/shell.ts';
import type { PartOf } from '../../schema/routes/call.ts';
import { type Asked, serve } from '../http/serve.ts';
import type { BeginUpload } from '../http/uploads.ts';

export interface FileRouteDeps {
  readonly files: FilesCommands;
  readonly clock: Clock;
  readonly previews: Pick<Previews, 'make'>;
  /** Transfers under way. */
  readonly beginTransfer: BeginUpload;
}

export async function filesOf({ files }: Pick<FileRouteDeps, 'files'>, request: FastifyRequest): Promise<PersonFiles> {
  const { person, admin } = sessionOf(request);
  return await files.of(person, admin);
}

/** Every desktop asks: that somebody has no files here, or that they can't be reached now, is an answer. */
async function deskFolder(deps: FileRouteDeps, request: FastifyRequest): Promise<DeskFolderAnswer> {
  try {
    return { pasta: await (await filesOf(deps, request)).deskFolder(), motivo: null, passa: false };
  } catch (error) {
    if (error instanceof SvcError) return { pasta: null, motivo: error.code, passa: errorKinds[error.code].retry === 'transient' };
    throw error;
  }
}

export function addFileRoutes(app: FastifyInstance, deps: FileRouteDeps): void {
  serve(app, 'GET /api/arquivos', async (request) => await (await filesOf(deps, request)).places());
  serve(app, 'GET /api/arquivos/mesa', async (request) => await deskFolder(deps, request));
  serve(app, 'GET /api/arquivos/lista', async (request) => await list(await filesOf(deps, request), request.query));
  serve(app, 'GET /api/arquivos/estado', async (request) => await (await filesOf(deps, request)).item(pathIn(request.query.caminho)));
  serve(app, 'GET /api/arquivos/espaco', async (request) => await (await filesOf(deps, request)).space(pathIn(request.query.caminho)));
  serve(app, 'GET /api/arquivos/conteudo', (request, reply) => sendFile(deps, request, reply));
  serve(app, 'GET /api/arquivos/zip', (request, reply) => sendZip(deps, request, reply));
  serve(app, 'POST /api/arquivos/previa', async (request) => await deps.previews.make(sessionOf(request), pathIn(request.body.caminho)));
}

async function list(files: PersonFiles, query: PartOf<'GET /api/arquivos/lista', 'query'>): Promise<ListAnswer> {
  return await files.list(pathIn(query.caminho), {
    order: query.ordem ?? 'nome',
    reverse: query.inversa === '1',
    hidden: query.ocultos === '1',
    mixed: query.juntas === '1',
    from: Number(query.desde ?? 0),
    limit: Number(query.limite ?? limits.filesPageDefault),
    prefix: query.comeca ?? null,
    version: query.versao ?? null,
  });
}

/** Whatever is in it: a file is never a page of the portal. */
const contentHeaders = {
  'content-type': 'application/octet-stream',
  'x-content-type-options': 'nosniff',
  'content-security-policy': `${dataPolicy}; sandbox`,
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'private, no-cache',
  vary: 'Cookie',
} as const;

async function sendFile(deps: FileRouteDeps, request: Asked<'GET /api/arquivos/conteudo'>, reply: FastifyReply): Promise<FastifyReply> {
  const path = pathIn(request.query.caminho);
  const files = await filesOf(deps, request);
  const end = deps.beginTransfer(sessionOf(request).person);
  try {
    const content = await files.open(path);
    // Whoever left while it was opened waits for no answer.
    if (reply.raw.closed) {
      end();
      await content.close().catch(() => undefined);
      return reply;
    }
    reply.headers({ ...contentHeaders, 'content-disposition': attachmentOf(path.subarray(path.lastIndexOf(0x2f) + 1)) });
    return await sendContent({ content, clock: deps.clock, request, reply, end });
  } catch (error) {
    end();
    throw error;
  }
}

/** The first chunk decides whether the answer is a zip or an error; later failures break it off. */
async function sendZip(deps: FileRouteDeps, request: Asked<'GET /api/arquivos/zip'>, reply: FastifyReply): Promise<FastifyReply> {
  const paths = pathsIn(request.query.caminho);
  const files = await filesOf(deps, request);
  const end = deps.beginTransfer(sessionOf(request).person);
  const gone = new AbortController();
  onGone(reply.raw, () => {
    gone.abort();
    end();
  });
  const pieces = files.zip(paths, gone.signal)[Symbol.asyncIterator]();
  const first = await pieces.next().catch((error: unknown) => {
    end();
    if (gone.signal.aborted) return null;
    throw error;
  });
  // Nobody waits for the answer.
  if (first === null) return reply;
  const [path] = paths;
  const name = path === undefined || paths.length > 1 ? Buffer.alloc(0) : Buffer.from(path.subarray(path.lastIndexOf(0x2f) + 1));
  const named = Buffer.concat([name.length === 0 ? Buffer.from('arquivos') : name, Buffer.from('.zip')]);
  reply.headers({ ...contentHeaders, 'content-type': 'application/zip', 'content-disposition': attachmentOf(named) });
  const watch = watchIdle(deps.clock, () => reply.raw.destroy());
  const all = async function* (): AsyncGenerator<Uint8Array> {
    for (let next = first; next.done !== true; next = await pieces.next()) {
      watch.moved();
      bytesMoved(next.value.length);
      yield next.value;
    }
  };
  const stream = Readable.from(all(), { objectMode: false, highWaterMark: 256 * 1_024 });
  onGone(reply.raw, () => {
    watch.end();
    stream.destroy();
    // It may have a file open, and the stream that read it does not end it.
    void pieces.return?.().catch(() => undefined);
  });
  return await reply.send(stream);
}

interface Sending {
  readonly content: FileContent;
  readonly clock: Clock;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** Called once, when nothing of it is under way any more. */
  readonly end: () => void;
}

/** Whole or in one range; closes it. A reader that takes nothing for too long is let go. */
export async function sendContent({ content, clock, request, reply, end }: Sending): Promise<FastifyReply> {
  const { bytes, etag, modifiedMs } = content;
  const verdict = judge(request.method, request.raw.headers, { bytes, etag, modifiedMs });
  reply.headers({ etag, 'accept-ranges': 'bytes', 'last-modified': new Date(modifiedMs).toUTCString() }).code(verdict.status);
  const { headers, part } = partOf(verdict, bytes);
  reply.headers(headers);
  if (part === null || request.method === 'HEAD' || bytes === 0) {
    await content.close();
    end();
    return await reply.send();
  }
  const watch = watchIdle(clock, () => reply.raw.destroy());
  const stream = Readable.from(moving(content.read(part.start, part.end)), { objectMode: false, highWaterMark: 1_024 * 1_024 });
  reply.raw.on('drain', watch.moved);
  onGone(reply.raw, () => {
    watch.end();
    stream.destroy();
    content.close().catch(() => undefined);
    end();
  });
  return await reply.send(stream);
}
