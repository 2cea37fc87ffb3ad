/** `/api/admin/pacotes` and `/api/admin/packages/rollback`: packages and engines of every server, for the admin panel and `svc rollback`. */
import type { FastifyInstance } from 'fastify';
import { SvcError } from '../../schema/errors.ts';
import type { Gateway, RollbackAnswer } from '../../schema/gateway.ts';
import type { AdminPackagesAnswer } from '../../schema/wire/store.ts';
import * as schemas from '../../schema/wire/store-schemas.ts';
import { errorAnswers } from '../shell.ts';

const config = { access: 'admin' as const };
const rollback = '/api/admin/packages/rollback';

export function addPackageRoutes(app: FastifyInstance, gateway: Gateway): void {
  app.get(
    '/api/admin/pacotes',
    {
      config,
      schema: {
        summary: 'Per server: what is missing, packages, engines, who runs what',
        response: { 200: schemas.adminPackagesAnswer, ...errorAnswers },
      },
    },
    (): Promise<AdminPackagesAnswer> => gateway.adminPackages(),
  );
  app.post<{ Body: { key: string } }>(
    rollback,
    {
      config,
      schema: {
        summary: 'Go back to the version before and hold it while the same version stays wanted',
        body: schemas.rollbackBody,
        response: { 202: schemas.rollbackAnswer, ...errorAnswers },
      },
    },
    async (request, reply): Promise<RollbackAnswer> => {
      const answer = await gateway.rollBack(request.body.key);
      reply.code(202);
      return answer;
    },
  );
  // The key may stand in the body as above, or in the query: some clients send no body with DELETE.
  app.delete<{ Body: { key: string } | null; Querystring: { key?: string } }>(
    rollback,
    {
      config,
      schema: {
        summary: 'End a held roll-back: what is wanted is installed again',
        body: schemas.undoBody,
        querystring: schemas.undoQuery,
        response: { 202: schemas.rollbackAnswer, ...errorAnswers },
      },
    },
    async (request, reply): Promise<RollbackAnswer> => {
      const key = request.body?.key ?? request.query.key;
      if (key === undefined) throw new SvcError('BAD_REQUEST', 'key: expected the key of a package, such as Package/notas-casa');
      const answer = await gateway.undoRollBack(key);
      reply.code(202);
      return answer;
    },
  );
}
