/** `/api/arquivos…`: what a person's pages change of the files of the person's account. See docs/files.md. */
import type { FastifyInstance } from 'fastify';
import { SvcError } from '../../schema/errors.ts';
import type { WrittenAnswer } from '../../schema/wire/files.ts';
import { limits } from '../limits.ts';
import { nameIn, pathIn } from '../files/paths.ts';
import type { Rate } from '../http/rate.ts';
import { arriving } from '../repository/upload.ts';
import { sessionOf } from '../portal/shell.ts';
import { type Asked, serve } from '../http/serve.ts';
import { filesOf, type FileRouteDeps } from './files.ts';
import { refuseEncoded, takeRaw } from './queue-files.ts';

export interface FileChangeDeps extends FileRouteDeps {
  /** Changes of a person. */
  readonly count: Rate;
}

export function addFileChangeRoutes(app: FastifyInstance, deps: FileChangeDeps): void {
  const { count } = deps;
  addBodies(app, deps);
  addUploads(app, deps);
  serve(app, 'POST /api/arquivos/pasta', async (request) => {
    count(sessionOf(request).person);
    return await (await filesOf(deps, request)).makeFolder(pathIn(request.body.caminho));
  });
  serve(app, 'POST /api/arquivos/renomear', async (request) => {
    count(sessionOf(request).person);
    const { caminho, nome } = request.body;
    return await (await filesOf(deps, request)).rename(pathIn(caminho), nameIn(nome));
  });
  serve(app, 'GET /api/arquivos/lixo', async (request) => {
    const { desde = '0', limite = String(limits.filesPageDefault) } = request.query;
    return await (await filesOf(deps, request)).trash(Number(desde), Math.min(Number(limite), limits.trashPageMax));
  });
}

function addUploads(app: FastifyInstance, deps: FileChangeDeps): void {
  const { count } = deps;
  serve(app, 'POST /api/arquivos/envios', async (request) => {
    count(sessionOf(request).person);
    const { caminho, bytes, conflito: conflict = 'recusar', retomar: resume = null } = request.body;
    return await (await filesOf(deps, request)).beginUpload({ path: pathIn(caminho), bytes, conflict, resume });
  });
  serve(app, 'GET /api/arquivos/envios/:id', async (request) => await (await filesOf(deps, request)).seeUpload(request.params.id));
  serve(
    app,
    'POST /api/arquivos/envios/:id/fim',
    async (request) => await (await filesOf(deps, request)).endUpload(request.params.id, request.body?.sha256 ?? null),
  );
  serve(app, 'DELETE /api/arquivos/envios/:id', async (request) => {
    await (await filesOf(deps, request)).dropUpload(request.params.id);
  });
}

/** Bodies as they are. */
function addBodies(app: FastifyInstance, deps: FileChangeDeps): void {
  void app.register(async (scope) => {
    takeRaw(scope);
    serve(scope, 'PUT /api/arquivos/conteudo', (request) => write(deps, request));
    serve(scope, 'PUT /api/arquivos/envios/:id', async (request) => {
      refuseEncoded(request);
      const end = deps.beginTransfer(sessionOf(request).person);
      try {
        const files = await filesOf(deps, request);
        return await files.putPiece(request.params.id, Number(request.query.desde), arriving(deps.clock, request.raw));
      } finally {
        end();
      }
    });
  });
}

async function write(deps: FileChangeDeps, request: Asked<'PUT /api/arquivos/conteudo'>): Promise<WrittenAnswer> {
  refuseEncoded(request);
  const { person } = sessionOf(request);
  deps.count(person);
  const { headers } = request.raw;
  const isNew = headers['if-none-match'] !== undefined;
  if (isNew && headers['if-none-match']?.trim() !== '*') throw new SvcError('BAD_REQUEST', 'If-None-Match: expected *');
  const length = headers['content-length'];
  const path = pathIn(request.query.caminho);
  const files = await filesOf(deps, request);
  const end = deps.beginTransfer(person);
  try {
    const condition = { matches: headers['if-match'] ?? null, isNew, bytes: length === undefined ? null : Number(length) };
    return await files.write(path, arriving(deps.clock, request.raw), condition);
  } finally {
    end();
  }
}
