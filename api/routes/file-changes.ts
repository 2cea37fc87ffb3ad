/** `/api/arquivos…`: what a person's pages change of the files of the person's account. See docs/files.md. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { SvcError } from '../../schema/errors.ts';
import type { FileItem, TrashAnswer, UploadAnswer, UploadBody, UploadEndAnswer, WrittenAnswer } from '../../schema/wire/files.ts';
import * as schemas from '../../schema/wire/files.ts';
import { limits } from '../limits.ts';
import { nameIn, pathIn } from '../files/paths.ts';
import type { Rate } from '../rate.ts';
import { arriving } from '../repository/upload.ts';
import { errorAnswers, sessionOf } from '../shell.ts';
import { filesOf, type FileRouteDeps } from './files.ts';
import { refuseEncoded, takeRaw } from './queue-files.ts';

export interface FileChangeDeps extends FileRouteDeps {
  /** Changes of a person. */
  readonly count: Rate;
}

type OfPath = { Querystring: { caminho: string } };
type OfId = { Params: { id: string } };
const config = { access: 'person' as const };
/** Bodies that are watched while they arrive: they may take longer than those of other calls. */
export const fileUploadPath = /^\/api\/arquivos\/(?:conteudo|envios\/[^/]+)$/;

export function addFileChangeRoutes(app: FastifyInstance, deps: FileChangeDeps): void {
  const { count } = deps;
  addBodies(app, deps);
  addUploads(app, deps);
  app.post<{ Body: { caminho: string } }>(
    '/api/arquivos/pasta',
    { config, schema: { summary: 'Make a folder', body: schemas.folderBody, response: { 201: schemas.fileItem, ...errorAnswers } } },
    async (request, reply): Promise<FileItem> => {
      count(sessionOf(request).person);
      const made = await (await filesOf(deps, request)).makeFolder(pathIn(request.body.caminho));
      reply.code(201);
      return made;
    },
  );
  app.post<{ Body: { caminho: string; nome: string } }>(
    '/api/arquivos/renomear',
    { config, schema: { summary: 'Rename', body: schemas.renameBody, response: { 200: schemas.fileItem, ...errorAnswers } } },
    async (request): Promise<FileItem> => {
      count(sessionOf(request).person);
      const { caminho, nome } = request.body;
      return await (await filesOf(deps, request)).rename(pathIn(caminho), nameIn(nome));
    },
  );
  app.get<{ Querystring: { desde?: string; limite?: string } }>(
    '/api/arquivos/lixo',
    { config, schema: { summary: 'The trash', querystring: schemas.trashQuery, response: { 200: schemas.trashAnswer, ...errorAnswers } } },
    async (request): Promise<TrashAnswer> => {
      const { desde = '0', limite = String(limits.filesPageDefault) } = request.query;
      return await (await filesOf(deps, request)).trash(Number(desde), Math.min(Number(limite), limits.trashPageMax));
    },
  );
}

function addUploads(app: FastifyInstance, deps: FileChangeDeps): void {
  const { count } = deps;
  app.post<{ Body: UploadBody }>(
    '/api/arquivos/envios',
    { config, schema: { summary: 'Begin an upload', body: schemas.uploadBody, response: { 201: schemas.uploadAnswer, ...errorAnswers } } },
    async (request, reply): Promise<UploadAnswer> => {
      count(sessionOf(request).person);
      const { caminho, bytes, conflito: conflict = 'recusar', retomar: resume = null } = request.body;
      const begun = await (await filesOf(deps, request)).beginUpload({ path: pathIn(caminho), bytes, conflict, resume });
      reply.code(201);
      return begun;
    },
  );
  app.get<OfId>(
    '/api/arquivos/envios/:id',
    {
      config,
      schema: { summary: 'How much of it is here', params: schemas.idParams, response: { 200: schemas.uploadAnswer, ...errorAnswers } },
    },
    async (request): Promise<UploadAnswer> => await (await filesOf(deps, request)).seeUpload(request.params.id),
  );
  app.post<OfId & { Body: { sha256?: string } | null }>(
    '/api/arquivos/envios/:id/fim',
    {
      config,
      schema: {
        summary: 'Put it in its place',
        params: schemas.idParams,
        body: schemas.uploadEndBody,
        response: { 200: schemas.uploadEndAnswer, ...errorAnswers },
      },
    },
    async (request): Promise<UploadEndAnswer> =>
      await (await filesOf(deps, request)).endUpload(request.params.id, request.body?.sha256 ?? null),
  );
  app.delete<OfId>(
    '/api/arquivos/envios/:id',
    { config, schema: { summary: 'Drop an upload', params: schemas.idParams, response: errorAnswers } },
    async (request, reply): Promise<FastifyReply> => {
      await (await filesOf(deps, request)).dropUpload(request.params.id);
      return await reply.code(204).send();
    },
  );
}

/** Bodies as they are. */
function addBodies(app: FastifyInstance, deps: FileChangeDeps): void {
  void app.register(async (scope) => {
    takeRaw(scope);
    scope.put<OfPath>(
      '/api/arquivos/conteudo',
      {
        config,
        schema: {
          summary: 'The whole file anew',
          querystring: schemas.pathQuery,
          consumes: ['*/*'],
          response: { 200: schemas.writtenAnswer, ...errorAnswers },
        },
      },
      (request) => write(deps, request),
    );
    scope.put<OfId & { Querystring: { desde: string } }>(
      '/api/arquivos/envios/:id',
      {
        config,
        schema: {
          summary: 'Bytes of an upload, from `desde` on',
          params: schemas.idParams,
          querystring: schemas.pieceQuery,
          consumes: ['*/*'],
          response: { 200: schemas.uploadAnswer, ...errorAnswers },
        },
      },
      async (request): Promise<UploadAnswer> => {
        refuseEncoded(request);
        const end = deps.beginTransfer(sessionOf(request).person);
        try {
          const files = await filesOf(deps, request);
          return await files.putPiece(request.params.id, Number(request.query.desde), arriving(deps.clock, request.raw));
        } finally {
          end();
        }
      },
    );
  });
}

async function write(deps: FileChangeDeps, request: FastifyRequest<OfPath>): Promise<WrittenAnswer> {
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
