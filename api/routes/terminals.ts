/** `/api/terminais`: a person's terminals; what they show goes over `/ws/terminais/<id>`. Decision: docs/decisions/0225-terminals.md */
import type { FastifyInstance } from 'fastify';
import { SvcError } from '../../schema/errors.ts';
import type { TerminalOpenBody, TerminalsAnswer, TerminalView } from '../../schema/wire/terminals.ts';
import * as schemas from '../../schema/wire/terminals.ts';
import { pathIn } from '../files/paths.ts';
import { errorAnswers, sessionOf } from '../shell.ts';
import { limits } from '../terminals/limits.ts';
import type { Terminals } from '../terminals/terminals.ts';

const config = { access: 'person' as const };

export function addTerminalRoutes(app: FastifyInstance, terminals: Terminals): void {
  app.get(
    '/api/terminais',
    { config, schema: { summary: 'My terminals, the oldest first', response: { 200: schemas.terminalsAnswer, ...errorAnswers } } },
    (request): TerminalsAnswer => ({ terminais: terminals.list(sessionOf(request).person), maximo: limits.terminalsPerPersonMax }),
  );
  app.post<{ Body: TerminalOpenBody }>(
    '/api/terminais',
    {
      config,
      schema: {
        summary: 'A login shell of my account on my server',
        body: schemas.terminalOpenBody,
        response: { 201: schemas.terminalView, ...errorAnswers },
      },
    },
    async (request, reply): Promise<TerminalView> => {
      const { colunas, linhas, pasta } = request.body;
      const folder = pasta === undefined ? null : pathIn(pasta, 'pasta');
      const view = await terminals.open(sessionOf(request), { columns: colunas, rows: linhas }, folder);
      reply.code(201);
      return view;
    },
  );
  app.delete<{ Params: { id: string } }>(
    '/api/terminais/:id',
    {
      config,
      schema: {
        summary: 'Hang up: the shell and what it runs get SIGHUP',
        params: schemas.terminalParams,
        response: { 204: { type: 'null' }, ...errorAnswers },
      },
    },
    async (request, reply) => {
      if (!terminals.end(sessionOf(request).person, request.params.id)) throw new SvcError('NOT_FOUND', 'no such terminal of yours');
      reply.code(204);
    },
  );
}
