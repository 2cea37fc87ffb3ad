/** `/api/admin/pacotes` and `/api/admin/packages/rollback`: packages and engines of every server, for the admin panel and `svc rollback`. */
import type { FastifyInstance } from 'fastify';
import { SvcError } from '../../schema/errors.ts';
import type { AdminCommands, AdminView, RollbackAnswer } from '../../schema/gateway.ts';
import type { AdminPackagesAnswer } from '../../schema/wire/shop.ts';
import * as schemas from '../../schema/wire/shop.ts';
import { errorAnswers } from '../shell.ts';

const config = { access: 'admin' as const };
const rollback = '/api/admin/packages/rollback';

interface PackageRouteDeps {
  readonly admin: Pick<AdminView, 'packages'>;
  readonly commands: Pick<AdminCommands, 'rollBack' | 'undoRollBack'>;
}

export function addPackageRoutes(app: FastifyInstance, { admin, commands }: PackageRouteDeps): void {
  app.get(
    '/api/admin/pacotes',
    {
      config,
      schema: {
        summary: 'Per server: what is missing, packages, engines, who runs what',
        response: { 200: schemas.adminPackagesAnswer, ...errorAnswers },
      },
    },
    (): Promise<AdminPackagesAnswer> => admin.packages(),
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
      const answer = await commands.rollBack(request.body.key);
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
      const answer = await commands.undoRollBack(key);
      reply.code(202);
      return answer;
    },
  );
}
