/** `/api/arquivos…`: long operations, and those that report line by line. See docs/files.md. */
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { SvcError } from '../../schema/errors.ts';
import { limits } from '../limits.ts';
import { pathIn, pathsIn } from '../files/paths.ts';
import { runAs } from '../connections/work-owner.ts';
import { goneSignal, onGone } from '../http/gone.ts';
import { sessionOf } from '../portal/shell.ts';
import { serve } from '../http/serve.ts';
import type { BeginUpload } from '../http/uploads.ts';
import type { FileChangeDeps } from './file-changes.ts';
import { filesOf } from './files.ts';

export interface FileWorkDeps extends FileChangeDeps {
  /** Searches and watches under way. */
  readonly beginStream: BeginUpload;
}

export function addFileWorkRoutes(app: FastifyInstance, deps: FileWorkDeps): void {
  serve(app, 'POST /api/arquivos/operacoes', async (request) => {
    const { person } = sessionOf(request);
    deps.count(person);
    const files = await filesOf(deps, request);
    // An operation has bounds of its own: what it works must not keep its person from ending it.
    const owner = { what: 'an operation with files', person, app: null, isOwed: false, end: () => undefined };
    return await runAs(owner, () => files.begin(request.body));
  });
  serve(app, 'GET /api/arquivos/operacoes', async (request) => ({ operacoes: (await filesOf(deps, request)).operations() }));
  serve(app, 'GET /api/arquivos/operacoes/:id', async (request, reply) => {
    const seconds = Math.min(Number(request.query.espera ?? 0), limits.fileWorkHoldSecondsMax);
    return await (await filesOf(deps, request)).operation(request.params.id, seconds * 1_000, goneSignal(reply.raw));
  });
  serve(app, 'DELETE /api/arquivos/operacoes/:id', async (request) => (await filesOf(deps, request)).cancel(request.params.id));
  addLines(app, deps);
}

function addLines(app: FastifyInstance, deps: FileWorkDeps): void {
  const begin = deps.beginStream;
  serve(app, 'GET /api/arquivos/busca', async (request, reply) => {
    const { caminho, texto, ocultos } = request.query;
    const files = await filesOf(deps, request);
    const signal = goneSignal(reply.raw);
    return await sendLines(request, reply, begin, files.search(pathIn(caminho), texto, ocultos === '1', signal));
  });
  serve(app, 'GET /api/arquivos/vigiar', async (request, reply) => {
    const folders = pathsIn(request.query.caminho);
    const versions = [request.query.versao ?? []].flat();
    if (versions.length > 0 && versions.length !== folders.length)
      throw new SvcError('BAD_REQUEST', 'versao: one for each caminho, or none');
    if (folders.length > limits.watchedFoldersMax) throw new SvcError('BAD_REQUEST', `caminho: at most ${limits.watchedFoldersMax}`);
    const watched = folders.map((path, at) => ({ path, version: versions[at] || null }));
    const files = await filesOf(deps, request);
    return await sendLines(request, reply, begin, files.watch(watched, goneSignal(reply.raw)));
  });
}

/** The first line decides whether it is an answer or an error. */
async function sendLines(
  request: FastifyRequest,
  reply: FastifyReply,
  begin: BeginUpload,
  lines: AsyncIterable<unknown>,
): Promise<FastifyReply> {
  const end = begin(sessionOf(request).person);
  onGone(reply.raw, end);
  const iterator = lines[Symbol.asyncIterator]();
  let first: IteratorResult<unknown>;
  try {
    first = await iterator.next();
  } catch (error) {
    end();
    throw error;
  }
  reply.headers({ 'content-type': 'application/x-ndjson; charset=utf-8', 'x-accel-buffering': 'no' });
  const text = async function* (): AsyncGenerator<string> {
    for (let next = first; next.done !== true; next = await iterator.next())
      yield `${next.value === null ? '' : JSON.stringify(next.value)}\n`;
  };
  const stream = Readable.from(text(), { objectMode: false });
  onGone(reply.raw, () => {
    stream.destroy();
    // It may have a folder open, and the stream that read it does not end it.
    void iterator.return?.().catch(() => undefined);
  });
  return await reply.send(stream);
}
