/** `/api/terminais`: a person's terminals; what they show goes over `/ws/terminais/<id>`. Decision: docs/decisions/0225-terminals.md */
import type { FastifyInstance } from 'fastify';
import { SvcError } from '../../schema/errors.ts';
import { pathIn } from '../files/paths.ts';
import { sessionOf } from '../portal/shell.ts';
import { serve } from '../http/serve.ts';
import { limits } from '../terminals/limits.ts';
import type { Terminals } from '../terminals/terminals.ts';

export function addTerminalRoutes(app: FastifyInstance, terminals: Terminals): void {
  serve(app, 'GET /api/terminais', (request) => ({
    terminais: terminals.list(sessionOf(request).person),
    maximo: limits.terminalsPerPersonMax,
  }));
  serve(app, 'POST /api/terminais', async (request) => {
    const { colunas, linhas, pasta } = request.body;
    const folder = pasta === undefined ? null : pathIn(pasta, 'pasta');
    return await terminals.open(sessionOf(request), { columns: colunas, rows: linhas }, folder);
  });
  serve(app, 'DELETE /api/terminais/:id', async (request) => {
    if (!terminals.end(sessionOf(request).person, request.params.id)) throw new SvcError('NOT_FOUND', 'no such terminal of yours');
  });
}
